"""Profiles and cases that say what cannot be, what nobody has seen, or two things (docs/formats/uk.md 5, 7)."""

from datetime import UTC, date, datetime

from connectors.uk.basic_company_data import dataset as basic_company_data_dataset
from connectors.uk.streaming_api import datasets
from tests.connectors.uk.conftest import Bench
from tests.connectors.uk.profile.test_live_profiles import LATER, NUMBER, PROFILE, event, only, profile, register
from tests.tables import check_cases


@check_cases(
    ("days", "status", "signals"),
    [
        ({"started": "2026-11-02", "ended": "2031-01-01"}, "reorganisation", set()),  # not ended yet
        ({"started": "2031-01-01"}, None, set()),  # not begun yet
        ({"started": "2026-11-02", "ended": None}, None, {"bad_date"}),  # ended, on a day that is not known
        ({"started": "2026-11-02", "ended": "2026-11-31"}, None, {"bad_date"}),
        ({"started": "soon"}, None, {"bad_date"}),
        ({"started": "2026-11-02", "terminated": "2026-11-03"}, "reorganisation", {"unknown_case_date"}),
    ],
)
def test_days_of_a_case_decide_whether_it_is_open(sheet, days, status, signals):
    bench = Bench()
    register(bench, sheet)
    dates = [
        {"type": f"voluntary-arrangement-{kind}-on", **({"date": day} if day else {})} for kind, day in days.items()
    ]
    case = {"type": "corporate-voluntary-arrangement", "number": "1", "dates": dates}
    body = event("company-insolvency", f"/company/{NUMBER}/insolvency", {"cases": [case]})
    read = bench.upsert(datasets.INSOLVENCY_STREAM, body, "e.jsonl", LATER)
    assert only(bench)["status_detail"] == status
    assert {signal.code for signal in read.signals} == signals


def test_a_company_due_to_be_dissolved_is_in_liquidation_until_then(bench, sheet):
    register(bench, sheet, CompanyStatus=" active ")
    dates = [{"type": "wound-up-on", "date": "2026-11-02"}, {"type": "due-to-be-dissolved-on", "date": "2027-02-01"}]
    case = {"type": "creditors-voluntary-liquidation", "number": "1", "dates": dates}
    body = event("company-insolvency", f"/company/{NUMBER}/insolvency", {"cases": [case]})
    bench.upsert(datasets.INSOLVENCY_STREAM, body, "e.jsonl", LATER)
    assert (only(bench)["status"], only(bench)["status_detail"]) == ("dormant", "liquidation")


@check_cases(
    ("due", "detail", "signals"),
    [("2027-02-01", "liquidation", set()), ("2026-11-03", None, set()), ("soon", "liquidation", {"bad_date"})],
)
def test_dissolution_that_is_due_ends_a_case_on_its_day_and_not_on_an_unknown_one(sheet, due, detail, signals):
    bench = Bench()
    register(bench, sheet)
    dates = [{"type": "wound-up-on", "date": "2026-11-02"}, {"type": "due-to-be-dissolved-on", "date": due}]
    case = {"type": "creditors-voluntary-liquidation", "number": "1", "dates": dates}
    body = event("company-insolvency", f"/company/{NUMBER}/insolvency", {"cases": [case]})
    read = bench.upsert(datasets.INSOLVENCY_STREAM, body, "e.jsonl", LATER)
    assert only(bench)["status_detail"] == detail
    assert {signal.code for signal in read.signals} == signals


def test_a_status_word_in_capitals_of_a_restored_company_beats_its_old_date(bench):
    told = profile(company_status=" Active", date_of_cessation="2014-01-28")
    read = bench.upsert(datasets.PROFILE_STREAM, told, "e.jsonl", LATER)
    assert (only(bench)["status"], only(bench)["dissolved_date"], read.signals) == ("active", None, [])


@check_cases(("day", "codes"), [("unknown", {"bad_date"}), ("9999-12-31", set())])
def test_a_day_of_cessation_that_has_not_come_dissolves_no_company(sheet, day, codes):
    bench = Bench()
    register(bench, sheet)
    told = profile(company_status=None, date_of_cessation=day)
    read = bench.upsert(datasets.PROFILE_STREAM, told, "e.jsonl", LATER)
    assert (only(bench)["status"], only(bench)["dissolved_date"]) == ("active", None)
    assert {signal.code for signal in read.signals} == codes


def test_former_names_in_any_order_are_newest_first_by_their_days(bench):
    former = [
        {"name": name, "effective_from": "1990-01-01", "ceased_on": day}
        for name, day in (("OLDEST", "1999-01-01"), ("NEWEST", "2010-05-06"), ("MIDDLE", "2004-01-01"))
    ]
    bench.upsert(datasets.PROFILE_STREAM, profile(previous_company_names=former), "e.jsonl", LATER)
    assert only(bench)["previous_names"] == ["NEWEST", "MIDDLE", "OLDEST"]
    assert only(bench)["field_origins"] == '{"name":{"date":"2010-05-06"}}'


