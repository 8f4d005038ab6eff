"""The README's table again by another path: straight look-ups by filing, tag and days in the files, and by hand."""

from __future__ import annotations

import json
import zipfile
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from lxml import etree

from tests.connectors.us.financials.test_versions_genuine import FIGURES, NAMES, bodies, expected

pytestmark = pytest.mark.sources
__all__ = ("bodies",)  # a fixture

CONTRACT: Final = "RevenueFromContractWithCustomerExcludingAssessedTax"
USUAL: Final = ("OperatingIncomeLoss", "NetIncomeLoss", "StockholdersEquity", "Assets")
# Revenue, operating result, net result, equity, total assets: as each issuer tags them on its own statements.
TAGS: Final[dict[str, tuple[str, ...]]] = {
    "Apple 2009": ("SalesRevenueNet", *USUAL),
    "Apple": (CONTRACT, *USUAL),
    "JPMorgan": ("RevenuesNetOfInterestExpense", *USUAL),
    "Marvell": (CONTRACT, *USUAL),
    "Snowflake": (CONTRACT, *USUAL),
    "Cigna": ("Revenues", "OperatingIncomeLoss", "ProfitLoss", "StockholdersEquity", "Assets"),
    # of the first balance it tags the sum with the minority's share alone
    "LPA 2021": (
        "Revenue",
        "ProfitLossFromOperatingActivities",
        "ProfitLossAttributableToOwnersOfParent",
        "Equity",
        "",
    ),
    "LPA": (
        "Revenue",
        "ProfitLossFromOperatingActivities",
        "ProfitLossAttributableToOwnersOfParent",
        "EquityAttributableToOwnersOfParent",
        "Assets",
    ),
}
_RESTATED_ALONE: Final = ("Apple", "2009-06-28", "2009-09-26", "10-K/A 2010-01-25")  # its quarter waits
Known = dict[tuple[str, str | None, str], dict[str, int]]  # tag and days -> day of filing and form -> amount


def known(body: bytes) -> Known:
    found: Known = {}
    for tags in json.loads(body)["facts"].values():
        for tag, told in tags.items():
            for fact in (fact for facts in told["units"].values() for fact in facts):
                place = found.setdefault((tag, fact.get("start"), fact["end"]), {})
                place[f"{fact['filed']} {fact['form']}"] = fact["val"]
    return found


def until(stated: dict[str, int], filed: str) -> int | None:
    """What had been said last on the day of a filing; the filing's own word where it has one."""
    own = stated.get(filed)
    before = [day for day in stated if day[:10] <= filed[:10] and day[11:12] in "12"]  # 10-K, 10-Q, 20-F
    return own if own is not None or not before else stated[max(before)]


@pytest.fixture(scope="module")
def facts(bodies: dict[str, bytes]) -> dict[str, Known]:
    return {issuer: known(bodies[cik]) for issuer, cik in NAMES.items()}


def _tags(issuer: str, year: object) -> tuple[str, ...]:
    return TAGS.get(f"{issuer} {year}", TAGS[issuer])


def _days_of(name: str, start: str, end: str) -> tuple[str | None, str]:
    return (None if name in FIGURES[3:] else start), end


def test_every_filed_number_of_the_table_stands_in_its_filing(facts: dict[str, Known]) -> None:
    count = 0
    for (issuer, start, end, filing), (year, *amounts, derived) in expected().items():
        form, filed = filing.split()
        for name, tag, amount in zip(FIGURES, _tags(issuer, year), amounts, strict=True):
            if name not in derived:  # type: ignore[operator]
                stated = facts[issuer].get((tag, *_days_of(name, start, end)), {})
                assert until(stated, f"{filed} {form}") == amount, (issuer, end, filing, name)
                count += amount is not None
    assert count == 236


def test_every_derived_number_of_the_table_is_the_year_less_nine_months(facts: dict[str, Known]) -> None:
    count = 0
    rows = expected()
    for (issuer, start, end, filing), (year, *amounts, derived) in rows.items():
        filed = " ".join(reversed(filing.split()))
        for name, tag, amount in zip(FIGURES, _tags(issuer, year), amounts, strict=True):
            if name not in derived or (issuer, start, end, filing) == _RESTATED_ALONE:  # type: ignore[operator]
                continue
            first = next(row[1] for row in rows if row[0] == issuer and row[2] == end and row[1] < start)
            nine = (date.fromisoformat(start) - timedelta(days=1)).isoformat()
            whole, rest = (until(facts[issuer][tag, first, day], filed) for day in (end, nine))
            assert whole is not None
            assert rest is not None
            assert whole - rest == amount, (issuer, end, filing, name)
            count += 1
    assert count == 30


def test_every_issuers_newest_whole_year_is_in_the_table_with_its_quarters(facts: dict[str, Known]) -> None:
    """All but LPA, which files years alone."""
    for issuer in NAMES:
        spans = {(start, end) for name, start, end, _ in expected() if name == issuer}
        lengths = {span: (date.fromisoformat(span[1]) - date.fromisoformat(span[0])).days for span in spans}
        first, last = max((span for span, days in lengths.items() if days > 300), key=lambda span: span[1])
        quarters = [span for span, days in lengths.items() if days < 120 and first <= span[0] and span[1] <= last]
        assert len(quarters) == (0 if issuer == "LPA" else 4), issuer


def test_apples_second_quarter_of_2025_is_as_the_document_itself_says(sources: Path) -> None:
    path = sources / "us" / "xbrl" / "aapl.0000320193-25-000057-xbrl.zip"
    if not path.is_file():
        pytest.skip("no XBRL documents among the genuine files")
    with zipfile.ZipFile(path) as archive:
        root = etree.fromstring(archive.read("aapl-20250329.htm"))
    days = {
        context.get("id"): tuple(day.text for day in context.iterfind(".//{*}period/*"))
        for context in root.iterfind(".//{*}context")
        if context.find(".//{*}segment") is None
    }
    row: Any = expected()["Apple", "2024-12-29", "2025-03-29", "10-Q 2025-05-02"]
    for figure, tag, amount in zip(FIGURES, TAGS["Apple"], row[1:6], strict=True):
        due = tuple(day for day in _days_of(figure, "2024-12-29", "2025-03-29") if day)
        stated = {
            int("".join(fact.itertext()).replace(",", "")) * 10 ** int(fact.get("scale", "0"))
            for fact in root.iterfind(".//{*}nonFraction")
            if fact.get("name") == f"us-gaap:{tag}" and days.get(fact.get("contextRef")) == due
        }
        assert stated == {amount}, figure
