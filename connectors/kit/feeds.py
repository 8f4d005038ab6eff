"""Parses feeds (RSS, Atom) to entries: bounded, without entities, rejecting truncated but not untidy feeds.

Belongs here: calling feedparser and checking its result. HTML with status 200, a truncated feed, one without
items and one with too many are rejected (docs/formats/news.md 0.5). Does not belong here: the content of an
entry.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import Any, Final

import feedparser
from feedparser import encodings, sanitizer
from feedparser.mixin import _FeedParserMixin

from connectors.kit.formats import BodyFormat, detect_body_format

LARGEST: Final = 8 << 20  # bytes; a feed of twenty releases has a tenth of a megabyte
MOST: Final = 5_000  # entries
_TAGS: Final = 200_000  # a feed with MOST entries has half as many; a million take a minute
_ENTITY: Final = re.compile(rb"<\s*!\s*ENTITY", re.IGNORECASE)
_END: Final = re.compile(rb"</\s*(?:[\w.-]{1,40}:)?(?:rss|feed|rdf)\s*>\s*\Z", re.IGNORECASE)
_TAIL: Final = 4_096
# Errors of the library's parsers for end tags without a start, invalid e-mail addresses of authors, and
# character references out of range.
_TANGLED: Final = (
    AssertionError, AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError,
)  # fmt: skip

Entry = dict[str, Any]


_PARSER: Any = _FeedParserMixin
_of_author: Final = _PARSER._sync_author_detail  # noqa: SLF001 - the library has no setting for it
_AUTHOR: Final = 200  # characters of a name with its address


def _sync_short_author(parser: Any, key: str = "author") -> None:
    """Skips long names: the library searches them for an address in quadratic time, 9 seconds for 50 KB."""
    if len(parser._get_context().get(key) or "") <= _AUTHOR:  # noqa: SLF001 - as above
        _of_author(parser, key)


_PARSER._sync_author_detail = _sync_short_author  # noqa: SLF001 - as above

# The library's own patterns try a run of lines from each of them, and a declaration from each `encoding=` of
# the first line to each quote: 40 KB of either take many seconds. These are bounded, and exclude Punycode,
# which decodes in quadratic time too.
encodings.RE_XML_PI_ENCODING = re.compile(
    rb"""<\?[^>]{0,200}?encoding=['"]((?!(?i:punycode))[A-Za-z][\w.:-]{0,40})['"][^>]{0,200}\?>"""
)
sanitizer.RE_DOCTYPE_PATTERN = re.compile(rb"^[^\S\n]*+<!DOCTYPE([^>]{0,1000}+)>", re.MULTILINE)
sanitizer.RE_ENTITY_PATTERN = re.compile(rb"^[^\S\n]*+<!ENTITY([^>]{0,1000}+)>", re.MULTILINE)


class NotFeedError(Exception):
    """A body that is not an acceptable feed. The message states why."""


@dataclass(frozen=True, slots=True)
class ParsedFeed:
    """One body. `is_repaired`: ill-formed markup that was read past its errors."""

    title: str
    link: str
    entries: tuple[Entry, ...]
    is_repaired: bool


def parse_feed(body: bytes) -> ParsedFeed:
    """The entries of a body, at least one. Raises NotFeedError."""
    plain = body.replace(b"\x00", b"")  # UTF-16 would hide markup from the byte checks
    _check_body(body, plain)
    # a stream, because text and bytes would be tried as an address and as a file name
    try:
        found: Any = feedparser.parse(io.BytesIO(body), sanitize_html=False, resolve_relative_uris=False)
    except _TANGLED as error:
        raise NotFeedError(f"markup that cannot be taken apart: {type(error).__name__}") from error
    if not found.entries:
        raise NotFeedError(f"no items in it{_parser_complaint(found)}: try again later")
    if len(found.entries) > MOST:
        raise NotFeedError(f"more than {MOST:,} items")
    if bool(found.bozo) and _END.search(plain[-_TAIL:]) is None:
        raise NotFeedError(f"a feed that breaks off{_parser_complaint(found)}")
    return ParsedFeed(
        str(found.feed.get("title", "")),
        str(found.feed.get("link", "")),
        tuple(found.entries),
        is_repaired=bool(found.bozo) and not _is_encoding_warning(found),
    )


def entry_time(entry: Entry) -> Any:
    """Publication time of an entry as written, else its last update; None if it has neither."""
    # `get` returns one for the other, with a warning
    told = [name for name in ("published", "updated") if name in entry]
    return next(filter(None, (entry[name] for name in told)), None)


def _check_body(body: bytes, plain: bytes) -> None:
    if len(body) > LARGEST:
        raise NotFeedError(f"expected a feed, found more than {LARGEST >> 20} MiB")
    if plain.count(b"<") > _TAGS:
        raise NotFeedError(f"expected a feed, found more than {_TAGS:,} elements")
    found = detect_body_format(body)
    if found is not BodyFormat.XML:
        raise NotFeedError(f"expected a feed, found {found.value}: try again later, or check the address")
    if _ENTITY.search(plain):
        raise NotFeedError("a feed that declares entities, unlike all of these sources")


def _is_encoding_warning(found: Any) -> bool:
    error = found.get("bozo_exception")
    return isinstance(error, feedparser.CharacterEncodingOverride | feedparser.NonXMLContentType)


def _parser_complaint(found: Any) -> str:
    error = found.get("bozo_exception") if found.bozo else None
    return "" if error is None else f" ({' '.join(str(error).split())[:120]})"
