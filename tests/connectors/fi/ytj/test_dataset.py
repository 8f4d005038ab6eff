"""Companies of YTJ v3: the bulk, search pages, single objects; which of several names and addresses count."""

import codecs
import gzip
import json
from datetime import UTC, datetime

import pytest

from connectors.contract.dataset import NotApplicable, RecognisedFile, Scope, UnreadableFileError
from connectors.fi.register import has_check_digit, parse_business_id
from connectors.fi.ytj import stream
from tests.connectors.fi.finnish_files import (
    ONE,
    THREE,
    TWO,
    YTJ,
    company,
    day,
    piece,
    profile,
    read,
    reasons,
    rows,
    shared,
    signals,
    trade,
    zipped,
)
from tests.tables import check_cases


@check_cases(
    "text", ["0112038-9", "FI01120389", "01120389", "112038-9", " 0112038\u20139 ", "0112038 - 9", "fi 0112038-9"]
)
def test_a_business_id_in_any_spelling(text: str) -> None:
    assert parse_business_id(text) == "0112038-9"


@check_cases("text", ["", None, "011203", "SE0112038-9", "01120389-9", "0112038-X", "012038-91"])
def test_what_is_no_business_id(text: str | None) -> None:
    assert parse_business_id(text) is None


def test_check_digits_of_the_registers_own_numbers() -> None:
    known = [
        "0112038-9",
        "2919415-2",
        "0100379-9",
        "0176460-0",
        "0186191-0",
        "3466646-8",
        "0100002-9",
        "2331972-7",
        "0142213-3",
    ]
    assert all(map(has_check_digit, known))
    assert not any(has_check_digit(f"{one[:-1]}{(int(one[-1]) + 1) % 10}") for one in known)


def test_a_wrong_check_digit_is_a_signal_and_no_reject() -> None:
    found = read(YTJ, [company("0112038-8")])
    assert [row["businessId"] for row in rows(found)] == ["0112038-8"]
    assert signals(found)["wrong_check_digit", "businessId"].examples == ("0112038-8",)


@pytest.mark.parametrize("shape", ["array", "object", "object with more", "one"])
def test_the_bulk_is_an_array_or_an_object_with_it(shape: str) -> None:
    two = [company(ONE), company(TWO)]
    body = {
        "array": two,
        "object": {"companies": two},
        "object with more": {"totalResults": 2, "companies": two, "page": 1},
        "one": company(ONE),
    }[shape]
    due = [ONE] if shape == "one" else [ONE, TWO]
    assert [row["businessId"] for row in rows(read(YTJ, body))] == due
    assert [row["businessId"] for row in rows(read(YTJ, json.dumps(body, indent=2).encode()))] == due


def test_the_member_of_the_zip_has_any_name_that_ends_in_json() -> None:
    body = zipped("data_20261116.json", json.dumps([company(ONE)]).encode())
    assert [row["businessId"] for row in rows(read(YTJ, body))] == [ONE]
    with pytest.raises(UnreadableFileError, match=r"without a \.json member"):
        read(YTJ, zipped("readme.txt", b"nothing"))


def test_a_large_object_is_streamed_and_its_end_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "HELD_BACK_BYTES", 64)
    many = [company(f"{number:07d}-0") for number in range(1, 300)]
    body = json.dumps({"totalResults": len(many), "companies": many, "last": "x"}).encode()
    assert len(rows(read(YTJ, body))) == len(many)


@check_cases("cut", [200, 20, 1])
@check_cases("shape", ["array", "object"])
def test_a_bulk_that_is_cut_off_is_refused(shape: str, cut: int) -> None:
    two = [company(ONE), company(TWO)]
    body = json.dumps(two if shape == "array" else {"companies": two}).encode()
    with pytest.raises(UnreadableFileError):
        read(YTJ, body[:-cut])


