"""Records of companies to profiles: which element of a list counts, fillers, places, editions of industry codes."""

import json
from datetime import UTC, date, datetime
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import NotApplicable, RecognisedFile, UnreadableFileError
from tests.connectors.dk.records import (
    COMPANIES,
    NUMBER,
    address,
    answer,
    batches,
    company,
    element,
    owner,
    profile,
    rejects,
    shared,
    signals,
    staged,
)
from tests.tables import check_cases


def row(**changes: Any) -> dict[str, Any]:
    return staged(batches(COMPANIES, answer(company(**changes))), "dk_virksomhed").row(0, named=True)


def test_a_number_in_json_lacks_its_zeros() -> None:
    found = batches(COMPANIES, answer(company(cvrNummer=1017)))
    assert staged(found, "dk_virksomhed")["cvr_nummer"].to_list() == ["00001017"]
    assert ("wrong_check_digit", "cvrNummer") in signals(found)  # told, and kept


@check_cases(
    ("names", "current", "former"),
    [
        ([element("2020-01-01", navn="Ny"), element("2010-01-01", "2019-12-31", navn="Gammel")], "Ny", ["Gammel"]),
        # unsorted, an older element after a newer one; one that lasted a day; an unknown start
        (
            [
                element("2015-05-05", "2015-05-05", navn="Dag"),
                element("2018-01-01", navn="Nu"),
                element(None, "2015-05-04", navn="Først"),
            ],
            "Nu",
            ["Dag", "Først"],
        ),
        # overlapping periods: what began last
        ([element("2018-01-01", navn="B"), element("2012-01-01", navn="A")], "B", ["A"]),
        # of one day what was changed last
        (
            [
                element("2018-01-01", changed="2018-01-01T00:00:00.000+01:00", navn="Fejl"),
                element("2018-01-01", changed="2018-02-01T00:00:00.000+01:00", navn="Rettet"),
            ],
            "Rettet",
            ["Fejl"],
        ),
        # a value to come does not count yet, and is no former one
        ([element("2012-01-01", navn="Nu"), element("2031-01-01", navn="Senere")], "Nu", []),
    ],
)
def test_the_current_element_of_a_list(names: list[Any], current: str, former: list[str]) -> None:
    found = row(navne=names)
    assert (found["navn"], found["tidligere_navne"]) == (current, former)


def test_ready_made_values_come_before_the_lists() -> None:
    newest = {"nyesteNavn": element("2024-01-01", navn="Klar A/S"), "sammensatStatus": "NORMAL"}
    assert row(virksomhedMetadata=newest)["navn"] == "Klar A/S"


def test_a_ready_made_value_to_come_does_not_count_yet() -> None:
    newest = {
        "nyesteNavn": element("2031-01-01", navn="Senere A/S"),
        "nyesteVirksomhedsform": element("2031-01-01", virksomhedsformkode=80, langBeskrivelse="Anpartsselskab"),
        "nyesteHovedbranche": element("2031-01-01", branchekode="620200", branchetekst="Rådgivning"),
        "nyesteBeliggenhedsadresse": address("2031-01-01", vejnavn="Senere Vej"),
    }
    now = row()
    served = ("navn", "tidligere_navne", "form_kode", "branche_kode", "adresse")
    found = row(virksomhedMetadata=newest)
    assert [found[name] for name in served] == [now[name] for name in served]
    to_begin = row(navne=[], virksomhedMetadata=newest)
    assert to_begin["navn"] == "Senere A/S"  # a company that is to begin itself has no other name


@check_cases(
    ("founded", "registered"),
    [("1901-01-01", date(2001, 2, 3)), ("1999-12-31", date(1999, 12, 31)), (None, date(2001, 2, 3))],
)
def test_the_filler_of_a_foundation_is_no_day(founded: str | None, registered: date) -> None:
    assert profile(virksomhedMetadata={"stiftelsesDato": founded})["registered_date"] == registered


def test_a_place_has_its_municipality_by_code_and_its_region() -> None:
    found = profile()
    assert (found["municipality"], found["municipality_code"]) == ("København", "101")
    assert (found["county"], found["county_code"]) == ("Region Hovedstaden", "084")
    assert (found["postal_code"], found["post_town"], found["address_lines"]) == ("0800", "Høje", ["Gade 1"])


def test_a_municipality_of_before_the_reform_is_served_as_written_and_counted() -> None:
    old = address("2005-01-01", kommune={"kommuneKode": 13, "kommuneNavn": "GAMLE-BY"})
    found = batches(COMPANIES, answer(company(beliggenhedsadresse=[old])))
    assert signals(found) == {("unknown_municipality", "013"): 1}
    made = shared(found)["companies"].row(0, named=True)
    assert (made["municipality"], made["county"]) == ("Gamle-By", None)


