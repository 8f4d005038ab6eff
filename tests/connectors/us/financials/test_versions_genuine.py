"""Genuine companyfacts against the filings themselves: the table in the connector's README, row by row."""

import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import connectors.us
from connectors.us import financials_mapping
from connectors.us.companyfacts.parse import parse_companyfacts
from connectors.us.financial_statement_data_sets import dataset as financial_statement_data_sets_dataset
from connectors.us.financials.latest_values import FinancialStatement
from connectors.us.financials.model import FactsFiling
from connectors.us.financials.periods import SpanLength, span_length
from connectors.us.financials.versions import _FilerReader, build_statements, sort_by_filing
from tests.connectors.us.fact_files import piece, present

pytestmark = pytest.mark.sources
NAMES = {
    "Apple": "0000320193",
    "JPMorgan": "0000019617",
    "Marvell": "0001835632",
    "LPA": "0001997711",
    "Snowflake": "0001640147",
    "Cigna": "0001739940",
}
FIGURES = ("revenue", "operating_result", "net_result", "equity", "total_assets")
ROW = re.compile(rf"^\| (?P<issuer>{'|'.join(NAMES)}) \|(?P<cells>.*)\|$", re.MULTILINE)
Key = tuple[str, str, str, str]


def expected() -> dict[Key, tuple[object, ...]]:
    """The README's table: figures as they stand in the filings."""
    text = (Path(connectors.us.__file__).parent / "README.md").read_text()
    rows: dict[Key, tuple[object, ...]] = {}
    for found in ROW.finditer(text):
        year, start, end, filed, *figures, derived = (cell.strip() for cell in found["cells"].split("|"))
        numbers = [None if cell == "–" else int(cell.replace(",", "")) for cell in figures]
        fields = () if derived == "–" else tuple(name.strip().replace(" ", "_") for name in derived.split(","))
        rows[found["issuer"], start, end, filed] = (int(year), *numbers, fields)
    return rows


@pytest.fixture(scope="module")
def bodies(sources: Path) -> dict[str, bytes]:
    folder = sources / "us" / "companyfacts"
    if not folder.is_dir():
        pytest.skip("no companyfacts among the genuine files")
    found = {path.name[3:13]: path.read_bytes() for path in folder.glob("CIK*.json")}
    with zipfile.ZipFile(folder / "companyfacts.sample.zip") as archive:
        found |= {name[3:13]: archive.read(name) for name in archive.namelist()}
    return found


@pytest.fixture(scope="module")
def made(bodies: dict[str, bytes]) -> dict[str, list[FinancialStatement]]:
    return {cik: build_statements(parse_companyfacts(body).filings.values()).statements for cik, body in bodies.items()}


def test_every_issuer_is_as_its_filings_say(made: dict[str, list[FinancialStatement]]) -> None:
    due = expected()
    assert {issuer for issuer, *_ in due} == set(NAMES)
    found = {
        (issuer, *statement.span, f"{statement.filing.form} {statement.filing.filed}"): (
            statement.fiscal_year,
            *(statement.amounts[name] for name in FIGURES),
            statement.derived,
        )
        for issuer, cik in NAMES.items()
        for statement in made[cik]
    }
    assert {key: found.get(key) for key in due} == due


def test_every_figure_that_is_not_derived_stands_in_the_file_for_exactly_these_days(
    bodies: dict[str, bytes], made: dict[str, list[FinancialStatement]]
) -> None:
    for cik, body in bodies.items():
        stated = _stated(body)
        for statement in made[cik]:
            for name in FIGURES:
                amount = statement.amounts[name]
                span = (None, statement.span[1]) if name in FIGURES[3:] else statement.span
                if amount is not None and name not in statement.derived:
                    assert amount in stated[span], (cik, statement.span, name)


def _stated(body: bytes) -> dict[tuple[str | None, str], set[object]]:
    found: dict[tuple[str | None, str], set[object]] = {}
    tags = [tag for tags in json.loads(body)["facts"].values() for tag in tags.values()]
    for fact in (fact for tag in tags for facts in tag["units"].values() for fact in facts):
        found.setdefault((fact.get("start"), fact["end"]), set()).add(fact["val"])
    return found