def test_what_is_not_ours_is_told_with_its_reason() -> None:
    def reason(body: bytes) -> str | None:
        found = YTJ.recognise_file("x", body)
        return found.reason if isinstance(found, NotApplicable) else None

    assert "without companies" in str(reason(b'{"totalResults":0,"companies":[]}'))
    assert "errorcode 1005" in str(reason(b'{"errorcode":1005,"message":"lang is required"}'))
    assert "retired" in str(reason(b'{"type":"fi.prh.opendata.bis","results":[]}'))
    assert "html" in str(reason(b"<!doctype html><html>403</html>"))
    assert "business id" in str(reason(b'{"a":1}'))
    assert YTJ.recognise_file("x", json.dumps([company()]).encode()) == RecognisedFile(None, Scope.PART)


def test_a_record_that_does_not_fit_costs_itself_only() -> None:
    found = read(YTJ, [company(ONE), {"names": []}, company(TWO, names="Oy"), company(ONE), company(THREE)])
    assert [row["businessId"] for row in rows(found)] == [ONE, THREE]
    assert [reason.split(":")[0].split(" - ")[0] for reason in sorted(reasons(found))][1:] == [
        "no business id",
        "repeated in this file",
    ]


def test_an_unknown_key_is_counted_and_the_record_kept() -> None:
    found = read(YTJ, [company(ONE, beneficialOwners=[])])
    assert rows(found)
    assert signals(found)["unknown_key", "beneficialOwners"].examples[0]


def test_names_of_the_lowest_version_without_an_end_and_never_an_auxiliary_one() -> None:
    names = [
        {"name": "Apunimi", "type": "3", "registrationDate": "2020-01-01", "version": 1},
        {"name": "Vanha Oy", "type": "1", "registrationDate": "1990-01-01", "endDate": "1995-01-01", "version": 3},
        {"name": "Keski Oy", "type": "1", "registrationDate": "1995-01-02", "endDate": "2001-01-01", "version": 2},
        {"name": "Toinen Oy", "type": "1", "registrationDate": "2005-01-01", "version": 2},
        {"name": "Uusi Oy", "type": "1", "registrationDate": "2001-01-02", "version": 1},
        {"name": "New Ltd", "type": "2", "registrationDate": "2001-01-02", "version": 1},
    ]
    found = profile(names=names)
    assert (found["name"], found["previous_names"]) == ("Uusi Oy", ["Keski Oy", "Vanha Oy"])


def test_of_a_ceased_company_the_last_name() -> None:
    names = [
        {"name": "Eka Oy", "type": "1", "registrationDate": "1990-01-01", "endDate": "1995-01-01"},
        {"name": "Vika Oy", "type": "1", "registrationDate": "1995-01-02", "endDate": "2005-12-19"},
    ]
    found = profile(names=names, endDate="2005-12-19")
    assert (found["name"], found["previous_names"]) == ("Vika Oy", ["Eka Oy"])


def test_a_name_that_ends_on_a_day_to_come_is_the_present_one() -> None:
    names = [
        {"name": "Uusi Oy", "type": "1", "registrationDate": "2010-01-01", "endDate": "9999-12-31", "version": 1},
        {"name": "Vanha Oy", "type": "1", "registrationDate": "1999-05-01", "endDate": "2009-12-31", "version": 2},
    ]
    found = profile(names=names)
    assert (found["name"], found["previous_names"]) == ("Uusi Oy", ["Vanha Oy"])
    assert rows(read(YTJ, [company(names=names)]))[0]["issuerKey"] == "uusi oy"


def test_two_present_names_of_one_version_and_day_are_told() -> None:
    one = {"name": "Eka Oy", "type": "1", "registrationDate": "2010-01-01", "version": 1}
    assert ("undecided_order", "names") in signals(read(YTJ, [company(names=[one, one | {"name": "Toka Oy"}])]))
    assert ("undecided_order", "names") not in signals(read(YTJ, [company(names=[one, one])]))
    forms = [{"type": "16", "version": 1}, {"type": "17", "version": 1}]
    assert ("undecided_order", "companyForms") in signals(read(YTJ, [company(companyForms=forms)]))


def test_a_day_before_all_registers_is_none() -> None:
    found = read(YTJ, [company(registrationDate="0001-01-01", endDate="0001-01-01")])
    (row,) = shared(found)["companies"]
    assert (row["status"], row["registered_date"]) == ("active", day("1999-05-01"))
    assert signals(found)["unreadable_value", "0001-01-01"].count == 2


