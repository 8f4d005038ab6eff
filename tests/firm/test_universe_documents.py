"""The rehearsal's documents: each is read, and its figures are served beside those of the years before."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest

from benchmarks import bench_universe, universe_accounts, universe_documents, universe_files
from sandbox.world import FIRST_DAY
from tests.firm.inside import Inside
from warehouse.publish.release_tables import open_release_tables
from warehouse.schema.identifiers import company_id

COMPANIES = 1_000
MARKETS = universe_documents.MARKETS

pytestmark = pytest.mark.slow


class Rehearsed(NamedTuple):
    firm: Inside
    written: dict[str, int]
    report: dict[str, Any]


@pytest.fixture(scope="module")
def rehearsed(tmp_path_factory: pytest.TempPathFactory) -> Rehearsed:
    """The registers beside staged accounts, then the documents."""
    place = tmp_path_factory.mktemp("universe")
    firm = Inside(place / "data")
    at = datetime.combine(FIRST_DAY, universe_files.NIGHT, UTC)
    for market in MARKETS:
        count = universe_files.sizes(COMPANIES)[market]
        universe_accounts.stage(firm.layout, market, count, at, bench_universe.STAGED)
    registers = universe_files.write_day(place / "files", 0, COMPANIES, 1)
    written = universe_documents.write(place / "documents", COMPANIES)
    _ingest(firm, registers, at)
    return Rehearsed(firm, written, _ingest(firm, place / "documents", universe_documents.AT))


def _ingest(firm: Inside, folder: Path, at: datetime) -> dict[str, Any]:
    return firm.ingest(folder, *MARKETS, "--at", f"{at:%Y-%m-%dT%H:%M:%S}").report


def test_every_document_is_read_and_is_news(rehearsed: Rehearsed) -> None:
    written, report = rehearsed.written, rehearsed.report
    assert written == {"UK": 6, "SE": 2, "NO": 2}
    assert [file for file in report["files"] if file["rejected"] or file["reason"]] == []
    assert (report["held"], report["events"]["filing.added"]) == ([], sum(written.values()))


def test_figures_are_those_of_the_rehearsal_and_the_years_before_stay(rehearsed: Rehearsed) -> None:
    said = _said([2025, 2026])
    assert said.height == 2 * sum(rehearsed.written.values())
    served = _served(rehearsed.firm, said)
    assert served.select(said.columns).to_dicts() == said.to_dicts()
    assert set(served["is_comparative"]) == {False}
    assert set(served["version"]) == {1}


def _said(years: list[int]) -> pl.DataFrame:
    """What the accounts say of the companies that file, year by year."""
    frames = []
    for market in MARKETS:
        for rows in universe_accounts.companies(market, universe_files.sizes(COMPANIES)[market]):
            filing = rows.filter(pl.col("i") % 100 == 3)
            ids = pl.Series([company_id(market, number) for number in filing["number"]])
            for year in years:
                figures = universe_accounts.figures(filing, year)
                # the Norwegian register does not tell of employees
                figures = figures if market != "NO" else figures.with_columns(employees=None)
                frames.append(figures.with_columns(company_id=ids, year=pl.lit(year)))
    return pl.concat(frames).sort("company_id", "year")


def _served(firm: Inside, said: pl.DataFrame) -> pl.DataFrame:
    with open_release_tables(firm.layout, firm.release()) as database:
        found = pl.DataFrame(database.sql("SELECT *, fiscal_year AS year FROM financials").to_arrow_table())
    return found.join(said, on=["company_id", "year"], how="semi").sort("company_id", "year")
