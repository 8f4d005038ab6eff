"""Merges the current release into the tables of a PostgreSQL schema, in one transaction.

Rows of changed companies are deleted and copied again; readers see the earlier or the new release, whole. Exports into
one schema wait for each other. Does not belong here: the tables' form (`database_tables`), what has changed
(`merged.release_rows`).
"""

from __future__ import annotations

import tempfile
from typing import Any, Final

import polars as pl
import psycopg
import pyarrow as pa
import pyarrow.csv as arrow_csv
from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Composed, Identifier

from warehouse.exports.merged.release_rows import ReleaseRows, open_release_rows
from warehouse.exports.merged.results import MergedRows, MergeProgress, MergeRefusedError, MergeResult, ignore_table
from warehouse.exports.merged.tables import DIGESTS, EVENTS, MERGED
from warehouse.exports.postgresql.database_tables import DatabaseTables
from warehouse.schema.types import ColumnKind, Table
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout

SCHEMA: Final = "firmdata"
_NUL: Final = "\0"  # PostgreSQL has no text with it
_INSTEAD: Final = "\ufffd"
_HELD: Final = pa.schema([("company_id", pa.string()), ("digest", pa.int64())])
_CHANGED: Final = "firm_export_changed"


class PostgresExportError(RuntimeError):
    """The database refused, failed or cannot be reached; the message says why, without the password."""


class PostgresWriter:
    """The tables in one schema of one database."""

    def __init__(
        self, layout: Layout, url: str, schema: str = SCHEMA, on_step: atomic_files.Step = atomic_files.ignore_step
    ) -> None:
        self._layout = layout
        self._url = url
        self._schema = schema
        self._on_step = on_step

    def write(self, report: MergeProgress = ignore_table, *, rewrite: bool = False) -> MergeResult:
        """Brings every table to the current release. rewrite: in full, whatever the tables hold.

        Raises PostgresExportError, MergeRefusedError, NoReleaseError, InvalidReleaseError.
        """
        with open_release_rows(self._layout) as rows:
            try:
                with _connect(self._url) as connection:
                    merge = _DatabaseMerge(DatabaseTables(connection, self._schema), rows, rewrite=rewrite)
                    made = merge.write(report, self._on_step)
                    self._on_step("before the commit")
            except psycopg.Error as error:
                raise PostgresExportError(_explain(error, self._schema)) from error
        return made


def _connect(url: str) -> Connection[Any]:
    if not url.startswith(("postgresql://", "postgres://")):
        raise PostgresExportError("--postgres must be postgresql://user@host/database, not '…'")
    try:
        conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # libpq's message repeats what it cannot read, which may be the password
        raise PostgresExportError(
            "--postgres is not an address that PostgreSQL can read: write postgresql://user@host:5432/database, with "
            "%-escapes for special characters"
        ) from None
    return psycopg.connect(url, application_name="firm export")


def _explain(error: psycopg.Error, schema: str) -> str:
    said = " ".join(str(error).split())
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        advice = f"let the user create schema {schema} and own its tables (GRANT CREATE ON DATABASE … TO …)"
    elif isinstance(error, psycopg.OperationalError):
        advice = "check host, port, user, password (PGPASSWORD or ~/.pgpass) and that the server answers"
    else:
        advice = f"if a table of schema {schema} was changed by hand, drop it and export again"
    return f"cannot export to PostgreSQL: {said}; {advice}; the tables are as they were"


