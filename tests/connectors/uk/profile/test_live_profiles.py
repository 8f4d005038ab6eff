"""Profiles, insolvency and filing history of stream and REST as shared tables (docs/formats/uk.md 5, 11, 12)."""

import io
import json
from datetime import UTC, date, datetime
from typing import Any

import pytest

from connectors.contract.dataset import AbsenceCheck, NotApplicable, Scope, UnreadableFileError
from connectors.kit import staging
from connectors.uk import stream_events
from connectors.uk.basic_company_data import dataset as basic_company_data_dataset
from connectors.uk.live_schema import PROFILES
from connectors.uk.rest_api import fetch as rest_api_fetch
from connectors.uk.streaming_api import datasets, rows
from connectors.uk.streaming_api.connection import GAP
from tests.connectors.uk.conftest import CSV_NAME, KEYS, Bench, with_meta
from tests.tables import check_cases

KEYS |= {table.name: list(table.key) for data in datasets.DATASETS for table in data.staged_tables.values()}

NUMBER = "01234567"
MONTH = datetime(2026, 11, 1, tzinfo=UTC)
LATER = datetime(2026, 11, 9, 20, tzinfo=UTC)
PROFILE = {
    "company_name": "EXAMPLE LIMITED",
    "company_number": NUMBER,
    "company_status": "active",
    "type": "ltd",
    "date_of_creation": "2001-04-06",
    "registered_office_address": {
        "premises": "1",
        "address_line_1": "High Street",
        "locality": "Leeds",
        "postal_code": "LS1 1AA",
    },
    "sic_codes": ["62020"],
    "links": {"self": f"/company/{NUMBER}"},
}


def event(
    kind: str,
    uri: str,
    data: object,
    change: str = "changed",
    timepoint: int = 7,
    published: str = "2026-11-09T12:00:00",
) -> bytes:
    told = {"timepoint": timepoint, "published_at": published, "type": change}
    body: dict[str, Any] = {"resource_kind": kind, "resource_uri": uri, "resource_id": "x", "event": told}
    return json.dumps(body | ({} if data is None else {"data": data})).encode() + b"\n"


def profile(published: str = "2026-11-09T12:00:00", timepoint: int = 7, **members: object) -> bytes:
    kept = {name: value for name, value in {**PROFILE, **members}.items() if value is not None}
    uri = f"/company/{NUMBER}"
    return event("company-profile", uri, kept, timepoint=timepoint, published=published)


def only(bench: Bench) -> dict[str, Any]:
    return bench.normalise()["companies"].row(0, named=True)


def register(bench: Bench, sheet: Any, **row: str) -> None:
    bench.upsert(basic_company_data_dataset.DATASET, sheet.table(row), CSV_NAME, MONTH)


@check_cases(
    ("told", "status", "detail", "word"),
    [
        ({}, "active", None, "Active"),
        ({"company_status_detail": "active-proposal-to-strike-off"}, "active", "struck_off_pending", None),
        ({"company_status": "liquidation"}, "dormant", "liquidation", "Liquidation"),
        ({"company_status": "administration"}, "active", "reorganisation", "In Administration"),
        ({"company_status": "receivership"}, "active", "reorganisation", None),
        ({"company_status": "voluntary-arrangement"}, "active", "reorganisation", None),
        ({"company_status": "insolvency-proceedings"}, "active", "reorganisation", None),
        ({"company_status": "open"}, "active", None, None),
        ({"company_status": "registered"}, "active", None, None),
        ({"company_status": "dissolved"}, "dissolved", None, "Dissolved"),
        ({"company_status": "converted-closed"}, "dissolved", None, "Converted / Closed"),
        ({"company_status": "closed"}, "dissolved", None, None),
        ({"company_status": "removed"}, "dissolved", None, None),
        ({"accounts": {"last_accounts": {"type": "dormant"}}}, "dormant", "no_trading", "Active"),
        ({"accounts": {"last_accounts": {"type": "null"}}}, "active", None, None),
        ({"accounts": {"last_accounts": [None]}}, "active", None, None),
    ],
)
def test_every_status_of_a_profile(told, status, detail, word):
    bench = Bench()
    bench.upsert(datasets.PROFILE_STREAM, profile(**told), "e.jsonl", LATER)
    found = only(bench)
    assert (found["status"], found["status_detail"], found["status_source"]) == (status, detail, "uk.profiles")
    assert word is None or found["registry_status"] == word


