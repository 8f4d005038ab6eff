"""SHARED: turns pending staged batches of a market, instant by instant, into snapshots of the companies they touch.

Order: rows into the present tables, links followed, the touched companies' present rows through the
connector, the snapshot on disk, marks, then commit: a kill before the commit leaves nothing that counts. Does
not belong here: the mapping (`connectors`), or what a snapshot changes (`history`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Final

import polars as pl

from connectors.contract.dataset import Dataset, Jurisdiction, Scope, Signal
from pipelines.curation import holder_decisions
from pipelines.steps import incremental_parse, schema_validation, snapshots, stage
from pipelines.steps.deletion_checks import unconfirmed_keys
from pipelines.steps.feed_gap_metric import FeedGapMetric
from pipelines.steps.link_companies import LINKED, CompanyLinker
from pipelines.workspace import Workspace, profile_dataset
from warehouse import schema_render
from warehouse.decisions import DecisionRecord
from warehouse.history.history import MarketHistory
from warehouse.schema.tables import COMPANIES, NORMALISED, PASSING
from warehouse.schema.types import Table
from warehouse.staged.store import StagedIndex
from warehouse.storage.parallel import parallel_map

STAGED_MARK: Final = "staged"
IMAGE_MARK: Final = "image"
EDITIONS: Final = "_editions"
# Companies that pass through a connector, and into history, at once, per parallel worker.
CHUNK: Final = 150_000
STRETCH: Final = 500_000  # staged rows compared with the present rows at once

_Present = tuple[pl.Series, Mapping[str, pl.LazyFrame]]  # companies, and their rows by staged table


@dataclass(frozen=True, slots=True)
class NormaliseResult:
    """Result of normalising a market's pending batches."""

    market: str
    batches: Sequence[str] = ()
    instants: Sequence[str] = ()
    companies: int = 0
    rows: Mapping[str, int] = field(default_factory=dict)  # by dataset
    changed: Mapping[str, float] = field(default_factory=dict)  # share of a full snapshot, by dataset
    signals: Sequence[Mapping[str, Any]] = ()
    far: Mapping[str, int] = field(default_factory=dict)  # days too far ahead, by `table.column`


@dataclass(frozen=True, slots=True)
class StagedSnapshot:
    """Rows of one dataset with one instant in one staged batch."""

    dataset: Dataset
    batch: str
    instant: datetime
    scope: str
    late: bool
    tables: Mapping[str, int]


def result_name(market: str) -> str:
    """Name of a market's normalisation result."""
    return f"normalised-{market}"


def normalise(workspace: Workspace, jurisdiction: Jurisdiction, batch: str) -> NormaliseResult:
    """Writes the snapshots of everything pending. Raises Invalid if a snapshot violates its schema."""
    with workspace.history(jurisdiction.code) as history, history.transaction():
        waiting = list(_pending_batches(workspace, jurisdiction, history))
        by_instant: dict[datetime, list[StagedSnapshot]] = defaultdict(list)
        found = [
            edition
            for dataset, index in waiting
            for edition in _batch_snapshots(dataset, index, history.high_water(dataset.key))
        ]
        died = partial(_is_unfinished_run, workspace, jurisdiction)
        # rows keep their own instant; only the snapshot they become part of changes
        for edition, taken in zip(
            found, snapshots.apply_instants(found, batch, workspace.receipts, died), strict=True
        ):
            by_instant[taken].append(edition)
        work = _NormaliseRun(workspace, jurisdiction, history, batch)
        judged = holder_decisions.pending_decisions(workspace.layout, jurisdiction.code, history)
        newest = max([*by_instant, *_dataset_watermarks(jurisdiction, history)], default=None)
        if judged and newest is not None:
            by_instant.setdefault(newest, [])  # decisions apply to the newest state
        for instant in sorted(by_instant):
            work.take(instant, by_instant[instant], judged if instant == newest else ())
        holder_decisions.mark_decisions_applied(judged if newest is not None else (), history)
        for dataset, index in waiting:
            history.mark(STAGED_MARK, f"{dataset.key}/{index.batch}")
    receipt = NormaliseResult(
        jurisdiction.code,
        batches=tuple(f"{dataset.key}/{index.batch}" for dataset, index in waiting),
        instants=tuple(instant.isoformat() for instant in sorted(by_instant)),
        companies=work.companies,
        rows=dict(work.rows),
        changed=dict(work.changed),
        signals=[asdict(signal) for signal in work.signals],
        far=dict(work.far),
    )
    workspace.receipts.write(batch, result_name(jurisdiction.code), asdict(receipt))
    for signal in work.signals:
        workspace.tell(f"{signal.dataset}: {signal.count} changed without an entry in {signal.subject}")
    for column, count in receipt.far.items():
        workspace.tell(
            f"{jurisdiction.code}: {column}: {count} dates more than a year ahead, treated as unknown"
        )
    if receipt.batches:
        workspace.tell(f"{jurisdiction.code}: {receipt.companies} companies touched")
    return receipt


