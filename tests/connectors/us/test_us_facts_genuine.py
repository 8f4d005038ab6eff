"""Genuine companyfacts against the filings themselves: the table in the connector's README, row by row."""

import json
import re
import zipfile
from pathlib import Path

import pytest

import connectors.us
from connectors.us.companyfacts_json import decode
from connectors.us.facts_items import Statement
from connectors.us.facts_model import Filing
from connectors.us.facts_versions import _Reader, in_order, read_filings

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
        fields = (
            () if derived == "–" else tuple(name.strip().replace(" ", "_") for name in derived.split(","))
        )
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
def made(bodies: dict[str, bytes]) -> dict[str, list[Statement]]:
    return {cik: read_filings(decode(body).filings.values()).statements for cik, body in bodies.items()}


def test_every_issuer_is_as_its_filings_say(made: dict[str, list[Statement]]) -> None:
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
    bodies: dict[str, bytes], made: dict[str, list[Statement]]
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


def _read(body: bytes) -> _Reader:
    reader = _Reader()
    filings: list[Filing] = in_order(decode(body).filings.values())
    for filing in filings:
        reader.take(filing)
    return reader


def test_a_derived_quarter_equals_the_filed_one_wherever_both_exist(bodies: dict[str, bytes]) -> None:
    both = 0
    for cik, body in bodies.items():
        for (_, span), held in _read(body)._book._periods.items():
            for name, derived in held.derived.items():
                item = held.items.get(name)
                if item is not None and item.tags & derived.tags:
                    both += 1
                    assert item.amount == derived.amount, (cik, span, name)
    assert both > 200


def test_banks_have_no_operating_result(made: dict[str, list[Statement]]) -> None:
    assert {statement.amounts["operating_result"] for statement in made[NAMES["JPMorgan"]]} == {None}


def test_marvell_counts_52_and_53_weeks_and_its_years_by_the_january_they_end_in(
    made: dict[str, list[Statement]],
) -> None:
    years = {one.fiscal_year: one.span for one in made[NAMES["Marvell"]] if one.span[0][5:7] in ("01", "02")}
    assert years[2024] != years[2025]
    labels = {one.span: one.fiscal_year for one in made[NAMES["Marvell"]]}
    assert labels["2023-01-29", "2024-02-03"] == 2024  # 53 weeks
    assert labels["2024-02-04", "2025-02-01"] == 2025  # 52 weeks
    assert labels["2026-02-01", "2026-05-02"] == 2027  # a quarter of a year that has not ended


def test_apple_was_restated_once_for_2009_and_everything_else_of_that_day_is_no_version(
    made: dict[str, list[Statement]],
) -> None:
    year = [one for one in made[NAMES["Apple"]] if one.span == ("2008-09-28", "2009-09-26")]
    assert [(one.filing.form, one.amounts["revenue"]) for one in year] == [
        ("10-K", 36_537_000_000),
        ("10-K/A", 42_905_000_000),
    ]
