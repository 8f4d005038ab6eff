"""Erases subjects from a market's history: from every table, then by rewriting the file.

DuckDB does not overwrite deleted rows: freed blocks keep their bytes. So the file is copied, table by table,
into a new one that replaces it. Tables are found by their columns, not by name: any table with rows of
companies may have rows of subjects. Does not belong here: the processing of the remaining rows (`pipelines`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import duckdb
import polars as pl

from warehouse.erasure.event_redaction import EventRedactor
from warehouse.erasure.files import erased_rows_mask
from warehouse.schema.ids import holder_id
from warehouse.storage import atomic_files
from warehouse.storage.duckdb import (
    copy_database,
    open_database,
    query_frame,
    query_int,
    quote_identifier,
    quoted_columns,
    registered_frame,
)
from warehouse.storage.layout import Layout
from warehouse.storage.locks import history_lock

PRESENT: Final = "present"
_SHARED: Final = ("open", "versions", "closed")
_COMPANIES: Final = 'open."companies"'
# columns kept for a company that its register removed; its number becomes its name
_STAYS: Final = (
    *("company_id", "org_number", "country", "status", "status_detail", "status_date", "status_source"),
    *("registry_status", "dissolved_date", "sources", "observed_at", "known_from", "valid_to"),
)
_RECORD: Final = "company_id, register, native_id, holder_name, holder_company_id"
_LINE: Final = "company_id, holder_id, sources"
_EACH: Final = "SELECT *, rowid AS _rowid"
_THEIRS: Final = "WHERE list_contains($1, company_id)"
Mask = Callable[[str, pl.DataFrame], pl.Series]  # staged table, rows with meta columns: true for those to delete


@dataclass(frozen=True, slots=True)
class KnownHolder:
    """What history has on one holder: the company it holds shares of, and the texts that identify its records."""

    subject: str
    company_id: str
    texts: frozenset[str]


@contextmanager
def _open_history(layout: Layout, market: str) -> Iterator[duckdb.DuckDBPyConnection]:
    with history_lock(layout, market), open_database(layout.history_file(market)) as connection:
        yield connection


def find_holders(
    layout: Layout, market: str, subjects: Collection[str], companies: Collection[str]
) -> list[KnownHolder]:
    """Holders with one of these ids, and all that are one of these companies, from anything ever known.

    If several registers report a holder, each record has its own id besides that of the reconciled row: all of
    them are returned, each with the texts of all records.
    """
    if not (subjects or companies) or not layout.history_file(market).exists():
        return []
    with _open_history(layout, market) as connection:
        rows, lines = _holder_records(connection, subjects, companies)
    ids = [holder_id(*key) for key in rows.select("company_id", "register", "native_id").iter_rows()]
    rows = rows.with_columns(pl.Series("holder_id", ids, dtype=pl.String))
    asked = pl.col("holder_id").is_in(list(subjects)) | pl.col("holder_company_id").is_in(list(companies))
    groups = [{name} for name in rows.filter(asked.fill_null(value=False))["holder_id"].unique()]
    groups += [ids for ids in lines if any(ids & group for group in groups) or ids & set(subjects)]
    told: dict[str, tuple[str, set[str]]] = {}
    for row in rows.iter_rows(named=True):
        _, texts = told.setdefault(row["holder_id"], (row["company_id"], set()))
        texts |= {row[name] for name in ("native_id", "holder_name", "holder_company_id") if row[name]}
    found: dict[tuple[str, str], set[str]] = {}
    for group in groups:
        known = [told[name] for name in sorted(group & told.keys())]
        for name in group if known else ():
            found.setdefault((name, known[0][0]), set()).update(*(texts for _, texts in known))
    return [KnownHolder(subject, company, frozenset(texts)) for (subject, company), texts in sorted(found.items())]


def _holder_records(
    connection: duckdb.DuckDBPyConnection, subjects: Collection[str], companies: Collection[str]
) -> tuple[pl.DataFrame, list[set[str]]]:
    """Records of the companies with matching holders, and the ids of each reconciled row with several records."""
    lines = _rows_ever_known(connection, "owners", _LINE, "list_contains($1, holder_id)", list(subjects))
    held = _rows_ever_known(connection, "holdings", _RECORD, "list_contains($1, holder_company_id)", list(companies))
    whose = list({*lines["company_id"], *held["company_id"]})
    if set(subjects) <= set(lines["holder_id"]):
        where = "list_contains($1, company_id)"
    else:  # a record's own id, which no reconciled row has: everything is searched
        where = "true OR list_contains($1, company_id)"
    rows = _rows_ever_known(connection, "holdings", _RECORD, where, whose)
    lines = _rows_ever_known(connection, "owners", _LINE, f"({where}) AND reconciliation <> 'single'", whose)
    return rows, [
        {line, *(holder_id(company, one["register"], one["native_id"]) for one in json.loads(sources))}
        for company, line, sources in lines.unique().iter_rows()
    ]


def _rows_ever_known(
    connection: duckdb.DuckDBPyConnection, table: str, names: str, where: str, values: list[str]
) -> pl.DataFrame:
    """Rows of a shared table, current and superseded."""
    nothing = pl.DataFrame(schema=dict.fromkeys(names.split(", "), pl.String))
    parts = [
        query_frame(connection, f"SELECT {names} FROM {schema}.{table} WHERE {where}", [values]).cast(pl.String)
        for schema in _SHARED
        if _has_table(connection, schema, table)
    ]
    return pl.concat([nothing, *parts])


def _has_table(connection: duckdb.DuckDBPyConnection, schema: str, table: str) -> bool:
    return table in dict(_company_tables(connection, schema))


def company_names(layout: Layout, market: str, companies: Collection[str]) -> frozenset[tuple[str, str]]:
    """Companies and all names that they have ever had in this history."""
    if not companies or not layout.history_file(market).exists():
        return frozenset()
    with _open_history(layout, market) as connection:
        rows = _rows_ever_known(
            connection, "companies", "company_id, name", "list_contains($1, company_id)", list(companies)
        )
    return frozenset(rows.drop_nulls().iter_rows())


def is_company_known(layout: Layout, market: str, company_id: str) -> bool:
    """True if a company has ever been known."""
    if not layout.history_file(market).exists():
        return False
    with _open_history(layout, market) as connection:
        return any(
            query_int(
                connection, f"SELECT count(*) FROM {schema}.{quote_identifier(name)} WHERE {column} = $1", [company_id]
            )
            for schema in (PRESENT, *_SHARED)
            for name, column in _company_tables(connection, schema)
        )


def current_records_by_table(layout: Layout, market: str, companies: Collection[str]) -> dict[str, pl.DataFrame]:
    """Present rows of companies by staged table, including those assigned by a link."""
    if not layout.history_file(market).exists():
        return {}
    with _open_history(layout, market) as connection:
        return {
            name: _current_records_of(connection, name, companies) for name, _ in _company_tables(connection, PRESENT)
        }


def linked_keys(layout: Layout, market: str, keys: Mapping[str, tuple[str, ...]]) -> dict[str, pl.DataFrame]:
    """For the given staged tables and key columns: keys and company of all present rows that have a company."""
    if not layout.history_file(market).exists():
        return {}
    with _open_history(layout, market) as connection:
        known = dict(_company_tables(connection, PRESENT))
        return {
            name: query_frame(
                connection,
                f"SELECT {quoted_columns(key)}, _company_id FROM {PRESENT}.{quote_identifier(name)} "
                "WHERE _company_id IS NOT NULL",
            )
            for name, key in keys.items()
            if name in known
        }


def unshared_values(
    layout: Layout, market: str, table: str, column: str, companies: Collection[str]
) -> list[tuple[str, str]]:
    """Companies and their values in a column of a present table that no other company has."""
    if not layout.history_file(market).exists():
        return []
    with _open_history(layout, market) as connection:
        if (column,) not in connection.execute(
            "SELECT column_name FROM duckdb_columns() WHERE schema_name = $1 AND table_name = $2", [PRESENT, table]
        ).fetchall():
            return []
        name, value = f"{PRESENT}.{quote_identifier(table)}", quote_identifier(column)
        return connection.execute(
            f"""SELECT min(_company_id), {value}::VARCHAR FROM {name}
                WHERE {value} <> '' AND _company_id IS NOT NULL
                AND {value} IN (SELECT {value} FROM {name} WHERE list_contains($1, _company_id))
                GROUP BY {value} HAVING count(DISTINCT _company_id) = 1""",
            [list(companies)],
        ).fetchall()


def _current_records_of(
    connection: duckdb.DuckDBPyConnection, name: str, companies: Collection[str], *, nameless: bool = False
) -> pl.DataFrame:
    """Present rows of companies. nameless: also rows not linked to any company."""
    wanted = pl.DataFrame({"_company_id": list(companies)}, schema={"_company_id": pl.String})
    with registered_frame(connection, "wanted", wanted):
        return query_frame(
            connection,
            f"""{_EACH} FROM {PRESENT}.{quote_identifier(name)}
                WHERE _company_id IN (FROM wanted) OR ($1 AND _company_id IS NULL)""",
            [nameless],
        )


@dataclass(frozen=True, slots=True)
class ErasurePlan:
    """What to erase. companies: check their rows; removed: companies that stay, dissolved, as a bare number.

    nameless: staged tables in which unlinked rows are checked too.
    """

    redactor: EventRedactor
    companies: Collection[str]
    removed: Collection[str]
    mask: Mask
    nameless: Collection[str] = ()


def erase_subjects(layout: Layout, market: str, plan: ErasurePlan) -> None:
    """Erases subjects from every table and rewrites the file."""
    if not layout.history_file(market).exists():
        return
    path = layout.history_file(market)
    built = atomic_files.temporary_path(path)
    with history_lock(layout, market):
        with open_database(path) as connection:
            _delete_subjects(connection, plan)
            atomic_files.delete_if_exists(built)
            copy_database(connection, built)
        atomic_files.publish_file(built, path)


def _delete_subjects(connection: duckdb.DuckDBPyConnection, going: ErasurePlan) -> None:
    connection.execute("BEGIN")
    left = _company_remnants(connection, going.removed)
    for name, _ in _company_tables(connection, PRESENT):
        rows = _current_records_of(connection, name, going.companies, nameless=name in going.nameless)
        _delete_rows(connection, f"{PRESENT}.{quote_identifier(name)}", rows.filter(going.mask(name, rows)))
    for schema in _SHARED:
        for name, _ in _company_tables(connection, schema):
            table = f"{schema}.{quote_identifier(name)}"
            rows = query_frame(connection, f"{_EACH} FROM {table} {_THEIRS}", [list(going.companies)])
            _delete_rows(connection, table, rows.filter(erased_rows_mask(rows, going.redactor)))
    with registered_frame(connection, "staying", left):
        connection.execute(f"INSERT INTO {_COMPANIES} BY NAME SELECT * FROM staying")
    _redact_outbox(connection, going.redactor)
    _mark_changed(connection, going.companies)
    connection.execute("COMMIT")
    connection.execute("CHECKPOINT")


def _company_remnants(connection: duckdb.DuckDBPyConnection, companies: Collection[str]) -> pl.DataFrame:
    """What remains of companies that their register removed: number, status and its source."""
    rows = query_frame(connection, f"SELECT * FROM {_COMPANIES} {_THEIRS}", [list(companies)])
    nothing = [pl.lit(None).cast(kind).alias(name) for name, kind in rows.schema.items() if name not in _STAYS]
    return rows.with_columns(nothing).with_columns(
        pl.col("org_number").alias("name"), pl.lit(value=False).alias("is_listed")
    )


def _company_tables(connection: duckdb.DuckDBPyConnection, schema: str) -> list[tuple[str, str]]:
    """Tables of a schema that have rows of companies, and their company column."""
    return connection.execute(
        """SELECT table_name, column_name FROM duckdb_columns()
            WHERE database_name = current_database() AND schema_name = $1
            AND column_name IN ('company_id', '_company_id') ORDER BY 1""",
        [schema],
    ).fetchall()


def _delete_rows(connection: duckdb.DuckDBPyConnection, table: str, rows: pl.DataFrame) -> None:
    if rows.height:
        with registered_frame(connection, "gone", rows.select("_rowid")):
            connection.execute(f"DELETE FROM {table} WHERE rowid IN (SELECT _rowid FROM gone)")


def _redact_outbox(connection: duckdb.DuckDBPyConnection, blanking: EventRedactor) -> None:
    for event_id, data in connection.execute("SELECT event_id, data FROM outbox").fetchall():
        blanked = blanking.redact_event(data)
        if blanked != data:
            connection.execute("UPDATE outbox SET data = $2 WHERE event_id = $1", [event_id, blanked])


def _mark_changed(connection: duckdb.DuckDBPyConnection, companies: Collection[str]) -> None:
    """Marks these companies as changed, so that the next release rewrites them."""
    revision = query_int(connection, "SELECT coalesce(max(revision), 0) + 1 FROM altered")
    for company in companies:
        connection.execute("DELETE FROM altered WHERE company_id = $1", [company])
        connection.execute("INSERT INTO altered VALUES ($1, $2)", [revision, company])
