"""Reads wire feeds from pieces; other content is rejected with a reason.

Does not belong here: bytes to entries (`connectors.kit.syndication`), the fields of one wire (`wires`).
"""

from __future__ import annotations

from connectors.declare import Piece, Unreadable
from connectors.kit import staged, syndication
from connectors.kit.syndication import Entry, Feed, NoFeed

__all__ = ["Entry", "Feed", "read"]


def read(piece: Piece) -> Feed:
    """The feed of a piece. Raises Unreadable."""
    with staged.opened(piece) as stream:
        body = stream.read(syndication.LARGEST + 1)
    try:
        return syndication.parse(body)
    except NoFeed as error:
        raise Unreadable(piece.dataset, piece.name, str(error)) from error