def _dataset_watermarks(jurisdiction: Jurisdiction, history: MarketHistory) -> Iterator[datetime]:
    """The watermark of each dataset in history."""
    for dataset in jurisdiction.datasets:
        instant = history.high_water(dataset.key)
        if instant is not None:
            yield instant


def _is_unfinished_run(workspace: Workspace, jurisdiction: Jurisdiction, batch: str) -> bool:
    """True if a run ended before it staged every dataset of its market."""
    names = (stage.result_name(dataset.key) for dataset in jurisdiction.datasets)
    return any(workspace.receipts.read(batch, name) is None for name in names)


def _pending_batches(
    workspace: Workspace, jurisdiction: Jurisdiction, history: MarketHistory
) -> Iterator[tuple[Dataset, StagedIndex]]:
    """Staged batches that are neither applied to history nor quarantined."""
    taken = history.marked(STAGED_MARK)
    for dataset in jurisdiction.datasets:
        for batch in workspace.lake.batches(dataset.key):
            index = None if f"{dataset.key}/{batch}" in taken else workspace.lake.index(dataset.key, batch)
            if index is not None and index.held is None:
                yield dataset, index


def _batch_snapshots(
    dataset: Dataset, index: StagedIndex, high_water: datetime | None
) -> Iterator[StagedSnapshot]:
    for edition in index.editions:
        instant = datetime.fromisoformat(edition["observed_at"])
        late = high_water is not None and instant <= high_water
        yield StagedSnapshot(dataset, index.batch, instant, edition["scope"], late, edition["rows"])


