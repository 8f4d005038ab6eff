"""Recognises ownership files: a full submission, the XML of one, the page or text of an older one, or neither.

Belongs here: distinguishing them by their bytes, and opening them. Does not belong here: reading a form.
"""

from __future__ import annotations

import re
from typing import Final

from connectors.declare import NotOurs, Piece, Recognised, Scope, Unreadable
from connectors.kit import staged
from connectors.kit.formats import HEAD, Format, opening, sniff
from connectors.us import access, holders_submission, sgml_header
from connectors.us.holders_submission import Document, Submission, is_submission

LARGEST: Final = 256 << 20  # bytes: the largest filings of managers are some 60 MB
WITHHELD: Final = b"<unreadable>"  # of `holders_redact`: prefix of the reason why nothing of a body was kept
_ACCESSION: Final = re.compile(r"(?<!\d)(\d{10}-\d{2}-\d{6})(?!\d)")
_VIEW: Final = re.compile(rb"\.FormData\s*\{|\bclass=[\"']FormData", re.IGNORECASE)


def recognised(
    head: bytes, form: re.Pattern[str], mark: re.Pattern[bytes], title: str
) -> Recognised | NotOurs:
    """Recognises a form by the header's form type, or by a mark found in every document of that form."""
    head = opening(head)
    if access.is_missing(head) or access.block(head) is not None:
        return NotOurs(access.trouble(head) or "an error page of the SEC")
    if is_submission(head):
        name = sgml_header.header(head.decode("latin-1")).form or ""
        if form.fullmatch(name):
            return Recognised(None, Scope.PART)
        return NotOurs(f"a filing of form «{name}», not of {title}")
    if sniff(head) is Format.HTML and _VIEW.search(head):
        return NotOurs("the HTML view of an XML document: the XML is in the parent of the xsl folder")
    if mark.search(head) or head.startswith(WITHHELD):  # `body` raises with the reason
        return Recognised(None, Scope.PART)
    return NotOurs(f"{sniff(head).value} that bears no mark of {title}")


def body(piece: Piece) -> bytes:
    """The bytes of a file."""
    with staged.opened(piece) as stream:
        found = stream.read(LARGEST + 1)
    if len(found) > LARGEST:
        raise Unreadable(piece.dataset, piece.name, f"more than {LARGEST} bytes: no filing of one holder")
    if found.startswith(WITHHELD):
        raise Unreadable(piece.dataset, piece.name, found.removeprefix(WITHHELD).decode())
    return found


def parts(piece: Piece, found: bytes) -> tuple[Submission | None, tuple[Document, ...]]:
    """The filing and its documents; a standalone document has no filing."""
    if not is_submission(found):
        return None, (Document("", found, is_xml(found)),)
    try:
        filing = holders_submission.submission(found)
    except holders_submission.CutOff as error:
        raise Unreadable(piece.dataset, piece.name, f"a filing that is cut off: {error}") from None
    if not filing.documents:
        raise Unreadable(piece.dataset, piece.name, "the header of a filing without its documents")
    return filing, filing.documents


def is_xml(found: bytes) -> bool:
    """Whether a document is XML, not an HTML page."""
    return sniff(found[:HEAD]) is Format.XML and not found[:HEAD].lstrip().upper().startswith(b"<DOCUMENT>")


def accession(piece: Piece, filing: Submission | None) -> str | None:
    """The accession number: from the header, else from the file name."""
    if filing is not None and filing.accession is not None:
        return filing.accession
    named = _ACCESSION.search(piece.name)
    return named.group(1) if named else None


def source(piece: Piece, filing: Submission | None) -> str:
    """Identifies the filing: its accession number, or the digest of its only known file."""
    return accession(piece, filing) or piece.pointer