def test_a_foreign_address_has_no_municipality() -> None:
    swiss = element("2020-01-01", landekode="CH", fritekst="Im Büeler 5\n8704 Herrliberg")
    found = profile(beliggenhedsadresse=[swiss])
    assert (found["municipality"], found["county"], found["address_country"]) == (None, None, "CH")
    assert found["address_lines"] == ["Im Büeler 5", "8704 Herrliberg"]


@check_cases(
    ("parts", "line"),
    [
        ({"husnummerFra": 3, "bogstavFra": "A", "etage": "2", "sidedoer": "th"}, "Gade 3A, 2. th"),
        ({"husnummerFra": 3, "husnummerTil": 7, "bogstavTil": "C"}, "Gade 3-7C"),
        ({"husnummerFra": None, "etage": "st"}, "Gade, st"),
        ({"husnummerFra": 5, "conavn": "Jens Jensen"}, "Gade 5"),  # names of persons stay out
    ],
)
def test_address_lines(parts: dict[str, Any], line: str) -> None:
    assert row(beliggenhedsadresse=[address("2020-01-01", **parts)])["adresse"] == [line]


@check_cases(
    ("code", "since", "read", "scheme"),
    [
        ("620200", "2014-01-01", 2026, "DB07"),  # 6202 is a class of the older revision alone
        ("622000", "2025-01-01", 2026, "DB25"),  # 6220 of the newer alone
        ("692000", "2025-01-01", 2026, "DB25"),  # of both: by the day on which it was given
        ("692000", "2014-01-01", 2024, "DB07"),  # or on which the record was read
        ("692000", "2014-01-01", 2026, None),  # may be either
        ("999999", "2014-01-01", 2024, None),  # «Uoplyst»
    ],
)
def test_the_edition_of_an_industry_code(code: str, since: str, read: int, scheme: str | None) -> None:
    industry = [element(since, branchekode=code, branchetekst="Tekst")]
    at = datetime(read, 6, 1, tzinfo=UTC)
    found = shared(batches(COMPANIES, answer(company(hovedbranche=industry)), at=at), at=at)["companies"]
    assert found["industry_scheme"].to_list() == [scheme]
    assert found["industry_code"].to_list() == [None if code == "999999" else code]


@check_cases(
    ("statistics", "employees", "of"),
    [
        ({"nyesteErstMaanedsbeskaeftigelse": {"aar": 2026, "maaned": 9, "antalAnsatte": 28}}, 28, "2026-09"),
        # an interval is not a number
        (
            {
                "nyesteAarsbeskaeftigelse": {
                    "aar": 2016,
                    "intervalKodeAntalAnsatte": "ANTAL_10_19",
                    "antalAnsatte": None,
                }
            },
            None,
            "2016",
        ),
        # monthly figures are fresher than those of a year, and the newer series than the one that ended in 2019
        (
            {
                "nyesteAarsbeskaeftigelse": {"aar": 2018, "antalAnsatte": 12},
                "nyesteKvartalsbeskaeftigelse": {"aar": 2019, "kvartal": 3, "antalAnsatte": 13},
                "nyesteMaanedsbeskaeftigelse": {"aar": 2019, "maaned": 9, "antalAnsatte": 14},
                "nyesteErstMaanedsbeskaeftigelse": {"aar": 2023, "maaned": 12, "antalAnsatte": 0},
            },
            0,
            "2023-12",
        ),
        ({"nyesteKvartalsbeskaeftigelse": {"aar": 2019, "kvartal": 3, "antalAnsatte": 13}}, 13, "2019-K3"),
        ({}, None, None),
    ],
)
def test_employees_of_the_newest_statistics(statistics: Any, employees: int | None, of: str | None) -> None:
    found = row(virksomhedMetadata=statistics)
    assert (found["antal_ansatte"], found["ansatte_pr"]) == (employees, of)


@check_cases(
    ("stated", "under"),
    [
        ([element("2020-01-01", vaerdi="true")], True),
        ([element("2020-01-01", vaerdi="false")], False),
        ([element("2015-01-01", "2019-12-31", vaerdi="true"), element("2020-01-01", vaerdi="false")], False),
        ([element("2015-01-01", "2019-12-31", vaerdi="true")], False),
        ([], False),
    ],
)
def test_a_company_of_small_owners_alone_says_so_while_it_holds(stated: list[Any], under: bool) -> None:
    attributes = [{"type": "KAPITAL", "vaerdier": [element(None, vaerdi="40000")]}]
    attributes.append({"type": "EJERREGISTRERING_UNDER_5_PROCENT", "vaerdier": stated})
    assert row(attributter=attributes)["ejere_under_5"] is under


