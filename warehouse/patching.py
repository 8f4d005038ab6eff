"""Incremental build of a release: changed companies are gathered in a file, then patched into copied tables.

Whatever is derived from rows (digests, the search table, the served documents) is computed for the changed
companies alone: finding them among ten million costs more than processing them. Does not belong here: the
content of a table (`assembly`, `searching`), or the documents (`serving`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from warehouse import assembly, searching
from warehouse.engine import opened, quoted, registered, text
from warehouse.schema.tables import TABLES

CHANGED: Final = "changed.duckdb"  # next to the release while it is built


def gather(path: Path, changed: Mapping[Path, pl.Series], former: Path) -> None:
    """Writes a file with all tables of a release, limited to the changed companies of each history.

    Their ranks do not collide with the other companies of the previous release.
    """
    with opened(path) as connection:
        assembly.create(connection)
        for history, companies in changed.items():
            if companies.is_empty():
                continue
            _want(connection, companies)
            with assembly.attached(connection, history, "origin"):
                for table in TABLES:
                    connection.execute(assembly.taken(table, "wanted"))
        assembly.digest(connection)
        searching.build(connection)
        _want(connection, every(changed))
        with assembly.attached(connection, former, "former"):
            searching.give_way(connection, "FROM former.search ANTI JOIN wanted USING (company_id)")
        connection.execute("CHECKPOINT")


def every(changed: Mapping[Path, pl.Series]) -> pl.Series:
    """The changed companies of all histories."""
    return pl.concat([pl.Series("company_id", [], pl.String), *changed.values()])


def put(path: Path, gathered: str, changed: Mapping[Path, pl.Series]) -> None:
    """Replaces the changed companies in a copy of the previous release by the gathered rows.

    gathered: catalog of the file written by `gather`. A kill discards the copy.
    """
    with opened(path) as connection:
        connection.execute("BEGIN")
        for companies in filter(len, changed.values()):
            _want(connection, companies)
            for name in (*(table.name for table in TABLES), assembly.DIGESTS, searching.SEARCH.name):
                connection.execute(f"DELETE FROM {quoted(name)} {_among(companies)}")
        for table in TABLES:
            name, order = quoted(table.name), assembly.order(table)
            connection.execute(f"INSERT INTO {name} BY NAME FROM {gathered}.{name} ORDER BY {order}")
        digests = assembly.DIGESTS
        connection.execute(f"INSERT INTO {digests} FROM {gathered}.{digests} ORDER BY company_id")
        searching.put(connection, gathered)
        connection.execute("COMMIT")
        connection.execute("CHECKPOINT")


def _want(connection: duckdb.DuckDBPyConnection, companies: pl.Series) -> None:
    with registered(connection, "changed", companies.rename("company_id").to_frame()):
        connection.execute("CREATE OR REPLACE TEMP TABLE wanted AS SELECT company_id FROM changed")


def _among(companies: pl.Series) -> str:
    """Condition for the companies in `wanted`: tables are sorted by company, so other markets are not read."""
    first, last = text(str(companies.min())), text(str(companies.max()))
    return f"WHERE company_id BETWEEN {first} AND {last} AND company_id IN (SELECT company_id FROM wanted)"
