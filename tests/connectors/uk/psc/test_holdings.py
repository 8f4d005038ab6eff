"""Who holds, since when, and who is listed: PSC records as shared rows (docs/formats/uk.md 4, 10.1, 13)."""

import re
from datetime import UTC, date, datetime

import pytest

from connectors.uk.basic_company_data import dataset as basic_company_data_dataset
from connectors.uk.psc import dataset as psc_dataset
from tests.connectors.uk.conftest import Bench
from tests.tables import check_cases

DATA = psc_dataset.DATASET
LINES = "psc-snapshot-2026-11-01_1of2.txt"
WHOLE = "persons-with-significant-control-snapshot-2026-11-01.txt"
INDIVIDUAL = "individual-person-with-significant-control"
SHARES = "ownership-of-shares-25-to-50-percent"


def test_a_person_is_name_and_country(make, bench):
    found = bench.holding(make.record(nationality="Italian", country_of_residence="England"))
    assert (found["holder_name"], found["holder_type"], found["holder_country"]) == ("Mrs Ann Example", "person", "GB")
    assert (found["register"], found["native_id"], found["holder_company_id"]) == ("uk.psc", "AbC-1_x", None)
    assert found["company_id"] == "firm:UK:01234567"


def test_a_name_in_parts_only_is_put_together(make, bench):
    parts = {"title": "Dr", "forename": "Ann", "middle_name": "B", "surname": "Example"}
    assert bench.holding(make.record(name=None, name_elements=parts))["holder_name"] == "Dr Ann B Example"


@check_cases(
    ("data", "country"),
    [
        ({"nationality": "Vietnamese"}, "VN"),
        ({"nationality": "Macedonian", "country_of_residence": "Macedonia (Fyr)"}, "MK"),
        ({"country_of_residence": "  united   KINGDOM "}, "GB"),
        ({"nationality": "British,Italian"}, None),
        ({}, None),
    ],
)
def test_countries_of_persons(make, data, country):
    bench = Bench()
    assert bench.holding(make.record(**data))["holder_country"] == country


def test_an_unknown_country_is_null_and_signalled(make, bench):
    read = bench.upsert(DATA, make.lines(make.record(country_of_residence="Atlantis")), LINES)
    assert read.signalled("unknown_country") == {"Atlantis": (1, ("01234567",))}
    assert bench.normalise()["holdings"]["holder_country"].to_list() == [None]


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        ("Government Department", "state"),
        ("Local Authority", "state"),
        ("Corporation Sole", "unknown"),
        (None, "unknown"),
    ],
)
def test_a_legal_person_is_the_state_only_where_its_form_says_so(make, bench, form, kind):
    data = make.record(kind="legal-person-person-with-significant-control", identification={"legal_form": form})
    assert bench.holding(data)["holder_type"] == kind


@check_cases("kind", ["super-secure-person-with-significant-control", "super-secure-beneficial-owner"])
@check_cases("ceased", [None, "0", False])
def test_a_protected_holder_is_unknown_and_has_no_name(make, kind, ceased):
    bench = Bench()
    found = bench.holding(make.record(kind=kind, natures_of_control=None, notified_on=None, ceased=ceased))
    assert (found["holder_name"], found["holder_type"], found["holder_country"]) == (None, "unknown", None)
    assert (found["valid_from"], found["ended_on"], found["controls"]) == (None, None, [])


@pytest.mark.parametrize("ceased", [True, "1", 1])
def test_a_protected_holder_that_ceased_has_ended(make, bench, ceased):
    data = make.record(kind="super-secure-person-with-significant-control", name=None, ceased=ceased)
    assert bench.holding(data)["ended_on"] == date(2020, 1, 2)


