"""Plans the next release and writes its files, in full or as a patch of the previous release.

Does not belong here: locks, the ledger, the pointer (`publisher`), or the validity of a release (`validation`).
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Literal

import duckdb
import polars as pl

from warehouse.ledger.ledger import Ledger
from warehouse.publish import full_build, incremental_build, validation
from warehouse.publish.validation import ContentSummary
from warehouse.release.manifest import NAMES, SERVING, WAREHOUSE, HistoryRevision, InvalidReleaseError, ReleaseManifest
from warehouse.schema.market_state import DatasetState, MarketState
from warehouse.serving import documents_db, name_index
from warehouse.storage import atomic_files
from warehouse.storage.duckdb import database_name, open_database, set_memory_limit, sibling_connection
from warehouse.storage.layout import Layout

# DuckDB's memory while documents are built; polars and SQLite need as much again
SERVING_MEMORY: Final = "2GB"
CHECKING_MEMORY: Final = "1200MB"  # for DuckDB while SQLite creates its indexes, with all ids in memory
COMPACT_AFTER: Final = timedelta(days=7)  # patches leave holes and unsorted rows behind


@dataclass(frozen=True, slots=True)
class MarketPart:
    """One market's input to a release. `history` None: its part of the previous release is kept."""

    market: str
    history: Path | None
    state: Literal["fresh", "held"]
    at: datetime | None
    datasets: Mapping[str, DatasetState] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReleasePlan:
    """Plan of the next release. `changed` None: everything of that market may have changed.

    `standings` and `changed` cover the markets with a history; `events` are those not in the ledger yet.
    """

    number: int
    previous_manifest: ReleaseManifest | None
    parts: Mapping[str, MarketPart]
    history_revisions: Mapping[str, HistoryRevision]
    changed: Mapping[str, pl.Series | None]
    events: pl.DataFrame
    is_full: bool

    @property
    def is_empty(self) -> bool:
        """True if the previous release already has all of this."""
        if self.previous_manifest is None:
            return not self.changed
        quiet = all(companies is not None and companies.is_empty() for companies in self.changed.values())
        return quiet and self.events.is_empty() and not self.is_full


def plan_release(
    previous_manifest: ReleaseManifest | None,
    parts: Mapping[str, MarketPart],
    fresh: pl.DataFrame,
    now: datetime,
    *,
    full: bool,
) -> ReleasePlan:
    """Inspects the histories.

    Builds in full what cannot be patched: new market, new schema, or a week since the last full build.
    """
    standings: dict[str, HistoryRevision] = {}
    changed: dict[str, pl.Series | None] = {}
    for market, part in parts.items():
        if part.history is not None:
            since = previous_manifest.history.get(market) if previous_manifest else None
            standings[market], changed[market] = full_build.revision_and_changes(part.history, since)
    number = previous_manifest.release + 1 if previous_manifest else 1
    found = ReleasePlan(number, previous_manifest, parts, standings, changed, fresh, full)
    if found.is_empty:
        return found
    stale = (
        previous_manifest is None
        or previous_manifest.schema_fingerprint != validation.schema_fingerprint()
        or now - previous_manifest.full_at >= COMPACT_AFTER
        or any(companies is None for companies in changed.values())
    )
    return replace(found, is_full=full or stale)


def require_histories(plan: ReleasePlan) -> None:
    """Raises InvalidReleaseError if a market's rows would have to come from a truncated previous release."""
    former = plan.previous_manifest
    left = sorted(former.markets.keys() - plan.history_revisions.keys()) if former else []
    if former and left:
        raise InvalidReleaseError(
            f"release {former.release}: {WAREHOUSE} does not have the size in its manifest, and no copy with "
            f"{', '.join(left)} is available: ingest all markets in one run (`firm ingest`), or roll back to an "
            "earlier release (`firm release rollback`)"
        )


def write_release(layout: Layout, ledger: Ledger, plan: ReleasePlan, on_step: atomic_files.Step) -> ContentSummary:
    """Writes the files into the existing release folder and returns the validated table contents.

    Raises InvalidReleaseError if the contents are invalid.
    """
    if plan.is_full or plan.previous_manifest is None:
        return _write_full(layout, ledger, plan, on_step)
    return _write_patch(layout, ledger, plan, plan.previous_manifest, on_step)


