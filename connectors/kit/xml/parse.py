"""Parses markup files to trees: encodings, junk before the prolog, several documents in one file, repair.

Belongs here: parsing XML as the registries really send it, once, safely (no network, no entity expansion, no
size limit) and at C speed. Does not belong here: what the elements mean (`xbrl.inline`, `xbrl.instance`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from lxml import etree

_PROLOG_REACH: Final = 65_536  # bytes within which a prolog after junk is searched
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff", b"<\x00", b"\x00<")
_WIDE: Final = ((b"<\x00", "UTF-16LE"), (b"\x00<", "UTF-16BE"))
_SAYS_WIDE: Final = re.compile(rb"""<\?xml[^>]{0,200}encoding\s*=\s*["'](?:utf|ucs)-?(?:16|2|4|32)""", re.IGNORECASE)
_SECOND_DOCUMENT: Final = re.compile(rb"<\?xml\s|(?<=>)\s*<(?:!DOCTYPE\s|(?:html|rss|feed)[\s>])", re.IGNORECASE)
_END_TAG: Final = re.compile(rb"</[\w.:-]+\s*>\s*$")
_ENCODING_ERRORS: Final = frozenset(
    {
        etree.ErrorTypes.ERR_INVALID_CHAR,
        etree.ErrorTypes.ERR_INVALID_ENCODING,
        etree.ErrorTypes.ERR_UNKNOWN_ENCODING,
        etree.ErrorTypes.ERR_UNSUPPORTED_ENCODING,
        etree.ErrorTypes.I18N_CONV_FAILED,
    }
)
_LIMITS: Final = frozenset(
    {etree.ErrorTypes.ERR_RESOURCE_LIMIT, etree.ErrorTypes.ERR_NAME_TOO_LONG, etree.ErrorTypes.ERR_INTERNAL_ERROR}
)


class MalformedMarkupError(Exception):
    """Bytes that are not markup, or truncated markup. The message states which."""


@dataclass(frozen=True, slots=True)
class ParsedMarkup:
    """The trees of one file.

    is_repaired: ill-formed XML that was read past its errors. is_recoded: that error was its declared encoding alone.
    """

    roots: tuple[etree._Element, ...]
    is_repaired: bool
    is_recoded: bool = False


def local_name(element: etree._Element) -> str:
    """An element's name without namespace or prefix; empty for comments and instructions."""
    return local_name_of(element.tag) if isinstance(element.tag, str) else ""


def local_name_of(name: str | None) -> str:
    """A qualified name without its namespace and prefix; in repaired markup a prefix may be bound to none."""
    return (name or "").rpartition("}")[2].rpartition(":")[2].strip()


class _NoDocumentType(etree.Resolver):
    """Gives an empty text for every document type outside of a body.

    Without look-ups by id, libxml2 loads them whatever `load_dtd` says: a local file is read, and a body that names
    one on the network is taken for malformed.
    """

    def resolve(self, system_url: str | None, public_id: str | None, context: object, /) -> Any:
        """The empty document type."""
        del system_url, public_id
        return self.resolve_string("", context)


def _xml_parser(*, recover: bool = False, encoding: str | None = None, huge: bool = True) -> etree.XMLParser:
    parser = etree.XMLParser(
        huge_tree=huge,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        recover=recover,
        encoding=encoding,
        collect_ids=False,  # no look-ups by id
    )
    parser.resolvers.add(_NoDocumentType())
    return parser


_STRICT: Final = _xml_parser(huge=False)  # its limits stop bombs; a large valid file is read again without them
_HUGE: Final = _xml_parser()


def _strip_leading_junk(body: bytes) -> bytes:
    """The body from the first character of markup: some files begin with byte-order marks or log lines."""
    if body[:1] == b"<" or body[:2] in _UTF16_MARKS:
        return body
    prolog = body.find(b"<?xml", 0, _PROLOG_REACH)
    start = prolog if prolog >= 0 else body.find(b"<")
    if start < 0:
        raise MalformedMarkupError("no markup in it")
    return body[start:]


