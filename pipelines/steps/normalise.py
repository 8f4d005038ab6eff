"""SHARED: turns pending staged batches of a market, instant by instant, into snapshots of the companies they touch.

`load_normalise_state` reads what is pending, `normalise_plan` decides what is applied at which instant,
`normalise_market` executes the plan in one transaction: rows into the present tables, links followed, the touched
companies' present rows through the connector, the snapshot on disk, marks. A kill before the commit leaves nothing
that counts. Does not belong here: the mapping (`connectors`), or what a snapshot changes (`apply_history`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime
from functools import partial
from typing import Any, Final

import polars as pl

from connectors.contract.dataset import CONTRADICTIONS, MAPPING_SIGNALS, AbsenceRule, Jurisdiction, LoadedRows
from connectors.contract.pieces import Signal
from pipelines.runtime.counted_words import counted
from pipelines.steps import applied_batches, findings, reconciliation, schema_validation, stage
from pipelines.steps.applied_batches import STAGED_MARK
from pipelines.steps.batch_figures import first_load_batches, records_named_in, rejected_texts, unchanged_body_keys
from pipelines.steps.findings import contradiction_signals, finding_lines, mapping_signals, unread_record_signals
from pipelines.steps.link_companies import LINKED, CompanyLinker
from pipelines.steps.lookups import unconfirmed_keys
from pipelines.steps.normalise_plan import (
    InstantPlan,
    NormaliseState,
    StagedSnapshot,
    Watermark,
    completeness_by_dataset,
    feed_gap_signals,
    plan_instants,
)
from pipelines.workspace import Workspace, profile_dataset, staged_tables
from warehouse import schema_render
from warehouse.decisions import DecisionLog
from warehouse.history.history import MarketHistory
from warehouse.schema.tables import COMPANIES, NORMALISED, PASSING
from warehouse.schema.types import Table
from warehouse.staged.snapshots import RunKnowledge
from warehouse.storage.parallel import parallel_map

IMAGE_MARK: Final = "image"
DECISION_MARK: Final = "judged"
EDITIONS: Final = "_editions"
# Companies that pass through a connector, and into history, at once, per parallel worker.
CHUNK: Final = 150_000
STRETCH: Final = 500_000  # staged rows compared with the present rows at once
SUBJECT_ROWS: Final = 4_000_000  # staged rows whose keys are compared at once, of whole subjects

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
    late: Mapping[str, int] = field(default_factory=dict)  # late-arriving files, by dataset


def normalise_result_name(market: str) -> str:
    """Name of a market's normalisation result."""
    return f"normalised-{market}"


@dataclass(slots=True)
class _Counts:
    """Counts of a run for its result."""

    companies: int = 0
    rows: Counter[str] = field(default_factory=Counter)
    changed: dict[str, float] = field(default_factory=dict)
    signals: list[Signal] = field(default_factory=list)
    far: Counter[str] = field(default_factory=Counter)
    late: dict[str, set[str]] = field(default_factory=dict)  # names of files
    contradictions: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame])
    mapping_signals: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame])


class BatchAppliedError(ValueError):
    """A run that was executed again after it had been applied; what was staged since waits for the next run."""

    def __init__(self, market: str, batch: str) -> None:
        super().__init__(
            f"{market}: batch {batch} has been applied: what was staged since is applied by the next run, so start one"
        )


