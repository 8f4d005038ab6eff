"""History of one market (docs/architecture.md 4): one file, one writer, one transaction per run.

It has the present rows (`current_records`), the shared tables over time (`scd2`), the watermark of each dataset,
the processed batches, and the outbox of events. `known_from` is the fetch time, so that a rebuild from RAW gives
the same history. Does not belong here: what makes an event (`pipelines.transforms`), publishing
(`publish.publisher`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Self

import duckdb
import polars as pl

from warehouse import schema_render
from warehouse.history import adoption, company_links, current_records, database, reconciliation, record_counts, scd2
from warehouse.history.companions import CompanionPath, companies_of_companions, companion_rows
from warehouse.history.company_links import KeyOf, LinkPath
from warehouse.history.current_records import COMPLETE_MARK
from warehouse.history.reconciliation import StatusGroup
from warehouse.history.scd2 import TableDiff
from warehouse.history.turning_days import companies_of_passed_days
from warehouse.schema.tables import COMPANIES, EVENTS
from warehouse.schema.types import Table
from warehouse.storage import atomic_files
from warehouse.storage.duckdb import (
    MEMORY,
    forget_checked_tables,
    open_database,
    query_frame,
    query_int,
    quote_identifier,
    quoted_columns,
    registered_frame,
    set_memory_limit,
)
from warehouse.storage.file_version import FileVersion
from warehouse.storage.layout import Layout
from warehouse.storage.locks import AlreadyLockedError, history_lock

__all__ = ["AlreadyLockedError", "MarketHistory", "TableDiff"]

_KNOWN = "known"  # marks: the newest instant at which anything became known
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class MarketHistory:
    """One market's history, open for writing. A second writer in any process fails with Locked."""

    def __init__(self, layout: Layout, market: str, on_step: atomic_files.Step = atomic_files.ignore_step) -> None:
        self._layout = layout
        self._market = market
        self._path = layout.history_file(market)
        self._on_step = on_step
        self._stack = ExitStack()
        self._depth = 0
        self._come: dict[str, tuple[datetime, datetime]] | None = None  # cache of table `datasets`
        self._changed: list[pl.Series] = []  # companies changed by the transaction, written before it commits

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(history_lock(self._layout, self._market))
            atomic_files.make_folder(self._path.parent)
            file = stack.enter_context(ExitStack())
            found = FileVersion.read(self._path)
            self._connection = file.enter_context(open_database(self._path))
            self.restore_memory_limit()
            self._come = None
            stack.callback(database.close_file, self._connection, self._path, found, file)
            if not database.trust_left_file(self._connection, self._path, found):
                with self.transaction():
                    database.ensure_schema(self._connection)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def restore_memory_limit(self) -> None:
        """Takes back what an earlier user of the DuckDB instance has raised (`current_records`)."""
        set_memory_limit(self._connection, MEMORY)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Runs the block in one transaction; nested blocks join the outer one."""
        if self._depth:
            yield
            return
        self._connection.execute("BEGIN")
        self._depth += 1
        try:
            yield
            self._write_changed()
            self._on_step("before commit")
            self._connection.execute("COMMIT")
            self._on_step("committed")
        except BaseException:
            self._rollback()
            raise
        finally:
            self._depth -= 1

    def _rollback(self) -> None:
        forget_checked_tables(self._connection)
        self._come = None
        self._changed = []
        try:
            self._connection.execute("ROLLBACK")
        except duckdb.TransactionException:  # a failed COMMIT already ended the transaction
            return

    # Processed batches

    def record_step(self, step: str, key: str) -> None:
        """Records that a step has processed `key`."""
        self._connection.execute(
            "INSERT INTO marks SELECT $1, $2 WHERE NOT EXISTS (FROM marks WHERE step = $1 AND key = $2)", [step, key]
        )

    def forget_step(self, step: str, key: str) -> None:
        """Removes what `record_step` has recorded."""
        self._connection.execute("DELETE FROM marks WHERE step = $1 AND key = $2", [step, key])

    def recorded_keys(self, step: str) -> frozenset[str]:
        """Keys that a step has processed."""
        found = self._connection.execute("SELECT key FROM marks WHERE step = $1", [step]).fetchall()
        return frozenset(key for (key,) in found)

    # Watermarks of datasets

    def baseline_instant(self, dataset: str) -> datetime | None:
        """Instant of the first snapshot: up to it the dataset makes no events."""
        return self._watermarks_by_dataset().get(dataset, (None, None))[0]

    def high_watermark(self, dataset: str) -> datetime | None:
        """Instant of the newest applied snapshot: anything not newer is late-arriving."""
        return self._watermarks_by_dataset().get(dataset, (None, None))[1]

    def advance_watermark(self, dataset: str, instant: datetime) -> None:
        """Records a snapshot. The first sets the baseline; the high-water mark never decreases."""
        if self.baseline_instant(dataset) is None:
            self._connection.execute("INSERT INTO datasets VALUES ($1, $2, $2)", [dataset, instant])
        else:
            self._connection.execute(
                "UPDATE datasets SET high_water = greatest(high_water, $2) WHERE dataset = $1", [dataset, instant]
            )
        self._come = None

    def known_until(self) -> datetime | None:
        """The newest instant of known time: what was known at it and before does not change any more."""
        marks = map(datetime.fromisoformat, self.recorded_keys(_KNOWN))
        return max([*marks, *(newest for _, newest in self._watermarks_by_dataset().values())], default=None)

    def advance_known_time(self, instant: datetime) -> None:
        """Records that something becomes known at an instant; known time never goes back."""
        known = max(instant, self.known_until() or instant)
        self._connection.execute("DELETE FROM marks WHERE step = $1", [_KNOWN])
        self.record_step(_KNOWN, known.isoformat())

    def _watermarks_by_dataset(self) -> dict[str, tuple[datetime, datetime]]:
        if self._come is None:  # cached: needed for every dataset of a market, several times per run
            select = "SELECT dataset, epoch_us(baseline), epoch_us(high_water) FROM datasets"
            self._come = {
                dataset: (_EPOCH + timedelta(microseconds=first), _EPOCH + timedelta(microseconds=last))
                for dataset, first, last in self._connection.execute(select).fetchall()
            }
        return self._come

    def complete_instant(self, table: Table) -> datetime | None:
        """Instant of the newest complete snapshot of a staged table; None before the first."""
        keys = (key.split(" ") for key in self.recorded_keys(COMPLETE_MARK))
        return max((datetime.fromisoformat(instant) for name, instant in keys if name == table.name), default=None)

    def record_complete(self, table: Table, instant: datetime) -> None:
        """Records a complete snapshot of a staged table; the instant never decreases."""
        known = self.complete_instant(table)
        if known is None or known < instant:
            if known is not None:
                self.forget_step(COMPLETE_MARK, f"{table.name} {known.isoformat()}")
            self.record_step(COMPLETE_MARK, f"{table.name} {instant.isoformat()}")

    # Current source records

    def upsert_present(
        self, table: Table, rows: pl.DataFrame, keys: Mapping[str, KeyOf] = current_records.NO_KEYS
    ) -> pl.Series:
        """Upserts staged rows (columns of the table, `_company_id`, `_observed_at`, `_raw`).

        keys: link keys by column (`company_links`); computed for new rows only. Newer rows win; for equal instants,
        the later row. Records that the newest complete snapshot lacks are stored soft-deleted. Returns the companies
        with changed content.
        """
        with self.transaction():
            return current_records.upsert_records(self._connection, table, rows, keys, self.complete_instant(table))

    def touch_provenance(self, table: Table, bodies: Collection[str], body: str, instant: datetime) -> None:
        """Sets the provenance of rows from one of these bodies (SHA-256) to another body, which repeats them."""
        with self.transaction():
            current_records.touch_provenance(self._connection, table, bodies, body, instant)

    def soft_delete_absent(
        self, table: Table, keys: pl.DataFrame, instant: datetime, subject_columns: Collection[str] = ()
    ) -> pl.Series:
        """Soft-deletes rows missing from a full snapshot (`keys`: the keys it has) and returns their companies.

        subject_columns: columns that `keys` has too; only rows with the same values in them are soft-deleted.
        """
        with self.transaction():
            return current_records.soft_delete(self._connection, table, keys, instant, subject_columns)

    def present_rows(self, table: Table) -> pl.LazyFrame:
        """All present rows of a staged table, with the meta columns."""
        return current_records.records_of_companies(self._connection, [table], None)[table.name]

    def absent_rows(
        self, table: Table, keys: pl.DataFrame, instant: datetime, subject_columns: Collection[str] = ()
    ) -> pl.DataFrame:
        """The rows that `soft_delete_absent` would soft-delete, with the instant at which they would be."""
        with self.transaction():
            return current_records.missing_records(self._connection, table, keys, instant, subject_columns)

    def present_counts(self, tables: Iterable[Table]) -> dict[str, int]:
        """Number of present rows that are not soft-deleted, by staged table; 0 for a table without rows."""
        return record_counts.record_counts(self._connection, tables)

    def resolve_links(self, table: Table, link_paths: Sequence[LinkPath]) -> pl.DataFrame:
        """Links unlinked rows by the given match rules; returns pairs of gained and lost companies."""
        with self.transaction():
            return company_links.resolve_links(self._connection, table, link_paths)

    def unlinked_records(self, table: Table, link_paths: Sequence[LinkPath]) -> pl.DataFrame:
        """Present rows that no match rule links, and whether several companies match."""
        return company_links.unlinked_records(self._connection, table, link_paths)

    def prepare_links(self, table: Table, keys: Mapping[str, KeyOf]) -> None:
        """Adds the columns that linking needs, and computes link keys for existing rows."""
        with self.transaction():
            current_records.ensure_record_table(self._connection, table)
            company_links.prepare_link_columns(self._connection, table, keys)

    def present_rows_of(self, tables: Iterable[Table], company_ids: pl.Series) -> dict[str, pl.LazyFrame]:
        """Present rows of these companies by staged table; soft-deleted ones carry their instant."""
        return current_records.records_of_companies(self._connection, tables, company_ids)

    def companion_rows(self, path: CompanionPath, company_ids: pl.Series) -> pl.LazyFrame:
        """Present rows that concern these companies by another table's rows (`companions`)."""
        return companion_rows(self._connection, path, company_ids)

    def companies_of_companions(self, path: CompanionPath, keys: pl.DataFrame) -> pl.Series:
        """Companies that rows with these keys concern (`companions`)."""
        return companies_of_companions(self._connection, path, keys)

    # What cannot be accounted for

    def unlinked_row_counts(self, tables: Iterable[Table]) -> dict[str, int]:
        """By staged table, present rows that link to no company; tables without rows are missing."""
        return reconciliation.unlinked_row_counts(self._connection, tables)

    def changed_subject_counts(self, tables: Iterable[Table]) -> dict[str, int]:
        """By staged table with subjects, present rows that named another one before; others are missing."""
        with self.transaction():
            return reconciliation.changed_subject_counts(self._connection, tables)

    def companies_of_changed_subjects(self, table: Table, instant: datetime) -> tuple[int, pl.Series]:
        """Number of present rows that name another subject since a snapshot of this instant, and their companies."""
        with self.transaction():
            return reconciliation.companies_of_changed_subjects(self._connection, table, instant)

    def companies_with_records(self, tables: Iterable[Table]) -> pl.Series:
        """Companies with a present row in any of the staged tables."""
        return reconciliation.companies_with_records(self._connection, tables)

    def companies_of_passed_days(self, tables: Iterable[Table], since: date | None, until: date) -> pl.Series:
        """Companies of present rows with a turning day after `since` and up to `until` (`turning_days`)."""
        with self.transaction():
            return companies_of_passed_days(self._connection, tables, since, until)

    def count_current_rows(self, table: Table, condition: pl.Expr) -> int:
        """Current rows of a shared table that meet a condition."""
        return reconciliation.count_current_rows(self._connection, table, condition)

    def status_groups(self) -> list[StatusGroup]:
        """Current companies with a registry status and no reason for their status, by what is served."""
        return reconciliation.status_groups(self._connection)

    # Shared tables over time

    def merge_snapshot(self, table: Table, rows: pl.DataFrame, touched: pl.Series, instant: datetime) -> TableDiff:
        """Merges a snapshot of the touched companies into one table: `rows` is their complete current content.

        Rows are compared by business columns alone. `instant`: when the content became known.
        """
        with self.transaction():
            known = self._known_companies(touched, instant) if table.name == COMPANIES.name else None
            found = scd2.merge_snapshot(self._connection, table, rows, touched, instant)
            if not found.is_empty:
                self._changed.append(found.companies)
        return found if known is None else replace(found, known=known)

    def replace_valid_times(self, table: Table, earlier: pl.DataFrame, keys: pl.DataFrame, instant: datetime) -> None:
        """Replaces the past versions of `keys` with `earlier` (the table's columns and `valid_to`)."""
        if keys.is_empty():
            return
        with self.transaction():
            found = scd2.replace_valid_times(self._connection, table, earlier, keys, instant)
            if not found.is_empty():
                self._changed.append(found)

    def _known_companies(self, touched: pl.Series, instant: datetime) -> pl.Series:
        select = "SELECT company_id FROM {}.companies SEMI JOIN touched USING (company_id) WHERE known_from < $1"
        both = " UNION ".join(map(select.format, ("open", "closed")))
        with registered_frame(self._connection, "touched", touched.rename("company_id").to_frame()):
            return query_frame(self._connection, both, [instant])["company_id"].cast(pl.String)

    def _write_changed(self) -> None:
        if not self._changed:
            return
        companies, self._changed = pl.concat(self._changed).unique(), []
        with registered_frame(self._connection, "noted", companies.rename("company_id").to_frame()):
            revision = self.revision + 1
            self._connection.execute("DELETE FROM altered WHERE company_id IN (SELECT company_id FROM noted)")
            self._connection.execute("INSERT INTO altered SELECT $1, company_id FROM noted", [revision])

    @property
    def revision(self) -> int:
        """A counter that increases with every transaction that changes a shared table."""
        return query_int(self._connection, "SELECT coalesce(max(revision), 0) FROM altered")

    def current_rows(self, table: Table, company_ids: pl.Series | None = None) -> pl.DataFrame:
        """Current rows, one per key, sorted by key."""
        name = f"open.{quote_identifier(table.name)}"
        if not query_int(self._connection, f"SELECT count(*) FROM {name}"):  # answered from metadata, without a scan
            return schema_render.empty_frame(table)
        select = f"SELECT {quoted_columns(table.names)} FROM {name}"
        rows = query_frame(self._connection, select) if company_ids is None else self._semi_joined(select, company_ids)
        return rows.cast(schema_render.polars_schema(table)).sort(table.key)

    def _semi_joined(self, select: str, company_ids: pl.Series) -> pl.DataFrame:
        with registered_frame(self._connection, "wanted", company_ids.rename("company_id").to_frame()):
            return query_frame(self._connection, f"{select} SEMI JOIN wanted USING (company_id)")

    def known_rows(self, table: Table, company_ids: pl.Series) -> pl.DataFrame:
        """All rows ever known of these companies, current or superseded: the table's columns and known_from."""
        everything = scd2.bitemporal_rows_sql(table, ("open", "closed"))
        select = f"SELECT {quoted_columns(table.names)}, known_from FROM ({everything})"
        return self._semi_joined(select, company_ids).cast(schema_render.polars_schema(table))

    def rows_known_at(self, table: Table, known_at: datetime) -> pl.DataFrame:
        """Rows as known at an instant: the table's columns and known_from, known_to, valid_to."""
        everything = scd2.bitemporal_rows_sql(table, ("open", "versions", "closed"))
        select = f"SELECT * FROM ({everything}) WHERE known_from <= $1 AND (known_to IS NULL OR known_to > $1)"
        rows = query_frame(self._connection, select, [known_at])
        return rows.cast(schema_render.polars_schema(table)).sort(*table.key, "valid_to", nulls_last=True)

    # Another state of the market

    @contextmanager
    def adopting(
        self, path: Path, instant: datetime, steps: Collection[str] = (), companies: pl.Series | None = None
    ) -> Iterator[adoption.ReplayedState]:
        """A transaction that makes the state in another file, a replay of this market, the current one.

        Nothing of the file is known before `instant`, and nothing else after it. The caller merges the tables of the
        companies that differ, of these alone if they are given; at the end the source records, the watermarks and the
        marks of these steps are those of the file.
        """
        with adoption.attached_state(self._connection, path, companies) as state, self.transaction():
            known_at = state.first_instant_from(instant)
            state.end_known_time(known_at)
            self._changed.append(state.companies)
            yield state
            state.adopt_provenance()
            state.adopt_sources(steps)
            self._come = None
            forget_checked_tables(self._connection)
            self.advance_known_time(known_at)

    # Events on their way to the ledger

    def add_to_outbox(self, events: pl.DataFrame) -> None:
        """Adds events to the outbox; ids that are already in it are skipped."""
        rows = schema_render.conform_frame(EVENTS, events).unique("event_id")
        with registered_frame(self._connection, "events", rows):
            self._connection.execute("INSERT INTO outbox BY NAME FROM events ANTI JOIN outbox USING (event_id)")

    def outbox_events(self) -> pl.DataFrame:
        """Events still in the outbox, by (known_at, occurred_at, event_id)."""
        rows = query_frame(self._connection, "FROM outbox")
        return schema_render.conform_frame(EVENTS, rows).sort(EVENTS.sort)

    def clear_outbox(self, event_ids: pl.Series) -> None:
        """Removes events that are stored durably elsewhere."""
        with registered_frame(self._connection, "gone", event_ids.rename("event_id").to_frame()):
            self._connection.execute("DELETE FROM outbox WHERE event_id IN (SELECT event_id FROM gone)")