def test_an_industry_code_given_as_a_number_that_lost_its_zero_is_null_and_told() -> None:
    for kind, due in ((1110, None), (1110.0, None), (62100, "62100"), ("01110", "01110")):
        found = read(YTJ, [company(mainBusinessLine={"type": kind, "typeCodeSet": "TOIMI4"})])
        assert shared(found)["companies"][0]["industry_code"] == due
        assert (("unreadable_value", "mainBusinessLine.type") in signals(found)) == (due is None)


def test_a_day_of_registration_far_ahead_is_a_filler() -> None:
    found = read(YTJ, [company(registrationDate="9999-12-31")])
    assert shared(found)["companies"][0]["registered_date"] == day("1999-05-01")
    assert signals(found)["unreadable_value", "9999-12-31"].count == 1


@pytest.mark.parametrize("zeros", ["00000", "0", "00.000"])
def test_code_of_an_unknown_industry_is_no_industry(zeros: str) -> None:
    found = read(YTJ, [company(mainBusinessLine={"type": zeros, "typeCodeSet": "TOIMI4"})])
    (row,) = shared(found)["companies"]
    assert (row["industry_code"], row["industry_scheme"], row["industry_label"]) == (None, None, None)
    assert signals(found) == {}


def test_a_company_without_any_name_makes_no_profile() -> None:
    found = read(YTJ, [company(names=[])])
    assert shared(found)["companies"] == []
    assert ("no_name", "businessId") in signals(found)


def test_english_labels_before_finnish_and_their_order_says_nothing() -> None:
    line = {
        "type": "62.100",
        "typeCodeSet": "TOIMI4",
        "descriptions": [
            {"languageCode": "1", "description": "Ohjelmistot"},
            {"languageCode": "3", "description": "Software"},
        ],
    }
    assert profile(mainBusinessLine=line)["industry_label"] == "Software"
    line["descriptions"].pop()
    assert profile(mainBusinessLine=line)["industry_label"] == "Ohjelmistot"


ESPOO = {"city": "ESPOO", "languageCode": "1", "municipalityCode": "049"}
POSTAL = {"type": 2, "postOfficeBox": "226", "street": "", "postCode": "00045", "postOffices": [
    {"city": "NOKIA GROUP", "languageCode": "1", "municipalityCode": "091"}]}  # fmt: skip
VISITING = {"type": 1, "street": "Karakaari", "buildingNumber": "7", "entrance": "A", "apartmentNumber": "2",
            "postCode": "02610", "postOffices": [ESPOO | {"city": "ESBO", "languageCode": "2"}, ESPOO]}  # fmt: skip


def test_the_visiting_address_places_a_company_and_not_its_post_office() -> None:
    found = profile(addresses=[POSTAL, VISITING])
    assert (found["municipality"], found["municipality_code"]) == ("Espoo", "049")
    assert (found["county"], found["county_code"]) == ("Uusimaa", "01")
    assert (found["address_lines"], found["post_town"]) == (["Karakaari 7 A 2"], "ESPOO")
    alone = profile(addresses=[POSTAL])
    assert (alone["municipality"], alone["address_lines"]) == ("Helsinki", ["PL 226"])


def test_of_several_addresses_of_one_kind_the_newest_that_has_not_ended_counts() -> None:
    left = VISITING | {"street": "Vanhatie", "registrationDate": "2019-01-01", "endDate": "2024-01-01"}
    older = VISITING | {"street": "Eilistie", "registrationDate": "2015-01-01"}
    newer = VISITING | {"registrationDate": "2024-01-02", "endDate": "9999-12-31"}
    assert profile(addresses=[left, older, newer])["address_lines"] == ["Karakaari 7 A 2"]
    assert profile(addresses=[left, POSTAL])["address_lines"] == ["PL 226"]
    assert profile(addresses=[left])["address_lines"] is None


