"""Plans the next release and writes its files, in full or as a patch of the previous release.

A patch gathers the changed companies in a file, then replaces them in copied tables. Whatever is derived from rows
(digests, the search table, the served documents) is computed for the changed companies alone: finding them among
ten million costs more than processing them. Does not belong here: locks, the ledger, the pointer (`publisher`), the
content of a table (`full_build`, `serving.search_table`), documents (`serving.documents_db`), or the validity of a
release (`validation`).
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
from warehouse.publish import full_build, validation
from warehouse.publish.validation import ContentSummary
from warehouse.release.manifest import NAMES, SERVING, WAREHOUSE, HistoryRevision, InvalidReleaseError, ReleaseManifest
from warehouse.schema.market_state import DatasetState, MarketState, Reconciliation
from warehouse.schema.tables import TABLES
from warehouse.serving import documents_db, name_index, search_table
from warehouse.storage import atomic_files
from warehouse.storage.duckdb import (
    database_name,
    open_database,
    quote_identifier,
    registered_frame,
    set_memory_limit,
    sibling_connection,
    string_literal,
)
from warehouse.storage.layout import Layout

# DuckDB's memory while documents are built; polars and SQLite need as much again
SERVING_MEMORY: Final = "2GB"
CHECKING_MEMORY: Final = "1200MB"  # for DuckDB while SQLite creates its indexes, with all ids in memory
COMPACT_AFTER: Final = timedelta(days=7)  # patches leave holes and unsorted rows behind
CHANGED: Final = "changed.duckdb"  # next to the release while it is built


@dataclass(frozen=True, slots=True)
class MarketPart:
    """One market's input to a release. `history` None: its part of the previous release is kept, with its figures."""

    market: str
    history: Path | None
    state: Literal["fresh", "held"]
    at: datetime | None
    datasets: Mapping[str, DatasetState] = field(default_factory=dict)
    reconciliation: Reconciliation | None = None


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
            folder / SERVING, gathered, all_changed_companies(changed), ledger.rows(former.last)
        )

    def patch_names(copied: Future[None], gathered: duckdb.DuckDBPyConnection) -> None:
        copied.result()
        name_index.patch_name_index(folder / NAMES, gathered, all_changed_companies(changed), before / SERVING)

    changed = {
        history: companies
        for market, companies in made.changed.items()
        if companies is not None and (history := made.parts[market].history) is not None
    }
    rows = folder / CHANGED
    with ThreadPoolExecutor(1) as disk:  # sequentially: a disk is no faster with two
        # documents first, as patching them takes longest
        documents, tables, index = (disk.submit(copy, name) for name in (SERVING, WAREHOUSE, NAMES))
        gather_changed(rows, changed, before / WAREHOUSE)
        with (
            open_database(rows, read_only=True) as gathered,
            sibling_connection(gathered) as apart,
            ThreadPoolExecutor(2) as threads,
        ):
            catalog = database_name(gathered)
            patched = [threads.submit(patch_documents, documents, gathered), threads.submit(patch_names, index, apart)]
            tables.result()
            on_step("former release copied")
            apply_changed(folder / WAREHOUSE, catalog, changed)
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


def gather_changed(path: Path, changed: Mapping[Path, pl.Series], previous_path: Path) -> None:
    """Writes a file with all tables of a release, limited to the changed companies of each history.

    Their ranks do not collide with the other companies of the previous release.
    """
    with open_database(path) as connection:
        full_build.create_warehouse_tables(connection)
        for history, companies in changed.items():
            if companies.is_empty():
                continue
            _select_companies(connection, companies)
            with full_build.attached_database(connection, history, "origin"):
                for table in TABLES:
                    connection.execute(full_build.insert_sql(table, "wanted"))
        full_build.write_digests(connection)
        search_table.build_search_tables(connection)
        _select_companies(connection, all_changed_companies(changed))
        with full_build.attached_database(connection, previous_path, "former"):
            search_table.reassign_ranks(connection, "FROM former.search ANTI JOIN wanted USING (company_id)")
        connection.execute("CHECKPOINT")


def all_changed_companies(changed: Mapping[Path, pl.Series]) -> pl.Series:
    """The changed companies of all histories."""
    return pl.concat([pl.Series("company_id", [], pl.String), *changed.values()])


def apply_changed(path: Path, staging_schema: str, changed: Mapping[Path, pl.Series]) -> None:
    """Replaces the changed companies in a copy of the previous release by the gathered rows.

    staging_schema: catalog of the file written by `gather_changed`. A kill discards the copy.
    """
    with open_database(path) as connection:
        connection.execute("BEGIN")
        for companies in filter(len, changed.values()):
            _select_companies(connection, companies)
            for name in (*(table.name for table in TABLES), full_build.DIGESTS, search_table.SEARCH.name):
                connection.execute(f"DELETE FROM {quote_identifier(name)} {_selected_companies_sql(companies)}")
        for table in TABLES:
            name, order = quote_identifier(table.name), full_build.sort_columns_sql(table)
            connection.execute(f"INSERT INTO {name} BY NAME FROM {staging_schema}.{name} ORDER BY {order}")
        digests = full_build.DIGESTS
        connection.execute(f"INSERT INTO {digests} FROM {staging_schema}.{digests} ORDER BY company_id")
        search_table.insert_rows_from(connection, staging_schema)
        connection.execute("COMMIT")
        connection.execute("CHECKPOINT")


def _select_companies(connection: duckdb.DuckDBPyConnection, companies: pl.Series) -> None:
    with registered_frame(connection, "changed", companies.rename("company_id").to_frame()):
        connection.execute("CREATE OR REPLACE TEMP TABLE wanted AS SELECT company_id FROM changed")


def _selected_companies_sql(companies: pl.Series) -> str:
    """Condition for the companies in `wanted`: tables are sorted by company, so other markets are not read."""
    first, last = string_literal(str(companies.min())), string_literal(str(companies.max()))
    return f"WHERE company_id BETWEEN {first} AND {last} AND company_id IN (SELECT company_id FROM wanted)"


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
            kept = markets[market].reconciliation if market in markets else None
            figures = kept if part.history is None else part.reconciliation
            markets[market] = MarketState(part.state, part.at, 0, part.datasets, figures)
    return {market: replace(markets[market], companies=companies.get(market, 0)) for market in sorted(markets)}


def file_sizes_bytes(folder: Path) -> dict[str, int]:
    """File sizes of a release in bytes."""
    return {name: (folder / name).stat().st_size for name in (WAREHOUSE, SERVING, NAMES)}