def normalise_market(workspace: Workspace, jurisdiction: Jurisdiction, batch: str) -> NormaliseResult:
    """Writes the snapshots of everything pending.

    Raises SchemaViolationError if one violates its schema, BatchAppliedError if this run has applied its batches
    before: a second snapshot of its instant would not be told from the first, and no rebuild would give both.
    """
    with workspace.open_history(jurisdiction.code) as history, history.transaction():
        state = load_normalise_state(workspace, jurisdiction, history, batch)
        if state.pending and applied_batches.has_been_applied(history, batch):
            raise BatchAppliedError(jurisdiction.code, batch)
        plans = plan_instants(jurisdiction, state)
        links = CompanyLinker(jurisdiction, history)
        ended, decisions = applied_batches.first_load_ends(history), DecisionLog(workspace.layout).all()
        knowledge = applied_batches.run_knowledge(state, plans, ended, len(decisions))
        known_at = partial(applied_batches.knowledge_at, knowledge, state=state)
        run = _NormaliseRun(workspace, jurisdiction, history, links, batch, state.unconfirmed, known_at)
        for plan in plans:
            run.apply_instant(plan)
            applied_batches.record_instant(history, plan, batch)
            for decision in plan.decisions:
                history.record_step(DECISION_MARK, str(decision.number))
        batches = applied_batches.record_applied(history, state, batch)
    run.counts.signals += contradiction_signals(run.counts.contradictions, profile_dataset(jurisdiction).key)
    run.counts.signals += mapping_signals(run.counts.mapping_signals)
    result = NormaliseResult(
        jurisdiction.code,
        batches,
        [plan.instant.isoformat() for plan in plans],
        run.counts.companies,
        dict(run.counts.rows),
        run.counts.changed,
        [asdict(signal) for signal in run.counts.signals],
        dict(run.counts.far),
        {dataset: len(files) for dataset, files in run.counts.late.items()},
    )
    workspace.step_results.write(batch, normalise_result_name(jurisdiction.code), asdict(result))
    newest = {dataset: state.watermarks[dataset].newest for dataset in result.late}
    for line in finding_lines(result.market, run.counts.signals, result.far, result.late, newest):
        workspace.report_progress(line)
    if result.batches:
        workspace.report_progress(f"{result.market}: {counted(result.companies, 'company', 'companies')} touched")
    return result


def load_normalise_state(
    workspace: Workspace, jurisdiction: Jurisdiction, history: MarketHistory, batch: str
) -> NormaliseState:
    """Reads what a run needs to know before it applies anything."""
    lake, facts = workspace.staged_store, workspace.step_results.facts
    applied, decided = history.recorded_keys(STAGED_MARK), history.recorded_keys(DECISION_MARK)
    pending = [
        index
        for dataset in jurisdiction.datasets
        for one in lake.batches(dataset.key)
        if f"{dataset.key}/{one}" not in applied
        and (index := lake.index(dataset.key, one)) is not None
        and index.held is None
    ]
    watermarks = {
        dataset.key: Watermark(baseline, newest)
        for dataset in jurisdiction.datasets
        if (baseline := history.baseline_instant(dataset.key)) and (newest := history.high_watermark(dataset.key))
    }
    results = [stage.stage_result_name(dataset.key) for dataset in jurisdiction.datasets]
    earlier = {index.batch for index in pending if index.editions and index.batch != batch}
    unfinished = (one for one in earlier if any(workspace.step_results.read(one, name) is None for name in results))
    tables = [table for index in pending for table in jurisdiction.dataset(index.dataset).staged_tables.values()]
    return NormaliseState(
        facts(batch).at,
        pending,
        watermarks,
        {one: facts(one).at for one in unfinished},
        [row for row in DecisionLog(workspace.layout).all(jurisdiction.code) if str(row.number) not in decided],
        {table.name: list(unconfirmed_keys(lake, jurisdiction, table)) for table in tables},
        history.known_until(),
        {
            f"{key}/{one}"
            for key in {index.dataset for index in pending}
            for one in first_load_batches(lake.indexes(key))[1:]
        },
    )