class _NormaliseRun:
    """Processes a market's instants in one run, with counters."""

    def __init__(
        self, workspace: Workspace, jurisdiction: Jurisdiction, history: MarketHistory, batch: str
    ) -> None:
        self._workspace = workspace
        self._jurisdiction = jurisdiction
        self._history = history
        self._batch = batch
        self._links = CompanyLinker(jurisdiction, history)
        self._missed = FeedGapMetric(jurisdiction, history)
        self.signals: list[Signal] = []
        self.companies = 0
        self.rows: Counter[str] = Counter()
        self.changed: dict[str, float] = {}
        self.far: Counter[str] = Counter()

    def take(
        self, instant: datetime, found: Iterable[StagedSnapshot], judged: Iterable[DecisionRecord] = ()
    ) -> None:
        """Applies all snapshots of one instant; writes the snapshot of companies touched or decided on."""
        found = list(found)
        ids = [series for edition in found for series in self._apply_snapshot(edition)]
        changed = {table for edition in found for table, rows in edition.tables.items() if rows}
        self.signals += self._missed.told()
        moved, linked = self._links.follow(changed)
        companies = pl.Series("company_id", [row.company_id for row in judged], pl.String)
        touched = pl.concat([companies, *ids, moved]).unique().sort()
        for edition in found:
            self._touch_provenance(edition)
            self._history.advance(edition.dataset.key, instant)
        if touched.is_empty():
            return
        self._write_normalised(touched, instant, {EDITIONS: _snapshot_frame(found), LINKED: linked})

    def _write_normalised(
        self, touched: pl.Series, instant: datetime, told: Mapping[str, pl.DataFrame]
    ) -> None:
        """Writes the snapshot in parts; the extra frames go with each part, filtered to its companies."""
        code = self._jurisdiction.code
        with self._workspace.images.writer(code, self._batch, instant) as writer:
            for companies, tables, far in parallel_map(
                self._current_records(touched), partial(self._normalise_companies, instant)
            ):
                self._count_rows(tables, companies)
                self.far += far
                mine = {name: _rows_of_companies(rows, companies) for name, rows in told.items()}
                writer.add({**tables, **mine}, companies)
        self._history.mark(IMAGE_MARK, snapshot_key(self._batch, instant))

    def _apply_snapshot(self, edition: StagedSnapshot) -> Iterator[pl.Series]:
        for table in edition.dataset.staged.values():
            if not edition.tables.get(table.name):
                continue  # a full snapshot is complete only in the tables it has rows of
            is_whole = edition.scope == Scope.FULL and not edition.late
            before = self._history.present_counts([table])[table.name] if is_whole else 0
            changed = [
                self._history.upsert_present(
                    table, self._with_company_ids(table, rows), self._links.keys_of(table)
                )
                for rows in self._row_chunks(edition, table)
            ]
            touched = pl.concat(changed).unique()
            yield touched
            if is_whole:
                retired = self._soft_delete_missing(edition, table, before)
                yield retired
                self._missed.note(edition.dataset, pl.concat([touched, retired]))
                if before:
                    share = (len(touched) + len(retired)) / before
                    self.changed[edition.dataset.key] = round(share, 6)

    def _touch_provenance(self, edition: StagedSnapshot) -> None:
        """Updates the provenance of rows that an archive repeats without being parsed again."""
        index = self._workspace.lake.index(edition.dataset.key, edition.batch)
        for standing in () if index is None else incremental_parse.reuse_entries(index):
            if standing.observed_at == edition.instant:
                for table in edition.dataset.staged.values():
                    self._history.move_on(table, standing.on, standing.sha256, edition.instant)

    def _soft_delete_missing(self, edition: StagedSnapshot, table: Table, before: int) -> pl.Series:
        """Soft-deletes the rows that a full snapshot lacks; returns their companies."""
        if not before:
            return pl.Series("company_id", [], pl.String)
        return self._history.retire_absent(table, self._snapshot_keys(edition, table), edition.instant)

    def _snapshot_keys(self, edition: StagedSnapshot, table: Table) -> pl.DataFrame:
        """Keys of a full snapshot: of parsed rows, unchanged bodies, and records with an open deletion check."""
        lake, dataset = self._workspace.lake, edition.dataset.key
        index = lake.index(dataset, edition.batch)
        figures = {} if index is None else index.figures
        mine = (
            lake.rows(dataset, edition.batch, table)
            .filter(_rows_of_snapshot(edition))
            .select(table.key)
            .collect()
        )
        kept = snapshots.unchanged_body_keys(lake, dataset, table, edition.instant, figures)
        return pl.concat([mine, *kept, *unconfirmed_keys(lake, self._jurisdiction, table)])

    def _row_chunks(self, edition: StagedSnapshot, table: Table) -> Iterator[pl.DataFrame]:
        """The rows of a snapshot in order, in chunks: a register of millions would not fit in memory."""
        rows = self._workspace.lake.rows(edition.dataset.key, edition.batch, table)
        for start in range(0, rows.select(pl.len()).collect().item(), STRETCH):
            yield rows.slice(start, STRETCH).filter(_rows_of_snapshot(edition)).collect()

    def _with_company_ids(self, table: Table, rows: pl.DataFrame) -> pl.DataFrame:
        company = self._jurisdiction.touches(table.name, rows.select(table.names))
        return self._links.marked(table, rows.with_columns(company.alias("_company_id")))

    def _current_records(self, touched: pl.Series) -> Generator[_Present, None, None]:
        """The touched companies in chunks, with their present rows."""
        # by name, since channels that deliver the same records share their tables
        tables = {name: table for made in self._jurisdiction.datasets for name, table in made.staged.items()}
        for start in range(0, len(touched), CHUNK):
            companies = touched[start : start + CHUNK]
            yield companies, self._history.rows_of(tables.values(), companies)

    def _normalise_companies(
        self, instant: datetime, known: _Present
    ) -> tuple[pl.Series, dict[str, pl.DataFrame], Counter[str]]:
        """The companies, their shared tables, and counts of days too far ahead. Raises Invalid."""
        companies, present = known
        # the instant's date, not today's, so that a rebuild gives the same rows
        shared = self._jurisdiction.normalise(present, instant.date())
        made = (*NORMALISED, *PASSING)
        told = {table.name: shared.get(table.name, schema_render.empty_frame(table)) for table in made}
        tables, far = schema_validation.without_far_future_days(told, instant.date())
        schema_validation.require_valid(tables, companies, instant.date())
        return companies, tables, far

    def _count_rows(self, tables: Mapping[str, pl.DataFrame], touched: pl.Series) -> None:
        self.companies += len(touched)
        self.rows[profile_dataset(self._jurisdiction).key] += tables[COMPANIES.name].height
        for table in NORMALISED:
            if "register" in table.names:
                counts: list[dict[str, Any]] = tables[table.name]["register"].value_counts().to_dicts()
                self.rows.update({count["register"]: count["count"] for count in counts})


def _rows_of_snapshot(edition: StagedSnapshot) -> pl.Expr:
    """Expression for the staged rows of a snapshot."""
    return (pl.col("_observed_at") == edition.instant) & (pl.col("_scope") == str(edition.scope))


def _rows_of_companies(rows: pl.DataFrame, companies: pl.Series) -> pl.DataFrame:
    """Rows without a company, or of one of these."""
    return (
        rows.filter(pl.col("company_id").is_in(companies.implode())) if "company_id" in rows.columns else rows
    )


def snapshot_key(batch: str, instant: datetime) -> str:
    """Mark of a committed snapshot; a killed run's uncommitted snapshot has none."""
    return f"{batch}/{instant.isoformat()}"


def _snapshot_frame(found: Iterable[StagedSnapshot]) -> pl.DataFrame:
    rows = [(edition.dataset.key, edition.late) for edition in found]
    return pl.DataFrame(rows, schema={"dataset": pl.String(), "late": pl.Boolean()}, orient="row")
