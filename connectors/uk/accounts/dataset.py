"""Dataset `uk.accounts`: iXBRL and XBRL accounts, in daily and monthly zips or as loose files.

See docs/formats/uk.md 8.

Belongs here: the declaration, recognising files, archives to documents to staged rows. Does not belong here:
reading one document (`document`), fetching (`fetch`), shared tables (`mapping`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, time
from typing import Any, Final
from zlib import crc32

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope, UnreadableFileError
from connectors.kit import staging
from connectors.kit.archive.bounded_stream import ArchiveError
from connectors.kit.archive.zip import zip_entries
from connectors.kit.formats import HEAD, BodyFormat, decompressed_head, detect_body_format
from connectors.kit.xml.parse import MalformedMarkupError
from connectors.uk.accounts import fetch
from connectors.uk.accounts.document import AccountsDocument, AccountsRow, NotAccountsError, parse_accounts_document
from connectors.uk.accounts.schema import ACCOUNTS, KEY, PUBLISHED_DAYS
from connectors.uk.bulk_download import basename
from connectors.uk.register import DOWNLOADS, LICENCE
from warehouse.schema.codes import FIGURES

_DAILY: Final = re.compile(r"Accounts_Bulk_Data-(\d{4}-\d{2}-\d{2})", re.IGNORECASE)
_MONTHLY: Final = re.compile(r"Accounts_Monthly_Data-", re.IGNORECASE)
PACK_MEMBERS: Final = 4_096  # archive members read by one process
MOST_PACKS: Final = 32  # each lists the archive again; a month has 300,000 members
LARGEST_DOCUMENT_BYTES: Final = 1 << 28  # twice the size of the largest reports with pictures
BATCH_DOCUMENTS: Final = 512  # documents per batch
_PACK_NAME: Final = re.compile(r"members (\d+) of (\d+)")
_NESTED: Final = "!/"
_ACCOUNTS: Final = re.compile(r"(?:^|/)accounts/", re.IGNORECASE)
_DOCUMENT: Final = re.compile(r"\.(?:x?html?|xml|zip|xbrl)(?:~\d+)?$", re.IGNORECASE)
_XML: Final = re.compile(r"\.xml(?:~\d+)?$", re.IGNORECASE)
_REPORT: Final = re.compile(rb"inlineXBRL|<(?:\w+:)?xbrl[\s>]")
_NAMED: Final = re.compile(r"Prod22[34]_\d+_[A-Z0-9]{8}_\d{8}", re.IGNORECASE)
_PACKAGE: Final = re.compile(r"Prod22[34]_\d+_[A-Z0-9]{8}_\d{8}|^CIC-", re.IGNORECASE)


def daily_date(name: str) -> date | None:
    """Date in the name of a daily zip; None for other names."""
    found = _DAILY.search(basename(name))
    try:
        return date.fromisoformat(found[1]) if found else None
    except ValueError:
        return None


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises zips by name, single documents by their bytes. Documents carry no publication time."""
    published = daily_date(name)
    head = decompressed_head(head)
    found = detect_body_format(head)
    if published is not None:
        return RecognisedFile(datetime.combine(published, time(), UTC), Scope.PART)
    is_named = _MONTHLY.search(name) is not None or _NAMED.search(basename(name)) is not None
    if is_named or found is BodyFormat.ZIP or _REPORT.search(head.replace(b"\0", b"")):  # NUL: UTF-16
        return RecognisedFile(None, Scope.PART)
    return NotApplicable(f"{found.value} that is neither accounts nor named like them")


