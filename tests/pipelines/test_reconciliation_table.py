"""The table of reconciliation: named cases, holdings in, owner lines and events out."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from pipelines.steps.changes import Occasion
from pipelines.steps.ownership import owners
from pipelines.steps.ownership_events import ownership_events
from tests.pipelines.frames import DAY_1, DAY_2, company, difference, differences, frame, whole
from tests.pipelines.reconciliation_cases import CLASSES, ORDER, SHARES
from tests.pipelines.reconciliation_changes import CHANGES, MEASURES
from tests.pipelines.reconciliation_judged import JUDGED
from tests.pipelines.reconciliation_names import WHO
from tests.pipelines.reconciling import PRECEDENCE, Case
from warehouse.schema.tables import COMPANIES, HOLDINGS, OWNERS

CASES = (*WHO, *CLASSES, *ORDER, *SHARES, *CHANGES, *MEASURES, *JUDGED)


def test_the_table_has_sixty_cases_of_different_names() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 60


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "_"))
def test_lines_and_events(case: Case) -> None:
    before = made(case.before or (), frame(OWNERS), case.verdicts_before, first=True)
    after = made(case.records, before, case.verdicts)
    assert unmet(after, case) == ([], [])
    if case.before is not None:
        assert sorted(told(before, after, case)) == sorted(case.events)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "_"))
def test_the_order_of_records_changes_nothing(case: Case) -> None:
    before = made(case.before or (), frame(OWNERS), case.verdicts_before, first=True)
    backwards = made(case.records[::-1], before, case.verdicts)
    assert backwards.equals(made(case.records, before, case.verdicts))


def made(records: Any, former: pl.DataFrame, verdicts: Any, *, first: bool = False) -> pl.DataFrame:
    instant = DAY_1 if first else DAY_2
    return owners(frame(HOLDINGS, *records), former, instant, PRECEDENCE, verdicts)


def shown(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Lines with plain numbers and the registers of their sources."""
    found = []
    for row in rows.iter_rows(named=True):
        row["registers"] = [source["register"] for source in json.loads(row["sources"])]
        found.append(
            {name: float(value) if isinstance(value, Decimal) else value for name, value in row.items()}
        )
    return found


def unmet(rows: pl.DataFrame, case: Case) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The lines of the case that no row is, and rows that no line of the case asks for."""
    left, missing = shown(rows), []
    for line in case.lines:
        met = next((row for row in left if all(row[name] == value for name, value in line.items())), None)
        if met is None:
            missing.append(line)
        else:
            left.remove(met)
    return missing, left


def told(before: pl.DataFrame, after: pl.DataFrame, case: Case) -> list[tuple[str, float, float, list[int]]]:
    known = frame(COMPANIES, company())
    found = differences({"companies": known, "owners": before}, {"companies": known, "owners": after})
    records = (frame(HOLDINGS, *(case.before or ())), frame(HOLDINGS, *case.records))
    found["holdings"] = difference(HOLDINGS, *records)
    registers = {*PRECEDENCE, "no.roller", "xx.lei"}
    occasion = Occasion(DAY_2, dict.fromkeys(registers, DAY_1.replace(year=2025)))
    rows = ownership_events(found, whole({"companies": known, "owners": after}), occasion)
    changes = [json.loads(row.data)["change"] for row in rows]
    return [
        (one["holder_name"], one["previous_pct"], one["current_pct"], one["thresholds_crossed"])
        for one in changes
    ]
