"""Dataset us.headers: single filings, with details that lists lack (docs/formats/us.md 8, 9).

Reads headers in all formats, full submission text files, and the XML of Form 25-NSE. Standalone documents are
left out: nothing in them identifies their filing. Belongs here: the declaration, recognising files, rows. Does
not belong here: fetching (`fetch`), or the mapping of the rows (`news_and_notices`, `profile.status`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import partial
from typing import Any, Final

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.formats import BodyFormat, decompressed_head, detect_body_format
from connectors.us import form_types
from connectors.us.filing_headers import fetch, form8k, form15, form25, index_page, sgml_header
from connectors.us.filing_headers import schema as f
from connectors.us.filing_headers.sgml_header import FilingHeader
from connectors.us.register import FILES_HOST, LICENCE

_LIMIT: Final = 64 << 20  # a full submission with its pictures
_ENVELOPE: Final = re.compile(
    rb"<(?:SEC-DOCUMENT|SEC-HEADER|IMS-HEADER|SUBMISSION)>|^ACCESSION NUMBER:|^<ACCEPTANCE-DATETIME>",
    re.MULTILINE | re.IGNORECASE,
)
_OTHERS: Final = {
    BodyFormat.JSON: "the list of files of a filing: names and sizes, no header",
    BodyFormat.XML: "a document of a filing in markup (a cover page, facts): its header is read instead",
    BodyFormat.HTML: "a single document of a filing, without header: its filing cannot be identified",
    BodyFormat.TEXT: "a single document of a filing, without header: its filing cannot be identified",
}
_REACH: Final = 4_096  # a signed envelope may precede the header
_ACCESSION: Final = re.compile(r"(?<![0-9])([0-9]{10})-?([0-9]{2})-?([0-9]{6})(?![0-9])")
_OPEN: Final = "<DOCUMENT>"
_CLOSE: Final = "</DOCUMENT>"


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises headers, filing index pages and removal notifications; rejects others naming their type."""
    head = decompressed_head(head)
    if _ENVELOPE.search(head[:_REACH]) or index_page.MARK in head:
        return RecognisedFile(None, Scope.PART)
    if form25.ROOT in head:
        if _ACCESSION.search(name):
            return RecognisedFile(None, Scope.PART)
        return NotApplicable("a notification of removal without accession number in its name: it cannot be identified")
    found = detect_body_format(head)
    return NotApplicable(_OTHERS.get(found, f"no filing: {found.value}"))


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Batches of the staged tables, as far as the piece has rows of them."""
    body = staging.read_plain(member, _LIMIT, f"more than {_LIMIT} bytes: no filing is read so far")
    work = _FilingReader(member)
    if index_page.MARK in body:
        with staging.unreadable_on(member, index_page.NotIndexPageError):
            work.header(index_page.parse_index_page(body))
    elif _ENVELOPE.search(body[:_REACH]):
        work.whole(body)
    else:
        work.removal(body, work.number_in_name(), None)
    yield from work.batches()


class _FilingReader(staging.BatchBuilder):
    """Parses one piece into rows, rejects and signals."""

    def __init__(self, piece: ArchiveMember) -> None:
        super().__init__(piece.dataset)
        self._piece = piece
        self._rows: dict[str, list[dict[str, Any]]] = {name: [] for name in f.STAGED}

    def batches(self) -> Iterator[Batch]:
        """Batches of the parsed rows; rejects and signals go with the first table."""
        first = next((name for name, rows in self._rows.items() if rows), f.HEADERS.name)
        for name, rows in self._rows.items():
            if rows or name == first:
                yield self.build(f.STAGED[name], rows)

    def whole(self, body: bytes) -> None:
        """Processes a header with or without its documents."""
        text = body.decode("latin-1")
        header = sgml_header.parse_header(text)
        start = text.find(_OPEN)
        end = text.find(_CLOSE, start) if start >= 0 else -1
        first = text[start + len(_OPEN) : end] if end >= 0 else ""
        self.header(header, first)
        if header.accession is None or header.form is None or start < 0:
            return
        if end < 0:
            raise self._piece.unreadable_error("breaks off in its first document")
        if header.form.removesuffix(form_types.AMENDED) in form_types.REMOVAL:
            self._read_removal_notice(body, header.form, header.accession, header.filed)
        elif header.filed is not None:
            self._read_first_document(first, header.form, header.accession, header.filed)

    def _read_removal_notice(self, body: bytes, form: str, accession: str, filed: date | None) -> None:
        """Processes a removal from listing, if it is a notification."""
        xml = form25.notification_xml(body)
        if form.endswith(form_types.AMENDED):  # nothing in it says whether it corrects or withdraws
            self.tally.add("amendment_not_read", form, accession)
        elif xml is None:  # the issuer's own form is prose
            self.tally.add("no_notification", form, accession)
        else:
            self.removal(xml, accession, filed)

    def _read_first_document(self, text: str, form: str, accession: str, filed: date) -> None:
        """Reads the first document for each filer: classes of Form 15, the announced end in a current report."""
        named = [row for row in self._rows[f.HEADERS.name] if row[f.ROLE] == "FILER"]
        if form.removesuffix(form_types.AMENDED) in form15.FORMS:
            rows = (form15.form15_row(text, accession, row[f.CIK], form, filed, self.tally) for row in named)
            self._rows[f.DEREGISTERED.name] += rows
        elif named and (said := form8k.ending_kind(text, named[0][f.ITEMS])) is not None:
            self._rows[f.WORDS.name] += [
                {f.ACCESSION: accession, f.CIK: row[f.CIK], f.FILED: filed, f.SAYS: said} for row in named
            ]

    def header(self, header: FilingHeader, text: str = "") -> None:
        """Adds the rows of `us_header`, one per party."""
        if header.accession is None or header.form is None:
            missing = "accession number" if header.accession is None else "form"
            raise self._piece.unreadable_error(f"a header without {missing}")
        if header.filed is None:
            self.tally.add("unreadable_value", "day of filing", header.accession)
        row = {
            f.ACCESSION: header.accession,
            f.FORM: header.form,
            f.FILED: header.filed,
            f.ACCEPTED: header.accepted,
            f.PERIOD: header.period,
            f.ITEMS: self._current_report_items(header, text),
            f.EXHIBITS: list(dict.fromkeys(header.documents)),
        }
        rows: dict[tuple[str, str], dict[str, Any]] = {}
        for party in header.parties:
            if party.cik is None:
                self.reject(header.accession, f"no CIK of a party ({party.role})", header.form)
            else:
                own = {f.CIK: party.cik, f.ROLE: party.role, f.FILE_NUMBER: party.file_number}
                rows[party.cik, party.role] = row | own
        if not rows:
            self.reject(header.accession, "no party in the header", header.form)
        self._rows[f.HEADERS.name] += rows.values()

    def _current_report_items(self, header: FilingHeader, text: str) -> list[str]:
        if not form8k.is_current_report(header.form or ""):
            return []
        number = str(header.accession)
        found = form8k.header_items(header.codes, header.labels, header.filed, self.tally, number)
        blanks = sum(1 for label in header.labels if not label.strip())
        if not found and blanks:
            read = form8k.items_in_text(text, header.filed)
            if len(read) == blanks:  # the number must match the header; otherwise other text was matched
                found = read
                self.tally.add("items_from_text", header.form or "", number)
        if not found:
            self.tally.add("no_items", header.form or "", number)
        return found

    def number_in_name(self) -> str:
        found = _ACCESSION.search(self._piece.name)
        if found is None:
            reason = "its name holds no accession number: the filing cannot be identified"
            raise self._piece.unreadable_error(reason)
        return "-".join(found.groups())

    def removal(self, xml: bytes, accession: str, filed: date | None) -> None:
        """Adds the row of `us_form25`."""
        row, reason = form25.removal_row(xml, accession, filed, self.tally)
        if row is None:
            self.reject(accession, reason, xml[:200])
        else:
            self._rows[f.REMOVALS.name].append(row)


dataset: Final = partial(
    Dataset,
    licence=LICENCE,
    host=FILES_HOST,
    staged_tables=f.STAGED,
    recognise_file=recognise_file,
    read_batches=read_batches,
)
DATASET: Final = dataset(
    key=f.KEY,
    title="EDGAR: headers of current reports, removals from listing, ends of registration",
    cadence=Cadence(cron="*/5 10-23,0-4 * * *", stale_after_hours=96),
    guard_limits=GuardLimits(max_rejected=0.05),
    file_patterns=("form8k/**", "filing_index/**", "form25_15/**", "headers/**"),
    fetch=fetch.fetch,
    subjects_to_fetch=fetch.subjects_to_fetch,
)
# how filers that no longer report ended: each filing once, in full (docs/formats/us.md 9, 12.2)
ENDINGS_DATASET: Final = dataset(
    key=f.ENDINGS_KEY,
    title="EDGAR: filings that report how a filer ended",
    cadence=Cadence(cron="0 11 * * *", stale_after_hours=96),
    guard_limits=GuardLimits(max_rejected=0.05),
    file_patterns=("endings/**",),
    fetch=fetch.fetch_full_submissions,
    subjects_to_fetch=fetch.end_filings_to_fetch,
)
