"""Current source records: the newest staged row of every record, stored in a market's history file.

A row that names another subject than the row before it under the same key is marked (`record_subjects`).

Does not belong here: the meaning of the rows (`connectors`), or the shared tables derived from them
(`scd2`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Final

import duckdb
import polars as pl

from warehouse import schema_render
from warehouse.history import company_links
from warehouse.history.company_links import KeyOf
from warehouse.history.record_subjects import BEFORE, column_types, with_subject_marks
from warehouse.schema.types import SUBJECT_NUMBER, Table
from warehouse.storage.duckdb import (
    LostWriteError,
    ensure_table,
    query_frame,
    query_int,
    quote_identifier,
    quoted_columns,
    registered_frame,
    run_over_frame,
    set_memory_limit,
    string_literal,
)

META: Final[dict[str, pl.DataType]] = {
    "_company_id": pl.String(),
    "_observed_at": schema_render.INSTANT,
    "_raw": pl.String(),
}
META_TYPES: Final = {
    "_company_id": "VARCHAR",
    "_observed_at": "TIMESTAMPTZ",
    "_raw": "VARCHAR",
    "_retired_at": "TIMESTAMPTZ",
    "_told_at": "TIMESTAMPTZ",  # the newest instant at which an unlinked row was reported again
}
NO_KEYS: Final[Mapping[str, KeyOf]] = MappingProxyType({})
# In-place changes stay in memory until the transaction ends: three gigabytes for the twenty million rows that
# a register repeats in a day.
UPDATING: Final = "4500MB"
COMPLETE_MARK: Final = "complete"  # marks of a history; keys: staged table and instant of its newest complete snapshot
_ROW: Final = "_row"
_NEWEST: Final = "greatest(_observed_at, _told_at)"  # ignores null


def ensure_record_table(
    connection: duckdb.DuckDBPyConnection, table: Table, extra: Mapping[str, str] | None = None
) -> None:
    """Creates the table of one staged table, and adds columns declared since.

    extra: columns of `company_links` with their types.
    """
    types = schema_render.duckdb_storage_types(table) | META_TYPES
    ensure_table(connection, "present", table.name, types | column_types(table) | dict(extra or {}))


def upsert_records(
    connection: duckdb.DuckDBPyConnection,
    table: Table,
    rows: pl.DataFrame,
    keys: Mapping[str, KeyOf] = NO_KEYS,
    complete_at: datetime | None = None,
) -> pl.Series:
    """Upserts staged rows: newer rows win; for equal instants, the later row.

    complete_at: instant of the newest complete snapshot. A record that it lacks stays soft-deleted, or becomes so,
    when an older row of it arrives later: files give the same records in any order.

    Columns of `company_links` are stored too; `keys` are computed only for rows that differ, as a register repeats
    most rows every day. Returns the companies with changed business content.
    """
    extra = company_links.linking_column_types(rows, keys)
    ensure_record_table(connection, table, extra)
    schema = {**schema_render.polars_schema(table), **META, **{name: rows.schema[name] for name in extra.keys() - keys}}
    rows = _newest_per_key(table, rows.select(pl.col(name).cast(kind) for name, kind in schema.items()))
    run_over_frame(connection, "staged", rows, _comparison_sql(table, complete_at))
    differing = query_frame(connection, "SELECT row, company, former FROM compared WHERE differs ORDER BY row")
    fresh = company_links.with_computed_keys(table, rows[differing["row"]], keys)
    _write_changes(connection, table, _with_subject_marks(connection, table, fresh))
    touched = pl.concat([differing["company"].cast(pl.String), differing["former"].cast(pl.String)])
    return touched.drop_nulls().unique().sort()


def _with_subject_marks(connection: duckdb.DuckDBPyConnection, table: Table, fresh: pl.DataFrame) -> pl.DataFrame:
    """Adds the marks of subjects to rows that differ."""
    if not table.subjects:
        return fresh
    listed = quoted_columns([*column_types(table), *(BEFORE + name for name in table.subject_columns)])
    known = query_frame(connection, f"SELECT row AS {_ROW}, {listed} FROM compared WHERE differs AND old IS NOT NULL")
    return with_subject_marks(table, fresh, known, _ROW)


def _newest_per_key(table: Table, rows: pl.DataFrame) -> pl.DataFrame:
    """One row per key: the newest, and of equal instants the last. Feed sequence numbers take precedence."""
    if rows.select(pl.any_horizontal(pl.col(table.key).is_null()).any()).item():
        raise ValueError(f"{table.name}: a key column ({', '.join(table.key)}) is null in a staged row")
    if not schema_render.has_unique_keys(table, rows):
        if table.sequence is not None:
            passed = pl.col(table.sequence) < pl.col(table.sequence).max().over(table.key)
            rows = rows.filter(~passed.fill_null(value=False))
        rows = rows.sort("_observed_at", maintain_order=True)
        rows = rows.unique(table.key, keep="last", maintain_order=True)
    return rows.with_row_index(_ROW)


def _comparison_sql(table: Table, complete_at: datetime | None) -> str:
    """SQL for staged rows that are no older than the present ones.

    `differs`: in a business column, or soft-deleted. `retired`: when the row was soft-deleted, by a newer snapshot.
    """
    values = [column for column in table.business if column not in table.key]
    tests = [f"s.{quote_identifier(column)} IS DISTINCT FROM p.{quote_identifier(column)}" for column in values]
    keys = " AND ".join(f"s.{quote_identifier(column)} = p.{quote_identifier(column)}" for column in table.key)
    others = [name for name in (*table.key, table.told) if name is not None and name not in table.business]
    others += [name for name in table.subject_columns if name not in (*table.business, *others)]
    listed = quoted_columns([*table.business, *others])
    marks, before = "", ""
    if table.subjects:
        marks = f", {quoted_columns(list(column_types(table)))}"
        before = marks + "".join(
            f", p.{quote_identifier(name)} AS {quote_identifier(BEFORE + name)}" for name in table.subject_columns
        )
    newer = "s._observed_at >= p._observed_at"
    if table.sequence is not None:
        newer = _is_newer_sql(table, table.sequence)
    return f"""
        CREATE OR REPLACE TEMP TABLE compared AS
        SELECT s.{_ROW} AS row, p.old, s._company_id AS company, p._company_id AS former,
            CASE WHEN p._retired_at > s._observed_at THEN p._retired_at
                {_missed_sql(table, complete_at)} END AS retired,
            {" OR ".join(["p.old IS NULL", "p._retired_at IS NOT NULL", *tests])} AS differs,
            s._observed_at, s._raw{before}
        FROM staged AS s
        LEFT JOIN (
            SELECT rowid AS old, {listed}, _company_id, _retired_at, {_NEWEST} AS _observed_at{marks}
            FROM present.{quote_identifier(table.name)}
        ) AS p ON {keys}
        WHERE p.old IS NULL OR {newer}
    """


def _missed_sql(table: Table, complete_at: datetime | None) -> str:
    """SQL: a branch for records that the newest complete snapshot lacks, as `_collect_missing` finds stored ones.

    A stored record that is not soft-deleted was in that snapshot, or its absence is not confirmed yet.
    """
    if complete_at is None:
        return ""
    at = f"TIMESTAMPTZ {string_literal(complete_at.isoformat())}"
    return f"""WHEN (p.old IS NULL OR p._retired_at IS NOT NULL) AND s._observed_at < {at}
        {_not_reported_since_sql(table, "s", at)} THEN {at}"""


def _not_reported_since_sql(table: Table, row: str, at: str) -> str:
    """SQL: a condition that excludes rows which the source's own feed reported after a complete file was compiled."""
    if table.sequence is None:
        return ""
    of = f"{row}.{quote_identifier(table.sequence)}"
    return f"AND NOT ({of} IS NOT NULL AND {_reported_at_sql(table, row)} > {_start_of_day_sql(at)})"