def _read(body: bytes) -> _FilerReader:
    return _taken(parse_companyfacts(body).filings.values())


def _taken(filings: Iterable[FactsFiling]) -> _FilerReader:
    reader = _FilerReader()
    for filing in sort_by_filing(filings):
        reader.take(filing)
    return reader


class Both(NamedTuple):
    """A quarter that was filed and that sums give too."""

    end: str
    name: str
    filed: int
    derived: int
    is_fourth: bool
    is_one_tag: bool


def both(reader: _FilerReader) -> Iterator[Both]:
    years = {own[1] for filing, own in reader.reports if filing.is_annual}
    for (_, span), held in reader._book._periods.items():
        for name, derived in held.derived.items():
            item = held.items.get(name)
            if item is not None:
                one_tag = bool(item.tags & derived.tags)
                yield Both(span[1], name, item.amount, derived.amount, span[1] in years, one_tag)


def test_a_derived_quarter_equals_the_filed_one_wherever_both_exist(bodies: dict[str, bytes]) -> None:
    """244 figures, 28 of them of fourth quarters: two of those were filed in another scope than the year."""
    found = [one for body in bodies.values() for one in both(_read(body))]
    assert (len(found), sum(one.is_fourth for one in found)) == (244, 28)
    assert [one for one in found if one.is_one_tag and one.filed != one.derived] == []
    others = [(one.end, one.name, one.is_fourth) for one in found if not one.is_one_tag]
    assert others == [("2018-12-31", "net_result", True), ("2019-12-31", "net_result", True)]  # Cigna


def test_a_filed_fourth_quarter_is_served_as_it_was_filed(
    bodies: dict[str, bytes], made: dict[str, list[FinancialStatement]]
) -> None:
    for cik, body in bodies.items():
        last = {one.span[1]: one for one in made[cik] if span_length(one.span) is SpanLength.QUARTER}
        for one in both(_read(body)):
            assert (last[one.end].amounts[one.name], one.name in last[one.end].derived) == (one.filed, False)


def test_in_the_data_sets_too_a_derived_quarter_equals_the_filed_one(sources: Path) -> None:
    path = sources / "us" / "fsds" / "2010q2.subset.zip"
    if not path.is_file():
        pytest.skip("no data sets among the genuine files")
    read = list(
        financial_statement_data_sets_dataset.read_batches(
            piece(path.read_bytes(), "fsds/2010q2.zip", financial_statement_data_sets_dataset.KEY)
        )
    )
    filers = financials_mapping._filings_by_filer(financials_mapping._combined_facts(present(read)))
    found = [one for _, _, filings in filers for one in both(_taken(filings))]
    assert [one.is_one_tag and one.filed == one.derived for one in found] == [True] * 6


def test_banks_have_no_operating_result(made: dict[str, list[FinancialStatement]]) -> None:
    assert {statement.amounts["operating_result"] for statement in made[NAMES["JPMorgan"]]} == {None}


def test_marvell_counts_52_and_53_weeks_and_its_years_by_the_january_they_end_in(
    made: dict[str, list[FinancialStatement]],
) -> None:
    years = {one.fiscal_year: one.span for one in made[NAMES["Marvell"]] if one.span[0][5:7] in ("01", "02")}
    assert years[2024] != years[2025]
    labels = {one.span: one.fiscal_year for one in made[NAMES["Marvell"]]}
    assert labels["2023-01-29", "2024-02-03"] == 2024  # 53 weeks
    assert labels["2024-02-04", "2025-02-01"] == 2025  # 52 weeks
    assert labels["2026-02-01", "2026-05-02"] == 2027  # a quarter of a year that has not ended


def test_apple_was_restated_once_for_2009_and_everything_else_of_that_day_is_no_version(
    made: dict[str, list[FinancialStatement]],
) -> None:
    year = [one for one in made[NAMES["Apple"]] if one.span == ("2008-09-28", "2009-09-26")]
    assert [(one.filing.form, one.amounts["revenue"]) for one in year] == [
        ("10-K", 36_537_000_000),
        ("10-K/A", 42_905_000_000),
    ]
