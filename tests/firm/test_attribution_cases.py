"""Cases of other people's bug reports about attribution, read beside the project: each has one right answer."""

import json
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import ROOT
from tests.firm.inside import Inside

pytestmark = [pytest.mark.sources, pytest.mark.slow]

CASES = ROOT.parent / "shared" / "cases"
SLUGS = (
    "esef-filed-in-another-country",
    "one-exchange-before-several-tickers",
    "uk-inconsistent-duplicates",
    "class-behind-a-point",
    "preferred-symbol-like-anothers-ticker",
    "ticker-of-another-before",
    "zones-of-feeds",
    "letters-of-another-encoding",
    "esef-prefix-values-and-second-target",
)


@pytest.mark.parametrize("slug", SLUGS)
def test_ingest_case_gives_its_one_right_answer(slug: str, tmp_path: Path) -> None:
    folder = CASES / slug
    if not folder.is_dir():
        pytest.skip("no cases beside the project (../shared/cases)")
    expected = json.loads((folder / "expect.json").read_text())
    inside = Inside(tmp_path)
    report: dict[str, Any] = {}
    for part in sorted(path for path in folder.iterdir() if path.is_dir()):
        report = inside.run("ingest", *map(str.lower, expected["markets"]), "--from", part, "--json").report
    release = tmp_path / "releases" / f"{inside.release():010d}" / "warehouse.duckdb"
    with duckdb.connect(str(release), read_only=True) as warehouse:
        for check in expected["checks"]:
            if "sql" in check:
                found = [[_plain_value(value) for value in row] for row in warehouse.execute(check["sql"]).fetchall()]
                assert found in check.get("any", [check.get("want")]), check["sql"]
            elif "signals" in check:
                assert report["signals"] >= check["signals"]
            else:
                pytest.fail(f"a check that is not run here: {sorted(check)}")


def _plain_value(value: object) -> object:
    """A value as JSON has it."""
    if isinstance(value, date | datetime):
        return value.isoformat()
    return float(value) if isinstance(value, Decimal) else value