def test_an_unknown_status_is_a_signal_and_leaves_the_last_known_one(bench, sheet):
    register(bench, sheet, CompanyStatus="Liquidation")
    read = bench.upsert(datasets.PROFILE_STREAM, profile(company_status="hibernating"), "e.jsonl", LATER)
    assert read.signalled("unknown_status") == {"hibernating": (1, (NUMBER,))}
    assert (only(bench)["status"], only(bench)["registry_status"]) == ("dormant", "hibernating")


def test_a_newer_profile_replaces_the_bulk_row_and_keeps_what_it_does_not_say(bench, sheet):
    sic = "62020 - Information technology consultancy activities"
    register(bench, sheet, **{"SICCode.SicText_1": sic, "Accounts.AccountCategory": "DORMANT"})
    bench.upsert(datasets.PROFILE_STREAM, profile(company_name="RENAMED LIMITED"), "e.jsonl", LATER)
    found = only(bench)
    assert (found["name"], found["status"], found["municipality"]) == ("RENAMED LIMITED", "dormant", "LEEDS")
    assert (found["industry_code"], found["industry_scheme"]) == ("62020", "UKSIC2007")
    assert found["industry_label"] == "Information technology consultancy activities"
    assert found["legal_form_code"] == "Private Limited Company"
    assert found["address_lines"] == ["1 HIGH STREET"]
    assert (found["registered_date"], len(bench.normalise()["companies"])) == (date(2001, 4, 6), 1)


def test_a_bulk_file_counts_from_its_month_whenever_it_was_fetched(bench, sheet):
    bench.upsert(datasets.PROFILE_STREAM, profile(company_status="liquidation"), "e.jsonl", LATER)
    bench.upsert(basic_company_data_dataset.DATASET, sheet.table({}), CSV_NAME, datetime(2026, 11, 12, tzinfo=UTC))
    assert only(bench)["status"] == "dormant"
    bench.upsert(basic_company_data_dataset.DATASET, sheet.table({}), CSV_NAME, datetime(2026, 12, 3, tzinfo=UTC))
    assert only(bench)["status"] == "active"


def test_24_restored_companies_reappear_with_the_same_number(bench, sheet):
    register(bench, sheet)
    bench.retire("uk_companies", "CompanyNumber", [NUMBER], datetime(2026, 12, 3, tzinfo=UTC))
    assert only(bench)["status"] == "dissolved"
    gone = profile("2026-12-05T08:00:00", 8, company_status="dissolved", date_of_cessation="2026-11-30")
    bench.upsert(datasets.PROFILE_STREAM, gone, "e.jsonl", datetime(2026, 12, 5, tzinfo=UTC))
    assert (only(bench)["status"], only(bench)["dissolved_date"]) == ("dissolved", date(2026, 11, 30))
    back = profile("2026-12-09T08:00:00", 9)
    bench.upsert(datasets.PROFILE_STREAM, back, "e.jsonl", datetime(2026, 12, 9, tzinfo=UTC))
    assert (only(bench)["status"], only(bench)["dissolved_date"]) == ("active", None)


def test_company_status_of_a_restored_company_beats_its_old_date_of_cessation(bench, sheet):
    register(bench, sheet)
    for status, expected in (("active", "active"), ("liquidation", "dormant"), ("administration", "active")):
        told = profile(company_status=status, date_of_cessation="2014-01-28")
        bench.upsert(datasets.PROFILE_STREAM, told, "e.jsonl", LATER)
        assert (only(bench)["status"], only(bench)["dissolved_date"]) == (expected, None), status


@check_cases(
    ("told", "status", "dissolved"),
    [
        ({"company_status": "dissolved"}, "dissolved", date(2014, 1, 28)),
        ({"company_status": None}, "dissolved", date(2014, 1, 28)),
        ({"company_status": "hibernating"}, "dissolved", date(2014, 1, 28)),
    ],
)
def test_date_of_cessation_decides_without_a_known_word(told, status, dissolved):
    bench = Bench()
    bench.upsert(datasets.PROFILE_STREAM, profile(date_of_cessation="2014-01-28", **told), "e.jsonl", LATER)
    assert (only(bench)["status"], only(bench)["dissolved_date"]) == (status, dissolved)


def test_profile_with_an_unknown_word_of_a_company_never_known_is_no_active_company(bench, sheet):
    read = bench.upsert(datasets.PROFILE_STREAM, profile(company_status="hibernating"), "e.jsonl", LATER)
    assert read.signalled("unknown_status") == {"hibernating": (1, (NUMBER,))}
    assert bench.normalise()["companies"].is_empty()
    register(bench, sheet)  # the file lists companies on the register only
    assert (only(bench)["status"], only(bench)["registry_status"]) == ("active", "hibernating")


