from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from tests.tables import check_cases
from tests.warehouse.helpers import company, rows
from warehouse import schema_render
from warehouse.history import scd2
from warehouse.schema.tables import BY_NAME, COMPANIES, HOLDINGS, OWNERS, TABLES
from warehouse.schema.types import ColumnKind, Table
from warehouse.storage.duckdb import copy_database, open_database, query_frame, registered_frame

TODAY = date(2026, 1, 1)


@check_cases("table", BY_NAME.values(), ids=BY_NAME)
def test_every_table_goes_through_both_engines_unchanged(table: Table) -> None:
    sent = rows(table, {}, {})
    with open_database() as connection:
        connection.execute(schema_render.duckdb_ddl(table))
        with registered_frame(connection, "sent", sent):
            connection.execute(f'INSERT INTO "{table.name}" SELECT * FROM sent')
        found = query_frame(connection, f'FROM "{table.name}"')
    assert found.equals(sent)
    assert found.schema == schema_render.polars_schema(table)
    assert schema_render.empty_frame(table).schema == schema_render.polars_schema(table)


def test_json_and_hashes_are_stored_as_suits_them(tmp_path: Path) -> None:
    """In a release and in a history, and still when a file has been written anew."""
    path, copy = tmp_path / "a.duckdb", tmp_path / "b.duckdb"
    number = pl.int_range(3000).cast(pl.String)
    sources = pl.concat_str(pl.lit('[{"register":"'), number, pl.lit('","url":null}]'))
    many = {"holder_id": pl.concat_str(pl.lit("own_"), number.hash().cast(pl.String)), "sources": sources}
    sent = pl.concat([rows(OWNERS, {})] * 3000).with_columns(**many)
    with open_database(path) as connection:
        connection.execute(schema_render.duckdb_ddl(OWNERS))
        connection.execute("CREATE SCHEMA open; CREATE SCHEMA versions; CREATE SCHEMA closed")
        scd2.create_history_tables(connection, OWNERS)
        with registered_frame(connection, "sent", sent):
            for place in ("owners", "open.owners"):
                connection.execute(f"INSERT INTO {place} BY NAME SELECT * FROM sent")
        connection.execute("CHECKPOINT")
        copy_database(connection, copy)
    for file, place in product((path, copy), ("owners", "open.owners")):
        with open_database(file, read_only=True) as connection:
            found = connection.execute(
                f"""SELECT DISTINCT column_name, compression FROM pragma_storage_info('{place}')
                    WHERE segment_type = 'VARCHAR' AND column_name IN ('holder_id', 'sources')"""
            ).fetchall()
        assert sorted(found) == [("holder_id", "Uncompressed"), ("sources", "ZSTD")], (file, place)


def test_sound_rows_break_nothing() -> None:
    assert schema_render.find_violations(COMPANIES, rows(COMPANIES, company(1), company(2)), TODAY) == []


@check_cases(
    ("table", "given", "column", "rule"),
    [
        (COMPANIES, {"name": None}, "name", "null in a required column"),
        (COMPANIES, {"name": ""}, "name", "empty text instead of null"),
        (COMPANIES, {"status": "closed"}, "status", "value is not in the code list"),
        (COMPANIES, {"registered_date": date(2028, 1, 1)}, "registered_date", "date more than a year ahead"),
        (COMPANIES, {"address_lines": ["a", None]}, "address_lines", "null inside a list"),
        (HOLDINGS, {"pct": Decimal("100.0001")}, "pct", "percentage below 0 or above 100"),
        (HOLDINGS, {"pct_min": Decimal(-1)}, "pct_min", "percentage below 0 or above 100"),
    ],
)
def test_every_rule_is_told_with_the_key(table: Table, given: dict[str, object], column: str, rule: str) -> None:
    sent = rows(table, {**company(1), **given} if table is COMPANIES else {"company_id": "c", **given})
    [found] = schema_render.find_violations(table, sent, TODAY)
    assert (found.column, found.rule, found.count) == (column, rule, 1)
    assert found.examples[0].startswith(("firm:NO", "c"))


def test_shape_and_keys() -> None:
    sent = rows(COMPANIES, company(1), company(1))
    [twice] = schema_render.find_violations(COMPANIES, sent, TODAY)
    assert (twice.rule, twice.count) == ("key (company_id) is not unique", 2)
    bent = sent.head(1).drop("website").with_columns(pl.lit(1).alias("extra"), pl.lit("7").alias("employees"))
    found = {(one.column, one.rule) for one in schema_render.find_violations(COMPANIES, bent, TODAY)}
    assert found == {
        ("website", "column is missing"),
        ("extra", "column is not declared"),
        ("employees", "type is String, not Int64"),
    }


def test_the_dictionary_tells_of_every_column() -> None:
    text = schema_render.data_dictionary(TABLES)
    for table in TABLES:
        assert f"## {table.name}\n" in text
        assert all(f"| {name} |" in text for name in table.names)


def test_the_fingerprint_is_of_the_declarations() -> None:
    assert schema_render.declarations_fingerprint(TABLES) == schema_render.declarations_fingerprint(
        tuple(reversed(TABLES))
    )
    assert schema_render.declarations_fingerprint(TABLES) != schema_render.declarations_fingerprint(TABLES[1:])


@pytest.mark.parametrize("values", [{"description": "Reworded."}, {"nullable": True}, {"allowed": ("code",)}])
def test_fingerprint_of_what_is_not_stored_is_the_same(values: dict[str, Any]) -> None:
    table = TABLES[0]
    columns = tuple(replace(column, **values) for column in table.columns)
    other = replace(table, description="Reworded.", columns=columns, sort=table.key)
    assert schema_render.declarations_fingerprint([other]) == schema_render.declarations_fingerprint([table])


@pytest.mark.parametrize("values", [{"business": False}, {"kind": ColumnKind.JSON}, {"name": "other"}])
def test_fingerprint_of_other_stored_columns_differs(values: dict[str, Any]) -> None:
    columns = tuple(replace(column, **values) if column.name == "website" else column for column in COMPANIES.columns)
    assert schema_render.declarations_fingerprint(
        [replace(COMPANIES, columns=columns)]
    ) != schema_render.declarations_fingerprint([COMPANIES])


@pytest.mark.parametrize(
    "values", [{"key": ("org_number",)}, {"valid_from": "status_date"}, {"ended": "dissolved_date"}], ids=str
)
def test_fingerprint_of_another_key_or_valid_time_differs(values: dict[str, Any]) -> None:
    assert schema_render.declarations_fingerprint(
        [replace(COMPANIES, **values)]
    ) != schema_render.declarations_fingerprint([COMPANIES])


def test_nothing_is_fetched_from_anywhere() -> None:
    with open_database() as connection, pytest.raises(duckdb.Error):
        connection.execute("FROM 's3://nowhere.example/file.parquet'")