def _is_newer_sql(table: Table, sequence: str) -> str:
    """SQL: true if a staged row is no older than the present one, by feed sequence, else by publication time."""
    of, kept = quote_identifier(sequence), "s._observed_at >= p._observed_at"
    file_of_day = f"{_start_of_day_sql('s._observed_at')} >= {_reported_at_sql(table, 'p')}"
    event = kept
    if table.told is not None:
        told = f"s.{quote_identifier(table.told)}"
        # a response about one record states its own time, unlike a file compiled at some time of the day
        file_of_day = f"coalesce({told}, {_start_of_day_sql('s._observed_at')}) >= {_reported_at_sql(table, 'p')}"
        before = f"coalesce(p.{quote_identifier(table.told)}, {_start_of_day_sql('p._observed_at')})"
        event = f"coalesce({told} >= {before}, {kept})"
    back = f"coalesce(s.{quote_identifier(table.told)}, s._observed_at)" if table.told else "s._observed_at"
    # a record missing from a full file must not reappear because an older or repeated feed entry arrives
    return f"""CASE WHEN s.{of} IS NOT NULL AND {back} < {_start_of_day_sql("p._retired_at")} THEN false
        WHEN s.{of} IS NOT NULL AND p.{of} IS NOT NULL THEN s.{of} >= p.{of}
        WHEN p.{of} IS NOT NULL THEN {file_of_day} WHEN s.{of} IS NOT NULL THEN {event} ELSE {kept} END"""


