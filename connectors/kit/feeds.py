"""Parses feeds (RSS, Atom) to entries: bounded, without entities, rejecting truncated but not untidy feeds.

Belongs here: bytes to entries; which element of which dialect is which field. HTML with status 200, a truncated feed,
one without items and one with too many are rejected (docs/formats/news.md 0.5). Does not belong here: the content of
an entry.
"""

from __future__ import annotations

import codecs
import html
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple
from urllib.parse import urljoin

from lxml import etree

from connectors.kit.formats import BodyFormat, detect_body_format
from connectors.kit.xml.element_text import BoundedElementText
from connectors.kit.xml.parse import MalformedMarkupError, ParsedMarkup, parse_markup

LARGEST: Final = 8 << 20  # bytes; a feed of twenty releases has a tenth of a megabyte
MOST: Final = 5_000  # entries
_TAGS: Final = 200_000  # a feed with MOST entries has half as many
_ENTITY: Final = re.compile(rb"<\s*!\s*ENTITY", re.IGNORECASE)
_CDATA: Final = re.compile(rb"(<!\[CDATA\[|\]\]>)")
# A lone ampersand, or a reference to a character that HTML alone has a name for.
_REFERENCE: Final = re.compile(rb"&(?!#\d{1,7};|#[xX][0-9a-fA-F]{1,6};|(?:amp|lt|gt|quot|apos);)(?:[A-Za-z]\w{1,30};)?")
# References to control characters mean cp1252, as browsers take them.
_WESTERN: Final = {code: bytes([code]).decode("cp1252", "ignore") or chr(code) for code in range(0x80, 0xA0)}
_PROLOG: Final = 300  # bytes that hold the declaration
_DECLARED: Final = re.compile(rb"""(<\?xml[^>]{0,200}encoding\s*=\s*["'])([^"']{1,40})(["'])""", re.IGNORECASE)
_UTF_8: Final = (b"utf-8", b"utf8")
_UNSURE: Final = (*_UTF_8, b"iso-8859-1", b"latin1", b"latin-1", b"windows-1252", b"cp1252")
_RDF_ABOUT: Final = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
_PAGES: Final = frozenset({"text/html", "application/xhtml+xml"})
_PREFIXES: Final = {
    "http://purl.org/rss/1.0/": "",
    "http://www.w3.org/2005/Atom": "",
    "http://purl.org/dc/elements/1.1/": "dc:",
    "http://purl.org/dc/terms/": "dcterms:",
    "http://purl.org/rss/1.0/modules/content/": "content:",
}
_ITEMS: Final = frozenset({"item", "entry"})


class NotFeedError(Exception):
    """A body that is not an acceptable feed. The message states why."""


class FeedTag(NamedTuple):
    """A category. `scheme`: the domain that its term belongs to."""

    term: str
    scheme: str


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One entry; texts as written, markup included, and empty where absent.

    time: of publication, else of the last update. number: `dc:identifier`.
    """

    title: str
    link: str
    id: str
    author: str
    time: str
    summary: str
    language: str
    number: str
    contributors: tuple[str, ...]
    tags: tuple[FeedTag, ...]


@dataclass(frozen=True, slots=True)
class ParsedFeed:
    """One body. `is_repaired`: ill-formed markup that was read past its errors."""

    title: str
    link: str
    entries: tuple[FeedEntry, ...]
    is_repaired: bool


def parse_feed(body: bytes) -> ParsedFeed:
    """The entries of a body, at least one. Raises NotFeedError."""
    _check_body(body)
    plain, is_mixed = _in_own_encoding(body)
    found = _parse(plain)
    root = found.roots[0]
    items = [element for one in found.roots for element in one.iter(etree.Element) if _name(element) in _ITEMS]
    if not items:
        raise NotFeedError("no items in it: try again later")
    if len(items) > MOST:
        raise NotFeedError(f"more than {MOST:,} items")
    # an item that lacks its end has the next one inside
    texts = BoundedElementText(root, Counter(), frozenset(str(item.tag) for item in items), between=" ")
    channel = _Fields(next((element for element in root if _name(element) == "channel"), root), texts)
    is_repaired = (found.is_repaired and not found.is_recoded) or len(found.roots) > 1 or is_mixed
    return ParsedFeed(
        channel.first("title"), channel.link(), tuple(_Fields(item, texts).entry() for item in items), is_repaired
    )


def _check_body(body: bytes) -> None:
    if len(body) > LARGEST:
        raise NotFeedError(f"expected a feed, found more than {LARGEST >> 20} MiB")
    plain = body.replace(b"\x00", b"")  # UTF-16 would hide markup from the byte checks
    if plain.count(b"<") > _TAGS:
        raise NotFeedError(f"expected a feed, found more than {_TAGS:,} elements")
    found = detect_body_format(body)
    if found is not BodyFormat.XML:
        raise NotFeedError(f"expected a feed, found {found.value}: try again later, or check the address")
    if _ENTITY.search(plain):
        raise NotFeedError("a feed that declares entities, unlike all of these sources")


def _in_own_encoding(body: bytes) -> tuple[bytes, bool]:
    """The body as UTF-8 where its bytes show that it is, and whether bytes of Windows-1252 are among them.

    UTF-8 is hardly ever met by chance: it is believed rather than a declaration of a Western encoding, which reads any
    bytes. A feed put together from several sources may have pieces in both.
    """
    declared = _DECLARED.search(body[:_PROLOG])
    name = declared[2].lower() if declared else b"utf-8"
    if body.isascii() or b"\x00" in body or name not in _UNSURE:
        return body, False
    text = body.decode("utf-8", _OWN_BYTES)
    plain = text.encode()
    if plain == body:
        return (_DECLARED.sub(rb"\1utf-8\3", body, count=1) if declared else body), False
    is_mixed = name in _UTF_8 and not body.decode("utf-8", "ignore").isascii()
    return (plain, True) if is_mixed else (body, False)


def _western_bytes(error: UnicodeError) -> tuple[str, int]:
    """Bytes that are no UTF-8, as browsers read them (a handler of errors of decoding)."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    codes = error.object[error.start : error.end]
    return "".join(_WESTERN.get(code, chr(code)) for code in codes), error.end


