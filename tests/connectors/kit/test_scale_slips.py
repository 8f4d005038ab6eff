"""Accounts in another scale than the company's other accounts."""

from __future__ import annotations

from datetime import date
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import MAPPING_SIGNALS
from connectors.kit.scale_slips import scale_contribution, slipped_documents
from connectors.kit.staging import staged_schema
from tests.tables import check_cases
from warehouse.schema.tables import FINANCIALS_REPORTED

TODAY = date(2026, 11, 20)
MONEY = ("revenue", "operating_result", "net_result", "equity", "total_assets")
AMOUNTS = {2023: 300, 2024: 450, 2025: 900, 2026: 800}  # millions


def statement(filing: str, year: int, *, own: bool = True, factor: float = 1, **changes: Any) -> dict[str, Any]:
    amounts = {name: int((AMOUNTS[year] + place) * 1_000_000 * factor) for place, name in enumerate(MONEY)}
    days = {"period_start": date(year, 1, 1), "period_end": date(year, 12, 31)}
    said = {"company_id": "firm:SE:1", "filing_id": filing, "currency": "SEK", "register": "se.esef", "derived": []}
    scope = {"is_consolidated": True, "is_comparative": not own}
    return {**dict.fromkeys(FINANCIALS_REPORTED.names), **said, **days, **scope, **amounts, **changes}


def report(year: int, factor: float = 1, **changes: Any) -> list[dict[str, Any]]:
    """A year's report with the year before as comparatives."""
    before = [statement(str(year), year - 1, own=False, factor=factor, **changes)] if year - 1 in AMOUNTS else []
    return [statement(str(year), year, factor=factor, **changes), *before]


def frame(*reports: list[dict[str, Any]]) -> pl.DataFrame:
    rows = [row for one in reports for row in one]
    return pl.DataFrame(rows, schema=staged_schema(FINANCIALS_REPORTED), orient="row")


def slips(*reports: list[dict[str, Any]]) -> list[str]:
    return sorted(slipped_documents(frame(*reports))["filing_id"])


@check_cases(
    ("factors", "due"),
    [
        ((1, 1), []),
        ((1, 0.001), ["2024"]),  # the larger of as many: a scale is forgotten
        ((0.001, 1), ["2023"]),
        ((1, 0.000001), ["2024"]),
        ((1, 0.01), []),  # no unit of accounts
        ((0.001, 0.001), []),
        ((1, 0.001, 1), ["2024"]),
        ((1, 1000, 1), ["2024"]),  # most are in the other scale
        ((1, 0.001, 0.001, 1), ["2024", "2025"]),
        ((0.001, 0.001, 0.001, 1), ["2026"]),
    ],
)
def test_documents_in_another_scale_than_most_are_found(factors: tuple[float, ...], due: list[str]) -> None:
    assert slips(*(report(2023 + place, factor) for place, factor in enumerate(factors))) == due


@check_cases(
    ("changes", "due"),
    [
        ({"revenue": 451_123}, []),  # another ratio: restated
        ({"revenue": 450_000, "equity": 0}, ["2025"]),
        (dict.fromkeys(MONEY[1:]), []),  # one amount alone may be restated
        ({"currency": "EUR"}, []),
        ({"is_consolidated": False}, []),
    ],
)
def test_only_amounts_that_all_differ_by_one_unit_are_a_slip(changes: dict[str, Any], due: list[str]) -> None:
    before = statement("2025", 2024, own=False, factor=0.001, **changes)
    assert slips(report(2024), [statement("2025", 2025, factor=0.001), before]) == due


@pytest.mark.parametrize("repeated", [1, 500, 1_000, 1_999])
def test_amounts_of_a_few_units_tell_no_scale(repeated: int) -> None:
    few = statement("2024", 2024) | dict.fromkeys(MONEY, 1)
    before = statement("2025", 2024, own=False) | dict.fromkeys(MONEY, repeated)
    assert slips([few], [statement("2025", 2025), before]) == []


@pytest.mark.parametrize("rest", [0, 123, 499, 999])
def test_comparatives_in_thousands_are_rounded_or_cut(rest: int) -> None:
    exact = {name: (450 + place) * 1_000_000 + rest for place, name in enumerate(MONEY)}
    assert slips([statement("2024", 2024) | exact], report(2025, 0.001)) == ["2025"]


@check_cases(
    ("factor", "changes", "is_told"),
    [
        (0.001, {}, True),
        (1000, {}, True),
        (0.000001, {}, True),
        (0.1, {}, False),
        (0.001, {"equity": 450_000_000}, False),  # one amount has its scale: the company shrank
        (0.001, {"revenue": None, "net_result": 0}, True),
        (0.001, dict.fromkeys(MONEY[:3]), False),  # two amounts alone
    ],
)
def test_amounts_that_all_jump_by_a_unit_of_accounts_are_told_and_stay(
    factor: float, changes: dict[str, Any], is_told: bool
) -> None:
    """Without comparatives nothing says which scale is right: some companies do lose nearly everything."""
    reported = frame([statement("2024", 2024)], [statement("2025", 2025, factor=factor) | changes])
    rule = scale_contribution()
    assert rule.table_rules[FINANCIALS_REPORTED.name](reported, {}, TODAY).height == 2
    told = rule.to_dependent_tables({FINANCIALS_REPORTED.name: reported}, {}, TODAY)[MAPPING_SIGNALS]
    assert told.rows() == ([("se.esef", "scale_jump", "amounts", "firm:SE:1")] if is_told else [])


def test_rows_of_a_slip_are_left_out_and_told() -> None:
    reported = frame(report(2024), report(2025, 0.001))
    rule = scale_contribution()
    kept = rule.table_rules[FINANCIALS_REPORTED.name](reported, {}, TODAY)
    assert kept["filing_id"].unique().to_list() == ["2024"]
    told = rule.to_dependent_tables({FINANCIALS_REPORTED.name: reported}, {}, TODAY)[MAPPING_SIGNALS]
    assert told.rows() == [("se.esef", "other_scale", "amounts", "firm:SE:1")]


def test_without_figures_nothing_is_told() -> None:
    assert scale_contribution().to_dependent_tables({}, {}, TODAY) == {}
    assert slipped_documents(frame()).is_empty()
