"""Dataset se.arsredovisningar: annual reports in iXBRL, in weekly zips, packages or single files.

See docs/formats/se.md 4 and 6.

Belongs here: the declaration, recognising files, packages to documents to staged rows. Does not belong here:
reading one document (`document`), fetching (`fetch`), shared tables
(`mapping`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any, Final

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope, UnreadableFileError
from connectors.kit import staging
from connectors.kit.columns.text import AHEAD
from connectors.kit.formats import BodyFormat, decompressed_head, detect_body_format
from connectors.kit.xml.parse import MalformedMarkupError
from connectors.se.annual_reports import fetch
from connectors.se.annual_reports.document import AnnualReportDocument, NotAnnualReportError, parse_annual_report
from connectors.se.annual_reports.fetch import NESTED, last_path_part, parse_package_name, publication_instant, week_end
from connectors.se.annual_reports.schema import KEY, REPORTS
from connectors.se.register import HOST, LICENCE, company_number

_CHUNK: Final = 512  # documents per batch
_LARGEST: Final = 64 << 20  # bytes per document; the registry's own limit is 5 MB
_MARKUP: Final = re.compile(r"\.(?:x?html?|xml)(?:~\d+)?$", re.IGNORECASE)
_HIDDEN: Final = re.compile(r"(?:^|/)(?:__MACOSX/|\._)")
_NUMBER: Final = re.compile(r"(?<!\d)\d{6,8}-?\d{4}(?!\d)")
_INLINE: Final = re.compile(rb"inlineXBRL", re.IGNORECASE)
_INSTANCE: Final = re.compile(rb"<(?:\w+:)?xbrl[\s>]")


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises weekly zips, packages and inline documents by their bytes. Documents carry no arrival time."""
    head = decompressed_head(head)
    found = detect_body_format(head)
    if found is BodyFormat.ZIP or week_end(name) is not None:
        return RecognisedFile(publication_instant(name), Scope.PART)
    if b"ListBucketResult" in head[:2048]:
        return NotApplicable("listing page of the archive: it is read while fetching")
    if _INLINE.search(head.replace(b"\0", b"")):
        return RecognisedFile(None, Scope.PART)
    if _INSTANCE.search(head):
        return NotApplicable("XBRL instance extracted from a report: the inline document itself is read")
    return NotApplicable(f"{found} that is no inline XBRL")


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields rows of all documents of a piece; a package without rows is rejected with a reason."""
    yield from _PackageReader(member).batches()


@dataclass(frozen=True, slots=True)
class _FoundDocument:
    """A document in a package that contains figures."""

    member: str | None
    sha256: str
    document: AnnualReportDocument


class _PackageReader:
    """Converts the documents of one piece to batches."""

    def __init__(self, piece: ArchiveMember) -> None:
        self._piece = piece
        self._registered_by = week_end(piece.name)
        self._tally = staging.SignalCounter(KEY)
        self._rows: list[dict[str, Any]] = []
        self._rejects: list[tuple[str, str, str]] = []
        self._documents = 0

    def batches(self) -> Iterator[Batch]:
        members = staging.split_archive(self._piece, keep=lambda name: _HIDDEN.search(name) is None)
        for outer, inside in groupby(members, key=_package_of):
            self._add_package(outer, inside)
            if len(self._rows) >= _CHUNK:
                yield self._drain_batch()
        if not self._documents and not self._rejects:
            raise self._piece.unreadable_error("an archive without any annual report")
        yield self._drain_batch()

    def _drain_batch(self) -> Batch:
        rows, rejects = self._rows, staging.reject_rows(self._rejects)
        self._rows, self._rejects = [], []
        return staging.make_batch(REPORTS, rows, rejects, self._tally.drain())

    def _add_package(self, outer: str, members: Iterator[ArchiveMember]) -> None:
        """Adds the reports of one package; of several documents for one year, the one with the most figures."""
        name = outer or last_path_part(self._piece.name)
        found = [document for member in members if (document := self._read_document(name, member)) is not None]
        best: dict[tuple[str, Any], _FoundDocument] = {}
        for one in sorted(found, key=lambda one: (-one.document.size, one.member or "")):
            key = (one.document.number, one.document.end)
            if best.setdefault(key, one) is not one and best[key].sha256 != one.sha256:
                self._tally.add("skipped_documents", "a smaller report of the same year", name)
        if outer and not best and not any(record == _without_person_numbers(name) for record, _, _ in self._rejects):
            self._rejects.append((_without_person_numbers(name), "a package without an annual report", ""))
        for one in best.values():
            self._add_document(name, one)

    def _read_document(self, name: str, member: ArchiveMember) -> _FoundDocument | None:
        """Reads a document with figures; other files of the package are counted, damaged ones rejected."""
        path = member.member_name
        try:
            if path is not None and not _MARKUP.search(path):
                member.open().close()  # raises the reason if the zip cannot be opened
                self._tally.add("skipped_documents", "no markup (picture, PDF, ESEF package)", name)
                return None
            body = _document_bytes(member)
            due = parse_package_name(f"{self._piece.name}{NESTED}{path or ''}")
            document = self._parse_document(body, due)
        except UnreadableFileError as error:
            return self._add_reject(name, path, error.reason)
        except MalformedMarkupError as error:
            return self._add_reject(name, path, str(error))
        except NotAnnualReportError as error:
            if not error.is_attachment or path is None:
                return self._add_reject(name, path, str(error))
            self._tally.add("skipped_documents", str(error), name)
            return None
        sha256 = self._piece.sha256 if path is None else hashlib.sha256(body).hexdigest()
        return _FoundDocument(path, sha256, document)

    def _parse_document(self, body: bytes, due: tuple[str, date] | None) -> AnnualReportDocument:
        """As `parse_annual_report`; a year that ends long after the document was read is a slip."""
        document = parse_annual_report(body, due)
        if document.end > self._piece.observed_at.date() + AHEAD:
            raise NotAnnualReportError(f"its year ends on {document.end}, long after it was read")
        return document

    def _add_reject(self, name: str, path: str | None, reason: str) -> None:
        if path is None:
            raise self._piece.unreadable_error(reason)
        self._rejects.append((_without_person_numbers(name), reason, _without_person_numbers(last_path_part(path))))

    def _add_document(self, name: str, found: _FoundDocument) -> None:
        document = found.document
        self._documents += 1
        for (code, subject), count in document.signals.items():
            self._tally.add(code, subject, document.number, count)
        common = self._common_columns(name, found)
        if not any(row.period_end == document.end for row in document.rows):
            self._tally.add("empty_year", "no figure of the document's own year", document.number)
            days = {"period_start": document.start, "period_end": document.end}
            flags = dict.fromkeys(("is_consolidated", "is_comparative", "is_overview"), False)
            self._rows.append(common | days | flags)
        self._rows.extend(common | row._asdict() for row in document.rows)

    def _common_columns(self, name: str, found: _FoundDocument) -> dict[str, Any]:
        document = found.document
        return {
            "document_sha256": found.sha256,
            "document": last_path_part(name),
            "member": found.member,
            "organisationsnummer": document.number,
            "company_name": document.name,
            "seat": document.registered_office,
            "balance_date": document.end,
            "currency": document.currency,
            "framework": document.framework,
            "signed_date": document.signed,
            "adopted_date": document.adopted,
            "is_audited": document.is_audited,
            "registered_by": self._registered_by,
        }


def _document_bytes(member: ArchiveMember) -> bytes:
    return staging.read_plain(member, _LARGEST, f"a document of more than {_LARGEST} bytes")


def _without_person_numbers(name: str) -> str:
    """File name with any number that may be personal removed."""
    return _NUMBER.sub(lambda found: found[0] if company_number(found[0]) else "(withheld)", name)


def _package_of(member: ArchiveMember) -> str:
    """Name of the nested zip that contains a member; empty if the member is directly in the piece."""
    outer, nested, _ = (member.member_name or "").partition(NESTED)
    if nested:
        return outer
    # a nested zip that cannot be opened is passed on as a member
    return outer if outer.lower().endswith(".zip") else ""


DATASET: Final = Dataset(
    key=KEY,
    title="Bolagsverket: annual reports",
    licence=LICENCE,
    cadence=Cadence(cron="30 1 * * 1", stale_after_hours=24 * 15),  # published Mondays just after midnight
    # A single unreadable document means little; half of them failing means the format changed.
    guard_limits=GuardLimits(max_rejected=0.5),
    host=HOST,
    staged_tables={REPORTS.name: REPORTS},
    file_patterns=(
        "arsredovisning_ixbrl/**",
        "arsredovisningar/**",
        "arsredovisningar_bulk/**",
        "arsredovisningar_bulk_listing/**",
    ),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=fetch.fetch,
)
