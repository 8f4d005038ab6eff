"""The table of reconciliation: named cases, holdings in, owner lines and events out."""

from __future__ import annotations

import json
from decimal import Decimal
from functools import cache
from typing import Any

import polars as pl

from pipelines.transforms.events.emission_rules import EmissionContext
from pipelines.transforms.events.ownership import ownership_events
from pipelines.transforms.ownership.owners import build_owners
from tests.pipelines.frames import DAY_1, DAY_2, company, difference, differences, frame, whole
from tests.pipelines.transforms.ownership.reconciliation_cases import CLASSES, ORDER, SHARES
from tests.pipelines.transforms.ownership.reconciliation_changes import CHANGES, MEASURES
from tests.pipelines.transforms.ownership.reconciliation_judged import JUDGED
from tests.pipelines.transforms.ownership.reconciliation_names import WHO
from tests.pipelines.transforms.ownership.reconciling import PRECEDENCE, Case
from tests.tables import check_cases
from warehouse.schema.tables import COMPANIES, HOLDINGS, OWNERS

CASES = (*WHO, *CLASSES, *ORDER, *SHARES, *CHANGES, *MEASURES, *JUDGED)
NAMES = [case.name for case in CASES]
TOLD = [case for case in CASES if case.before is not None]


def test_the_table_has_sixty_cases_of_different_names() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 60


@check_cases("case", CASES, ids=NAMES)
def test_lines(case: Case) -> None:
    assert unmet(lines_after(case.name), case) == ([], [])


@check_cases("case", TOLD, ids=[case.name for case in TOLD])
def test_events(case: Case) -> None:
    assert sorted(told(lines_before(case), lines_after(case.name), case)) == sorted(case.events)


@check_cases("case", CASES, ids=NAMES)
def test_the_order_of_records_changes_nothing(case: Case) -> None:
    backwards = made(case.records[::-1], lines_before(case), case.verdicts)
    assert backwards.equals(lines_after(case.name))


def test_nothing_known_before_makes_no_lines() -> None:
    assert made((), frame(OWNERS), (), first=True).equals(frame(OWNERS))


def lines_before(case: Case) -> pl.DataFrame:
    if not case.before and not case.verdicts_before:
        return frame(OWNERS)
    return made(case.before or (), frame(OWNERS), case.verdicts_before, first=True)


@cache
def lines_after(name: str) -> pl.DataFrame:
    case = CASES[NAMES.index(name)]
    return made(case.records, lines_before(case), case.verdicts)


def made(records: Any, former: pl.DataFrame, verdicts: Any, *, first: bool = False) -> pl.DataFrame:
    instant = DAY_1 if first else DAY_2
    return build_owners(frame(HOLDINGS, *records), former, instant, PRECEDENCE, verdicts)


def shown(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Lines with plain numbers and the registers of their sources."""
    found = []
    for row in rows.iter_rows(named=True):
        row["registers"] = [source["register"] for source in json.loads(row["sources"])]
        found.append({name: float(value) if isinstance(value, Decimal) else value for name, value in row.items()})
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
    occasion = EmissionContext(DAY_2, DAY_2, dict.fromkeys(registers, DAY_1.replace(year=2025)))
    rows = ownership_events(found, whole({"companies": known, "owners": after}), occasion)
    changes = [json.loads(row.data)["change"] for row in rows]
    return [(one["holder_name"], one["previous_pct"], one["current_pct"], one["thresholds_crossed"]) for one in changes]
