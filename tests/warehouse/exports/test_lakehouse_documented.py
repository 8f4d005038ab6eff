"""What docs/lakehouse.md tells a reader of the tables to type is typed here."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.warehouse.handed import ONE, hostile_world, objects, write
from tests.warehouse.helpers import ROOT
from tests.warehouse.lakehouse import write_iceberg
from warehouse.exports.merged.tables import MERGED
from warehouse.exports.postgresql.writer import PostgresWriter
from warehouse.storage.layout import Layout

TEXT = (ROOT / "docs" / "lakehouse.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_python_blocks_read_the_tables(layout: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLARS_ICEBERG_PLANNER", "pyiceberg")
    hostile_world(layout)
    write_iceberg(layout, tmp_path / "lake")
    by_pyiceberg, by_polars = (
        block.replace("/srv/lake", str(tmp_path / "lake")).replace("release-1", "release-3")
        for block in blocks("python")
    )
    names: dict[str, Any] = {}
    exec(by_pyiceberg, names)
    assert (names["active"].num_rows, names["earlier"].num_rows) == (8, 8)
    exec(by_polars, names)
    assert dict(names["newest"].rows())[ONE] == 2024000, (
        "of the group's year: the quarter after it is the company's own"
    )


@pytest.mark.slow
def test_sql_blocks_and_owners_of_a_day_are_those_of_the_bulk_file(
    layout: Layout, postgresql: Callable[..., str]
) -> None:
    hostile_world(layout)
    url = postgresql()
    PostgresWriter(layout, url).write()
    [export] = write(layout, "NO")
    owners, position = blocks("sql")
    assert "least(" not in owners, "null in Trino, Snowflake and BigQuery where one argument is null"
    with psycopg.connect(url) as connection:
        found = connection.execute(owners).fetchall()  # type: ignore[arg-type]
        release, events = (connection.execute(one).fetchall() for one in position.split(";\n")[:2])  # type: ignore[arg-type]
    assert export.manifest["ownership_as_of"] == "2026-01-03"
    expected = [(row["company_id"], row["holder_name"], row["pct"]) for row in objects(export, "ownership")]
    assert [(*row[:2], None if row[2] is None else float(row[2])) for row in found] == expected
    assert (release[0][:2], len(events)) == ((3, 6), 2)


def test_it_names_every_table_with_its_key_and_every_setting() -> None:
    for table in MERGED:
        key = ", ".join(f"`{name}`" for name in table.key)
        assert re.search(rf"^\| `{table.name}` \| .* \| {key} \|$", TEXT, re.MULTILINE), table.name
    for setting in ("FIRM_KEEP_ICEBERG_RELEASES` (30)", "FIRM_ICEBERG_CATALOG", "FIRM_ICEBERG_TOKEN"):
        assert setting in TEXT