_OWN_BYTES: Final = f"{__name__}.own_bytes"
codecs.register_error(_OWN_BYTES, _western_bytes)


def _parse(body: bytes) -> ParsedMarkup:
    try:
        found = parse_markup(body)
        if not found.is_repaired or b"\x00" in body:
            return found
        tidy = parse_markup(_escape_ampersands(body))
    except MalformedMarkupError as error:
        raise NotFeedError(f"markup that cannot be taken apart: {error}") from error
    return ParsedMarkup(tidy.roots, True, found.is_recoded)


def _escape_ampersands(body: bytes) -> bytes:
    """Ill-formed markup with references as XML has them; else its parser drops them."""
    pieces = _CDATA.split(body)
    for place in range(0, len(pieces), 2):
        if not place or pieces[place - 1] == b"]]>":
            pieces[place] = _REFERENCE.sub(_numeric_reference, pieces[place])
    return b"".join(pieces)


def _numeric_reference(found: re.Match[bytes]) -> bytes:
    text = html.unescape(found[0].decode())
    return b"&amp;" + found[0][1:] if text.startswith("&") else text.encode("ascii", "xmlcharrefreplace")


def _name(element: etree._Element) -> str:
    """An element's name in lower case, after the usual prefix of its namespace, if that is none of feeds."""
    space, _, local = str(element.tag).rpartition("}")
    prefix = f"{element.prefix}:" if space and element.prefix else ""
    return (_PREFIXES.get(space[1:], prefix) + local).lower()


class _Fields:
    """Children of an entry or a channel, by name."""

    def __init__(self, element: etree._Element, texts: BoundedElementText) -> None:
        self._element = element
        self._texts = texts
        self._children = [(_name(child), child) for child in element.iterchildren(etree.Element)]

    def entry(self) -> FeedEntry:
        creators = self._all("author", "dc:creator")
        return FeedEntry(
            title=self.first("title", "dc:title"),
            link=self.link(),
            id=self._last("guid", "id") or self._element.get(_RDF_ABOUT, ""),
            author=self._person(creators[-1]) if creators else "",
            time=self._last("pubdate", "published", "issued", "dcterms:issued")
            or self._last("updated", "modified", "dc:date", "dcterms:modified"),
            summary=self._text(
                next(
                    iter(
                        self._all("description", "summary", "dc:description") or self._all("content:encoded", "content")
                    ),
                    None,
                )
            ),
            language=self._last("language", "dc:language"),
            number=self._last("dc:identifier"),
            contributors=tuple(map(self._person, self._all("contributor", "dc:contributor"))),
            tags=tuple(dict.fromkeys(self._tags())),
        )

    def first(self, *names: str) -> str:
        """The first text that is not empty."""
        return next(filter(None, map(self._text, self._all(*names))), "")

    def link(self) -> str:
        """The address of its page: that of its last link, else an id that is not said to be none."""
        links = [element for element in self._all("link") if element.get("rel", "alternate") == "alternate"]
        pages = [element for element in links if element.get("type", "text/html") in _PAGES]
        ids = [element for element in self._all("guid", "id") if element.get("isPermaLink", "true") == "true"]
        return next(map(self._address, reversed(pages or ids)), "")

    def _all(self, *names: str) -> list[etree._Element]:
        return [child for name, child in self._children if name in names]

    def _last(self, *names: str) -> str:
        return next(map(self._text, reversed(self._all(*names))), "")

    def _text(self, element: etree._Element | None) -> str:
        return "" if element is None else (self._texts.of(element) or "").strip().translate(_WESTERN)

    def _address(self, element: etree._Element) -> str:
        """An address, which may be relative to `xml:base`."""
        address = (element.get("href") or self._text(element)).strip().replace("&amp;", "&")
        try:
            return urljoin(element.base or "", address)
        except ValueError:
            return address

    def _person(self, element: etree._Element) -> str:
        """The name of a person, with the address where both are elements of their own (Atom)."""
        parts = _Fields(element, self._texts)
        name, email = parts.first("name"), parts.first("email")
        return f"{name} ({email})" if name and email else name or email or self._text(element)

    def _tags(self) -> Iterator[FeedTag]:
        for element in self._all("category", "keywords", "dc:subject"):
            term = element.get("term") or self._text(element)
            scheme = element.get("scheme") or element.get("domain") or ""
            if term or scheme:
                yield FeedTag(term, scheme)