def test_25_converted_closed_is_not_insolvency(bench):
    bench.upsert(datasets.PROFILE_STREAM, profile(company_status="converted-closed"), "e.jsonl", LATER)
    assert (only(bench)["status"], only(bench)["status_detail"]) == ("dissolved", None)


MISSED = datetime(2026, 12, 3, tzinfo=UTC)  # the file of December is taken in, and lacks the company


@check_cases(
    ("told", "published", "doubted"),
    [
        (None, "", True),
        ({}, "2026-11-20T12:00:00", True),  # the file is newer than what the stream said
        ({}, "2026-12-02T12:00:00", False),  # the register has it still
        ({"company_status": "dissolved"}, "2026-11-20T12:00:00", False),
        ({"date_of_cessation": "2026-11-20", "company_status": None}, "2026-11-20T12:00:00", False),
        ({"date_of_cessation": "2014-01-28"}, "2026-11-20T12:00:00", True),  # restored: still on the register then
        ({"company_status": None}, "2026-11-20T12:00:00", True),
    ],
)
def test_3_absence_is_asked_about_unless_a_profile_decides(sheet, told, published, doubted):
    bench = Bench()
    register(bench, sheet)
    if told is not None:
        bench.upsert(datasets.PROFILE_STREAM, profile(published, **told), "e.jsonl", MISSED)
    bench.retire("uk_companies", "CompanyNumber", [NUMBER], MISSED)
    present = bench.present()
    present.setdefault("uk_profiles", with_meta("uk_profiles", staging.empty_staged_frame(PROFILES), MISSED))
    found = list(rest_api_fetch.absences_to_confirm({"uk_companies": present["uk_companies"]}, present))
    assert found == ([AbsenceCheck(f"profile:{NUMBER}", "uk_companies", (NUMBER,))] if doubted else [])
    assert list(rest_api_fetch.absences_to_confirm({}, present)) == []


def test_what_the_answer_says_decides_and_not_the_absence(bench, sheet):
    register(bench, sheet)
    bench.retire("uk_companies", "CompanyNumber", [NUMBER], MISSED)
    bench.upsert(datasets.CHECKED, json.dumps(PROFILE).encode(), f"checked/{NUMBER}-profile.json", MISSED)
    assert only(bench)["status"] == "active"


CASES = [
    ("creditors-voluntary-liquidation", ["wound-up-on"], "dormant", "liquidation"),
    ("compulsory-liquidation", ["ordered-to-wind-up-on"], "dormant", "liquidation"),
    ("in-administration", ["administration-started-on"], "active", "reorganisation"),
    ("in-administration", ["administration-started-on", "administration-ended-on"], "active", None),
    ("compulsory-liquidation", ["petitioned-on"], "active", None),
    ("receiver-manager", ["instrumented-on"], "active", None),
    ("receivership", ["instrumented-on"], "active", None),
    ("compulsory-liquidation", ["ordered-to-wind-up-on", "case-end-on"], "active", None),
]


@check_cases(("kind", "days", "status", "detail"), CASES)
def test_an_open_case_decides_where_the_register_only_says_active(sheet, kind, days, status, detail):
    bench = Bench()
    open_case(bench, sheet, kind, days)
    found = only(bench)
    assert (found["status"], found["status_detail"], found["registry_status"]) == (status, detail, "Active")
    assert found["status_source"] == ("uk.insolvency" if detail else "uk.companies")


def open_case(bench, sheet, kind, days):
    """A company of the register, then a case told by the stream."""
    register(bench, sheet)
    case = {"type": kind, "number": "1", "dates": [{"type": day, "date": "2026-11-02"} for day in days]}
    body = event("company-insolvency", f"/company/{NUMBER}/insolvency", {"cases": [case]})
    bench.upsert(datasets.INSOLVENCY_STREAM, body, "e.jsonl", LATER)


def test_a_profile_after_the_case_decides_again(bench, sheet):
    kind, days, status, _ = CASES[0]
    open_case(bench, sheet, kind, days)
    assert only(bench)["status"] == status
    at = datetime(2026, 11, 10, tzinfo=UTC)
    bench.upsert(datasets.PROFILE_STREAM, profile(timepoint=8, published="2026-11-09T11:59:00"), "e.jsonl", at)
    assert only(bench)["status"] == "dormant"  # told before the case, though taken in after it
    bench.upsert(datasets.PROFILE_STREAM, profile(timepoint=9, published="2026-11-09T12:01:00"), "e.jsonl", at)
    assert only(bench)["status"] == "active"