def test_breaks_of_lines_in_a_name_or_street_are_blanks() -> None:
    names = [element("2020-01-01", navn="Ny"), element("2010-01-01", "2019-12-31", navn="Gammel\n A/S")]
    found = row(navne=names, beliggenhedsadresse=[address("2020-01-01", etage="2", sidedoer="t\nh")])
    assert (found["tidligere_navne"], found["adresse"]) == (["Gammel A/S"], ["Gade 1, 2. t h"])


def test_lists_without_items_are_empty_and_those_without_an_address_unknown() -> None:
    assert row(beliggenhedsadresse=[])["adresse"] is None
    found = row(beliggenhedsadresse=[element("2020-01-01", landekode="DK")])
    assert (found["adresse"], found["tidligere_navne"]) == ([], [])


def test_protection_from_advertising_is_passed_on() -> None:
    assert "no unsolicited advertising (reklamebeskyttet)" in profile(reklamebeskyttet=True)["sources"]
    assert "advertising" not in profile(reklamebeskyttet=False)["sources"]


def test_a_secret_website_is_not_read() -> None:
    site = element("2020-01-01", kontaktoplysning="www.eksempel.dk", hemmelig=True)
    assert row(hjemmeside=[site])["hjemmeside"] is None
    assert row(hjemmeside=[site | {"hemmelig": False}])["hjemmeside"] == "www.eksempel.dk"


def test_members_that_an_edition_lacks_are_unknown_and_new_ones_are_counted() -> None:
    record = company(nyt={"x": 1})
    for name in ("hovedbranche", "beliggenhedsadresse", "virksomhedsform", "deltagerRelation", "samtId"):
        del record[name]
    found = batches(COMPANIES, answer(record))
    assert signals(found) == {("unknown_key", "_source.Vrvirksomhed.nyt"): 1}
    made = shared(found)["companies"].row(0, named=True)
    assert (made["name"], made["industry_code"], made["municipality"]) == ("EKSEMPEL A/S", None, None)


@check_cases(
    ("changes", "reason"),
    [
        ({"cvrNummer": None}, "the CVR number is not eight digits"),
        ({"cvrNummer": 123456789}, "the CVR number is not eight digits"),
        ({"navne": []}, "no name"),
        ({"enhedsNummer": None}, "no unit number"),
        ({"livsforloeb": [], "virksomhedsstatus": []}, "neither a status nor a life span"),
    ],
)
def test_records_that_cannot_be_served_are_rejected(changes: dict[str, Any], reason: str) -> None:
    found = batches(COMPANIES, answer(company(**changes), company("24256790")))
    assert [why for _, why in rejects(found)] == [reason]
    assert staged(found, "dk_virksomhed")["cvr_nummer"].to_list() == ["24256790"]


@check_cases(
    "changes",
    [
        {"samtId": 2**70},
        {"enhedsNummer": -(2**70)},
        {"virksomhedMetadata": {"nyesteAarsbeskaeftigelse": {"aar": 2026, "antalAnsatte": 2**70}}},
    ],
)
def test_of_a_number_that_no_column_holds_the_record_alone_is_rejected(changes: dict[str, Any]) -> None:
    found = batches(COMPANIES, answer(company(**changes), company("24256790")))
    assert len(rejects(found)) == 1
    assert staged(found, "dk_virksomhed")["cvr_nummer"].to_list() == ["24256790"]


@check_cases(
    ("envelope", "reason"),
    [
        ({"timed_out": True}, "the search timed out"),
        ({"_shards": {"total": 6, "failed": 2}}, "2 shards failed"),
        ({"hits": {"total": 1}}, "expected an answer of Elasticsearch"),
    ],
)
def test_an_answer_that_is_not_whole_is_rejected(envelope: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnreadableFileError, match=reason):
        batches(COMPANIES, answer(company(), **envelope))


def test_a_total_may_be_an_object_and_lines_may_have_a_hit_each() -> None:
    hit = {"_id": "1", "_source": {"Vrvirksomhed": company()}}
    newer = answer(hits={"total": {"value": 1, "relation": "eq"}, "hits": [hit]})
    assert staged(batches(COMPANIES, newer), "dk_virksomhed")["cvr_nummer"].to_list() == [NUMBER]
    lines = b'{"_id":"1","_source":{"Vrvirksomhed":%b}}\n{"Vrvirksomhed":%b}\n'
    body = lines % (json.dumps(company()).encode(), json.dumps(company("24256790")).encode())
    assert staged(batches(COMPANIES, body), "dk_virksomhed")["cvr_nummer"].to_list() == [NUMBER, "24256790"]


