"""The status of a Finnish company (docs/formats/fi.md 7): every line of the table, and its days."""

from typing import Any

import pytest

from tests.connectors.fi.finnish_files import day, profile, trade
from tests.tables import check_cases

TAX = trade("80", "2000-01-01", register="6")
ENDED = TAX | {"endDate": "2025-03-31"}


def situation(kind: str, since: str = "2026-01-10", ended: str | None = None) -> dict[str, Any]:
    return {"type": kind, "registrationDate": since} | ({"endDate": ended} if ended else {})


def judged(**values: Any) -> tuple[str, str | None, str | None]:
    found = profile(**values)
    since = found["status_date"]
    return found["status"], found["status_detail"], since and since.isoformat()


@check_cases(
    "values",
    [
        {"endDate": "2020-06-30"},
        {"endDate": "2020-06-30", "tradeRegisterStatus": "1"},
        {"endDate": "2020-06-30", "companySituations": [situation("KONK")]},
        {
            "tradeRegisterStatus": "4",
            "registeredEntries": [trade("1", "1999-05-01", "2020-06-29"), trade("4", "2020-06-30")],
        },
        {
            "tradeRegisterStatus": None,
            "registeredEntries": [trade("4", "2020-06-30"), trade("1", "1999-05-01", "2020-06-29")],
        },
    ],
)
def test_dissolved_by_the_end_the_code_or_the_newest_entry(values: dict[str, Any]) -> None:
    assert judged(**values) == ("dissolved", None, "2020-06-30")
    assert profile(**values)["dissolved_date"] == day("2020-06-30")


@pytest.mark.parametrize(
    ("kind", "due"),
    [
        ("KONK", ("dormant", "bankruptcy", "2026-01-10")),
        ("SELTILA", ("dormant", "liquidation", "2026-01-10")),
        ("SANE", ("active", "reorganisation", "2026-01-10")),
    ],
)
def test_an_open_situation(kind: str, due: tuple[str, str, str]) -> None:
    assert judged(companySituations=[situation(kind)]) == due
    assert profile(companySituations=[situation(kind)])["registry_status"] == kind


def test_the_gravest_of_several_situations_and_a_closed_one_is_over() -> None:
    several = [situation("SANE"), situation("SELTILA", "2026-02-01"), situation("KONK", "2026-03-01")]
    assert judged(companySituations=several) == ("dormant", "bankruptcy", "2026-03-01")
    closed = [situation("KONK", "2026-03-01", "2026-05-01")]
    assert judged(companySituations=closed) == ("active", None, "2026-05-01")


def test_reorganised_and_off_the_tax_registers_is_reorganised() -> None:
    values = {"companySituations": [situation("SANE")], "registeredEntries": [trade("1", "1999-05-01"), ENDED]}
    assert judged(**values) == ("active", "reorganisation", "2026-01-10")


@pytest.mark.parametrize("kind", ["1", "3"])
def test_off_every_tax_register_is_suspended(kind: str) -> None:
    assert judged(registeredEntries=[trade(kind, "1999-05-01"), ENDED]) == (
        "dormant",
        "business_suspended",
        "2025-03-31",
    )


@pytest.mark.parametrize(
    "entries",
    [
        [trade("1", "1999-05-01")],  # never was on one: holdings, housing companies
        [trade("1", "1999-05-01"), ENDED, trade("41", "2001-01-01", register="7")],
        [trade("1", "1999-05-01"), trade("1", "1990-01-01", "2000-01-01", register="4")],
        [ENDED],  # not in the Trade Register at all
    ],
)
def test_others_go_on(entries: list[dict[str, Any]]) -> None:
    assert judged(registeredEntries=entries)[0] == "active"


@pytest.mark.parametrize("form", ["2", "10"])
def test_housing_and_real_estate_companies_are_never_suspended(form: str) -> None:
    entries = [trade("1", "1999-05-01"), ENDED]
    assert judged(registeredEntries=entries, companyForms=[{"type": form}])[0] == "active"


def test_back_on_a_tax_register() -> None:
    entries = [trade("1", "1999-05-01"), ENDED, trade("80", "2026-04-01", register="6")]
    assert judged(registeredEntries=entries) == ("active", None, "2026-04-01")


def test_restored_since_the_entry_that_overtook_the_deletion() -> None:
    entries = [trade("1", "1999-05-01", "2020-06-29"), trade("4", "2020-06-30", "2026-02-01"), trade("1", "2026-02-02")]
    assert judged(registeredEntries=entries) == ("active", None, "2026-02-02")


@check_cases(
    "values",
    [
        {"endDate": "9999-12-31"},
        {"endDate": "2027-03-31"},
        {"companySituations": [situation("KONK", "2027-01-01")]},
        {"registeredEntries": [trade("1", "1999-05-01"), trade("4", "2027-01-01")]},
        {"registeredEntries": [trade("1", "1999-05-01"), TAX | {"endDate": "2027-03-31"}]},
    ],
)
def test_an_end_or_entry_still_to_come_changes_nothing(values: dict[str, Any]) -> None:
    assert judged(**values) == ("active", None, None)
    assert profile(**values)["dissolved_date"] is None


def test_a_situation_whose_end_is_still_to_come_is_open() -> None:
    still = [situation("KONK", ended="9999-12-31")]
    assert judged(companySituations=still) == ("dormant", "bankruptcy", "2026-01-10")


def test_an_end_that_the_trade_register_has_undone_is_none() -> None:
    entries = [trade("1", "1999-05-01", "2014-01-28"), trade("1", "2016-01-01")]
    values = {"endDate": "2014-01-28", "registeredEntries": entries}
    assert judged(**values) == ("active", None, "2016-01-01")
    assert profile(**values)["dissolved_date"] is None


def test_not_yet_registered_is_active_and_the_registers_code_stays() -> None:
    values = {"registeredEntries": [trade("0", "2026-11-01")], "tradeRegisterStatus": "0", "registrationDate": None}
    assert judged(**values)[:2] == ("active", None)
    assert profile(**values)["registry_status"] == "0"
    assert profile(**values)["registered_date"] == day("1999-05-01")


@pytest.mark.parametrize("code", ["3", "77", None])
def test_an_unknown_code_without_an_end_is_active(code: str | None) -> None:
    assert judged(tradeRegisterStatus=code)[0] == "active"
