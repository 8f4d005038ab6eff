"""Strips personal data from ownership filings before they are archived (docs/architecture.md 14).

Removed: streets, towns and telephones of persons and signatories, social security numbers, criminal records, a
person's profession; in older text forms everything after the last cover page, where persons give their
addresses, and every exhibit. Kept: names, citizenship, state or country, relationship, shares, percentages,
days. Nothing removed is used. If a body cannot be scanned, only the reason is kept.
"""

from __future__ import annotations

import io
import re
from typing import BinaryIO, Final

from connectors.kit.archive.bounded_stream import ArchiveError
from connectors.kit.redact import text as redact_text
from connectors.us.ownership.files import LARGEST, WITHHELD, is_xml
from connectors.us.ownership.full_submission import is_full_submission

# elements of the three schemas, whatever their prefix
_ELEMENTS: Final = (
    b"rptOwnerStreet1|rptOwnerStreet2|rptOwnerCity|rptOwnerZipCode|rptOwnerGoodAddress|street1|street2|zipCode|city|"
    b"personPhoneNum|phone|contactName|contactPhoneNumber|contactEmailAddress|filingPersonName|"
    b"principalBusinessAddress|principalBusinessOfficeOrResidenceAddress|principalJob|hasBeenConvicted|"
    b"convictionDescription|ccc"
)
# Up to the next tag, whichever it is: an element that is never closed, or has another inside, hides no address.
# A «<» that begins no tag of these schemas, which have ASCII names, is text.
_PRIVATE: Final = re.compile(
    rb"(<(?:[^\s<>/]*:)?(?:" + _ELEMENTS + rb")(?:\s[^<>]*)?(?<!/)>)(?:[^<]|<(?!/?[A-Za-z_:]))+", re.IGNORECASE
)
_HEADER: Final = re.compile(
    rb"^([ \t]*(?:STREET [12]|CITY|ZIP|BUSINESS PHONE|IRS NUMBER):|"
    rb"<(?:STREET[12]|CITY|ZIP|PHONE|IRS-NUMBER)>)[^\r\n]*",
    re.MULTILINE,
)
_IDENTITY: Final = re.compile(rb"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])")
_START: Final = re.compile(rb"<DOCUMENT>", re.IGNORECASE)
_DOCUMENT: Final = re.compile(rb"(<DOCUMENT>)(.*?)(</DOCUMENT>|\Z)", re.DOTALL | re.IGNORECASE)  # or cut off
_TEXT: Final = re.compile(rb"(<TEXT>)(.*?)(</TEXT>|\Z)", re.DOTALL | re.IGNORECASE)
_TYPE: Final = re.compile(rb"<TYPE>[ \t]*([^\r\n<]*)", re.IGNORECASE)
_READ: Final = re.compile(rb"(?:SC|SCHEDULE) 13[DG].*|13F.*|INFORMATION TABLE", re.IGNORECASE | re.DOTALL)
_AS_XML: Final = re.compile(rb"[345](?:/A)?", re.IGNORECASE)  # insiders' forms; not read as text
_GAP: Final = rb"(?:\s|&nbsp;|&#160;|\xc2\xa0|\xa0|<[^<>]{0,400}>)+"
_LAST_ROW: Final = re.compile(
    _GAP.join((b"TYPES?", b"OF", b"REPORTING", b"PERSONS?"))
    + b"|"
    + _GAP.join((b"PERCENT(?:AGE)?", b"OF", b"(?:CLASS|SERIES)", b"REPRESENTED")),
    re.IGNORECASE,
)
_BEHIND: Final = 2_500  # bytes after the last row's label that contain its code, with markup
_FRONT: Final = 10_000  # bytes kept of a page without such rows: enough to identify it, without an address
# recipients of notices, with address and telephone: between two labels of the front page of a Schedule 13D
_NUMBER: Final = re.compile(rb"\(\s*CUSIP" + _GAP + rb"(?:Numbers?|No\.?)\s*\)", re.IGNORECASE)
_NOTICES: Final = re.compile(rb"\(\s*Names?\s*,?" + _GAP + rb"Address", re.IGNORECASE)
_BETWEEN: Final = 6_000  # bytes, with their markup
_QUOTED: Final = (b"<![CDATA[", b"]]>")


def redact(body: BinaryIO) -> BinaryIO:
    """Returns the body, unpacked, without personal data."""
    try:
        found = redact_text.read_text(body, LARGEST)
    except ArchiveError as error:
        return io.BytesIO(WITHHELD + error.reason.encode())
    # UTF-16 would hide text from the patterns; no filing uses it
    found = found.replace(b"\x00", b"")
    return io.BytesIO(
        _redact_marked_values(_redact_filing(found) if is_full_submission(found) else _redact_document(found))
    )


def _redact_filing(found: bytes) -> bytes:
    start = _START.search(found)
    header = found[: start.start() if start else len(found)]
    return _HEADER.sub(rb"\1", header) + _DOCUMENT.sub(_redact_document_match, found[len(header) :])


def _redact_document_match(match: re.Match[bytes]) -> bytes:
    """Redacts a document that is read; keeps only the heading of any other."""
    form = _TYPE.search(match.group(2))
    name = form.group(1).strip() if form is not None else b""
    is_read = bool(_READ.fullmatch(name) or (_AS_XML.fullmatch(name) and b"<XML>" in match.group(2)))
    inner = _TEXT.sub(
        lambda text: text.group(1) + (_redact_document(text.group(2)) if is_read else b"") + text.group(3),
        match.group(2),
        count=1,
    )
    return match.group(1) + inner + match.group(3)


def _redact_document(found: bytes) -> bytes:
    if is_xml(found.lstrip()):
        return found
    front = _drop_notice_addresses(found)
    rows = list(_LAST_ROW.finditer(front))
    return front[: rows[-1].end() + _BEHIND] if rows else front[:_FRONT]


def _redact_marked_values(found: bytes) -> bytes:
    """Removes what elements and the pattern of a number mark as personal, in any text."""
    return _IDENTITY.sub(b"000-00-0000", _PRIVATE.sub(rb"\1", _unwrap_cdata(found)))


def _drop_notice_addresses(found: bytes) -> bytes:
    number = _NUMBER.search(found)
    if number is None:
        return found
    behind = _NOTICES.search(found, number.end(), number.end() + _BETWEEN)
    return found if behind is None else found[: number.end()] + b" " + found[behind.start() :]


def _unwrap_cdata(found: bytes) -> bytes:
    """CDATA sections as plain text: inside them an address could follow a markup character."""
    begin, end = _QUOTED
    pieces = found.split(begin)
    if len(pieces) == 1:
        return found
    plain = [pieces[0]]
    for piece in pieces[1:]:
        inner, ends, rest = piece.partition(end)
        plain.append(inner.replace(b"&", b"&amp;").replace(b"<", b"&lt;") + rest if ends else begin + piece)
    return b"".join(plain)
