"""The datasets `<cc>.firds` (full files of equities, weekly) and `<cc>.firds_changes` (daily).

Belongs here: the declarations, recognition of files, a file's members to staged rows. Does not belong here:
the records (`parse`), fetching (`fetch`), the meaning of a line (`listings`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import partial
from typing import Any, BinaryIO, Final

from connectors.contract.dataset import Cadence, Dataset, GuardLimits, Licence
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.firds import fetch, parse
from connectors.firds import schema as f
from connectors.firds.fetch import CHANGES, WHOLE, FileLister, parse_day
from connectors.firds.parse import FileFindings
from connectors.kit import staging
from connectors.kit.formats import BodyFormat, detect_body_format
from connectors.kit.staging import SignalCounter
from connectors.kit.xml.iterparse import NotXmlError
from warehouse.schema.types import Table

_ROWS: Final = 20_000
_NAME: Final = re.compile(r"(FULINS_[A-Z]|DLTINS|FULCAN)_([0-9]{8})_([0-9]{1,3})of([0-9]{1,3})(?![0-9])")
Records = Callable[[BinaryIO, date, FileFindings], Iterator[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class FirdsAuthority:
    """A publisher: folder of its files among shared ones, host and query of their list, and their licence."""

    title: str
    folder: str
    host: str
    list_files: FileLister
    licence: Licence


ESMA: Final = FirdsAuthority(
    "ESMA",
    "esma_firds",
    fetch.ESMA_HOST,
    fetch.list_esma_files,
    Licence("ESMA reuse", "https://www.esma.europa.eu/legal-notice", "Source: ESMA, FIRDS"),
)
FCA: Final = FirdsAuthority(
    "FCA",
    "fca_firds",
    fetch.FCA_HOST,
    fetch.list_fca_files,
    Licence("FCA website terms", "https://www.fca.org.uk/legal", "Source: Financial Conduct Authority, FIRDS"),
)


def firds_datasets(market: str, authority: FirdsAuthority) -> tuple[Dataset, Dataset]:
    """A market's datasets of full files and of changes."""
    changes = f.changes_table(market)
    tables = f.full_tables(market)
    whole = Dataset(
        key=f"{market.lower()}.firds",
        title=f"{authority.title} FIRDS: equities on venues",
        licence=authority.licence,
        cadence=Cadence(cron="0 10 * * 0", stale_after_hours=24 * 15),
        guard_limits=GuardLimits(max_shrink=0.1, max_rejected=0.02),
        host=authority.host,
        staged_tables={table.name: table for table in tables},
        file_patterns=("firds/FULINS*", "firds/**", "**/FULINS_*", f"{authority.folder}/**"),
        recognise_file=partial(_recognise, WHOLE),
        is_complete_set=is_complete_set,
        split_members=_split_xml_members,
        read_batches=partial(_read_snapshot, market),
        fetch=partial(fetch.fetch_snapshot, authority.list_files),
    )
    daily = Dataset(
        key=f"{market.lower()}.firds_changes",
        title=f"{authority.title} FIRDS: changes of equities",
        licence=authority.licence,
        cadence=Cadence(cron="30 10 * * *", stale_after_hours=24 * 5),
        guard_limits=GuardLimits(max_rejected=0.02),
        host=authority.host,
        staged_tables={changes.name: changes},
        file_patterns=("firds/DLTINS*", "**/DLTINS_*", f"{authority.folder}/DLTINS*"),
        recognise_file=partial(_recognise, CHANGES),
        split_members=_split_xml_members,
        read_batches=partial(_read_changes, market),
        fetch=partial(fetch.fetch_changes, authority.list_files),
    )
    return whole, daily


def _recognise(kind: str, name: str, head: bytes) -> RecognisedFile | NotApplicable:
    found = _NAME.search(name)
    if found is None:
        return NotApplicable("not a FIRDS file name: lists of files are used only by the fetch")
    if found[1] != kind:
        return NotApplicable(f"{found[1]}: of the FIRDS files only equities (FULINS_E) and changes are read")
    if detect_body_format(head) not in (BodyFormat.ZIP, BodyFormat.XML):
        return NotApplicable(f"expected a file of FIRDS (XML in a zip), found {detect_body_format(head).value}")
    day = snapshot_day(name)
    at = None if day is None else datetime.combine(day, time(), UTC)
    return RecognisedFile(at, Scope.FULL if kind == WHOLE else Scope.FEED)


def is_complete_set(names: Collection[str]) -> bool:
    """True if the files are all parts of their sets: 01 to the last, for each day and kind."""
    found = [_NAME.search(name) for name in names]
    parts: dict[tuple[str, ...], set[int]] = {}
    for named in found:
        if named is None:
            return False
        parts.setdefault(named.group(1, 2, 4), set()).add(int(named[3]))
    return bool(parts) and all(there == set(range(1, int(of) + 1)) for (_, _, of), there in parts.items())


def snapshot_day(name: str) -> date | None:
    """The day in a file's name."""
    found = _NAME.search(name)
    return None if found is None else parse_day(found[2])


def _split_xml_members(piece: ArchiveMember) -> Iterator[ArchiveMember]:
    yield from staging.split_archive(piece, keep=lambda name: name.lower().endswith(".xml"))


def _read_snapshot(market: str, piece: ArchiveMember) -> Iterator[Batch]:
    edition = _member_snapshot(piece)
    yield from _read_batches(piece, f.full_table(market, edition), edition, parse.parse_full_file)


def _read_changes(market: str, piece: ArchiveMember) -> Iterator[Batch]:
    yield from _read_batches(piece, f.changes_table(market), _member_snapshot(piece), parse.parse_change_file)


def _member_snapshot(piece: ArchiveMember) -> date:
    named = snapshot_day(piece.name) or snapshot_day(piece.member_name or "")
    return named or piece.observed_at.date()


def _read_batches(piece: ArchiveMember, table: Table, edition: date, records: Records) -> Iterator[Batch]:
    tally = SignalCounter(piece.dataset)
    found = FileFindings()
    with staging.unreadable_on(piece, NotXmlError), staging.open_plain(piece) as body:
        for part in staging.row_chunks(records(body, edition, found), _ROWS):
            kept = parse.to_staged_frame(part, tally)
            yield staging.make_batch(table, kept, parse.drain_rejects(found), tally.drain())
    if not found.records:
        raise piece.unreadable_error("no record of FIRDS in it: expected RefData or changes")
