"""Small filings with one right answer, through the command (`../shared/cases`; skipped where they are absent).

Belongs here: the United States' cases. What each is, and why, is in its `EXPECT.md`.
"""

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import ROOT
from tests.firm.inside import Inside
from warehouse.ledger.ledger import Ledger

pytestmark = pytest.mark.slow
CASES = ROOT.parent / "shared" / "cases"
SLUGS = (
    "13f-restatement-of-one-line",
    "ads-against-ordinary-shares",
    "annual-facts-in-a-6-k",
    "cusip-without-leading-zero",
    "holder-reorganised-under-a-new-cik",
    "net-revenue-after-excise-taxes",
    "null-name-and-null-value",
    "proxy-in-another-scale",
    "q4-after-spinoff-in-q4",
    "quarter-numbers-after-changed-year-end",
    "revenue-total-below-its-contracts",
    "revenue-with-dimensions-only",
    "shares-outstanding-in-thousands",
    "sixteen-week-first-quarter",
    "stock-split-between-cover-and-quarter",
)


def plain(value: Any) -> Any:
    """Values of DuckDB as JSON has them."""
    return json.loads(json.dumps(value, default=lambda one: float(one) if hasattr(one, "as_tuple") else str(one)))


def satisfied(
    check: dict[str, Any], firm: Inside, warehouse: duckdb.DuckDBPyConnection, events: list[str], signals: int
) -> bool:
    if "sql" in check:
        found = plain([list(row) for row in warehouse.execute(check["sql"]).fetchall()])
        return found in (check["any"] if "any" in check else [check["want"]])
    if "events" in check:
        return sorted(events) == sorted(check["events"])
    if "signals" in check:
        return signals >= check["signals"]
    if check.get("path") == "latest_revenue":
        company = f"firm:US:{check['get'].rpartition('/')[2]}"
        return firm.profiles({"companies": [company]})[company]["latest_revenue"] == check["want"]
    raise AssertionError(check)


@pytest.mark.parametrize("slug", SLUGS)
def test_united_states_case_gives_its_answer(slug: str, tmp_path: Path) -> None:
    if not (CASES / slug).is_dir():
        pytest.skip("no cases beside the project (../shared/cases)")
    expected = json.loads((CASES / slug / "expect.json").read_text())
    firm = Inside(tmp_path / "data")
    for number, folder in enumerate(sorted(path for path in (CASES / slug).iterdir() if path.is_dir())):
        at = ("--at", f"{expected['at'][number]}T12:00:00") if "at" in expected else ()
        said = firm.ingest(folder, "us", *at)
    signals = said.report["signals"]
    events = [event.event_type for event in Ledger(firm.layout).after(0, 1000)]
    newest = max(firm.data.glob("releases/*/warehouse.duckdb"), key=lambda path: path.stat().st_mtime)
    with duckdb.connect(str(newest), read_only=True) as warehouse:
        for check in expected["checks"]:
            if "either" in check:
                assert any(
                    all(satisfied(one, firm, warehouse, events, signals) for one in way) for way in check["either"]
                )
            else:
                assert satisfied(check, firm, warehouse, events, signals), check
