"""HISTORY of one market (docs/architecture.md 4): one file, one writer, one transaction for all of a run.

Holds the present rows (`present`), the shared tables over time (`changes`), how far each dataset has come,
what has been done, and the outbox of events. `known_from` is when the source was fetched, so that a rebuild
from RAW gives the same history. Does not belong here: what makes an event (`pipelines.steps`), publishing
(`release`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self

import duckdb
import polars as pl

from warehouse import changes, files, history_file, linking, present, render, spans
from warehouse.changes import Changes
from warehouse.engine import MEMORY, allow, columns, forget, frame, number, opened, quoted, registered
from warehouse.linking import KeyOf, Way
from warehouse.locks import Locked, exclusive
from warehouse.paths import Layout
from warehouse.schema.tables import COMPANIES, EVENTS
from warehouse.schema.types import Table

__all__ = ["Changes", "History", "Locked"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class History:
    """One market's history, open for writing. A second writer, in any process, is refused with Locked."""

    def __init__(self, layout: Layout, market: str, on_step: files.Step = files.no_step) -> None:
        self._layout = layout
        self._market = market
        self._path = layout.history_file(market)
        self._on_step = on_step
        self._stack = ExitStack()
        self._depth = 0
        self._come: dict[str, tuple[datetime, datetime]] | None = None  # what `datasets` says, once asked

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(
                exclusive(self._layout, f"history-{self._market}", f"history of market {self._market}")
            )
            files.make_folder(self._path.parent)
            file = stack.enter_context(ExitStack())
            self._connection = file.enter_context(opened(self._path))
            allow(self._connection, MEMORY)  # the one before may have been given more (`present`)
            self._come = None
            stack.callback(self._close, file)
            with self.transaction():
                history_file.prepare(self._connection)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _close(self, file: ExitStack) -> None:
        with file:
            self._connection.execute("CHECKPOINT")
            if built := history_file.compacted(self._connection, self._path):
                file.close()
                files.publish(built, self._path)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All calls inside are one transaction; one inside another belongs to the outer."""
        if self._depth:
            yield
            return
        self._connection.execute("BEGIN")
        self._depth += 1
        try:
            yield
            self._on_step("before commit")
            self._connection.execute("COMMIT")
            self._on_step("committed")
        except BaseException:
            self._rollback()
            raise
        finally:
            self._depth -= 1

    def _rollback(self) -> None:
        forget(self._connection)
        self._come = None
        try:
            self._connection.execute("ROLLBACK")
        except duckdb.TransactionException:  # a failed COMMIT has ended the transaction itself
            return

    # What has been done

    def mark(self, step: str, key: str) -> None:
        """Notes that a step has taken `key` in."""
        if key not in self.marked(step):
            self._connection.execute("INSERT INTO marks VALUES ($1, $2)", [step, key])

    def marked(self, step: str) -> frozenset[str]:
        """Keys that a step has taken in."""
        found = self._connection.execute("SELECT key FROM marks WHERE step = $1", [step]).fetchall()
        return frozenset(key for (key,) in found)

    # How far each dataset has come

    def baseline(self, dataset: str) -> datetime | None:
        """Instant of the first edition: up to it the dataset is silent."""
        return self._moments().get(dataset, (None, None))[0]

    def high_water(self, dataset: str) -> datetime | None:
        """Instant of the newest edition taken in: what is not newer is late."""
        return self._moments().get(dataset, (None, None))[1]

    def advance(self, dataset: str, instant: datetime) -> None:
        """Notes an edition. The first sets the baseline; the high-water mark never falls."""
        if self.baseline(dataset) is None:
            self._connection.execute("INSERT INTO datasets VALUES ($1, $2, $2)", [dataset, instant])
        else:
            self._connection.execute(
                "UPDATE datasets SET high_water = greatest(high_water, $2) WHERE dataset = $1",
                [dataset, instant],
            )
        self._come = None

    def _moments(self) -> dict[str, tuple[datetime, datetime]]:
        if self._come is None:  # asked for every dataset of a market, some times in a run
            select = "SELECT dataset, epoch_us(baseline), epoch_us(high_water) FROM datasets"
            self._come = {
                dataset: (_EPOCH + timedelta(microseconds=first), _EPOCH + timedelta(microseconds=last))
                for dataset, first, last in self._connection.execute(select).fetchall()
            }
        return self._come

    # What the sources say now

    def upsert_present(
        self, table: Table, rows: pl.DataFrame, keys: Mapping[str, KeyOf] = present.NO_KEYS
    ) -> pl.Series:
        """Takes staged rows in (columns of the table, `_company_id`, `_observed_at`, `_raw`).

        keys: of `linking`, by their columns; computed of what is new. Newer rows win, of two with one instant the
        later one. Gives the companies whose content changed.
        """
        with self.transaction():
            return present.upsert(self._connection, table, rows, keys)

    def move_on(self, table: Table, bodies: Collection[str], body: str, instant: datetime) -> None:
        """Lets rows that came of one of these bodies (SHA-256) stand on another, which repeats them."""
        with self.transaction():
            present.move_on(self._connection, table, bodies, body, instant)

    def retire_absent(self, table: Table, keys: pl.DataFrame, instant: datetime) -> pl.Series:
        """Retires rows that a full edition lacks (`keys`: what it has); gives their companies."""
        with self.transaction():
            return present.retire(self._connection, table, keys, instant)

    def present(self, table: Table) -> pl.LazyFrame:
        """Every present row of a staged table, with the meta columns."""
        return present.rows_of(self._connection, [table], None)[table.name]

    def absent(self, table: Table, keys: pl.DataFrame, instant: datetime) -> pl.DataFrame:
        """The rows that a full edition lacks, with the instant at which they would be retired."""
        with self.transaction():
            return present.absent(self._connection, table, keys, instant)

    def present_counts(self, tables: Iterable[Table]) -> dict[str, int]:
        """How many present rows of staged tables are not retired, by table; 0 of one that nothing came for yet."""
        return present.counts(self._connection, tables)

    def relink(self, table: Table, ways: Sequence[Way]) -> pl.DataFrame:
        """Gives rows that name no company the one their ways lead to: pairs of gained and lost companies."""
        with self.transaction():
            return linking.relink(self._connection, table, ways)

    def unanswered(self, table: Table, ways: Sequence[Way]) -> pl.DataFrame:
        """Present rows that no way leads to a company, and whether several companies answer."""
        return linking.unanswered(self._connection, table, ways)

    def prepare_links(self, table: Table, keys: Mapping[str, KeyOf]) -> None:
        """Makes the columns that linking needs; computes keys of rows that were there before them."""
        with self.transaction():
            present.create(self._connection, table)
            linking.prepare(self._connection, table, keys)

    def rows_of(self, tables: Iterable[Table], company_ids: pl.Series) -> dict[str, pl.LazyFrame]:
        """Present rows of these companies by staged table, retired ones with their instant."""
        return present.rows_of(self._connection, tables, company_ids)

    # The shared tables over time

    def apply(
        self, table: Table, rows: pl.DataFrame, touched: pl.Series, instant: datetime, *, late: bool = False
    ) -> Changes:
        """Brings one table to the image of the touched companies: `rows` is all that is true of them now.

        Rows are compared by their business columns alone. A late image fills history the same way and gives
        no changes, so that it makes no events.
        """
        with self.transaction():
            known = self._known(touched, instant) if table.name == COMPANIES.name and not late else None
            found = changes.bring(self._connection, table, rows, touched, instant)
            if not found.is_empty:
                self._note(found.companies)
        if late:
            return changes.nothing(table)
        return found if known is None else replace(found, known=known)

    def fill(self, table: Table, earlier: pl.DataFrame, keys: pl.DataFrame, instant: datetime) -> None:
        """Makes `earlier` (the table's columns and `valid_to`) all that is held of earlier days of `keys`."""
        if keys.is_empty():
            return
        with self.transaction():
            found = spans.fill(self._connection, table, earlier, keys, instant)
            if not found.is_empty():
                self._note(found)

    def _known(self, touched: pl.Series, instant: datetime) -> pl.Series:
        name = quoted(COMPANIES.name)
        select = "SELECT company_id FROM {}.{} SEMI JOIN touched USING (company_id) WHERE known_from < $1"
        with registered(self._connection, "touched", touched.rename("company_id").to_frame()):
            now, once = (
                frame(self._connection, select.format(schema, name), [instant])["company_id"].cast(pl.String)
                for schema in ("open", "closed")
            )
        return now if once.is_empty() else pl.concat([now, once]).unique()

    def _note(self, companies: pl.Series) -> None:
        with registered(self._connection, "noted", companies.to_frame()):
            revision = self.revision + 1
            self._connection.execute("DELETE FROM altered WHERE company_id IN (SELECT company_id FROM noted)")
            self._connection.execute("INSERT INTO altered SELECT $1, company_id FROM noted", [revision])

    @property
    def revision(self) -> int:
        """Rises with everything that changed a shared table."""
        return number(self._connection, "SELECT coalesce(max(revision), 0) FROM altered")

    def open_rows(self, table: Table, company_ids: pl.Series | None = None) -> pl.DataFrame:
        """What is held true now, one row per key, sorted by it."""
        select = f"SELECT {columns(table.names)} FROM open.{quoted(table.name)}"
        if company_ids is None:
            rows = frame(self._connection, select)
        else:
            with registered(self._connection, "wanted", company_ids.rename("company_id").to_frame()):
                rows = frame(self._connection, f"{select} SEMI JOIN wanted USING (company_id)")
        return rows.cast(render.polars_schema(table)).sort(table.key)

    def states(self, table: Table, company_ids: pl.Series) -> pl.DataFrame:
        """What was ever held true of these companies, now or once: the table's columns and known_from."""
        everything = changes.as_of(table, ("open", "closed"))
        select = f"SELECT {columns(table.names)}, known_from FROM ({everything})"
        with registered(self._connection, "wanted", company_ids.rename("company_id").to_frame()):
            rows = frame(self._connection, f"{select} SEMI JOIN wanted USING (company_id)")
        return rows.cast(render.polars_schema(table))

    def as_of(self, table: Table, known_at: datetime) -> pl.DataFrame:
        """What was held true at an instant: the table's columns and known_from, known_to, valid_to."""
        everything = changes.as_of(table, ("open", "versions", "closed"))
        rows = frame(
            self._connection,
            f"SELECT * FROM ({everything}) WHERE known_from <= $1 AND (known_to IS NULL OR known_to > $1)",
            [known_at],
        )
        return rows.cast(render.polars_schema(table)).sort(*table.key, "valid_to", nulls_last=True)

    # Events on their way to the ledger

    def emit(self, events: pl.DataFrame) -> None:
        """Puts events into the outbox; one whose id is there already is not put twice."""
        with registered(self._connection, "events", render.conform(EVENTS, events).unique("event_id")):
            self._connection.execute(
                "INSERT INTO outbox BY NAME SELECT * FROM events ANTI JOIN outbox USING (event_id)"
            )

    def outbox(self) -> pl.DataFrame:
        """Events that have not been taken away, by (occurred_at, event_id)."""
        rows = frame(self._connection, "FROM outbox")
        return rows.cast(render.polars_schema(EVENTS)).sort(EVENTS.sort)

    def clear_outbox(self, event_ids: pl.Series) -> None:
        """Removes events that are durably elsewhere."""
        with registered(self._connection, "gone", event_ids.rename("event_id").to_frame()):
            self._connection.execute("DELETE FROM outbox WHERE event_id IN (SELECT event_id FROM gone)")


def path_of(layout: Layout, market: str) -> Path | None:
    """A market's history file where there is one."""
    path = layout.history_file(market)
    return path if path.exists() else None
