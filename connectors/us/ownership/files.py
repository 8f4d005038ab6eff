"""Recognises ownership files: a full submission, the XML of one, the page or text of an older one, or neither.

Belongs here: distinguishing them by their bytes, and opening them. Does not belong here: reading a form.
"""

from __future__ import annotations

import re
from typing import Final

from connectors.contract.dataset import ArchiveMember, NotApplicable, RecognisedFile, Scope, UnreadableFileError
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
    with staging.open_plain(member) as stream:
        found = stream.read(LARGEST + 1)
    if len(found) > LARGEST:
        raise UnreadableFileError(member.dataset, member.name, f"more than {LARGEST} bytes: no filing of one holder")
    if found.startswith(WITHHELD):
        raise UnreadableFileError(member.dataset, member.name, found.removeprefix(WITHHELD).decode())
    return found


def filing_and_documents(
    member: ArchiveMember, body: bytes
) -> tuple[FullSubmission | None, tuple[FilingDocument, ...]]:
    """The filing and its documents; a standalone document has no filing."""
    if not is_full_submission(body):
        return None, (FilingDocument("", body, is_xml(body)),)
    try:
        filing = full_submission.parse_full_submission(body)
    except full_submission.TruncatedFilingError as error:
        raise UnreadableFileError(member.dataset, member.name, f"a filing that is cut off: {error}") from None
    if not filing.documents:
        raise UnreadableFileError(member.dataset, member.name, "the header of a filing without its documents")
    return filing, filing.documents


def is_xml(body: bytes) -> bool:
    """Whether a document is XML, not an HTML page."""
    return detect_body_format(body[:HEAD]) is BodyFormat.XML and not body[:HEAD].lstrip().upper().startswith(
        b"<DOCUMENT>"
    )


def find_accession(member: ArchiveMember, filing: FullSubmission | None) -> str | None:
    """The accession number: from the header, else from the file name."""
    if filing is not None and filing.accession is not None:
        return filing.accession
    named = _ACCESSION.search(member.name)
    return named.group(1) if named else None


def source_key(member: ArchiveMember, filing: FullSubmission | None) -> str:
    """Identifies the filing: its accession number, or the digest of its only known file."""
    return find_accession(member, filing) or member.raw_pointer
