"""What docs/bulk.md tells a consumer to type is typed here."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from tests.warehouse.handed import ONE, TABLES, TWO, hostile_world, write
from tests.warehouse.helpers import ROOT
from tests.warehouse.world import learn, member, publish
from warehouse.exports.exports import MarketExport
from warehouse.reader.reader import FinancialsQuery, ReleaseReader
from warehouse.storage.duckdb import open_database
from warehouse.storage.layout import Layout

TEXT = (ROOT / "docs" / "bulk.md").read_text(encoding="utf-8")
FOLDER = "exports/NO/0000000042"


@pytest.fixture(scope="module")
def handed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Layout, MarketExport]:
    layout = Layout(tmp_path_factory.mktemp("handed") / "data")
    hostile_world(layout)
    return layout, write(layout, "NO")[0]


def blocks(language: str, folder: Path) -> list[str]:
    found = re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    assert found
    return [block.replace(FOLDER, str(folder)) for block in found]


def test_duckdb_and_the_series_of_the_api(handed: tuple[Layout, MarketExport]) -> None:
    layout, export = handed
    series, load, _, _ = blocks("sql", export.folder)
    with open_database() as connection:
        connection.execute(load).fetchall()
        assert connection.sql("SELECT count(*) FROM companies JOIN details USING (id)").fetchall() == [(7,)]
        found = connection.sql(series).to_arrow_table().to_pylist()
    reader = ReleaseReader(layout)
    with reader.pin_release() as snapshot:
        served = [snapshot.company_financials(company, FinancialsQuery(), None, 100).rows for company in (ONE, TWO)]
    reader.close()
    assert [row["company_id"] for row in found] == [ONE] * len(served[0]) + [TWO] * len(served[1])
    assert {row["is_consolidated"] for row in found if row["company_id"] == ONE} == {True}


def test_a_delta_in_duckdb(layout: Layout) -> None:
    learn(layout, "NO", 0, companies=[member("NO", number) for number in (1, 2, 3)])
    publish(layout, "NO")
    [base] = write(layout)
    learn(layout, "NO", 1, companies=[member("NO", 1), member("NO", 2, name="Ny"), member("NO", 4)])
    publish(layout, "NO", at=1)
    [export] = write(layout)
    *_, apply = blocks("sql", export.folder)
    apply = apply.replace("exports/NO/deltas/0000000041-0000000042", str(export.delta))
    with open_database() as connection:
        connection.execute(f"CREATE TABLE companies AS SELECT * FROM '{base.folder}/companies.parquet'")
        connection.execute(apply)
        found = connection.sql("FROM companies ORDER BY id").fetchall()
        assert found == connection.sql(f"FROM '{export.folder}/companies.parquet'").fetchall()


def test_polars(handed: tuple[Layout, MarketExport]) -> None:
    [code] = blocks("python", handed[1].folder)
    names: dict[str, pl.DataFrame] = {}
    exec(code, names)
    latest = names["latest"].select("company_id", "period", "is_consolidated")
    assert latest.rows() == [(ONE, "2024", True), (TWO, "2024", False)], "the series that the API shows"


def test_csv_is_text_in_every_reader(layout: Layout) -> None:
    first = member("NO", 1, industry_code="01110", name="NA")
    learn(layout, "NO", 0, companies=[first, member("NO", 2, name='"«Ærø»",\r\n', industry_code=None)])
    publish(layout, "NO")
    [export] = write(layout)
    path = export.folder / "companies.csv.gz"
    assert all(
        call in TEXT for call in ("infer_schema=False", "all_varchar = true", 'keep_default_na=False, na_values=[""]')
    )
    pandas = pytest.importorskip("pandas")
    by_pandas = pandas.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    with open_database() as connection:
        by_duckdb = connection.sql(f"FROM read_csv('{path}', all_varchar = true)").pl()
    expected = [("NA", "01110"), ('"«Ærø»",\r\n', None)]
    for found in (pl.read_csv(path, infer_schema=False), by_duckdb, pl.from_pandas(by_pandas)):
        assert found.select("name", "sni_code").rows() == expected


def test_it_names_every_file_and_setting() -> None:
    for table in TABLES:
        assert f"{table}.parquet" in TEXT
        assert f"{table}.ndjson.gz" in TEXT
        assert f"{table}.csv.gz" in TEXT
    assert "FIRM_KEEP_EXPORTS` (3)" in TEXT
    assert "FIRM_KEEP_DELTAS` (30)" in TEXT
