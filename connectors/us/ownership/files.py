"""Recognises ownership files: a full submission, the XML of one, the page or text of an older one, or neither.

Belongs here: distinguishing them by their bytes, and opening them. Does not belong here: reading a form.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from connectors.contract.pieces import ArchiveMember, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.formats import HEAD, BodyFormat, decompressed_head, detect_body_format
from connectors.us import sec_http
from connectors.us.filing_headers import sgml_header
from connectors.us.ownership import full_submission
from connectors.us.ownership.full_submission import FilingDocument, FullSubmission, is_full_submission

LARGEST: Final = 256 << 20  # bytes: the largest filings of managers are some 60 MB
WITHHELD: Final = b"<unreadable>"  # of `redact`: prefix of the reason why nothing of a body was kept
_ACCESSION: Final = re.compile(r"(?<!\d)(\d{10}-\d{2}-\d{6})(?!\d)")
_VIEW: Final = re.compile(rb"\.FormData\s*\{|\bclass=[\"']FormData", re.IGNORECASE)


def recognise_form(
    head: bytes, form: re.Pattern[str], marker_pattern: re.Pattern[bytes], title: str
) -> RecognisedFile | NotApplicable:
    """Recognises a form by the header's form type, or by a mark found in every document of that form."""
    head = decompressed_head(head)
    if sec_http.is_missing_file(head) or sec_http.block_reason(head) is not None:
        return NotApplicable(sec_http.error_body_reason(head) or "an error page of the SEC")
    if is_full_submission(head):
        name = sgml_header.parse_header(head.decode("latin-1")).form or ""
        if form.fullmatch(name):
            return RecognisedFile(None, Scope.PART)
        return NotApplicable(f"a filing of form «{name}», not of {title}")
    if detect_body_format(head) is BodyFormat.HTML and _VIEW.search(head):
        return NotApplicable("the HTML view of an XML document: the XML is in the parent of the xsl folder")
    if marker_pattern.search(head) or head.startswith(WITHHELD):  # `read_body` raises with the reason
        return RecognisedFile(None, Scope.PART)
    return NotApplicable(f"{detect_body_format(head).value} that bears no mark of {title}")


def read_body(member: ArchiveMember) -> bytes:
    """The bytes of a file."""
    found = staging.read_plain(member, LARGEST, f"more than {LARGEST} bytes: no filing of one holder")
    if found.startswith(WITHHELD):
        raise member.unreadable_error(found.removeprefix(WITHHELD).decode())
    return found


def is_xml(body: bytes) -> bool:
    """Whether a document is XML, not an HTML page."""
    return detect_body_format(body[:HEAD]) is BodyFormat.XML and not body[:HEAD].lstrip().upper().startswith(
        b"<DOCUMENT>"
    )


@dataclass(frozen=True, slots=True)
class OwnershipFile:
    """One file: its filing, None for a standalone document, and the documents.

    accession: from the header, else from the file name. source: identifies the filing: the accession number, or the
    digest of its only known file.
    """

    submission: FullSubmission | None
    documents: tuple[FilingDocument, ...]
    accession: str | None
    source: str

    def origin(self) -> dict[str, Any]:
        """The columns of every form that say which filing a row is from."""
        filed_on = None if self.submission is None else self.submission.filed_on
        return {"source": self.source, "accession": self.accession, "filedOn": filed_on}


def open_file(member: ArchiveMember) -> OwnershipFile:
    """The filing and its documents. Raises UnreadableFileError."""
    body = read_body(member)
    named = _ACCESSION.search(member.name)
    accession = None if named is None else named[1]
    if not is_full_submission(body):
        documents = (FilingDocument("", body, is_xml(body)),)
        return OwnershipFile(None, documents, accession, accession or member.raw_pointer)
    with staging.unreadable_on(member, full_submission.TruncatedFilingError, "a filing that is cut off"):
        filing = full_submission.parse_full_submission(body)
    if not filing.documents:
        raise member.unreadable_error("the header of a filing without its documents")
    accession = filing.accession or accession
    return OwnershipFile(filing, filing.documents, accession, accession or member.raw_pointer)
