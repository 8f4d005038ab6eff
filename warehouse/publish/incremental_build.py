"""Incremental build of a release: changed companies are gathered in a file, then patched into copied tables.

Whatever is derived from rows (digests, the search table, the served documents) is computed for the changed
companies alone: finding them among ten million costs more than processing them. Does not belong here: the
content of a table (`full_build`, `serving.search_table`), or the documents (`serving.documents_db`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from warehouse.publish import full_build
from warehouse.schema.tables import TABLES
from warehouse.serving import search_table
from warehouse.storage.duckdb import open_database, quote_identifier, registered_frame, string_literal

CHANGED: Final = "changed.duckdb"  # next to the release while it is built


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