def _is_closed(body: bytes, root: etree._Element) -> bool:
    """True if the file ends with its root's end tag: a truncated file must not pass for a complete one."""
    name = local_name(root)
    tail = body[-4096:].replace(b"\x00", b"").rstrip().lower()
    return re.search(rb"</(?:[\w.-]+:)?" + re.escape(name.lower().encode()) + rb"\s*>[^<]*$", tail) is not None


def _has_sound_text(root: etree._Element) -> bool:
    """True if all texts and attributes are characters: the lenient parser keeps references to surrogates."""
    try:
        etree.tostring(root, encoding="unicode")
    except UnicodeDecodeError:
        return False
    return True


def _parse_several(body: bytes) -> tuple[etree._Element, ...] | None:
    """The trees of concatenated documents; None if a part is not well-formed."""
    starts = [match.start() for match in _SECOND_DOCUMENT.finditer(body)]
    first = body.find(b">")
    cuts = [0, *(start for start in starts if 0 <= first < start), len(body)]
    pieces: list[bytes] = []
    begun = 0
    for start, end in pairwise(cuts):
        if _END_TAG.search(body, start, end):  # a prolog or doctype belongs to what follows it
            pieces.append(body[begun:end].strip())
            begun = end
    if body[begun:].strip() or len(pieces) < 2:  # noqa: PLR2004 - one document is not several
        return None
    try:
        return tuple(etree.fromstring(piece, _STRICT) for piece in pieces)
    except etree.XMLSyntaxError:
        return None


def _parse_leniently(body: bytes, error: etree.XMLSyntaxError) -> ParsedMarkup:
    """Handles a body that the strict parser rejects: too large for its limits, or not well-formed."""
    if b"<!ENTITY" in body:
        raise MalformedMarkupError(f"declares entities, and is not well-formed: {_error_reason(error)}")
    if error.code in _LIMITS:
        try:
            return ParsedMarkup((etree.fromstring(body, _HUGE),), False)
        except etree.XMLSyntaxError as second:
            return _parse_repaired(body, second)
    return _parse_repaired(body, error)


def _guess_encoding(body: bytes) -> str:
    """The actual encoding of bytes that contradict their declaration."""
    for start, encoding in _WIDE:
        if body.startswith(start):
            return encoding
    try:
        body.decode()
    except UnicodeDecodeError:
        return "windows-1252"
    return "utf-8"


def _error_reason(error: etree.XMLSyntaxError) -> str:
    return " ".join((error.msg or "no reason given").split())


def _parse_repaired(body: bytes, error: etree.XMLSyntaxError) -> ParsedMarkup:
    is_wide = body.startswith(tuple(start for start, _ in _WIDE))
    # _SAYS_WIDE matches single-byte text only
    if error.code in _ENCODING_ERRORS or is_wide or _SAYS_WIDE.match(body):
        try:
            return ParsedMarkup((etree.fromstring(body, _xml_parser(encoding=_guess_encoding(body))),), True, True)
        except (etree.XMLSyntaxError, LookupError):
            pass
    roots = _parse_several(body)
    if roots is not None:
        return ParsedMarkup(roots, False)
    try:
        root = etree.fromstring(body, _xml_parser(recover=True))
    except etree.XMLSyntaxError:
        root = None
    if root is None or not isinstance(root.tag, str):
        raise MalformedMarkupError(f"not markup: {_error_reason(error)}")
    if not _has_sound_text(root):
        raise MalformedMarkupError("a reference to half a character (a surrogate)")
    if not _is_closed(body, root):
        raise MalformedMarkupError(f"breaks off before its end: {_error_reason(error)}")
    return ParsedMarkup((root,), True)


def parse_markup(body: bytes) -> ParsedMarkup:
    """The trees of a file; raises MalformedMarkupError if it is not markup or truncated."""
    body = _strip_leading_junk(body)
    try:
        return ParsedMarkup((etree.fromstring(body, _STRICT),), False)
    except etree.XMLSyntaxError as error:
        return _parse_leniently(body, error)
    except ValueError as error:  # lxml rejects some byte patterns before it parses
        raise MalformedMarkupError(f"not markup: {error}") from error
