"""RSS and Atom bodies to entries: bounded, entities refused, what breaks off told from what is merely untidy.

Belongs here: calling feedparser on bytes and judging what it made of them. Does not belong here: the fields
of one wire (`wires`).
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import Any, Final

import feedparser

from connectors.declare import Piece, Unreadable
from connectors.kit import staged
from connectors.kit.formats import Format, sniff

LARGEST: Final = 8 << 20  # a feed of twenty releases has a tenth of a megabyte
MOST: Final = 5_000  # entries
_ENTITY: Final = re.compile(rb"<\s*!\s*E\x00?N\x00?T\x00?I\x00?T\x00?Y", re.IGNORECASE)
_END: Final = re.compile(rb"</\s*(?:[\w.-]{1,40}:)?(?:rss|feed|rdf)\s*>\s*\Z", re.IGNORECASE)

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Feed:
    """One body. `repaired`: ill-formed markup that was read past its errors."""

    title: str
    link: str
    entries: tuple[Entry, ...]
    repaired: bool


def read(piece: Piece) -> Feed:
    """The entries of a body. Raises Unreadable for HTML with a good status, a cut body, one without any entry."""
    with staged.opened(piece) as stream:
        body = stream.read(LARGEST + 1)
    if len(body) > LARGEST:
        raise Unreadable(piece.dataset, piece.name, f"a feed of more than {LARGEST >> 20} MiB")
    found = sniff(body)
    if found is not Format.XML:
        raise Unreadable(
            piece.dataset, piece.name, f"a feed in XML was due, not {found.value}: ask again later"
        )
    if _ENTITY.search(body.replace(b"\x00", b"")):
        raise Unreadable(piece.dataset, piece.name, "a feed that declares entities: none of these wires does")
    # a stream, for text and bytes would be tried as an address and as the name of a file
    parsed: Any = feedparser.parse(io.BytesIO(body), sanitize_html=False, resolve_relative_uris=False)
    if not parsed.entries:
        raise Unreadable(piece.dataset, piece.name, f"no items in it{_why(parsed)}: ask again later")
    if len(parsed.entries) > MOST:
        raise Unreadable(piece.dataset, piece.name, f"more than {MOST:,} items")
    if _is_cut(parsed, body):
        raise Unreadable(piece.dataset, piece.name, f"a feed that breaks off{_why(parsed)}")
    return Feed(
        str(parsed.feed.get("title", "")),
        str(parsed.feed.get("link", "")),
        tuple(parsed.entries),
        repaired=bool(parsed.bozo) and not _is_of_encoding(parsed),
    )


def _is_cut(parsed: Any, body: bytes) -> bool:
    return bool(parsed.bozo) and _END.search(body[-4096:].replace(b"\x00", b"")) is None


def _is_of_encoding(parsed: Any) -> bool:
    error = parsed.get("bozo_exception")
    return isinstance(error, feedparser.CharacterEncodingOverride | feedparser.NonXMLContentType)


def _why(parsed: Any) -> str:
    error = parsed.get("bozo_exception") if parsed.bozo else None
    return "" if error is None else f" ({' '.join(str(error).split())[:120]})"
