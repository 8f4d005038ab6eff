"""The ground truth of the sandbox: consistent with itself and with the contract's rules."""

import re
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import sandbox
from sandbox import expected as sandbox_expected
from sandbox.model.company import crossed_thresholds
from tests.tables import check_cases


def test_status_events_equal_the_differences_of_states(written):
    world, _, told = written
    expected = set()
    for before, after in pairwise(map(str, world.dates)):
        states = sandbox_expected.expected_on_day(told, before)
        for company_id, state in sandbox_expected.expected_on_day(told, after).items():
            if company_id in states and states[company_id]["profile"]["status"] != state["profile"]["status"]:
                expected.add((after, company_id))
    found = {(event["day"], event["company_id"]) for event in told["events"] if event["event_type"] == "status.changed"}
    assert found == expected


def test_filing_events_are_of_periods_that_ended_lately(written):
    _, _, told = written
    for event in told["events"]:
        if event["event_type"].startswith("filing."):
            filing = event["data"]["filing"]  # of accounts on paper only the day of filing is known
            assert (filing["period_end"] or filing["filed_at"]) > "2024-11-02"


def test_versions_rise_and_changed_fields_name_what_changed(written):
    _, _, told = written
    updates = [event["data"]["filing"] for event in told["events"] if event["event_type"] == "filing.updated"]
    assert {filing["version"] for filing in updates} >= {2, 3}
    for filing in updates:
        assert filing["previous_version"] == filing["version"] - 1
        assert filing["changed_fields"]
        assert all(change["previous"] != change["current"] for change in filing["changed_fields"])


def test_dissolved_companies_come_back(written):
    _, _, told = written
    turns = {
        (event["data"]["change"]["previous_status"], event["data"]["change"]["current_status"])
        for event in told["events"]
        if event["event_type"] == "status.changed"
    }
    assert turns >= {("active", "dissolved"), ("dissolved", "active"), ("active", "dormant"), ("dormant", "active")}


@check_cases(
    ("previous", "current", "crossed"),
    [
        ("4.99", "5", [5]),
        ("5", "4.99", [5]),
        ("5", "5", []),
        ("4", "25", [5, 10, 20]),
        ("55", "45", [50]),
        ("25", "50", [50]),
        ("50", "75", []),
        ("75", "0", [5, 10, 20, 50]),
    ],
)
def test_thresholds(previous, current, crossed):
    assert crossed_thresholds(Decimal(previous), Decimal(current)) == crossed


def test_profiles_have_the_fourteen_fields_in_order(written):
    _, _, told = written
    fields = [
        "id",
        "org_number",
        "name",
        "country",
        "sni_code",
        "sni_label",
        "municipality",
        "county",
        "registered_date",
        "status",
        "is_listed",
        "latest_revenue",
        "latest_currency",
        "latest_year",
    ]
    for versions in told["companies"].values():
        assert all(list(version["profile"]) == fields for version in versions)


def test_revenue_is_unknown_for_most_british_companies_and_never_zero(written):
    _, _, told = written
    rows = [row for versions in told["companies"].values() for row in versions[-1]["financials"]]
    british = [versions[0]["profile"] for key, versions in told["companies"].items() if ":UK:" in key]
    assert sum(profile["latest_revenue"] is None for profile in british) > len(british) / 2
    assert all(row["revenue"] != 0 for row in rows)


def test_truth_knows_no_writer():
    folder = Path(sandbox.__file__).parent
    for path in (*folder.glob("expected*.py"), *folder.glob("*/expected.py"), *folder.glob("companies/**/*.py")):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"import (files|ixbrl)\b|sandbox\.\w+\.(files|ixbrl)\b", text), path


def test_only_norwegian_corrections_give_no_sign(written):
    _, _, told = written
    unsigned = {
        (event["company_id"].split(":")[1], event["event_type"]) for event in told["events"] if not event["signalled"]
    }
    assert unsigned == {("NO", "filing.updated")}
