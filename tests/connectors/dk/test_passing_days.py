"""What the register states of days to come counts from these days on, though it delivers no record again."""

from datetime import date
from typing import Any

from tests.connectors.dk.records import COMPANIES, answer, batches, company, element, owner, shared, signals

BEFORE, ON = date(2026, 12, 31), date(2027, 1, 1)
RENAMED = [element("2001-02-03", "2026-12-31", navn="NU A/S"), element("2027-01-01", navn="SENERE A/S")]


def profiles(*days: date, **changes: Any) -> list[dict[str, Any]]:
    found = batches(COMPANIES, answer(company(**changes)))
    return [shared(found, today=day)["companies"].row(0, named=True) for day in days]


def test_a_name_to_come_is_the_name_from_its_day_on() -> None:
    before, on = profiles(BEFORE, ON, navne=RENAMED)
    assert (before["name"], before["previous_names"]) == ("NU A/S", [])
    assert (on["name"], on["previous_names"]) == ("SENERE A/S", ["NU A/S"])
    assert (on["observed_at"], on["sources"]) == (before["observed_at"], before["sources"])


def test_of_several_days_to_come_the_newest_that_has_come_counts() -> None:
    names = [*RENAMED, element("2027-02-01", navn="ZULETZT A/S")]
    found = profiles(date(2027, 1, 31), date(2027, 2, 1), navne=names)
    assert [one["name"] for one in found] == ["SENERE A/S", "ZULETZT A/S"]


def test_what_a_newer_record_states_no_more_does_not_come() -> None:
    planned = batches(COMPANIES, answer(company(navne=RENAMED)))
    corrected = batches(COMPANIES, answer(company(samtId=2, sidstOpdateret="2026-11-19T10:00:00.000+01:00")))
    assert shared(corrected, before=planned, today=ON)["companies"]["name"].to_list() == ["EKSEMPEL A/S"]


def test_what_is_odd_in_a_record_is_told_once() -> None:
    now, later = (batches(COMPANIES, answer(company(extra=1, navne=names))) for names in (RENAMED[:1], RENAMED))
    assert signals(later) == signals(now)


def test_a_life_span_ends_on_its_day() -> None:
    found = profiles(BEFORE, ON, livsforloeb=[element("2001-02-03", "2027-01-01")])
    assert [(one["status"], one["dissolved_date"]) for one in found] == [("active", None), ("dissolved", ON)]


def test_a_holding_begins_changes_and_ends_on_its_days() -> None:
    shares = [element("2020-01-01", "2026-12-31", vaerdi="0.25"), element("2027-01-01", "2027-03-31", vaerdi="0.5")]
    found = batches(COMPANIES, answer(company(deltagerRelation=[owner(7, *shares)])))
    days = (BEFORE, ON, date(2027, 3, 30), date(2027, 3, 31))
    held = [shared(found, today=day)["holdings"].row(0, named=True) for day in days]
    assert [(int(one["pct_min"]), one["ended_on"]) for one in held] == [
        (25, None),
        (50, None),
        (50, None),
        (50, date(2027, 3, 31)),
    ]


def test_a_holder_to_come_holds_nothing_before() -> None:
    found = batches(COMPANIES, answer(company(deltagerRelation=[owner(7, element("2027-01-01", vaerdi="0.25"))])))
    assert [shared(found, today=day)["holdings"].height for day in (BEFORE, ON)] == [0, 1]