def _reported_at_sql(table: Table, row: str) -> str:
    """SQL for the time a feed row was published: by its own timestamp, else when it was received."""
    came = f"{row}._observed_at"
    # null is ignored, and a row cannot be published after it was received
    return came if table.told is None else f"least({row}.{quote_identifier(table.told)}, {came})"


def _write_changes(connection: duckdb.DuckDBPyConnection, table: Table, fresh: pl.DataFrame) -> None:
    """Replaces rows that differ; for the rest only provenance is updated, so that late-arriving rows stay late.

    Unlinked rows keep their first instant: linking them later makes them no newer (`company_links`). Raises
    LostWriteError if the table does not have one row per record afterwards: DuckDB 2.0.0 now and then left a committed
    row in place that one DELETE removed together with rows of the same transaction.
    """
    name = f"present.{quote_identifier(table.name)}"
    counts = connection.execute(
        """SELECT count(*) FILTER (differs AND old IS NULL), count(*) FILTER (differs AND old IS NOT NULL),
            count(*) FILTER (NOT differs) FROM compared"""
    ).fetchall()
    added, replaced, repeated = counts[0]
    expected = query_int(connection, f"SELECT count(*) FROM {name}") + added
    if repeated:
        _write_provenance(connection, name)
    if replaced:
        connection.execute(
            f"DELETE FROM {name} WHERE rowid IN (SELECT old FROM compared WHERE differs AND old IS NOT NULL)"
        )
    if not fresh.is_empty():
        run_over_frame(
            connection,
            "fresh",
            fresh,
            f"""INSERT INTO {name} BY NAME
                SELECT s.* EXCLUDE ({_ROW}), c.retired AS _retired_at
                FROM fresh AS s JOIN compared AS c ON s.{_ROW} = c.row""",
        )
    stored = query_int(connection, f"SELECT count(*) FROM {name}")
    if stored != expected:
        raise LostWriteError(table.name, stored, expected)