@check_cases(
    ("notified", "ceased", "span", "codes"),
    [
        ("2020-01-02", None, (date(2020, 1, 2), None), set()),
        ("2020-01-02", "2021-03-04", (date(2020, 1, 2), date(2021, 3, 4)), set()),
        ("2023-11-20T08:47:45.378Z", None, (date(2023, 11, 20), None), set()),
        ("1083-01-01", None, (date(2016, 4, 6), None), {"impossible_date"}),
        ("9999-01-01", None, (None, None), {"impossible_date"}),
        ("2020-01-02", "9999-12-31", (date(2020, 1, 2), date(2020, 1, 2)), {"impossible_date"}),
        ("2020-01-02", "2019-01-01", (date(2020, 1, 2), date(2020, 1, 2)), {"ceased_before_notified"}),
        ("2062-01-02", None, (None, None), {"impossible_date"}),
        ("2020-01-02", "2062-01-02", (date(2020, 1, 2), date(2020, 1, 2)), {"impossible_date"}),
        ("2020-01-02", "", (date(2020, 1, 2), None), set()),  # an empty text is no end
        ("2020-01-02", " ", (date(2020, 1, 2), None), set()),
        ("soon", None, (None, None), {"bad_date"}),
        (None, "2021-03-04", (None, date(2021, 3, 4)), set()),
    ],
)
def test_pitfall_22_impossible_dates_are_clamped_and_signalled(make, notified, ceased, span, codes):
    bench = Bench()
    read = bench.upsert(DATA, make.lines(make.record(notified_on=notified, ceased_on=ceased)), LINES)
    found = bench.normalise()["holdings"].row(0, named=True)
    assert (found["valid_from"], found["ended_on"]) == span
    assert {signal.code for signal in read.signals} == codes


def test_a_record_gone_from_a_whole_snapshot_ended_that_day_and_may_come_back(make, bench):
    bench.upsert(DATA, make.lines(make.record(), make.record(identity="b", ceased_on="2021-03-04")), LINES)
    bench.retire("uk_psc", "id", ["AbC-1_x", "b"], datetime(2026, 11, 3, tzinfo=UTC))
    ended = bench.normalise()["holdings"].sort("native_id")["ended_on"].to_list()
    assert ended == [date(2026, 11, 3), date(2021, 3, 4)]
    bench.upsert(DATA, make.lines(make.record()), LINES, datetime(2026, 11, 4, tzinfo=UTC))
    assert bench.normalise()["holdings"].sort("native_id")["ended_on"].to_list() == [None, date(2021, 3, 4)]


def test_a_record_that_comes_back_under_an_unknown_kind_has_not_ended(make, bench):
    bench.upsert(DATA, make.lines(make.record(), make.record(identity="b")), LINES)
    strange = make.record(kind="individual-person-with-significant-control-v2")
    bench.upsert(DATA, make.lines(strange), LINES, datetime(2026, 11, 3, tzinfo=UTC))
    bench.retire("uk_psc", "id", ["AbC-1_x", "b"], datetime(2026, 11, 3, tzinfo=UTC))
    ended = bench.normalise()["holdings"].sort("native_id")["ended_on"].to_list()
    assert ended == [None, date(2026, 11, 3)]
    bench.retire("uk_psc_others", "id", ["AbC-1_x"], datetime(2026, 11, 4, tzinfo=UTC))
    assert bench.normalise()["holdings"]["ended_on"].null_count() == 0


def test_a_record_that_the_stream_deletes_is_gone(make, bench):
    bench.upsert(DATA, make.lines(make.record()), LINES)
    deletion = make.event(None, make.record()["data"]["links"]["self"], kind="deleted", timepoint=9)
    read = bench.upsert(DATA, make.lines(deletion), "psc.jsonl", datetime(2026, 11, 2, tzinfo=UTC))
    assert read.rows["uk_psc"].row(0, named=True)["deleted"] is True
    assert bench.normalise()["holdings"].is_empty()


def test_later_events_of_one_record_in_one_file_win(make, bench):
    uri = make.record()["data"]["links"]["self"]
    first, second = make.record(name="First")["data"], make.record(name="Second")["data"]
    bench.upsert(DATA, make.lines(make.event(first, uri), make.event(second, uri, timepoint=8)), "psc.jsonl")
    assert bench.normalise()["holdings"]["holder_name"].to_list() == ["Second"]


def test_a_statement_is_no_holding(make, bench):
    kind = "persons-with-significant-control-statement"
    bench.upsert(DATA, make.lines(make.record(kind=kind, statement="psc-exists-but-not-identified")), LINES)
    assert bench.normalise()["holdings"].is_empty()