def test_an_event_older_than_the_bulk_file_does_not_go_back_behind_it(bench, sheet):
    register(bench, sheet)
    old = profile("2026-10-31T12:00:00", company_status="liquidation")  # taken in days after the file of November
    bench.upsert(datasets.PROFILE_STREAM, old, "e.jsonl", LATER)
    assert only(bench)["status"] == "active"


def test_a_file_that_lacks_a_dissolved_company_does_not_move_its_last_day(bench, sheet):
    register(bench, sheet)
    gone = profile(company_status="dissolved", date_of_cessation="2026-11-08")
    bench.upsert(datasets.PROFILE_STREAM, gone, "e.jsonl", LATER)
    bench.retire("uk_companies", "CompanyNumber", [NUMBER], datetime(2026, 12, 3, tzinfo=UTC))
    assert (only(bench)["status"], only(bench)["dissolved_date"]) == ("dissolved", date(2026, 11, 8))


def test_an_active_profile_older_than_the_file_that_lacks_the_company_does_not_keep_it(bench, sheet):
    register(bench, sheet)
    bench.upsert(datasets.PROFILE_STREAM, profile(), "e.jsonl", LATER)
    bench.retire("uk_companies", "CompanyNumber", [NUMBER], datetime(2026, 12, 3, tzinfo=UTC))
    assert (only(bench)["status"], only(bench)["dissolved_date"]) == ("dissolved", date(2026, 12, 3))


GARBAGE = b'{"resource_kind": "company-profile", "address": torn\n'


def test_a_line_that_cannot_be_looked_through_costs_a_stream_that_line_alone(bench):
    assert datasets.PROFILE_STREAM.redact is not None
    kept = datasets.PROFILE_STREAM.redact(io.BytesIO(GARBAGE + profile())).read()
    found = bench.read(datasets.PROFILE_STREAM, kept, "e.jsonl", scope=Scope.FEED)
    assert found.rows["uk_profiles"]["company_number"].to_list() == [NUMBER]
    assert [reason for _, reason, _ in found.rejects] == ["not kept: it could not be checked for persons"]


@check_cases(
    ("old", "new"),
    [
        (b'"timepoint": 7', b'"timepoint": 99999999999999999999999'),
        (b'"timepoint": 7', b'"timepoint": -7'),
        (b'"company_name": "EXAMPLE LIMITED"', b'"company_name": {"x": 1}'),
        (b'{"resource_kind"', b"garbage"),
        (b"EXAMPLE", b"EX\xc3"),
    ],
)
def test_a_line_that_does_not_fit_is_a_reject_and_no_other_suffers(old, new):
    bench = Bench()
    body = profile() + profile().replace(old, new) + profile(timepoint=8, company_name="LATER LIMITED")
    found = bench.read(datasets.PROFILE_STREAM, body, "e.jsonl", scope=Scope.FEED)
    assert found.rows["uk_profiles"]["company_name"].to_list() == ["LATER LIMITED"]
    assert len(found.rejects) == 1


