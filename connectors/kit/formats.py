"""Detects a body's format from its first bytes, never from the file name.

Registries answer HTML with status 200 instead of a zip, and put HTML into members called `.zip`.
"""

from __future__ import annotations

import codecs
import re
import zlib
from enum import StrEnum
from typing import Final

HEAD: Final = 1024  # bytes that `detect_body_format` needs


class BodyFormat(StrEnum):
    """Formats of bodies that a connector may expect. TEXT is text without a signature (CSV).

    EMPTY: nothing, or less than `HEAD` blanks.
    """

    ZIP = "zip"
    GZIP = "gzip"
    TAR = "tar"
    PDF = "pdf"
    HTML = "html"
    XML = "xml"
    JSON = "json"
    TEXT = "text"
    EMPTY = "empty"
    UNKNOWN = "unknown"


_GZIP: Final = b"\x1f\x8b"
_OPENING: Final = 65_536  # most plain bytes that `decompressed_head` returns
_MAGIC: Final = (
    (b"PK\x03\x04", BodyFormat.ZIP),
    (b"PK\x05\x06", BodyFormat.ZIP),  # a zip without members
    (b"PK\x07\x08", BodyFormat.ZIP),  # spanned
    (_GZIP, BodyFormat.GZIP),
    (b"%PDF-", BodyFormat.PDF),
)
_FEED: Final = re.compile(rb"<(?:[\w.-]{1,40}:)?(?:rss|feed|rdf)\b")
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
_CONTROL: Final = bytes(range(9)) + bytes(range(14, 27)) + bytes(range(28, 32))


def detect_body_format(head: bytes) -> BodyFormat:
    """The format of a body, from its first bytes (`HEAD` of them are enough)."""
    if not head:
        return BodyFormat.EMPTY
    for magic, found in _MAGIC:
        if head.startswith(magic):
            return found
    if head[257:262] == b"ustar":
        return BodyFormat.TAR
    if head.startswith(_UTF16):
        return _markup_format(head.decode("utf-16", errors="ignore").encode())
    return _markup_format(head.removeprefix(b"\xef\xbb\xbf"))


def decompressed_head(head: bytes) -> bytes:
    """The first plain bytes of a body, unpacked if it is gzip."""
    if not head.startswith(_GZIP):
        return head
    try:
        return zlib.decompressobj(wbits=31).decompress(head, _OPENING)
    except zlib.error:
        return head


def plain_head(head: bytes) -> bytes:
    """`decompressed_head` without the byte order mark."""
    return decompressed_head(head).removeprefix(codecs.BOM_UTF8)


def _is_html_page(text: bytes) -> bool:
    """True if markup is an HTML page: a feed may quote one in an item."""
    begun = _FEED.search(text)
    page = text if begun is None else text[: begun.start()]
    return b"<!doctype html" in page or b"<html" in page


def _markup_format(head: bytes) -> BodyFormat:
    text = head.lstrip()[:HEAD].lower()  # if more is given, leading blanks do not hide the format
    if not text:
        # some registers report a removed company by an empty body; after a head full of blanks there may be
        # content
        return BodyFormat.EMPTY if len(head) < HEAD else BodyFormat.UNKNOWN
    if text.startswith((b"{", b"[")):
        return BodyFormat.JSON
    if text.startswith(b"<"):
        return BodyFormat.HTML if _is_html_page(text) else BodyFormat.XML
    binary = len(text) - len(text.translate(None, _CONTROL))
    # A stray NUL or two do not make a table binary; random bytes hold one control character in nine.
    return BodyFormat.UNKNOWN if binary > max(2, 0.05 * len(text)) else BodyFormat.TEXT