@dataclass(frozen=True)
class _NormaliseRun:
    """Applies the plans of a run, one instant after the other, and counts."""

    workspace: Workspace
    jurisdiction: Jurisdiction
    history: MarketHistory
    links: CompanyLinker
    batch: str
    unconfirmed: Mapping[str, Sequence[pl.DataFrame]]
    knowledge_at: Callable[[datetime], RunKnowledge]
    counts: _Counts = field(default_factory=_Counts)

    def apply_instant(self, plan: InstantPlan) -> None:
        """Applies the snapshots of one instant; writes the snapshot of companies touched or decided on."""
        before = self._rules_without_data()
        changed = [
            (snapshot, self._apply_table(snapshot, table)) for snapshot in plan.snapshots for table in snapshot.tables
        ]
        self.counts.signals += self._feed_gap_signals(plan, changed)
        for snapshot in plan.snapshots:
            found = self.history, snapshot.dataset.key, snapshot.tables, snapshot.instant
            self.counts.signals += reconciliation.other_subject_signals(*found)
            if snapshot.is_late_arriving:
                self.counts.late.setdefault(snapshot.dataset.key, set()).update(self._file_names(snapshot))
        moved, linked = self.links.follow(plan.changed_tables)
        decided = pl.Series("company_id", [row.company_id for row in plan.decisions], pl.String)
        reconciliation.record_completeness(self.history, completeness_by_dataset(plan.snapshots))
        for snapshot in plan.snapshots:
            for archive in snapshot.repeated:
                for table in snapshot.dataset.staged_tables.values():
                    self.history.touch_provenance(table, archive.on, archive.sha256, snapshot.instant)
            self.history.advance_watermark(snapshot.dataset.key, plan.instant)
        concerned = [
            self.links.companies_of_companions(table, rows)
            for snapshot in plan.snapshots
            for table in snapshot.tables
            if table.name in self.links.companions
            for rows in self._row_chunks(snapshot, table)
        ]
        reopened = self._reopened_companies(before)
        own = (companies for _, companies in changed)
        staged = staged_tables(self.jurisdiction).values()
        turned = self.history.companies_of_passed_days(staged, plan.previous_today, plan.today)
        touched = pl.concat([decided, *own, moved, *concerned, reopened, turned]).unique().sort()
        if not touched.is_empty():
            self._write_normalised(touched, plan, {EDITIONS: _editions_frame(plan.snapshots), LINKED: linked})

    def _rules_without_data(self) -> list[AbsenceRule]:
        """The rules that data to come will make decide."""
        tables = reconciliation.read_loaded_tables(self.jurisdiction, self.history)
        rules = reconciliation.rules_without_data(self.jurisdiction, tables)
        return [rule for rule in rules if not rule.is_open_without_records]

    def _reopened_companies(self, before: Sequence[AbsenceRule]) -> pl.Series:
        """All companies, if a rule could not read absence before this instant and can now; else none."""
        now = self._rules_without_data()
        tables = staged_tables(self.jurisdiction).values() if any(rule not in now for rule in before) else ()
        return self.history.companies_with_records(tables).alias("company_id")

    def _apply_table(self, snapshot: StagedSnapshot, table: Table) -> pl.Series:
        """Applies one table of a snapshot; returns the companies it changed."""
        columns = snapshot.subject_columns(table)
        is_compared = snapshot.is_complete or bool(columns)
        before = self.history.present_counts([table])[table.name] if is_compared else 0
        keys = self.links.keys_of(table)
        chunks = self._row_chunks(snapshot, table)
        watched = findings.watch_differing_files(snapshot.dataset.key, table, chunks, self.counts.signals)
        named = (with_company_ids(self.jurisdiction, table, rows) for rows in watched)
        upserted = [self.history.upsert_present(table, self.links.marked(table, rows), keys) for rows in named]
        touched = pl.concat(upserted).unique()
        if snapshot.is_complete:
            self.history.record_complete(table, snapshot.instant)
        if not before:  # every present row is in the snapshot
            return touched
        if columns:
            return pl.concat([touched, *self._absent_of_subjects(snapshot, table, columns)])
        keys = self._with_rejected_keys(snapshot, table, self._snapshot_keys(snapshot, table))
        absent = self.history.soft_delete_absent(table, keys, snapshot.complete_before)
        self.counts.changed[snapshot.dataset.key] = round((len(touched) + len(absent)) / before, 6)
        return pl.concat([touched, absent])

    def _absent_of_subjects(
        self, snapshot: StagedSnapshot, table: Table, columns: tuple[str, ...]
    ) -> Iterator[pl.Series]:
        """Soft-deletes what a snapshot lacks of its subjects; yields the companies, some subjects at a time."""
        rows = self.workspace.staged_store.read_rows(snapshot.dataset.key, snapshot.index.batch, table)
        keys = rows.filter(snapshot.is_own_row).select(list(dict.fromkeys([*table.key, *columns])))
        groups = -(-keys.select(pl.len()).collect().item() // SUBJECT_ROWS)
        for group in range(groups):
            found = keys.filter(pl.struct(columns).hash() % groups == group).collect()
            found = self._with_rejected_keys(snapshot, table, found, columns)
            yield self.history.soft_delete_absent(table, found, snapshot.complete_before, columns)

    def _row_chunks(self, snapshot: StagedSnapshot, table: Table) -> Iterator[pl.DataFrame]:
        """The rows of a snapshot in order, in chunks: a register of millions would not fit in memory."""
        rows = self.workspace.staged_store.read_rows(snapshot.dataset.key, snapshot.index.batch, table)
        for start in range(0, snapshot.index.tables[table.name], STRETCH):
            yield rows_of_stretch(rows, start, snapshot)

    def _file_names(self, snapshot: StagedSnapshot) -> Iterator[str]:
        """Names of the files with rows in a snapshot."""
        for table in snapshot.tables:
            rows = self.workspace.staged_store.read_rows(snapshot.dataset.key, snapshot.index.batch, table)
            yield from rows.filter(snapshot.is_own_row).select("_piece").unique().collect()["_piece"]

    def _snapshot_keys(self, snapshot: StagedSnapshot, table: Table) -> pl.DataFrame:
        """Keys of a full snapshot: of parsed rows, unchanged bodies, and records with an open deletion check."""
        lake, dataset = self.workspace.staged_store, snapshot.dataset.key
        rows = lake.read_rows(dataset, snapshot.index.batch, table).filter(snapshot.is_own_row)
        unchanged = unchanged_body_keys(lake, snapshot.index, table, snapshot.instant)
        unconfirmed = self.unconfirmed[table.name]
        return pl.concat([rows.select(table.key).collect(), *unchanged, *unconfirmed])

    def _with_rejected_keys(
        self, snapshot: StagedSnapshot, table: Table, keys: pl.DataFrame, columns: tuple[str, ...] = ()
    ) -> pl.DataFrame:
        """The same with the keys of records that a snapshot seems to lack because their row in it was rejected."""
        texts = rejected_texts(self.workspace.staged_store, snapshot.index, snapshot.instant)
        if texts.is_empty():
            return keys
        absent = self.history.absent_rows(table, keys, snapshot.complete_before, columns)
        unread = records_named_in(texts, table, absent)
        self.counts.signals += unread_record_signals(snapshot.dataset.key, table, unread)
        return pl.concat([keys, unread.select(keys.columns)])

    def _feed_gap_signals(
        self, plan: InstantPlan, changed: Sequence[tuple[StagedSnapshot, pl.Series]]
    ) -> Iterator[Signal]:
        for key, since in plan.feed_gaps.items():
            dataset = self.jurisdiction.dataset(key)
            feed = self.jurisdiction.dataset(str(dataset.change_feed_key))
            found = (
                companies for snapshot, companies in changed if snapshot.dataset.key == key and snapshot.is_complete
            )
            companies = pl.concat(found).unique().sort()
            rows = self.history.present_rows_of(feed.staged_tables.values(), companies).values()
            yield from feed_gap_signals(dataset, companies, rows, since)

    def _write_normalised(self, touched: pl.Series, plan: InstantPlan, extra: Mapping[str, pl.DataFrame]) -> None:
        """Writes the snapshot in parts; the extra frames go with each part, filtered to its companies."""
        instant, store, undecided = plan.instant, self.workspace.snapshot_store, self._rules_without_data()
        knowledge = self.knowledge_at(instant)
        with store.writer(self.jurisdiction.code, self.batch, instant, plan.known_at, knowledge) as writer:
            for companies, tables, far in parallel_map(
                self._current_records(touched), partial(self._normalise_companies, plan.today)
            ):
                self._count_rows(tables, companies)
                self.counts.far += far
                self.counts.signals += reconciliation.undecided_signals(undecided, tables)
                own = {name: _rows_of_companies(rows, companies) for name, rows in extra.items()}
                writer.add({**tables, **own}, companies)
        self.history.advance_known_time(plan.known_at)
        self.history.record_step(IMAGE_MARK, snapshot_key(self.batch, instant))

    def _current_records(self, touched: pl.Series) -> Generator[_Present, None, None]:
        """The touched companies in chunks, with their present rows of the tables that were ever loaded."""
        there = reconciliation.read_loaded_tables(self.jurisdiction, self.history)
        tables = [table for name, table in staged_tables(self.jurisdiction).items() if name in there.loaded]
        for start in range(0, len(touched), CHUNK):
            companies = touched[start : start + CHUNK]
            rows = self.links.with_companions(self.history.present_rows_of(tables, companies), companies)
            yield companies, LoadedRows(rows, there.in_part)

    def _normalise_companies(
        self, today: date, known: _Present
    ) -> tuple[pl.Series, dict[str, pl.DataFrame], Counter[str]]:
        """The companies, their shared tables, and counts of days too far ahead. Raises SchemaViolationError."""
        companies, present = known
        shared = self.jurisdiction.to_shared_tables(present, today)
        self.counts.contradictions += [shared[CONTRADICTIONS]] if CONTRADICTIONS in shared else []
        self.counts.mapping_signals += [shared[MAPPING_SIGNALS]] if MAPPING_SIGNALS in shared else []
        tables, far = schema_validation.without_far_future_days(
            {
                table.name: shared[table.name] if table.name in shared else schema_render.empty_frame(table)
                for table in (*NORMALISED, *PASSING)
            },
            today,
        )
        schema_validation.require_valid(tables, companies, today)
        return companies, tables, far

    def _count_rows(self, tables: Mapping[str, pl.DataFrame], companies: pl.Series) -> None:
        rows = self.counts.rows
        self.counts.companies += len(companies)
        rows[profile_dataset(self.jurisdiction).key] += tables[COMPANIES.name].height
        for table in NORMALISED:
            if "register" in table.names and not tables[table.name].is_empty():
                rows.update(dict(tables[table.name]["register"].value_counts().iter_rows()))


def snapshot_key(batch: str, instant: datetime) -> str:
    """Mark of a committed snapshot; a killed run's uncommitted snapshot has none."""
    return f"{batch}/{instant.isoformat()}"


def rows_of_stretch(rows: pl.LazyFrame, start: int, snapshot: StagedSnapshot) -> pl.DataFrame:
    """The rows of a snapshot among STRETCH staged rows."""
    return rows.slice(start, STRETCH).filter(snapshot.is_own_row).collect()


def with_company_ids(jurisdiction: Jurisdiction, table: Table, rows: pl.DataFrame) -> pl.DataFrame:
    """Staged rows with the company that each names."""
    company = jurisdiction.company_ids_of_rows(table.name, rows.select(table.names))
    return rows.with_columns(company.alias("_company_id"))


def _rows_of_companies(rows: pl.DataFrame, companies: pl.Series) -> pl.DataFrame:
    """Rows without a company, or of one of these."""
    if rows.is_empty():
        return rows
    return rows.filter(pl.col("company_id").is_in(companies.implode())) if "company_id" in rows.columns else rows


def _editions_frame(found: Iterable[StagedSnapshot]) -> pl.DataFrame:
    rows = [(snapshot.dataset.key, snapshot.is_late_arriving) for snapshot in found]
    return pl.DataFrame(rows, schema={"dataset": pl.String(), "late": pl.Boolean()}, orient="row")