def split_members(member: ArchiveMember) -> Iterator[ArchiveMember]:
    """Splits an archive into packs of members, each read by one process; a single file is one piece.

    A pack is named `members 2 of 12`; members of a nested archive stay together. Rows name their document.
    """
    with member.open() as stream:
        found = detect_body_format(stream.read(HEAD))
        if found is not BodyFormat.ZIP:
            if daily_date(member.name) is not None or _MONTHLY.search(member.name):
                raise member.unreadable_error(f"expected a zip, found {found.value}")
            yield member
            return
        stream.seek(0)
        try:
            packs = min(MOST_PACKS, -(-len(zip_entries(stream, member.name)) // PACK_MEMBERS))
        except ArchiveError as error:
            raise member.unreadable_error(error) from error
    if packs <= 1:
        yield member
        return
    for pack in range(packs):
        yield replace(member, member_name=f"members {pack + 1} of {packs}")


def _document_members(piece: ArchiveMember) -> Iterator[ArchiveMember]:
    """Yields the documents of a piece; all members of one nested zip are adjacent."""
    pack = _PACK_NAME.fullmatch(piece.member_name or "")
    index, packs = (int(pack[1]) - 1, int(pack[2])) if pack else (0, 1)

    def keep(name: str) -> bool:
        outer, _, _ = name.partition(_NESTED)
        hidden = "__MACOSX/" in name or basename(name).startswith("._")
        return not hidden and crc32(outer.encode()) % packs == index

    yield from staging.split_archive(piece, keep=keep)


def _document_bytes(member: ArchiveMember) -> bytes:
    """Bytes of a document. Raises UnreadableFileError if it is damaged or too large."""
    return staging.read_plain(member, LARGEST_DOCUMENT_BYTES, f"larger than {LARGEST_DOCUMENT_BYTES >> 20} MiB")


class _MemberReader:
    """Converts the documents of one piece to batches."""

    def __init__(self, piece: ArchiveMember) -> None:
        self._piece = piece
        self._published = daily_date(piece.name)
        # a package normally nested in a daily zip, ingested alone: one company's accounts and accompanying files
        named = basename(piece.name)
        self._package = named if piece.member_name is None and _PACKAGE.search(named) else ""
        self._prefix = f"{self._package}{_NESTED}" if self._package else ""  # may contain company and day
        self._tally = staging.SignalCounter(KEY)
        self._rows: list[dict[str, Any]] = []
        self._rejects: list[tuple[str, str, str]] = []
        self._documents = 0

    def batches(self) -> Iterator[Batch]:
        for document in self._accounts_members():
            self._read_member(document)
            self._documents += 1
            if self._documents % BATCH_DOCUMENTS == 0:
                yield from self._drain_batches()
        if self._documents == 0 and not self._rejects and self._piece.member_name is None:
            raise self._piece.unreadable_error("an archive without any accounts document")
        yield from self._drain_batches()

    def _drain_batches(self) -> Iterator[Batch]:
        batch = staging.make_batch(ACCOUNTS, self._rows, staging.reject_rows(self._rejects), self._tally.drain())
        self._rows, self._rejects = [], []
        yield batch
        days = batch.rows.select(PUBLISHED_DAYS.names).drop_nulls().unique(maintain_order=True)
        if not days.is_empty():
            yield staging.make_batch(PUBLISHED_DAYS, days)

    def _accounts_members(self) -> Iterator[ArchiveMember]:
        """Yields all members except those of nested zips that are not accounts."""
        nest: list[ArchiveMember] = []
        outer = ""
        if self._package:
            members = list(_document_members(self._piece))
            yield from (members if members[:1] == [self._piece] else self._select_nested(self._package, members))
            return
        for member in _document_members(self._piece):
            name, inside, _ = (member.member_name or "").partition(_NESTED)
            if nest and (not inside or name != outer):
                yield from self._select_nested(outer, nest)
                nest = []
            if inside:
                outer = name
                nest.append(member)
            else:
                yield member
        yield from self._select_nested(outer, nest) if nest else ()

    def _select_nested(self, outer: str, nest: list[ArchiveMember]) -> Iterator[ArchiveMember]:
        """Yields members under a folder `accounts`, else every document with XBRL (docs/formats/uk.md 8)."""
        documents = [member for member in nest if _DOCUMENT.search(member.member_name or "")]
        wanted = [member for member in documents if _ACCOUNTS.search((member.member_name or "").rpartition(_NESTED)[2])]
        if len(wanted) > 1:  # a report package includes its taxonomy's XML
            wanted = [one for one in wanted if not _XML.search(one.member_name or "") or self._contains_xbrl(one)]
        if not wanted:
            wanted = [member for member in documents if self._contains_xbrl(member)]
        if not wanted:
            self._rejects.append((outer, "a nested zip without an accounts document", ""))
        skipped = len(nest) - len(wanted)
        if skipped:
            self._tally.add("skipped_members", "in addition to the accounts in nested zips", outer, skipped)
        yield from wanted

    def _contains_xbrl(self, member: ArchiveMember) -> bool:
        try:
            body = _document_bytes(member)
        except UnreadableFileError as error:
            self._rejects.append((member.member_name or "", error.reason, ""))
            return False
        return _REPORT.search(body.replace(b"\0", b"")) is not None

    def _read_member(self, member: ArchiveMember) -> None:
        is_loose = member.member_name is None or _PACK_NAME.fullmatch(member.member_name) is not None
        name = basename(member.name) if is_loose else f"{self._prefix}{member.member_name}"
        body = b""
        try:
            body = _document_bytes(member)
            self._add_document(name, None if is_loose else member.member_name, body)
        except UnreadableFileError as error:
            if is_loose:
                raise
            self._rejects.append((name, error.reason, ""))
        except (MalformedMarkupError, NotAccountsError) as error:
            if is_loose:
                raise member.unreadable_error(error) from error
            self._rejects.append((name, str(error), body[:200].decode("utf-8", "replace")))

    def _add_document(self, name: str, path: str | None, body: bytes) -> None:
        document = parse_accounts_document(name, body)
        if document.balance_date > self._piece.observed_at.date():
            raise NotAccountsError(f"the balance date {document.balance_date} is later than the document itself")
        sha256 = self._piece.sha256 if path is None else hashlib.sha256(body).hexdigest()
        for (code, subject), count in document.signals.items():
            self._tally.add(code, subject, basename(name), count)
        common = self._common_columns(document, name, path, sha256)
        if not document.rows:
            self._rejects.append((name, "no figure is tagged in it", ""))
            period = document.period
            blank = AccountsRow(period, False, None, None, None, None, None, None, None, ())
            self._rows.append(common | _figure_columns(blank))
        if document.period.is_assumed:
            self._tally.add("assumed_start", "the document gives only its last day", basename(name))
        self._rows.extend(common | _figure_columns(row) for row in document.rows)

    def _common_columns(self, document: AccountsDocument, name: str, path: str | None, sha256: str) -> dict[str, Any]:
        return {
            "document_sha256": sha256,
            "document": basename(name),
            "member": path,
            "company_number": document.number,
            "company_name": document.name,
            "balance_date": document.balance_date,
            "dormant": document.is_dormant,
            "accounting_standard": document.standard,
            "accounts_type": document.accounts_type,
            "received_date": document.received,
            "published_date": self._published,
            "is_amendment": document.is_amendment,
        }


def _figure_columns(row: AccountsRow) -> dict[str, Any]:
    return {
        "period_start": row.period.start,
        "period_end": row.period.end,
        "is_consolidated": row.is_group,
        "is_comparative": row.period.is_comparative,
        "is_start_assumed": row.period.is_assumed,
        "currency": row.currency,
        **{name: getattr(row, name) for name in FIGURES},
        "derived": list(row.derived),
    }


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields rows of all documents of a piece; a document without rows is rejected with a reason."""
    yield from _MemberReader(member).batches()


DATASET: Final = Dataset(
    key=KEY,
    title="Companies House: accounts",
    licence=LICENCE,
    cadence=Cadence(cron="0 11 * * 2-6", stale_after_hours=24 * 6),  # published Tuesday to Saturday
    # A single unreadable document means little; half of them failing means the format changed.
    guard_limits=GuardLimits(max_rejected=0.5),
    host=DOWNLOADS,
    staged_tables={ACCOUNTS.name: ACCOUNTS, PUBLISHED_DAYS.name: PUBLISHED_DAYS},
    file_patterns=(
        "accounts_bulk_zip/**/*",
        "accounts_ixbrl/**/*",
        "accounts_ixbrl_full/**/*",
        "accounts_xbrl_xml/**/*",
        "accounts_edge_cases/**/*",
        "accounts/**/*",
        "Accounts_Bulk_Data-*",
        "Accounts_Monthly_Data-*",
        "Prod22[34]_*",
    ),
    recognise_file=recognise_file,
    split_members=split_members,
    read_batches=read_batches,
    fetch=fetch.fetch,
)