def test_places_on_aland_are_spelled_in_swedish() -> None:
    for city, code, expected in (("MARIEHAMN", "478", "Mariehamn"), ("JOMALA", "170", "Jomala")):
        office = {"city": city, "languageCode": "2", "municipalityCode": code}
        found = profile(addresses=[{"type": 1, "street": "Storagatan", "postCode": "22100", "postOffices": [office]}])
        assert (found["municipality"], found["county"], found["county_code"]) == (expected, "Åland", "21")


@pytest.mark.parametrize(("code", "post_code"), [("478", "22100"), (None, "22100"), (478, "22100")])
def test_post_office_on_aland_is_in_swedish_though_both_languages_are_stated(code: object, post_code: str) -> None:
    offices = [
        {"city": city, "languageCode": language, **({"municipalityCode": code} if code else {})}
        for city, language in (("MAARIANHAMINA", "1"), ("MARIEHAMN", "2"))
    ]
    place = {"type": 1, "street": "Storagatan", "postCode": post_code, "postOffices": offices}
    assert profile(addresses=[place])["post_town"] == "MARIEHAMN"


def test_a_post_code_tells_the_municipality_where_no_address_names_it() -> None:
    found = profile(addresses=[{"type": 1, "street": "Katu", "postCode": "02610", "postOffices": [{"city": "X"}]}])
    assert (found["municipality"], found["municipality_code"]) == ("Espoo", "049")


def test_the_code_of_a_merged_municipality_is_null_and_a_signal() -> None:
    office = [{"city": "NUMMI", "languageCode": "1", "municipalityCode": "540"}]
    address = [{"type": 1, "street": "Tie", "postCode": "99999", "postOffices": office}]
    found = read(YTJ, [company(addresses=address)])
    (row,) = shared(found)["companies"]
    assert (row["municipality"], row["municipality_code"], row["county"]) == (None, None, None)
    assert ("unknown_municipality", "540") in signals(found)


def test_a_foreign_address_has_no_municipality_and_care_of_is_not_read() -> None:
    address = [
        {"type": 1, "country": "DE", "freeAddressLine": "Musterweg 1", "co": "Erika Muster", "postCode": "00100"}
    ]
    found = profile(addresses=address)
    assert (found["municipality"], found["address_country"]) == (None, "DE")
    assert found["address_lines"] == ["Musterweg 1"]


def test_vat_only_where_the_vat_register_is_open() -> None:
    vat = trade("80", "2000-01-01", register="6")

    def schemes(*entries: dict) -> list[str]:
        found = shared(read(YTJ, [company(registeredEntries=list(entries), euId={"value": f"FIFPRO.{ONE}"})]))
        return [f"{row['scheme']} {row['value']}" for row in found["identifiers"]]

    assert schemes(vat) == [f"euid FIFPRO.{ONE}", "vat FI01120389"]
    assert schemes(vat | {"endDate": "2027-01-01"}) == [f"euid FIFPRO.{ONE}", "vat FI01120389"]
    for closed in (
        vat | {"endDate": "2020-01-01"},
        vat | {"type": "0"},
        vat | {"type": "4"},
        vat | {"registrationDate": "2027-01-01"},
    ):
        assert schemes(closed) == [f"euid FIFPRO.{ONE}"]


# Pitfalls of docs/formats/fi.md 9


def test_pitfall_01_status_2_is_constant_and_says_nothing() -> None:
    assert profile(status="2")["status"] == "active"
    assert profile(status="2", endDate="2020-01-01", tradeRegisterStatus="4")["status"] == "dissolved"
    assert profile(status="1")["status"] == "active"


def test_pitfall_03_forms_are_numbers_in_the_answer() -> None:
    found = profile()
    assert (found["legal_form_code"], found["legal_form_label"]) == ("16", "Limited company")


@pytest.mark.parametrize("empty", [None, "", []])
def test_pitfall_04_absent_null_and_blank_are_missing(empty: object) -> None:
    keys = ("euId", "mainBusinessLine", "website", "companySituations", "addresses", "endDate")
    lists = ("companySituations", "addresses")
    record = company() | {key: empty for key in keys if empty != [] or key in lists}
    (found,) = shared(read(YTJ, [record]))["companies"]
    assert [found[key] for key in ("industry_code", "website", "municipality", "dissolved_date")] == [None] * 4
    assert found["status"] == "active"