@check_cases(
    ("name", "head", "reason"),
    [
        ("cvr_virksomhed/a.json", answer(company()), None),
        ("cvr_produktionsenhed/a.json", answer({}, kind="VrproduktionsEnhed"), "production units"),
        ("cvr_deltager/a.json", answer({}, kind="Vrdeltagerperson"), "participants"),
        ("cvr_virksomhed/a.json", answer(), "without records"),
        ("cvr_virksomhed/a.html", b"<!doctype html><html>", "html"),
        ("reference_codes/geonames.tsv", b"DK\t1050", "post codes"),
    ],
)
def test_files_are_recognised_by_their_bytes(name: str, head: bytes, reason: str | None) -> None:
    found = COMPANIES.recognise_file(name, head)
    assert isinstance(found, RecognisedFile) if reason is None else isinstance(found, NotApplicable)
    if isinstance(found, NotApplicable):
        assert reason is not None
        assert reason in found.reason


def test_of_a_repeated_company_the_last_record_counts() -> None:
    found = batches(COMPANIES, answer(company(), company(navne=[element("2020-01-01", navn="Sidst")])))
    assert staged(found, "dk_virksomhed").select("navn").rows() == [("Sidst",)]


def test_a_day_that_does_not_parse_is_unknown_and_counted() -> None:
    found = batches(COMPANIES, answer(company(livsforloeb=[element("2001-02-30")])))
    assert signals(found) == {("unreadable_value", "livsforloeb_fra"): 1}
    assert staged(found, "dk_virksomhed")["livsforloeb_fra"].dtype == pl.Date


@pytest.mark.parametrize("order", [1, -1])
def test_of_a_record_that_an_answer_repeats_the_one_changed_last_holds_with_its_owners(order: int) -> None:
    """At the end of summer time the later of two changes has the earlier text."""
    first = company(
        navne=[element("2001-02-03", navn="GAMMEL A/S")],
        sidstOpdateret="2026-10-25T02:30:00.000+02:00",
        deltagerRelation=[owner(1, element("2010-01-01", vaerdi="0.5"))],
    )
    last = company(navne=[element("2026-01-02", navn="NY A/S")], sidstOpdateret="2026-10-25T02:10:00.000+01:00")
    tables = shared(batches(COMPANIES, answer(*[first, last][::order])))
    assert tables["companies"]["name"].to_list() == ["NY A/S"]
    assert tables["holdings"].is_empty()


@check_cases("day", ["0001-01-01", "9999-12-31"])
def test_a_day_that_nothing_began_on_is_none_and_told(day: str) -> None:
    found = batches(COMPANIES, answer(company(virksomhedMetadata={"stiftelsesDato": day}, livsforloeb=[element(day)])))
    assert shared(found)["companies"]["registered_date"].to_list() == [None]
    assert signals(found) == {("unreadable_value", "stiftelses_dato"): 1, ("unreadable_value", "livsforloeb_fra"): 1}


@check_cases(("code", "served"), [(11100, "011100"), ("620200", "620200"), ("6202", None), (62, None)])
def test_an_industry_code_lacks_one_zero_at_most(code: int | str, served: str | None) -> None:
    found = batches(COMPANIES, answer(company(hovedbranche=[element("2008-01-01", branchekode=code)])))
    assert shared(found)["companies"]["industry_code"].to_list() == [served]
    assert signals(found) == ({} if served else {("unreadable_value", "branchekode"): 1})


@check_cases(
    ("months", "employees", "signal"),
    [
        ({"aar": 2099, "maaned": 9, "antalAnsatte": 3}, 7, ("implausible_period", "beskaeftigelse")),
        ({"aar": 2026, "maaned": 9, "antalAnsatte": -3}, None, ("unreadable_value", "antalAnsatte")),
    ],
)
def test_statistics_of_years_to_come_and_fewer_than_no_people_are_left_and_told(
    months: dict[str, int], employees: int | None, signal: tuple[str, str]
) -> None:
    newest = {"nyesteErstMaanedsbeskaeftigelse": months, "nyesteAarsbeskaeftigelse": {"aar": 2025, "antalAnsatte": 7}}
    found = batches(COMPANIES, answer(company(virksomhedMetadata=newest)))
    assert shared(found)["companies"]["employees"].to_list() == [employees]
    assert signals(found) == {signal: 1}
