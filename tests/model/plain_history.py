"""A market's history, snapshots and step results in plain Python objects, for worlds by the thousand.

They do what `warehouse.history.history.MarketHistory` and `warehouse.staged.snapshots.SnapshotStore` do for a market
without links and without dated sources; everything else of a run is the product's own. That both histories are the
same is shown twice: by `tests/warehouse/history/test_history_history_model.py` for random snapshots, and by
`test_whole_world.py`, which lets worlds live on both. Does not belong here: STAGED (`plain_staged`), runs (`world`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Self

import polars as pl

from pipelines.runtime.step_results import StepResults
from tests.model.remembering import Remembered
from warehouse import schema_render
from warehouse.history.current_records import COMPLETE_MARK
from warehouse.history.scd2 import TableDiff
from warehouse.schema.tables import COMPANIES, EVENTS
from warehouse.schema.types import Table
from warehouse.staged.snapshots import NormalisedSnapshot, RunKnowledge
from warehouse.staged.store import StagedIndex
from warehouse.storage.layout import Layout

Row = tuple[Any, ...]
Key = tuple[Any, ...]
Step = Callable[[str], None]
KNOWN = "known"
LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Version:
    """A row with the instants between which it was known, and the end of its validity."""

    row: Row
    known_from: datetime
    valid_to: date | None
    known_to: datetime | None = None


@dataclass(frozen=True)
class Record:
    """The newest staged row of one record."""

    row: Row
    company_id: str
    observed_at: datetime
    raw: str
    retired_at: datetime | None = None


@dataclass
class TableVersions:
    """One shared table: current rows by key, past days that are still believed, and rows that are superseded."""

    current: dict[Key, Version] = field(default_factory=dict)
    past_days: tuple[Version, ...] = ()
    superseded: tuple[Version, ...] = ()

    def copy(self) -> TableVersions:
        return TableVersions(dict(self.current), self.past_days, self.superseded)

    def content(self) -> str:
        """A text that is equal for equal rows."""
        return repr((sorted(self.current.items()), self.past_days, self.superseded))

    def all(self) -> Iterator[Version]:
        yield from self.current.values()
        yield from self.past_days
        yield from self.superseded


@dataclass(frozen=True)
class CompanyTables:
    """The shared tables of one company, by name. token: the same one, the same rows; None while they change."""

    tables: Mapping[str, TableVersions] = field(default_factory=dict)
    token: int | None = 0

    def with_versions(self, name: str, versions: TableVersions) -> CompanyTables:
        return CompanyTables({**self.tables, name: versions}, None)


_NO_TABLES: Final = CompanyTables()
_NO_VERSIONS: Final = TableVersions()  # never changed: `copy` first


@dataclass
class HistoryState:
    """All that a history stores; values in it are never changed in place."""

    marks: frozenset[tuple[str, str]] = frozenset()
    watermarks: dict[str, tuple[datetime, datetime]] = field(default_factory=dict)
    records: dict[str, dict[Key, Record]] = field(default_factory=dict)
    companies: dict[str, CompanyTables] = field(default_factory=dict)
    outbox: dict[str, Row] = field(default_factory=dict)

    def copy(self) -> HistoryState:
        return HistoryState(
            self.marks,
            dict(self.watermarks),
            {name: dict(rows) for name, rows in self.records.items()},
            dict(self.companies),
            dict(self.outbox),
        )


@dataclass
class PlainStores:
    """What survives the death of a process, besides files: histories by path, snapshots not yet applied, results of
    steps as JSON. Of files it holds what STAGED has, by what tells a file apart (`plain_staged`): a batch is written once.
    """

    histories: dict[Path, HistoryState] = field(default_factory=dict)
    snapshots: dict[tuple[datetime, str], NormalisedSnapshot] = field(default_factory=dict)
    results: dict[tuple[str, str], str] = field(default_factory=dict)
    indexes: dict[tuple[int, int], StagedIndex] = field(default_factory=dict)
    rows: dict[tuple[int, int], pl.DataFrame] = field(default_factory=dict)


@dataclass(frozen=True)
class Shape:
    """Of a table, what its rows are taken apart by: places in `Table.names`."""

    names: tuple[str, ...]
    schema: pl.Schema
    key: tuple[int, ...]
    business: tuple[int, ...]

    @classmethod
    def of(cls, table: Table) -> Self:
        names = table.names
        key, business = (tuple(map(names.index, chosen)) for chosen in (table.key, table.business))
        return cls(names, pl.Schema(schema_render.polars_schema(table)), key, business)


_SHAPES: Final[dict[str, Shape]] = {}  # by the table's name: a declaration is hashed column by column


def _shape(table: Table) -> Shape:
    if table.name not in _SHAPES:
        _SHAPES[table.name] = Shape.of(table)
    return _SHAPES[table.name]


def _schema(table: Table) -> pl.Schema:
    return _shape(table).schema


def _chosen(row: Row, places: tuple[int, ...]) -> tuple[Any, ...]:
    return tuple(row[place] for place in places)


def key_of(table: Table, row: Row) -> Key:
    """The key of a row in the order of `table.names`."""
    return _chosen(row, _shape(table).key)


def business_of(table: Table, row: Row) -> tuple[Any, ...]:
    """The values by which two rows are compared; lists as tuples, which can be hashed."""
    values = _chosen(row, _shape(table).business)
    return tuple(tuple(value) if isinstance(value, list) else value for value in values)


_META = {
    "_company_id": pl.String(),
    "_observed_at": schema_render.INSTANT,
    "_raw": pl.String(),
    "_retired_at": schema_render.INSTANT,
}


@lru_cache(maxsize=3_000)
def _lazy_rows(table: Table, rows: tuple[Row, ...]) -> pl.LazyFrame:
    """Source records; the same rows are the same object."""
    return pl.LazyFrame(rows, schema=pl.Schema({**_schema(table), **_META}), orient="row")


def _read_records(table: Table, rows: pl.DataFrame) -> list[tuple[Key, Row, str, datetime, str]]:
    names = [*table.names, "_company_id", "_observed_at", "_raw"]
    return [(key_of(table, row[:-3]), row[:-3], *row[-3:]) for row in rows.select(names).iter_rows()]


# Key, row, company, instant and pointer of staged rows
_staged_records: Final = Remembered(_read_records, lambda table, rows: (table.name, id(rows)), lambda _, rows: rows)


def _frame(table: Table, rows: Iterable[Row]) -> pl.DataFrame:
    ordered = sorted(rows, key=lambda row: key_of(table, row))
    return pl.DataFrame(ordered, schema=_schema(table), orient="row") if ordered else schema_render.empty_frame(table)


class PlainHistory:
    """One market's history, open for writing; see `MarketHistory` for what each method promises."""

    def __init__(self, stores: PlainStores, path: Path, on_step: Step) -> None:
        self._stores = stores
        self._path = path
        self._on_step = on_step
        self._depth = 0

    def __enter__(self) -> Self:
        self._stores.histories.setdefault(self._path, HistoryState())
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is open."""

    @property
    def state(self) -> HistoryState:
        return self._stores.histories[self._path]

    @contextmanager
    def transaction(self) -> Iterator[None]:
        if self._depth:
            yield
            return
        before = self.state
        self._stores.histories[self._path] = before.copy()
        self._depth += 1
        try:
            yield
            self._on_step("before commit")
        except BaseException:
            self._stores.histories[self._path] = before
            raise
        finally:
            self._depth -= 1
        self._on_step("committed")

    # Marks and watermarks

    def record_step(self, step: str, key: str) -> None:
        self.state.marks |= {(step, key)}

    def forget_step(self, step: str, key: str) -> None:
        self.state.marks -= {(step, key)}

    def recorded_keys(self, step: str) -> frozenset[str]:
        return frozenset(key for of, key in self.state.marks if of == step)

    def baseline_instant(self, dataset: str) -> datetime | None:
        return self.state.watermarks.get(dataset, (None, None))[0]

    def high_watermark(self, dataset: str) -> datetime | None:
        return self.state.watermarks.get(dataset, (None, None))[1]

    def advance_watermark(self, dataset: str, instant: datetime) -> None:
        first, newest = self.state.watermarks.get(dataset, (instant, instant))
        self.state.watermarks[dataset] = first, max(newest, instant)

    def known_until(self) -> datetime | None:
        marks = map(datetime.fromisoformat, self.recorded_keys(KNOWN))
        return max([*marks, *(newest for _, newest in self.state.watermarks.values())], default=None)

    def advance_known_time(self, instant: datetime) -> None:
        known = max(instant, self.known_until() or instant)
        self.state.marks = frozenset(mark for mark in self.state.marks if mark[0] != KNOWN)
        self.record_step(KNOWN, known.isoformat())

    def complete_instant(self, table: Table) -> datetime | None:
        keys = (key.split(" ") for key in self.recorded_keys(COMPLETE_MARK))
        return max((datetime.fromisoformat(instant) for name, instant in keys if name == table.name), default=None)

    def record_complete(self, table: Table, instant: datetime) -> None:
        if instant > (self.complete_instant(table) or LONG_AGO):
            former = {(step, key) for step, key in self.state.marks if step == COMPLETE_MARK}
            self.state.marks -= {(step, key) for step, key in former if key.startswith(f"{table.name} ")}
            self.record_step(COMPLETE_MARK, f"{table.name} {instant.isoformat()}")

    # Source records

    def upsert_present(self, table: Table, rows: pl.DataFrame, _keys: Mapping[str, Any]) -> pl.Series:
        records, touched = self.state.records.setdefault(table.name, {}), set[str]()
        complete_at = self.complete_instant(table)
        for key, row, company_id, observed_at, raw in _staged_records(table, rows):
            before = records.get(key)
            if before is not None and observed_at < before.observed_at:
                continue
            if before is not None and before.retired_at is None and before.row == row:
                records[key] = replace(before, observed_at=observed_at, raw=raw)
                continue
            retired_at = None if before is None else before.retired_at
            if before is not None and retired_at is None:
                pass  # in the newest complete file, or newer
            elif retired_at is None or retired_at <= observed_at:
                retired_at = complete_at if complete_at is not None and observed_at < complete_at else None
            records[key] = Record(row, company_id, observed_at, raw, retired_at)
            touched |= {company_id} if before is None else {company_id, before.company_id}
        return pl.Series(sorted(touched), dtype=pl.String)

    def soft_delete_absent(
        self, table: Table, keys: pl.DataFrame, instant: datetime, subject_columns: Collection[str] = ()
    ) -> pl.Series:
        assert not subject_columns  # no dataset of the small market declares any
        records, there = self.state.records.get(table.name, {}), set(keys.select(table.key).rows())
        absent = {
            key: record
            for key, record in records.items()
            if key not in there and record.retired_at is None and record.observed_at < instant
        }
        records.update({key: replace(record, retired_at=instant) for key, record in absent.items()})
        return pl.Series(sorted({record.company_id for record in absent.values()}), dtype=pl.String)

    def present_counts(self, tables: Iterable[Table]) -> dict[str, int]:
        records = {table.name: self.state.records.get(table.name, {}).values() for table in tables}
        return {name: sum(one.retired_at is None for one in rows) for name, rows in records.items()}

    def companies_with_records(self, tables: Iterable[Table]) -> pl.Series:
        records = [one for table in tables for one in self.state.records.get(table.name, {}).values()]
        return pl.Series(sorted({one.company_id for one in records}), dtype=pl.String)

    def companies_of_passed_days(self, tables: Iterable[Table], since: date | None, until: date) -> pl.Series:
        del since, until
        assert not any(table.turning_days for table in tables)  # no table of the small market declares any
        return pl.Series("company_id", [], pl.String)

    def present_rows_of(self, tables: Iterable[Table], company_ids: pl.Series) -> dict[str, pl.LazyFrame]:
        wanted = set(company_ids)
        return {
            table.name: _lazy_rows(
                table,
                tuple(
                    (*one.row, one.company_id, one.observed_at, one.raw, one.retired_at)
                    for one in self.state.records.get(table.name, {}).values()
                    if one.company_id in wanted
                ),
            )
            for table in tables
        }

    # Shared tables over time

    def tables_of(self, company_ids: Iterable[str]) -> dict[str, CompanyTables]:
        """The shared tables of companies."""
        return {company: self.state.companies.get(company, _NO_TABLES) for company in company_ids}

    def replace_tables(self, companies: Mapping[str, CompanyTables]) -> None:
        """Replaces the shared tables of companies."""
        self.state.companies |= companies

    def _versions(self, table: Table, company_ids: Iterable[str] | None = None) -> Iterator[TableVersions]:
        """The rows of a table, of each company or of some."""
        companies = self.state.companies
        found = companies.values() if company_ids is None else (companies.get(one, _NO_TABLES) for one in company_ids)
        return (one.tables[table.name] for one in found if table.name in one.tables)

    def merge_snapshot(self, table: Table, rows: pl.DataFrame, touched: pl.Series, instant: datetime) -> TableDiff:
        known = self._known_companies(touched, instant) if table.name == COMPANIES.name else None
        company_of = table.names.index("company_id")
        images: dict[str, dict[Key, Row]] = {company: {} for company in touched}
        for row in () if rows.is_empty() else rows.select(table.names).iter_rows():
            images[row[company_of]][key_of(table, row)] = row
        merged = [self._merge_company(table, company, image, instant) for company, image in images.items()]
        added, removed, before, after = (
            _frame(table, [row for rows in found for row in rows]) for found in zip(*merged, strict=True)
        )
        diff = TableDiff(table.name, added, removed, before, after)
        return diff if known is None else replace(diff, known=known)

    def _merge_company(
        self, table: Table, company: str, image: Mapping[Key, Row], instant: datetime
    ) -> tuple[list[Row], list[Row], list[Row], list[Row]]:
        """The rows added and removed, and those that changed as they were and as they are."""
        tables = self.state.companies.get(company, _NO_TABLES)
        before = tables.tables.get(table.name, _NO_VERSIONS).current
        added = image.keys() - before.keys()
        removed = before.keys() - image.keys()
        changed = {
            key
            for key in image.keys() & before.keys()
            if business_of(table, image[key]) != business_of(table, before[key].row)
        }
        if not (added or removed or changed):
            return [], [], [], []
        versions = tables.tables.get(table.name, _NO_VERSIONS).copy()
        for key in removed:
            _supersede(versions, versions.current.pop(key), instant)
        for key in added | changed:
            _replace_version(table, versions, key, image[key], instant)
        self.state.companies[company] = tables.with_versions(table.name, versions)
        return (
            [image[key] for key in added],
            [before[key].row for key in removed],
            [before[key].row for key in changed],
            [image[key] for key in changed],
        )

    def _known_companies(self, touched: pl.Series, instant: datetime) -> pl.Series:
        ever = (one for of in self._versions(COMPANIES, touched) for one in (*of.current.values(), *of.superseded))
        found = {key_of(COMPANIES, one.row)[0] for one in ever if one.known_from < instant}
        return pl.Series("company_id", sorted(found), dtype=pl.String)

    def replace_valid_times(self, table: Table, earlier: pl.DataFrame, keys: pl.DataFrame, instant: datetime) -> None:
        if not keys.is_empty():
            raise NotImplementedError(f"{table.name}: dated sources ({earlier.height} spans at {instant})")

    def known_rows(self, table: Table, company_ids: pl.Series) -> pl.DataFrame:
        raise NotImplementedError(f"{table.name}: several records of one holder ({company_ids.to_list()})")

    def current_rows(self, table: Table, company_ids: pl.Series | None = None) -> pl.DataFrame:
        return _frame(table, (one.row for of in self._versions(table, company_ids) for one in of.current.values()))

    def current_values(self, table: Table) -> Iterator[dict[str, Any]]:
        """The current rows, each with its values by column."""
        found = (one.row for of in self._versions(table) for one in of.current.values())
        return (dict(zip(_shape(table).names, row, strict=True)) for row in found)

    def facts_known_at(self, table: Table, at: datetime) -> Counter[tuple[Any, ...]]:
        """The rows as known at an instant: business values, the instant they are known from, end of validity."""
        found = (
            (*business_of(table, one.row), one.known_from, one.valid_to)
            for of in self._versions(table)
            for one in of.all()
            if one.known_from <= at and (one.known_to is None or one.known_to > at)
        )
        return Counter(found)

    # Events on their way to the ledger

    def add_to_outbox(self, events: pl.DataFrame) -> None:
        if events.is_empty():
            return
        for row in schema_render.conform_frame(EVENTS, events).iter_rows():
            self.state.outbox.setdefault(row[0], row)

    def outbox_events(self) -> pl.DataFrame:
        if not self.state.outbox:
            return schema_render.empty_frame(EVENTS)
        return pl.DataFrame([*self.state.outbox.values()], schema=_schema(EVENTS), orient="row").sort(EVENTS.sort)

    def clear_outbox(self, event_ids: pl.Series) -> None:
        for event_id in event_ids:
            self.state.outbox.pop(event_id, None)


def _supersede(versions: TableVersions, one: Version, at: datetime) -> None:
    """What was never known before its replacement leaves nothing."""
    if one.known_from < at:
        versions.superseded += (replace(one, known_to=at),)


def _replace_version(table: Table, versions: TableVersions, key: Key, row: Row, instant: datetime) -> None:
    superseded = [one.known_to for one in versions.superseded if key_of(table, one.row) == key]
    ends: list[datetime] = [end for end in superseded if end is not None and end > instant]
    old = versions.current.pop(key, None)
    known: datetime = max([instant, *ends, *([old.known_from] if old else [])])
    if old is not None:
        _supersede(versions, old, instant)
    ended = row[table.names.index(table.ended)] if table.ended else None
    versions.current[key] = Version(row, known, ended)
    if table.valid_from is None:
        return
    start = table.names.index(table.valid_from)
    since = row[start]
    for span in [one for one in versions.past_days if key_of(table, one.row) == key]:
        if since is None or (span.valid_to is not None and span.valid_to > since):
            versions.past_days = tuple(one for one in versions.past_days if one is not span)
            _supersede(versions, span, known)
            if since is not None and (span.row[start] is None or span.row[start] < since):
                cut = replace(span, known_from=max(span.known_from, known), valid_to=since)
                versions.past_days += (cut,)
    if old is not None and since is not None and (old.row[start] is None or since > old.row[start]):
        valid_to = since if old.valid_to is None else min(old.valid_to, since)
        versions.past_days += (Version(old.row, known, valid_to),)


@dataclass
class _PlainPart:
    name: str
    tables: Mapping[str, pl.DataFrame]
    touched: pl.Series

    def read(self) -> tuple[dict[str, pl.DataFrame], pl.Series]:
        return dict(self.tables), self.touched


@dataclass
class _PlainWriter:
    parts: list[_PlainPart] = field(default_factory=list)

    def add(self, tables: Mapping[str, pl.DataFrame], touched: pl.Series) -> None:
        self.parts.append(_PlainPart(f"{len(self.parts):06d}.", tables, touched))


@dataclass(frozen=True)
class PlainSnapshots:
    """Snapshots of one market; see `SnapshotStore`."""

    stores: PlainStores
    on_step: Step

    @contextmanager
    def writer(
        self, market: str, batch: str, instant: datetime, known_at: datetime, knowledge: RunKnowledge
    ) -> Iterator[_PlainWriter]:
        writer = _PlainWriter()
        yield writer
        self.on_step("image written")
        parts: Any = tuple(writer.parts)
        made = NormalisedSnapshot(market, batch, instant, Path(), parts, known_at, knowledge)
        self.stores.snapshots[instant, batch] = made
        self.on_step("image published")

    def all(self, market: str) -> list[NormalisedSnapshot]:
        found: Collection[NormalisedSnapshot] = [
            one for _, one in sorted(self.stores.snapshots.items()) if one.market == market
        ]
        return sorted(found, key=lambda one: (one.known_at, one.batch))

    def drop(self, snapshot: NormalisedSnapshot) -> None:
        del self.stores.snapshots[snapshot.instant, snapshot.batch]


class PlainResults(StepResults):
    """Results of steps as JSON texts; other files of a run are in its folder."""

    def __init__(self, stores: PlainStores, layout: Layout) -> None:
        super().__init__(layout)
        self._texts = stores.results

    def batches(self) -> list[str]:
        return sorted({batch for batch, _ in self._texts})

    def write(self, batch: str, step: str, value: Mapping[str, Any]) -> None:
        self._texts[batch, step] = json.dumps(value)

    def read(self, batch: str, step: str) -> dict[str, Any] | None:
        text = self._texts.get((batch, step))
        return None if text is None else json.loads(text)
