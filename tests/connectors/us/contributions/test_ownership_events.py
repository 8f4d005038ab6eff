"""Thresholds that statements of ownership cross, exactly as docs/contract/contract.md 4.6 says."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import polars as pl

from connectors.us.contributions import ownership
from pipelines.transforms.events.emission_rules import EmissionContext
from pipelines.transforms.ownership.owners import build_owners
from tests.connectors.us.holder_files import (
    COMPANY,
    INSIDERS,
    STAKES,
    form4,
    holdings,
    line,
    owner,
    person_d,
    person_g,
    present,
    read,
    schedule_d,
    schedule_g,
)
from tests.pipelines.eventful import World, data, told, world
from tests.pipelines.frames import company, frame
from tests.tables import check_cases
from warehouse.schema.tables import HOLDINGS, OWNERS

FIRST, THEN = datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 11, 20, 12, tzinfo=UTC)
SPEAKING = EmissionContext(THEN, THEN, {"us.schedule13": FIRST})


def state(*texts: str, before: World | None = None) -> World:
    batches = [read(STAKES, text, f"0000000007-26-{place:06}.xml") for place, text in enumerate(texts, start=1)]
    profile = company(company_id=COMPANY, org_number="US0000000042", country="US", status_source="us.submissions")
    return world(companies=[profile], holdings=holdings(*batches), before=before, instant=THEN)


def changes(before: tuple[str, ...], after: tuple[str, ...]) -> list[dict[str, Any]]:
    first = state(*before)
    return [data(event)["change"] for event in told(first, state(*before, *after, before=first), SPEAKING, [COMPANY])]


def stake(percent: str, event: str = "11/02/2026", form: str = "SCHEDULE 13D/A", name: str = "ALPHA LP") -> str:
    return schedule_d(person_d(name, percent, cik="0000000007"), form=form, event=event)


@check_cases(
    ("before", "after", "limits"),
    [
        ("4.9", "5.0", [5]),
        ("9.99", "10", [10]),
        ("5.1", "9.9", []),
        ("6", "55", [10, 20, 50]),
        ("20", "19.99", [20]),
        ("50.0", "49.99", [50]),
        ("7.48", "7.48", []),
    ],
)
def test_thresholds_between_two_statements(before: str, after: str, limits: list[int]) -> None:
    found = changes((stake(before, "10/01/2026", "SCHEDULE 13D"),), (stake(after),))
    assert [change["thresholds_crossed"] for change in found] == ([limits] if limits else [])
    if found:
        [change] = found
        assert (change["previous_pct"], change["current_pct"]) == (float(before), float(after))
        assert (change["as_of"], change["holder_name"]) == ("2026-11-02", "ALPHA LP")
        assert change["direction"] == ("up" if float(before) < float(after) else "down")


def test_a_first_filing_counts_from_nothing() -> None:
    [change] = changes((), (stake("12.5", form="SCHEDULE 13D"),))
    assert (change["previous_pct"], change["current_pct"], change["thresholds_crossed"]) == (0, 12.5, [5, 10])


def test_an_exit_at_nothing_crosses_all_below_it() -> None:
    [change] = changes((stake("22", "10/01/2026", "SCHEDULE 13D"),), (stake("0"),))
    assert (change["current_pct"], change["thresholds_crossed"]) == (0, [5, 10, 20])


def test_joint_filers_cross_each_for_themselves_and_once() -> None:
    def joint(percent: str, event: str) -> str:
        persons = (person_d("A LP", percent, cik="0000000001"), person_d("B LLC", percent, cik="0000000002"))
        return schedule_d(*persons, event=event)

    found = changes((joint("9", "10/01/2026"),), (joint("11", "11/02/2026"),))
    assert sorted((change["holder_name"], change["previous_pct"], change["current_pct"]) for change in found) == [
        ("A LP", 9, 11),
        ("B LLC", 9, 11),
    ]


def test_another_lead_of_the_same_filers_is_no_event() -> None:
    def joint(first: str, second: str, event: str) -> str:
        persons = (person_d("A LP", first, cik="0000000001"), person_d("B LLC", second, cik="0000000002"))
        return schedule_d(*persons, event=event)

    assert changes((joint("12", "11.5", "10/01/2026"),), (joint("11.5", "12", "11/02/2026"),)) == []


def test_a_filing_read_again_or_late_is_no_event() -> None:
    newest = stake("12")
    assert changes((newest,), (newest,)) == []
    assert changes((newest,), (stake("3", "06/30/2026", "SCHEDULE 13D"),)) == []


def test_an_amendment_that_does_not_say_is_no_event() -> None:
    assert changes((stake("12", "10/01/2026", "SCHEDULE 13D"),), (stake("o"),)) == []


def test_a_13d_after_a_13g_of_the_same_holder_is_the_same_holder() -> None:
    passive = schedule_g(person_g("ALPHA LP", "9", cik="0000000007"), event="09/30/2026")
    [change] = changes((passive,), (stake("11", form="SCHEDULE 13D"),))
    assert (change["previous_pct"], change["current_pct"]) == (9, 11)


def test_the_sum_over_holders_counts_joint_filers_once() -> None:
    joint = schedule_d(*(person_d(name, "49.99") for name in ("A", "B", "C")))
    made = holdings(read(STAKES, joint, "0000000007-26-000001.xml"))
    lines = build_owners(frame(HOLDINGS, *made), frame(OWNERS), THEN)
    assert lines.select(pl.col("pct").sum()).item() == Decimal("49.99")
    assert lines["pct_min"].n_unique() == 1


def test_issuers_are_called_what_the_newest_form_calls_them_and_funds_are_left_to_others() -> None:
    old = read(STAKES, schedule_d(person_d("A", "9")).replace("Example Corp.", "Older Corp."), "us/a.xml")
    new = read(INSIDERS, form4(line("1"), owners=owner("ANN", "0000000011")).replace("11-04", "11-05"), "us/b.xml")
    fund = form4(line("1"), owners=owner("ANN", "0000000011")).replace("0000000042", "0000000043")
    third = read(INSIDERS, fund.replace("EXAMPLE CORP", "Example Municipal Fund"), "us/c.xml")
    assert ownership.issuer_names(present(old, new, third)).collect().select("cik", "name").rows() == [
        ("0000000042", "EXAMPLE CORP")
    ]