@check_cases(
    ("told", "signal"),
    [
        ({"date_of_creation": "2001-13-45"}, ("bad_date", "date_of_creation")),
        ({"sic_codes": ["12345"]}, ("unknown_industry_code", "12345")),
        ({"accounts": {"last_accounts": {"type": "dormant-ish"}}}, ("unknown_account_category", "DORMANT ISH")),
    ],
)
def test_what_a_profile_says_in_unknown_words_is_signalled(told, signal):
    read = Bench().upsert(datasets.PROFILE_STREAM, profile(**told), "e.jsonl", LATER)
    assert [(one.code, one.subject) for one in read.signals] == [signal]


def test_a_profile_of_two_numbers_is_a_reject(bench):
    read = bench.read(datasets.PROFILE_STREAM, profile(company_number="07654321"), "e.jsonl", LATER)
    assert (read.rows, len(read.rejects)) == ({}, 1)
    assert "'07654321', and the address names 01234567" in read.rejects[0][1]


def test_an_event_of_an_unknown_type_changes_nothing_and_is_signalled(bench, sheet):
    register(bench, sheet)
    body = event("company-profile", f"/company/{NUMBER}", {**PROFILE, "company_name": "X"}, change="removed")
    read = bench.upsert(datasets.PROFILE_STREAM, body, "e.jsonl", LATER)
    assert read.signalled("unknown_event_type") == {"removed": (1, (f"/company/{NUMBER}",))}
    assert only(bench)["name"] == "EXAMPLE LIMITED"


@check_cases(("published", "name"), [("2026-05-31T23:59:59", "OLD LIMITED"), ("2026-06-01T00:30:00", "NEW LIMITED")])
def test_a_bulk_file_counts_from_midnight_in_london(sheet, published, name):
    bench = Bench()
    june = datetime(2026, 6, 1, tzinfo=UTC)
    body = sheet.table({"CompanyName": "OLD LIMITED"})
    bench.upsert(basic_company_data_dataset.DATASET, body, "BasicCompanyDataAsOneFile-2026-06-01.csv", june)
    told = profile(published, company_name="NEW LIMITED")
    bench.upsert(datasets.PROFILE_STREAM, told, "e.jsonl", datetime(2026, 6, 2, tzinfo=UTC))
    assert only(bench)["name"] == name


def statuses(bench, *days):
    found = (bench.normalise(date.fromisoformat(day))["companies"].row(0, named=True) for day in days)
    return [(row["status"], row["status_detail"], row["dissolved_date"]) for row in found]


def test_a_day_of_cessation_counts_once_it_has_come_though_no_profile_repeats_it(bench, sheet):
    register(bench, sheet)
    told = profile(company_status=None, date_of_cessation="2026-12-24")
    bench.upsert(datasets.PROFILE_STREAM, told, "e.jsonl", LATER)
    assert statuses(bench, "2026-12-22", "2026-12-23") == [
        ("active", None, None),
        ("dissolved", None, date(2026, 12, 24)),  # in London the day may have begun
    ]


def test_a_case_begins_and_ends_on_its_days_though_nothing_repeats_it(bench, sheet):
    register(bench, sheet)
    dates = [{"type": "wound-up-on", "date": "2026-12-02"}, {"type": "concluded-winding-up-on", "date": "2026-12-10"}]
    case = {"type": "creditors-voluntary-liquidation", "number": "1", "dates": dates}
    body = event("company-insolvency", f"/company/{NUMBER}/insolvency", {"cases": [case]})
    bench.upsert(datasets.INSOLVENCY_STREAM, body, "e.jsonl", LATER)
    assert statuses(bench, "2026-12-01", "2026-12-02", "2026-12-10") == [
        ("active", None, None),
        ("dormant", "liquidation", None),
        ("active", None, None),
    ]


def test_a_liquidation_goes_on_after_the_day_on_which_a_dissolution_is_due(bench, sheet):
    register(bench, sheet)
    dates = [{"type": "wound-up-on", "date": "2026-11-02"}, {"type": "due-to-be-dissolved-on", "date": "2027-02-01"}]
    case = {"type": "creditors-voluntary-liquidation", "number": "1", "dates": dates}
    body = event("company-insolvency", f"/company/{NUMBER}/insolvency", {"cases": [case]})
    bench.upsert(datasets.INSOLVENCY_STREAM, body, "e.jsonl", LATER)
    assert statuses(bench, "2027-02-01") == [("dormant", "liquidation", None)]  # until the register states the end