def _write_provenance(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Updates the provenance of the rows that `compared` repeats unchanged."""
    same = f"{name}.rowid = c.old AND NOT c.differs"
    set_memory_limit(connection, UPDATING)
    connection.execute(
        f"""UPDATE {name} SET _observed_at = c._observed_at, _raw = c._raw FROM compared AS c
            WHERE {same} AND {name}._company_id IS NOT NULL AND {name}._observed_at < c._observed_at"""
    )
    connection.execute(
        f"""UPDATE {name} SET _told_at = c._observed_at FROM compared AS c
            WHERE {same} AND {name}._company_id IS NULL AND {name}._observed_at < c._observed_at"""
    )


def touch_provenance(
    connection: duckdb.DuckDBPyConnection, table: Table, bodies: Collection[str], body: str, instant: datetime
) -> None:
    """Updates provenance as `_write_changes` does, for all rows from one of `bodies` that are older than `instant`.

    Not of soft-deleted rows, which `body` lacks. So rows newer than these but older than the body that repeats them
    still count as late-arriving.
    """
    ensure_record_table(connection, table)
    name = f"present.{quote_identifier(table.name)}"
    theirs = f"split_part(_raw, '#', 1) IN (SELECT unnest($2::VARCHAR[])) AND {_NEWEST} < $1 AND _retired_at IS NULL"
    set_memory_limit(connection, UPDATING)
    connection.execute(
        f"UPDATE {name} SET _observed_at = $1, _raw = $3 WHERE {theirs} AND _company_id IS NOT NULL",
        [instant, list(bodies), body],
    )
    connection.execute(
        f"UPDATE {name} SET _told_at = $1 WHERE {theirs} AND _company_id IS NULL", [instant, list(bodies)]
    )


def _start_of_day_sql(instant: str) -> str:
    """SQL for the start of the day: a full file was compiled before it was fetched, at some time of that day.

    The source's own feed of that day counts as no older than the file, so neither the file's rows nor their
    absence override it; the file of the next day decides.
    """
    return f"date_trunc('day', {instant})"


def _collect_missing(
    connection: duckdb.DuckDBPyConnection,
    table: Table,
    keys: pl.DataFrame,
    instant: datetime,
    subject_columns: Collection[str] = (),
) -> None:
    """Creates the temp table `absent` of rows missing from a full snapshot (`keys`: the keys it has).

    Rows reported since then stay. subject_columns: columns of `keys` too; only rows with values of them that `keys` has
    are compared, and those seen on the same day stay: an archive may be older than a response about one subject.
    """
    ensure_record_table(connection, table)
    at = f"TIMESTAMPTZ {string_literal(instant.isoformat())}"
    subjects = quoted_columns(list(subject_columns))
    until = _start_of_day_sql(at) if subjects else at
    concerned = f"SEMI JOIN (SELECT DISTINCT {subjects} FROM keys) USING ({subjects})" if subjects else ""
    run_over_frame(
        connection,
        "keys",
        keys.select(list(dict.fromkeys([*table.key, *subject_columns]))),
        f"""CREATE OR REPLACE TEMP TABLE absent AS SELECT p.rowid AS old, p._company_id
            FROM present.{quote_identifier(table.name)} AS p {concerned}
            ANTI JOIN keys USING ({quoted_columns(table.key)})
            WHERE p._retired_at IS NULL AND greatest(p._observed_at, p._told_at) < {until}
            {_not_reported_since_sql(table, "p", at)}""",
    )


def missing_records(
    connection: duckdb.DuckDBPyConnection,
    table: Table,
    keys: pl.DataFrame,
    instant: datetime,
    subject_columns: Collection[str] = (),
) -> pl.DataFrame:
    """The rows that `soft_delete` would soft-delete, as they would be."""
    _collect_missing(connection, table, keys, instant, subject_columns)
    schema = pl.Schema({**schema_render.polars_schema(table), **META})
    rows = f"present.{quote_identifier(table.name)} WHERE rowid IN (SELECT old FROM absent)"
    found = query_frame(connection, f"SELECT {quoted_columns(list(schema))} FROM {rows}")
    return found.cast(schema).with_columns(_retired_at=pl.lit(instant).cast(schema_render.INSTANT))


def soft_delete(
    connection: duckdb.DuckDBPyConnection,
    table: Table,
    keys: pl.DataFrame,
    instant: datetime,
    subject_columns: Collection[str] = (),
) -> pl.Series:
    """Soft-deletes rows missing from a full snapshot and returns their companies. Rows seen later stay.

    subject_columns: as in `_collect_missing`, for a snapshot that is complete only for the subjects it names.
    """
    _collect_missing(connection, table, keys, instant, subject_columns)
    name = f"present.{quote_identifier(table.name)}"
    connection.execute(f"UPDATE {name} SET _retired_at = $1 WHERE rowid IN (SELECT old FROM absent)", [instant])
    found = query_frame(
        connection, "SELECT DISTINCT _company_id AS c FROM absent WHERE _company_id IS NOT NULL ORDER BY 1"
    )
    return found["c"].cast(pl.String)


def records_of_companies(
    connection: duckdb.DuckDBPyConnection, tables: Iterable[Table], company_ids: pl.Series | None
) -> dict[str, pl.LazyFrame]:
    """Present rows by staged table, soft-deleted ones with their instant; None: of every company."""
    if company_ids is None:
        return {table.name: _read_records(connection, table, "") for table in tables}
    with registered_frame(connection, "wanted", company_ids.rename("_company_id").unique().to_frame()):
        return {
            table.name: _read_records(connection, table, "SEMI JOIN wanted USING (_company_id)") for table in tables
        }


def _read_records(connection: duckdb.DuckDBPyConnection, table: Table, only: str) -> pl.LazyFrame:
    ensure_record_table(connection, table)
    schema = pl.Schema({**schema_render.polars_schema(table), **META, "_retired_at": schema_render.INSTANT})
    if table.has_person_marks:
        schema[SUBJECT_NUMBER] = pl.Int64()
    name = f"present.{quote_identifier(table.name)}"
    if not query_int(connection, f"SELECT count(*) FROM {name}"):  # answered from metadata, without a scan
        return pl.LazyFrame(schema=schema)
    return query_frame(connection, f"SELECT {quoted_columns(list(schema))} FROM {name} AS p {only}").cast(schema).lazy()