def _write_full(layout: Layout, ledger: Ledger, made: ReleasePlan, on_step: atomic_files.Step) -> ContentSummary:
    folder = layout.release_folder(made.number)
    former = layout.release_folder(made.previous_manifest.release) / WAREHOUSE if made.previous_manifest else None
    markets = {*(made.previous_manifest.markets if made.previous_manifest else ()), *made.history_revisions}
    sources = [
        full_build.MarketHistoryFile(market, made.parts[market].history if market in made.history_revisions else None)
        for market in markets
    ]
    full_build.build_warehouse(folder / WAREHOUSE, sources, former)
    on_step("warehouse written")
    with (
        open_database(folder / WAREHOUSE, read_only=True) as source,
        sibling_connection(source) as apart,
        sibling_connection(source) as third,
        ThreadPoolExecutor(2) as threads,
    ):
        set_memory_limit(source, SERVING_MEMORY)
        names = threads.submit(name_index.build_name_index, folder / NAMES, apart)
        documents_db.build_documents(folder / SERVING, source)
        set_memory_limit(source, CHECKING_MEMORY)
        content = threads.submit(validation.summarise_content, third, made.number)
        documents_db.finish_documents(folder / SERVING, source, ledger.rows())
        names.result()
    on_step("serving written")
    return content.result()


def _write_patch(
    layout: Layout, ledger: Ledger, made: ReleasePlan, former: ReleaseManifest, on_step: atomic_files.Step
) -> ContentSummary:
    """Copies the previous release and patches each file in parallel as soon as it is copied."""
    folder, before = layout.release_folder(made.number), layout.release_folder(former.release)

    def copy(name: str) -> None:
        atomic_files.copy_file(before / name, folder / name)

    def patch_documents(copied: Future[None], gathered: duckdb.DuckDBPyConnection) -> None:
        copied.result()
        documents_db.patch_documents(
            folder / SERVING, gathered, incremental_build.all_changed_companies(changed), ledger.rows(former.last)
        )

    def patch_names(copied: Future[None], gathered: duckdb.DuckDBPyConnection) -> None:
        copied.result()
        name_index.patch_name_index(
            folder / NAMES, gathered, incremental_build.all_changed_companies(changed), before / SERVING
        )

    changed = {
        history: companies
        for market, companies in made.changed.items()
        if companies is not None and (history := made.parts[market].history) is not None
    }
    rows = folder / incremental_build.CHANGED
    with ThreadPoolExecutor(1) as disk:  # sequentially: a disk is no faster with two
        # documents first, as patching them takes longest
        documents, tables, index = (disk.submit(copy, name) for name in (SERVING, WAREHOUSE, NAMES))
        incremental_build.gather_changed(rows, changed, before / WAREHOUSE)
        with (
            open_database(rows, read_only=True) as gathered,
            sibling_connection(gathered) as apart,
            ThreadPoolExecutor(2) as threads,
        ):
            catalog = database_name(gathered)
            patched = [threads.submit(patch_documents, documents, gathered), threads.submit(patch_names, index, apart)]
            tables.result()
            on_step("former release copied")
            incremental_build.apply_changed(folder / WAREHOUSE, catalog, changed)
            on_step("warehouse written")
            content = _verified_content(folder / WAREHOUSE, made.number, catalog)
            for done in patched:
                done.result()
    rows.unlink()
    on_step("serving written")
    return content


def _verified_content(path: Path, release: int, put: str) -> ContentSummary:
    """Validates finished tables, then syncs the file."""
    with open_database(path, read_only=True) as connection:
        content = validation.summarise_content(connection, release, put)
    atomic_files.sync_file(path)
    return content


def build_release_manifest(
    layout: Layout, plan: ReleasePlan, content: ContentSummary, now: datetime, events: range
) -> ReleaseManifest:
    """Builds the manifest of the written files."""
    former = plan.previous_manifest
    return ReleaseManifest(
        release=plan.number,
        kind="full" if plan.is_full else "patch",
        built_at=now,
        full_at=now if plan.is_full or former is None else former.full_at,
        schema_fingerprint=validation.schema_fingerprint(),
        content_fingerprint=content.fingerprint,
        previous=former.release if former else None,
        first=events.start,
        last=events.stop - 1,
        counts=content.counts,
        sizes=file_sizes_bytes(layout.release_folder(plan.number)),
        markets=_market_states(plan, content.companies),
        history={**(former.history if former else {}), **plan.history_revisions},
    )


def _market_states(made: ReleasePlan, companies: Mapping[str, int]) -> dict[str, MarketState]:
    markets = dict(made.previous_manifest.markets) if made.previous_manifest else {}
    for market, part in made.parts.items():
        if part.history is not None or market in markets:
            markets[market] = MarketState(part.state, part.at, 0, part.datasets)
    return {market: replace(markets[market], companies=companies.get(market, 0)) for market in sorted(markets)}


def file_sizes_bytes(folder: Path) -> dict[str, int]:
    """File sizes of a release in bytes."""
    return {name: (folder / name).stat().st_size for name in (WAREHOUSE, SERVING, NAMES)}
