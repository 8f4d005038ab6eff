"""Answers of Elasticsearch, as both indexes give them: whole or not, and their hits (docs/formats/dk.md 2).

Belongs here: the envelope. Does not belong here: records (each dataset), or requests (`search`).
"""

from __future__ import annotations

import io
import re
from dataclasses import replace
from functools import partial
from typing import Any, Final

import msgspec

from connectors.contract.pieces import ArchiveMember
from connectors.kit import staging
from connectors.kit.json.chunks import MALFORMED

LARGEST_BYTES: Final = 256 << 20  # of an answer, which is read whole
_HEAD: Final = 1 << 16
_ANSWER: Final = re.compile(rb'\s*\{\s*"(?:took|timed_out|_shards|hits|_scroll_id)"\s*:')
_TOO_LONG: Final = f"an answer of more than {LARGEST_BYTES >> 20} MiB"


class IncompleteAnswerError(Exception):
    """An answer that does not have all its hits; the message says why."""


class Shards(msgspec.Struct):
    """Parts of the index that answered."""

    failed: int = 0


class Hits(msgspec.Struct):
    """The hits as JSON. `total`: a number, or {value, relation} in newer editions."""

    hits: list[msgspec.Raw]
    total: Any = None


class SearchAnswer(msgspec.Struct):
    """The envelope."""

    hits: Hits
    timed_out: bool = False
    shards: Shards = msgspec.field(name="_shards", default_factory=Shards)


_DECODER: Final = msgspec.json.Decoder(SearchAnswer)


def is_answer(head: bytes) -> bool:
    """True if a body begins as an answer; others have one hit a line."""
    return _ANSWER.match(head) is not None


def decode_answer(body: bytes) -> SearchAnswer:
    """The envelope of an answer. Raises MALFORMED errors, and IncompleteAnswerError if hits are missing."""
    found = _DECODER.decode(body)
    if found.timed_out:
        raise IncompleteAnswerError("the search timed out: hits are missing")
    if found.shards.failed:
        raise IncompleteAnswerError(f"{found.shards.failed} shards failed: hits are missing")
    return found


def hits_member(member: ArchiveMember) -> ArchiveMember:
    """The hits of a body as a JSON array, or the body itself where each line is a hit.

    Raises UnreadableFileError for an answer that is malformed or not whole.
    """
    with staging.open_plain(member) as stream:
        if not is_answer(stream.read(_HEAD)):
            return member
    body = staging.read_plain(member, LARGEST_BYTES, _TOO_LONG)
    with staging.unreadable_on(member, (IncompleteAnswerError, *MALFORMED), "expected an answer of Elasticsearch"):
        found = decode_answer(body)
    return replace(member, open=partial(io.BytesIO, b"[%b]" % b",".join(found.hits.hits)))
