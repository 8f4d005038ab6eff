"""Dataset dk.regnskaber: XBRL and inline XBRL documents of annual reports.

Belongs here: the declaration, recognising files, documents to staged rows. Does not belong here: reading one document
(`document`), fetching (`fetch`), shared tables (`mapping`).
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.dk.personal_numbers import mask_personal_numbers
from connectors.dk.register import DOCUMENT_HOST, LICENCE
from connectors.dk.regnskaber import fetch
from connectors.dk.regnskaber.document import NotReportError, ReportDocument, ReportRow, parse_report
from connectors.dk.regnskaber.schema import KEY, REPORTS
from connectors.kit import staging
from connectors.kit.archive.bounded_stream import ArchiveError
from connectors.kit.columns.text import AHEAD
from connectors.kit.formats import BodyFormat, decompressed_head, detect_body_format
from connectors.kit.redact.streams import unreadable_body
from connectors.kit.redact.text import read_text
from connectors.kit.xml.parse import MalformedMarkupError

_LARGEST: Final = 64 << 20  # bytes of a document
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_XBRL: Final = re.compile(rb"inlineXBRL|<(?:[\w.-]+:)?xbrl[\s>]", re.IGNORECASE)


def recognise_file(_name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises documents by their bytes. They carry no time of publication."""
    head = decompressed_head(head)
    found = detect_body_format(head)
    if found is BodyFormat.PDF:
        return NotApplicable("PDF: figures are read from the XBRL document of the same publication")
    if found is BodyFormat.ZIP:
        return NotApplicable("zip: packages of listed companies are read from filings.xbrl.org")
    if _XBRL.search(head.replace(b"\0", b"")):  # NUL: UTF-16
        return RecognisedFile(None, Scope.PART)
    return NotApplicable(f"{found.value} that is no XBRL")


def redact(body: BinaryIO) -> BinaryIO:
    """The document with personal numbers masked; what cannot be searched for them is replaced by the reason."""
    try:
        text = read_text(body, _LARGEST)
        if text.startswith(_UTF16):
            return io.BytesIO(mask_personal_numbers(text.decode("utf-16").encode()).decode().encode("utf-16"))
    except (ArchiveError, UnicodeError) as error:
        return unreadable_body(str(error))
    if b"\x00" in text:
        return unreadable_body("letters of two bytes without a byte order mark")
    return io.BytesIO(mask_personal_numbers(text))


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """One batch with the rows of a document."""
    body = staging.read_plain(member, _LARGEST, f"a document of more than {_LARGEST >> 20} MiB")
    with staging.unreadable_on(member, (MalformedMarkupError, NotReportError)):
        document = parse_report(body)
        if document.end > member.observed_at.date() + AHEAD:
            raise NotReportError(f"its period ends on {document.end}, long after it was read")
    batch = staging.BatchBuilder(member.dataset)
    for (code, subject), count in document.signals.items():
        batch.tally.add(code, subject, document.number or member.name, count)
    if document.size and not document.has_own_figures:
        batch.tally.add("empty_year", "no figure of the document's own year", document.number or member.name)
    yield batch.build(REPORTS, _document_rows(member, document))


def _document_rows(member: ArchiveMember, document: ReportDocument) -> Iterator[dict[str, Any]]:
    publication, place = fetch.parse_file_name(member.name)
    common = {
        "document_sha256": member.sha256,
        "document": member.name.rpartition("/")[2],
        "publikation": publication,
        "nummer": place,
        "cvr_nummer": document.number,
        "company_name": document.name,
        "balance_date": document.end,
        "is_interim": document.is_interim,
        "currency": document.currency,
        "standard": document.standard,
        "size": document.size,
    }
    blank = ReportRow(document.start, document.end, False, False, *(None,) * 8)
    for row in document.rows if document.has_own_figures else (blank, *document.rows):
        yield common | row._asdict()


DATASET: Final = Dataset(
    key=KEY,
    title="Erhvervsstyrelsen: annual reports",
    licence=LICENCE,
    cadence=Cadence(cron="50 * * * *", stale_after_hours=72),
    # A single unreadable document means little; half of them failing means the format changed.
    guard_limits=GuardLimits(max_rejected=0.5),
    host=DOCUMENT_HOST,
    staged_tables={REPORTS.name: REPORTS},
    file_patterns=("regnskaber/**", "regnskab/**"),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=fetch.fetch,
    subjects_to_fetch=fetch.subjects_to_fetch,
    redact=redact,
)
