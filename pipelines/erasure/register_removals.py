"""Companies that a register has removed for legal reasons, once that is confirmed.

One announcement may be an error of the register, and an erasure loses what was stored. So the change feed has to
confirm it, or a second announcement days later. Does not belong here: which rows announce or confirm a removal
(`Jurisdiction`), or the erasure (`market`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import polars as pl

from connectors.contract.dataset import REMOVAL_CONFIRMED_AFTER, Dataset, Jurisdiction
from pipelines.steps.suppression import REMOVED, removal_tables
from pipelines.workspace import Workspace
from warehouse.erasure import history
from warehouse.erasure.tombstones import TombstoneStore

_NEVER: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class RemovalNotice:
    """A register's announcement that it removed a company."""

    company_id: str
    observed_at: datetime


@dataclass(frozen=True, slots=True)
class RegisterRecords:
    """What the register says of companies besides announcements.

    confirmed: companies of which its change feed says the same. seen_at: when it last delivered a record.
    """

    confirmed: Collection[str]
    seen_at: Mapping[str, datetime]


def companies_removed_by_register(workspace: Workspace, jurisdiction: Jurisdiction) -> set[str]:
    """Companies whose removal by the register is confirmed, and that have no tombstone yet."""
    notices = _read_notices(workspace, jurisdiction) if jurisdiction.removal_masks else ()
    if not notices:
        return set()
    return confirmed_removals(notices, _read_records(workspace, jurisdiction, {one.company_id for one in notices}))


def confirmed_removals(notices: Iterable[RemovalNotice], records: RegisterRecords) -> set[str]:
    """Companies that are removed: an announcement counts until the register delivers a newer record."""
    instants: dict[str, list[datetime]] = {}
    for notice in notices:
        if notice.observed_at >= records.seen_at.get(notice.company_id, _NEVER):
            instants.setdefault(notice.company_id, []).append(notice.observed_at)
    return {
        company
        for company, found in instants.items()
        if company in records.confirmed or max(found) - min(found) >= REMOVAL_CONFIRMED_AFTER
    }


def _read_notices(workspace: Workspace, jurisdiction: Jurisdiction) -> tuple[RemovalNotice, ...]:
    """Announcements of companies without a tombstone; of a lifted one, those since then."""
    stones = TombstoneStore(workspace.layout).all_tombstones(jurisdiction.code)
    erased = {stone.subject for stone in stones if stone.lifted_at is None}
    lifted = {stone.subject: stone.lifted_at for stone in stones if stone.lifted_at is not None}
    return tuple(
        notice
        for dataset in jurisdiction.datasets
        for notice in _read_staged_notices(workspace, jurisdiction, dataset, erased)
        if notice.company_id not in erased and notice.observed_at > lifted.get(notice.company_id, _NEVER)
    )


def _read_staged_notices(
    workspace: Workspace, jurisdiction: Jurisdiction, dataset: Dataset, erased: set[str]
) -> Iterator[RemovalNotice]:
    """Announcements in the staged batches of a dataset, except in batches that only name erased companies."""
    for index in workspace.staged_store.indexes(dataset.key):
        # rows in quarantine are not applied yet
        if index.held is not None or erased.issuperset(index.figures.get(REMOVED, ())):
            continue
        for name in removal_tables(jurisdiction, dataset):
            rows = workspace.staged_store.read_rows(dataset.key, index.batch, dataset.staged_tables[name]).collect()
            announced = rows.filter(jurisdiction.removal_masks[name](rows))
            yield from (RemovalNotice(*found) for found in _company_instants(jurisdiction, name, announced))


def _read_records(workspace: Workspace, jurisdiction: Jurisdiction, companies: Collection[str]) -> RegisterRecords:
    present = history.current_records_by_table(workspace.layout, jurisdiction.code, companies)
    confirmed = {
        company
        for name, mask in jurisdiction.removal_confirmations.items()
        if name in present
        for company, _ in _company_instants(jurisdiction, name, present[name].filter(mask(present[name])))
    }
    seen: dict[str, datetime] = {}
    for name in _record_tables(jurisdiction) & present.keys():
        rows = present[name]
        if name in jurisdiction.removal_masks:
            rows = rows.filter(~jurisdiction.removal_masks[name](rows).fill_null(value=False))
        for company, instant in _company_instants(jurisdiction, name, rows):
            seen[company] = max(instant, seen.get(company, _NEVER))
    return RegisterRecords(confirmed, seen)


def _record_tables(jurisdiction: Jurisdiction) -> set[str]:
    """The tables of datasets that announce removals: a record in them shows that a company is still there."""
    return {
        name
        for dataset in jurisdiction.datasets
        if removal_tables(jurisdiction, dataset)
        for name in dataset.staged_tables
    }


def _company_instants(jurisdiction: Jurisdiction, table: str, rows: pl.DataFrame) -> Iterator[tuple[str, datetime]]:
    """Company and instant of staged rows that have a company."""
    company = jurisdiction.company_ids_of_rows(table, rows).cast(pl.String).alias("company_id")
    yield from rows.select(company, "_observed_at").drop_nulls("company_id").iter_rows()
