"""Reads wire feeds from pieces; other content is rejected with a reason.

Does not belong here: bytes to entries (`connectors.kit.feeds`), the fields of one wire (`wires.dataset`).
"""

from __future__ import annotations

from connectors.contract.dataset import ArchiveMember, UnreadableFileError
from connectors.kit import feeds, staging
from connectors.kit.feeds import Entry, NotFeedError, ParsedFeed

__all__ = ["Entry", "ParsedFeed", "read_feed"]


def read_feed(member: ArchiveMember) -> ParsedFeed:
    """The feed of a piece. Raises UnreadableFileError."""
    with staging.open_plain(member) as stream:
        body = stream.read(feeds.LARGEST + 1)
    try:
        return feeds.parse_feed(body)
    except NotFeedError as error:
        raise UnreadableFileError(member.dataset, member.name, str(error)) from error
