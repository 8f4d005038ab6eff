"""Present rows that concern every company which another table's rows with the same keys concern.

Belongs here: finding such rows and such companies in SQL. Does not belong here: which tables belong together
(`connectors.contract.companion`).
"""

from __future__ import annotations

from dataclasses import dataclass

import duckdb
import polars as pl

from warehouse import schema_render
from warehouse.history.current_records import META, ensure_record_table
from warehouse.schema.types import Table
from warehouse.storage.duckdb import query_frame, quote_identifier, quoted_columns, registered_frame


@dataclass(frozen=True, slots=True)
class CompanionPath:
    """Rows of `table` concern the companies of the rows of `through` that have the same values in `columns`."""

    table: Table
    through: Table
    columns: tuple[str, ...]


def companion_rows(connection: duckdb.DuckDBPyConnection, path: CompanionPath, company_ids: pl.Series) -> pl.LazyFrame:
    """Present rows of `path.table`, once for each of these companies that they concern; columns as of other tables."""
    schema = pl.Schema({**schema_render.polars_schema(path.table), **META, "_retired_at": schema_render.INSTANT})
    own = [f"c.{quote_identifier(name)}" for name in schema if name != "_company_id"]
    with registered_frame(connection, "wanted", company_ids.rename("_company_id").unique().to_frame()):
        _ensure_tables(connection, path)
        found = query_frame(
            connection,
            f"""SELECT {", ".join(own)}, t._company_id FROM present.{quote_identifier(path.table.name)} AS c
                JOIN (SELECT DISTINCT _company_id, {quoted_columns(path.columns)}
                    FROM present.{quote_identifier(path.through.name)} SEMI JOIN wanted USING (_company_id)) AS t
                USING ({quoted_columns(path.columns)})""",
        )
    return found.select(list(schema)).cast(schema).lazy()


def companies_of_companions(
    connection: duckdb.DuckDBPyConnection, path: CompanionPath, keys: pl.DataFrame
) -> pl.Series:
    """Companies that rows of `path.table` concern. keys: their values of `path.columns`."""
    with registered_frame(connection, "asked", keys.select(path.columns).unique()):
        _ensure_tables(connection, path)
        found = query_frame(
            connection,
            f"""SELECT DISTINCT _company_id AS company_id FROM present.{quote_identifier(path.through.name)}
                SEMI JOIN asked USING ({quoted_columns(path.columns)}) WHERE _company_id IS NOT NULL ORDER BY 1""",
        )
    return found["company_id"].cast(pl.String)


def _ensure_tables(connection: duckdb.DuckDBPyConnection, path: CompanionPath) -> None:
    for table in (path.table, path.through):
        ensure_record_table(connection, table)