def test_a_live_exemption_is_a_listing(make, bench):
    bench.upsert(DATA, make.lines(make.exemption()), LINES)
    found = bench.normalise()["listings"].row(0, named=True)
    assert found["native_id"] == "disclosure_transparency_rules_chapter_five_applies/2022-10-24"
    assert (found["company_id"], found["valid_from"], found["ended_on"]) == (
        "firm:UK:01234567",
        date(2022, 10, 24),
        None,
    )


def test_each_period_of_an_exemption_is_a_listing_of_its_own(make, bench):
    key = "psc_exempt_as_trading_on_uk_regulated_market"
    bench.upsert(
        DATA,
        make.lines(
            make.exemption(key, {"exempt_from": "2017-01-01", "exempt_to": "2019-01-01"}, {"exempt_from": "2020-01-01"})
        ),
        LINES,
    )
    assert bench.normalise()["listings"].sort("valid_from")["ended_on"].to_list() == [date(2019, 1, 1), None]


def test_an_exemption_that_a_snapshot_lacks_goes_on_until_it_is_ended_or_deleted(make, bench):
    bench.upsert(DATA, make.lines(make.exemption()), LINES)
    bench.retire("uk_exemptions", "company_number", ["01234567"], datetime(2026, 11, 3, tzinfo=UTC))
    assert bench.normalise()["listings"]["ended_on"].to_list() == [None]
    deletion = make.event(None, "company/01234567/exemptions", kind="deleted")
    bench.upsert(DATA, make.lines(deletion), "exemptions.jsonl", datetime(2026, 11, 4, tzinfo=UTC))
    assert bench.normalise()["listings"].is_empty()


@check_cases(
    ("period", "ended", "codes"),
    [
        ({"exempt_from": "2020-01-01", "exempt_to": "soon"}, date(2020, 1, 1), {"bad_date"}),
        ({"exempt_to": "soon"}, date(2026, 11, 1), {"bad_date"}),
        ({"exempt_from": "2020-01-01", "exempt_to": "2021-02-03T00:00:00Z"}, date(2021, 2, 3), set()),
        ({"exempt_from": "2020-01-01", "exempt_to": ""}, None, set()),
        ({"exempt_from": "lately"}, None, {"bad_date"}),
    ],
)
def test_an_exemption_that_says_it_ended_has_whatever_its_day(make, period, ended, codes):
    bench = Bench()
    read = bench.upsert(DATA, make.lines(make.exemption("psc_exempt_as_shares_admitted_on_market", period)), LINES)
    assert bench.normalise()["listings"]["ended_on"].to_list() == [ended]
    assert {signal.code for signal in read.signals} == codes


@pytest.mark.parametrize(("begun", "is_listed"), [("2026-11-21", True), ("2026-11-22", False), ("9999-01-01", False)])
def test_an_exemption_lists_nobody_before_it_begins(make, sheet, bench, begun, is_listed):
    key = "psc_exempt_as_trading_on_uk_regulated_market"
    bench.upsert(basic_company_data_dataset.DATASET, sheet.table({}), "BasicCompanyDataAsOneFile-2026-11-01.csv")
    bench.upsert(DATA, make.lines(make.exemption(key, {"exempt_from": begun})), LINES)
    assert bench.normalise()["companies"]["is_listed"].to_list() == [is_listed]


def test_an_unknown_exemption_is_no_listing_and_signalled(make, bench):
    read = bench.upsert(DATA, make.lines(make.exemption("exempt_for_being_nice")), LINES)
    assert read.signalled("unknown_exemption") == {"exempt_for_being_nice": (1, ("01234567",))}
    assert bench.normalise()["listings"].is_empty()


def test_exemptions_of_every_key_in_the_registrys_list(make, bench, sources):
    text = (sources / "uk" / "enumerations" / "exemption_descriptions.yml").read_text()
    keys = {key.replace("-", "_") for key in re.findall(r"^\s+'([a-z-]+)'\s*:", text, re.MULTILINE)}
    assert len(keys) == 5
    for key in keys:
        assert bench.read(DATA, make.lines(make.exemption(key)), LINES).signals == []