@check_cases(
    ("text", "instant"),
    [
        ("2021-08-20T13:58:02", datetime(2021, 8, 20, 12, 58, 2, tzinfo=UTC)),  # London, in summer
        ("2021-01-20T13:58:02", datetime(2021, 1, 20, 13, 58, 2, tzinfo=UTC)),
        ("2021-08-20T13:58:02Z", datetime(2021, 8, 20, 13, 58, 2, tzinfo=UTC)),
        ("2021-08-20T13:58:02.5+02:00", datetime(2021, 8, 20, 11, 58, 2, 500_000, tzinfo=UTC)),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:59:59-14:00", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_7_a_time_without_zone_is_that_of_london(text, instant):
    assert stream_events.parse_published(text) == instant


def test_an_event_of_an_unknown_kind_or_without_its_time_is_told_of(bench):
    body = profile(published="soon").replace(b"company-profile", b"company-portrait")
    found = bench.read(datasets.PROFILE_STREAM, body, "e.jsonl", scope=Scope.FEED)
    assert "company-portrait" in found.signalled("unknown_kind")
    assert "company-portrait" in found.signalled("no_published_at")
    assert found.rows["uk_profiles"]["published_at"].to_list() == [None]


def test_accounts_of_a_filing_history_are_filings_and_other_forms_are_not(bench):
    items = [
        {"transaction_id": "T1", "type": "AA", "category": "accounts", "date": "2026-10-02",
         "description": "accounts-with-accounts-type-micro-entity",
         "description_values": {"made_up_date": "2026-03-31"}},
        {"transaction_id": "T2", "type": "AAMD", "category": "accounts", "date": "2026-10-09",
         "description": "accounts-amended-with-accounts-type-full",
         "description_values": {"made_up_date": "2026-03-31"}},
        {"transaction_id": "T3", "type": "CS01", "category": "confirmation-statement", "date": "2026-10-02"},
    ]  # fmt: skip
    for number, item in enumerate(items):
        uri = f"/company/{NUMBER}/filing-history/{item['transaction_id']}"
        bench.upsert(datasets.FILING_STREAM, event("filing-history", uri, item, timepoint=number), "e.jsonl", LATER)
    filed = bench.normalise()["filings"].sort("native_id")
    assert filed.select("native_id", "is_amendment", "period_end", "filed_at", "filing_type").rows() == [
        ("T1", False, date(2026, 3, 31), date(2026, 10, 2), "annual_report"),
        ("T2", True, date(2026, 3, 31), date(2026, 10, 9), "annual_report"),
    ]
    gone = event("filing-history", f"/company/{NUMBER}/filing-history/T1", None, "deleted", 9)
    bench.upsert(datasets.FILING_STREAM, gone, "e.jsonl", LATER)
    assert bench.normalise()["filings"]["native_id"].to_list() == ["T2"]


@pytest.mark.parametrize(("made_up", "start"), [("2026-03-31", date(2025, 4, 1)), ("2025-03-31", None)])
def test_a_profile_tells_the_first_day_of_the_newest_accounts_alone(bench, made_up, start):
    last = {"type": "full", "made_up_to": "2026-03-31", "period_start_on": "2025-04-01"}
    bench.upsert(datasets.PROFILE_STREAM, profile(accounts={"last_accounts": last}), "e.jsonl", LATER)
    item = {"transaction_id": "T1", "type": "AA", "category": "accounts", "date": "2026-10-02",
            "description_values": {"made_up_date": made_up}}  # fmt: skip
    uri = f"/company/{NUMBER}/filing-history/T1"
    bench.upsert(datasets.FILING_STREAM, event("filing-history", uri, item), "e.jsonl", LATER)
    assert bench.normalise()["filings"].select("period_end", "period_start").rows() == [
        (date.fromisoformat(made_up), start)
    ]


def test_an_event_without_data_tells_nothing_and_is_counted(bench):
    body = event("filing-history", f"/company/{NUMBER}/filing-history/T1", None)
    read = bench.upsert(datasets.FILING_STREAM, body, "e.jsonl", LATER)
    assert ("filing-history" in read.signalled("event_without_data"), read.rows) == (True, {})


def test_a_gap_in_a_stream_is_a_signal(bench):
    read = bench.read(datasets.PROFILE_STREAM, profile(), f"companies/9-9{GAP}.jsonl")
    assert list(read.signalled("stream_gap")) == ["companies"]


def test_8_the_company_number_comes_from_resource_uri_with_or_without_slash(bench):
    for uri in (f"/company/{NUMBER}", f"company/{NUMBER}"):
        body = event("company-profile", uri, {**PROFILE, "company_number": None})
        assert bench.read(datasets.PROFILE_STREAM, body, "e.jsonl").rows["uk_profiles"]["company_number"].to_list() == [
            NUMBER
        ]


def test_persons_leave_before_the_archive(bench):
    case = {"type": "moratorium", "number": 1, "practitioners": [{"name": "Ann", "address": {"locality": "X"}}]}
    body = event("company-insolvency", f"/company/{NUMBER}/insolvency", {"cases": [case]})
    assert datasets.INSOLVENCY_STREAM.redact is not None
    kept = datasets.INSOLVENCY_STREAM.redact(io.BytesIO(body + profile())).read()
    assert b"Ann" not in kept
    assert kept.endswith(profile())  # nothing else of any line is touched


def test_a_body_that_cannot_be_looked_through_is_not_kept(bench):
    with pytest.raises(UnreadableFileError):
        bench.read(datasets.INSOLVENCY_STREAM, b'{"practitioners": [', "e.jsonl")


def test_answers_that_say_no_company_are_not_ours():
    found = datasets.INSOLVENCY_STREAM.recognise_file("rest_api/insolvency_x.json", b'{"cases": []}')
    assert isinstance(found, NotApplicable)
    assert rows.company_number_in_name(f"checked/{NUMBER}-insolvency.json") == NUMBER