@pytest.mark.parametrize("kind", [1, "1", 1.0])
def test_pitfall_04_address_types_are_numbers_or_text(kind: object) -> None:
    assert profile(addresses=[POSTAL, VISITING | {"type": kind}])["municipality"] == "Espoo"


@pytest.mark.parametrize(
    ("edition", "scheme"), [("TOIMI4", "TOL2025"), ("TOIMI3", "TOL2008"), ("TOIMI2", None), ("TOIMI", None)]
)
def test_pitfall_05_editions_of_the_industry_codes_side_by_side(edition: str, scheme: str | None) -> None:
    found = read(YTJ, [company(mainBusinessLine={"type": "70100", "typeCodeSet": edition})])
    (row,) = shared(found)["companies"]
    assert (row["industry_code"], row["industry_scheme"]) == ("70100", scheme)
    assert not signals(found)


def test_pitfall_06_last_modified_in_two_spellings_of_helsinki_time() -> None:
    def modified(text: str) -> datetime:
        return rows(read(YTJ, [company(lastModified=text)]))[0]["lastModified"]

    assert modified("2026-08-19T10:04:06") == datetime(2026, 8, 19, 7, 4, 6, tzinfo=UTC)
    assert modified("2024-11-21 01:49:24") == datetime(2024, 11, 20, 23, 49, 24, tzinfo=UTC)
    assert ("unreadable_value", "lastModified") in signals(read(YTJ, [company(lastModified="yesterday")]))
    over_the_edge = read(YTJ, [company(lastModified="0001-01-01T00:00:00")])
    assert rows(over_the_edge)[0]["lastModified"] is None
    assert ("unreadable_value", "lastModified") in signals(over_the_edge)


def test_last_modified_alone_changes_nothing() -> None:
    assert not YTJ.staged_tables["fi_ytj"].column("lastModified").business
    before, after = (
        shared(read(YTJ, [company(lastModified=text)])) for text in ("2026-08-19T10:04:06", "2026-08-20T10:04:06")
    )
    assert before == after


@check_cases(
    ("values", "code", "subject"),
    [
        ({"tradeRegisterStatus": "9"}, "unknown_code", "tradeRegisterStatus 9"),
        ({"registeredEntries": [trade("7", "2000-01-01")]}, "unknown_code", "registeredEntries.type 7"),
        (
            {"registeredEntries": [trade("1", "2000-01-01", register="8")]},
            "unknown_code",
            "registeredEntries.register 8",
        ),
        ({"companySituations": [{"type": "UUSI"}]}, "unknown_code", "companySituations.type UUSI"),
        ({"mainBusinessLine": {"type": "1", "typeCodeSet": "TOIMI5"}}, "unknown_code", "typeCodeSet TOIMI5"),
        ({"registrationDate": "yesterday"}, "unreadable_value", "yesterday"),
    ],
)
def test_what_is_unknown_is_kept_as_active_and_told(values: dict, code: str, subject: str) -> None:
    found = read(YTJ, [company(**values)])
    assert shared(found)["companies"][0]["status"] == "active"
    assert signals(found)[code, subject].examples == (ONE,)


def test_a_company_known_from_its_statements_alone_is_active_by_no_registers_word() -> None:
    assert profile()["status_source"] == "fi.ytj"
    assert profile()["registered_date"] == day("1999-05-01")
    assert piece(YTJ, b"").scope is Scope.PART


def test_a_search_page_packed_or_with_a_byte_order_mark_reads_alike() -> None:
    body = json.dumps({"totalResults": 1, "companies": [company()]}).encode()
    for packed in (gzip.compress(body), codecs.BOM_UTF8 + body, gzip.compress(codecs.BOM_UTF8 + body)):
        assert YTJ.recognise_file("page.json", packed) == RecognisedFile(None, Scope.PART)
        assert len(rows(read(YTJ, packed))) == 1
    assert isinstance(YTJ.recognise_file("page.json", gzip.compress(b'{"companies":[]}')), NotApplicable)