class _DatabaseMerge:
    """One export in one transaction."""

    def __init__(self, tables: DatabaseTables, rows: ReleaseRows, *, rewrite: bool) -> None:
        self._tables = tables
        self._connection = tables.connection
        self._rows = rows
        self._rewrite = rewrite

    def write(self, report: MergeProgress, on_step: atomic_files.Step) -> MergeResult:
        self._connection.execute("SET LOCAL client_encoding = 'UTF8'")
        self._connection.execute("SET LOCAL TimeZone = 'UTC'")
        self._tables.lock()
        new = self._tables.prepare()
        held, manifest = self._tables.position(), self._rows.manifest
        if held is not None:
            self._rows.check_position(held, f"PostgreSQL schema {self._tables.schema}")
            if held.release == manifest.release and not self._rewrite and not new:
                kept = tuple(MergedRows(table.name, self._checked_count(table), 0) for table in MERGED)
                return MergeResult(manifest.release, manifest.last, is_new=False, tables=kept)
        is_full = held is None or self._rewrite or bool(new)
        is_same_ledger = held is not None and self._rows.events_fingerprint(held.sequence) == held.events
        if not is_full:
            self._find_changes()
        made: list[MergedRows] = []
        for table in MERGED:
            report(table.name)
            above = held.sequence if held and table is EVENTS and is_same_ledger and not is_full else 0
            made.append(self._merge(table, above, is_full=is_full or (table is EVENTS and not is_same_ledger)))
            on_step(f"{table.name} merged")
        self._tables.set_position(self._rows.position, manifest.built_at)
        return MergeResult(manifest.release, manifest.last, is_new=True, tables=tuple(made))

    def _find_changes(self) -> None:
        """Puts the companies that differ from the release into a temporary table."""
        held = SQL("COPY (SELECT company_id, digest FROM {}) TO STDOUT (FORMAT csv)").format(
            self._tables.name(DIGESTS.name)
        )
        with tempfile.TemporaryFile() as spool:
            with self._connection.cursor().copy(held) as copy:
                for part in copy:
                    spool.write(part)
            size = spool.tell()
            spool.seek(0)
            empty = pa.RecordBatchReader.from_batches(_HELD, [])
            changes = self._rows.find_changes(_csv_reader(spool) if size else empty)
        self._connection.execute(
            SQL("CREATE TEMP TABLE {} (company_id text PRIMARY KEY) ON COMMIT DROP").format(Identifier(_CHANGED))
        )
        self._copy(SQL("COPY {} FROM STDIN (FORMAT csv)").format(Identifier(_CHANGED)), changes.companies.to_frame())
        self._connection.execute(SQL("ANALYZE {}").format(Identifier(_CHANGED)))

    def _merge(self, table: Table, above: int, *, is_full: bool) -> MergedRows:
        name = self._tables.name(table.name)
        if is_full:
            self._connection.execute(SQL("DELETE FROM {}").format(name))
        elif table is not EVENTS:
            self._connection.execute(
                SQL("DELETE FROM {} WHERE company_id IN (SELECT company_id FROM {})").format(name, Identifier(_CHANGED))
            )
        statement = SQL("COPY {} ({}) FROM STDIN (FORMAT csv)").format(
            name, SQL(", ").join(map(Identifier, table.names))
        )
        written = 0
        for market in self._rows.manifest.markets:
            if table is EVENTS:
                batches = self._rows.market_events(market, above)
            else:
                batches = self._rows.market_rows(table, market, only_changed=not is_full)
            for batch in batches:
                written += batch.num_rows
                self._copy(statement, _in_text(table, pl.DataFrame(batch)))
        if not self._tables.has_key(table):
            self._tables.add_keys(table)
        return MergedRows(table.name, self._checked_count(table), written)

    def _checked_count(self, table: Table) -> int:
        expected, found = self._rows.count_rows(table), self._tables.count_rows(table)
        if expected != found:
            raise MergeRefusedError(
                f"table {self._tables.schema}.{table.name} comes to {found:,} rows and not {expected:,}, so somebody "
                "has changed rows: export again with --rewrite; the tables are as they were"
            )
        return found

    def _copy(self, statement: Composed, rows: pl.DataFrame) -> None:
        with self._connection.cursor().copy(statement) as copy:
            copy.write(rows.write_csv(include_header=False, quote_style="non_numeric").encode())


def _csv_reader(spool: Any) -> pa.RecordBatchReader:
    options = arrow_csv.ReadOptions(column_names=_HELD.names)
    return arrow_csv.open_csv(spool, options, convert_options=arrow_csv.ConvertOptions(column_types=_HELD))


def _in_text(table: Table, rows: pl.DataFrame) -> pl.DataFrame:
    """Values as COPY reads them from CSV, where an empty text is quoted and null is not."""
    return rows.select(_text_form(pl.col(column.name), column.kind) for column in table.columns)


def _text_form(value: pl.Expr, kind: ColumnKind) -> pl.Expr:
    match kind:
        case ColumnKind.TEXT:
            return value.str.replace_all(_NUL, _INSTEAD, literal=True)
        case ColumnKind.TEXTS:
            return pl.when(value.is_not_null()).then(
                pl.format("{{{}}}", value.list.eval(_array_member()).list.join(","))
            )
        case ColumnKind.INSTANT:
            return value.dt.strftime("%Y-%m-%dT%H:%M:%S%.6fZ")
        case _:
            return value


def _array_member() -> pl.Expr:
    """A text as a member of an array's text, quoted."""
    text = pl.element().str.replace_all(_NUL, _INSTEAD, literal=True)
    for special in ("\\", '"'):
        text = text.str.replace_all(special, f"\\{special}", literal=True)
    return pl.lit('"') + text + pl.lit('"')
