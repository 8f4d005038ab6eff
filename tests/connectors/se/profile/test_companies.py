"""Profiles of the two bulk files joined: names, places, status by the contract's rule."""

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from connectors.se import SWEDEN
from tests.connectors.se.bulk_files import (
    BULK,
    INSTANT,
    ONE,
    SCB,
    TODAY,
    TWO,
    batches,
    bulk,
    organisation,
    present,
    profiles,
    rows,
    scb,
    unit,
)
from tests.tables import check_cases

PROCEEDINGS = "pagandeAvvecklingsEllerOmstruktureringsforfarande"


def one(said: dict[str, str] | None = None, known: dict[str, str] | None = None) -> dict[str, Any]:
    return profiles([organisation(ONE, **(said or {}))], [unit(ONE, **(known or {}))])[ONE]


def test_the_two_files_are_joined_by_the_number() -> None:
    found = one({"organisationsnamn": "Åkeriet AB$FORETAGSNAMN-ORGNAM$2001-05-10"})
    assert {
        name: found[name] for name in ("company_id", "name", "industry_code", "industry_scheme", "industry_label")
    } == {
        "company_id": f"firm:SE:{ONE}",
        "name": "Åkeriet AB",
        "industry_code": "62100",
        "industry_scheme": "SNI2025",
        "industry_label": "Dataprogrammering",
    }
    assert (found["registered_date"], found["legal_form_code"], found["legal_form_label"]) == (
        date(2001, 5, 10),
        "AB",
        "Aktiebolag",
    )
    assert (found["employees"], found["previous_names"], found["is_listed"], found["is_listed_source"]) == (
        None,
        None,
        False,
        None,
    )


@pytest.mark.parametrize(
    ("code", "year", "scheme", "label"),
    [
        ("62010", 2025, "SNI2007", "Dataprogrammering"),
        ("62010", 2026, "SNI2007", "Dataprogrammering"),  # left from before: SNI 2025 has no such code
        ("62100", 2026, "SNI2025", "Dataprogrammering"),
        ("62100", 2025, "SNI2025", "Dataprogrammering"),
        ("96210", 2026, "SNI2025", "Frisörer och barberare"),
        # both lists have the code, with another meaning: the day of the snapshot decides
        ("61100", 2025, "SNI2007", "Trådbunden telekommunikation"),
        ("61100", 2026, "SNI2025", "Trådbunden och trådlös telekommunikation samt telekommunikation via satellit"),
        ("58210", 2025, "SNI2007", "Utgivning av dataspel"),
        ("58210", 2026, "SNI2025", "Utgivning av datorspel"),
    ],
)
def test_pitfall_8_the_list_that_has_a_code_tells_its_version_and_label(
    code: str, year: int, scheme: str, label: str
) -> None:
    day = datetime(year, 6, 1, tzinfo=UTC)
    found = profiles([organisation(ONE)], [unit(ONE, Ng1=code)], day)[ONE]
    assert (found["industry_code"], found["industry_scheme"], found["industry_label"]) == (code, scheme, label)


@pytest.mark.parametrize("year", [2025, 2026])
def test_a_code_of_no_list_has_neither_version_nor_label(year: int) -> None:
    day = datetime(year, 6, 1, tzinfo=UTC)
    found = profiles([organisation(ONE)], [unit(ONE, Ng1="45678")], day)[ONE]
    assert (found["industry_code"], found["industry_scheme"], found["industry_label"]) == ("45678", None, None)


def test_a_company_that_only_scb_has_takes_its_words() -> None:
    found = profiles([organisation(TWO)], [unit(ONE, JurForm="82", PostNr="41111")])[ONE]
    assert (found["name"], found["legal_form_code"], found["legal_form_label"]) == ("EXEMPEL AB", "82", "Kommuner")
    assert (found["registered_date"], found["municipality"]) == (date(2001, 5, 10), "Göteborg")


@check_cases(
    ("names", "chosen"),
    [
        ("A AB$FORETAGSNAMN-ORGNAM$2001-01-01|B AB$FORETAGSNAMN-ORGNAM$2010-01-01", "B AB"),
        ("Ltd$FORNAMN_FRSPRAK-ORGNAM$2020-01-01|A AB$FORETAGSNAMN-ORGNAM$2001-01-01", "A AB"),
        ("Ltd$FORNAMN_FRSPRAK-ORGNAM$2020-01-01|F$NAMN-ORGNAM$2001-01-01", "F"),
        ("X$SARS_FORNAMN-ORGNAM$2001-01-01$handel | med $ mer|Y$FORNAMN_FRSPRAK-ORGNAM$2020-01-01", "X"),
        ("Rör|El i Umeå AB$FORETAGSNAMN-ORGNAM$2001-01-01", "Rör|El i Umeå AB"),
        ("A | B | C AB$FORETAGSNAMN-ORGNAM$2001-01-01|Old$NAMN-ORGNAM$1999-01-01", "A | B | C AB"),
        ("Old$FORETAGSNAMN-ORGNAM$1999-01-01|A|B AB$FORETAGSNAMN-ORGNAM$2001-01-01", "A|B AB"),
        ("X$SARS_FORNAMN-ORGNAM$2001-01-01$a | b|C AB$FORETAGSNAMN-ORGNAM$2001-01-01", "C AB"),
        ("A $ B AB$FORETAGSNAMN-ORGNAM$null", "A $ B AB"),
        ("A\nB AB$FORETAGSNAMN-ORGNAM$2001-01-01", "A B AB"),
    ],
)
def test_the_name_is_the_latest_registered_one(names: str, chosen: str) -> None:
    assert one({"organisationsnamn": names})["name"] == chosen


def test_several_rows_make_one_company() -> None:
    gone = organisation(
        ONE,
        organisationsnamn="Nyast AB$FORETAGSNAMN-ORGNAM$2024-01-01",
        avregistreringsdatum="2025-01-01",
        namnskyddslopnummer="1",
    )
    here = organisation(ONE, organisationsnamn="Äldre AB$FORETAGSNAMN-ORGNAM$2002-01-01", namnskyddslopnummer="2")
    newer = organisation(ONE, organisationsnamn="Nyare AB$FORETAGSNAMN-ORGNAM$2003-01-01", namnskyddslopnummer="3")
    found = profiles([gone, here, newer])
    assert list(found) == [ONE]
    assert (found[ONE]["name"], found[ONE]["dissolved_date"]) == ("Nyare AB", None)


@pytest.mark.parametrize("serials", [("1", "2"), ("2", "1")])
def test_of_several_rows_that_are_all_deregistered_the_last_end_counts(serials: tuple[str, str]) -> None:
    ends = zip(serials, ("2010-01-01", "2018-05-05"), ("VERKUPP-AVORG", "KKAV-AVORG"), strict=True)
    gone = [
        organisation(ONE, namnskyddslopnummer=serial, avregistreringsdatum=day, avregistreringsorsak=reason)
        for serial, day, reason in ends
    ]
    found = profiles(gone)[ONE]
    assert (found["dissolved_date"], found["registry_status"]) == (date(2018, 5, 5), "Konkurs")


def test_row_with_a_reason_but_no_day_of_deregistration_gives_way_to_one_that_goes_on() -> None:
    gone = organisation(ONE, namnskyddslopnummer="1", avregistreringsorsak="VERKUPP-AVORG")
    there = organisation(ONE, namnskyddslopnummer="2")
    assert profiles([gone, there], [unit(ONE)])[ONE]["status"] == "active"


@check_cases(
    ("said", "known", "status", "detail", "since", "source"),
    [
        ({}, {}, "active", None, None, "se.scb"),
        ({}, {"FtgStat": "0"}, "dormant", "no_trading", None, "se.scb"),
        ({}, {"FtgStat": "9"}, "dormant", "no_trading", None, "se.scb"),
        ({"avregistreringsdatum": "2026-11-20"}, {}, "dissolved", None, date(2026, 11, 20), "se.bolagsverket"),
        ({"avregistreringsdatum": "2026-11-21"}, {}, "active", None, None, "se.scb"),
        ({"avregistreringsorsak": "KKAV-AVORG"}, {}, "dissolved", None, None, "se.bolagsverket"),
        ({"avregistreringsorsak": "NYTT-AVORG"}, {}, "active", None, None, "se.scb"),
        (
            {"avregistreringsorsak": "LIAV-AVORG", "avregistreringsdatum": "2026-11-21"},
            {},
            "active",
            None,
            None,
            "se.scb",
        ),
        ({PROCEEDINGS: "KK-AVOMFO$2024-01-26"}, {}, "dormant", "bankruptcy", date(2024, 1, 26), "se.bolagsverket"),
        ({PROCEEDINGS: "|LI-AVOMFO$null"}, {}, "dormant", "liquidation", None, "se.bolagsverket"),
        (
            {PROCEEDINGS: "|FR-AVOMFO$2024-01-26|KK-AVOMFO$2024-02-26"},
            {},
            "dormant",
            "bankruptcy",
            date(2024, 2, 26),
            "se.bolagsverket",
        ),
        (
            {PROCEEDINGS: "FR-AVOMFO$2024-01-26"},
            {"FtgStat": "9"},
            "active",
            "reorganisation",
            date(2024, 1, 26),
            "se.bolagsverket",
        ),
        ({PROCEEDINGS: "FUOL-AVOMFO$2024-01-26"}, {}, "active", None, date(2024, 1, 26), "se.bolagsverket"),
        (
            {PROCEEDINGS: "KK-AVOMFO$2024-01-26", "avregistreringsdatum": "2025-01-01"},
            {},
            "dissolved",
            None,
            date(2025, 1, 1),
            "se.bolagsverket",
        ),
    ],
)
def test_status_by_the_contracts_rule(
    said: dict[str, str], known: dict[str, str], status: str, detail: str | None, since: date | None, source: str
) -> None:
    found = one(said, known)
    assert (found["status"], found["status_detail"], found["status_date"], found["status_source"]) == (
        status,
        detail,
        since,
        source,
    )
    assert found["dissolved_date"] == (since if status == "dissolved" else None)


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ({"avregistreringsdatum": "2020-01-01", "avregistreringsorsak": "FUAV-AVORG"}, "Fusion"),
        ({"avregistreringsdatum": "2020-01-01", "avregistreringsorsak": "NYTT-AVORG"}, "NYTT"),
        ({PROCEEDINGS: "KK-AVOMFO$2024-01-26"}, "Konkurs"),
        ({}, "FtgStat 1"),
    ],
)
def test_the_registers_own_word_stays_beside(said: dict[str, str], word: str) -> None:
    assert one(said)["registry_status"] == word


@check_cases(
    ("known", "word"), [({"FtgStat": ""}, None), ({"FtgStat": "7"}, "FtgStat 7"), ({"FtgStat": "JA"}, "FtgStat JA")]
)
def test_row_of_scb_with_a_blank_or_unknown_code_states_nothing(known: dict[str, str], word: str | None) -> None:
    found = one({}, known)
    assert (found["status"], found["status_source"], found["registry_status"]) == ("active", None, word)


@pytest.mark.parametrize(("days", "status"), [(59, "active"), (60, "dormant")])
def test_without_a_row_of_scb_a_young_company_is_active(days: int, status: str) -> None:
    said = organisation(ONE, registreringsdatum=(TODAY - timedelta(days=days)).isoformat())
    assert profiles([said])[ONE]["status"] == status


def test_leaving_scbs_file_changes_nothing() -> None:
    bulk_rows = present(rows(batches(BULK, bulk(organisation(ONE)))))
    left = present(rows(batches(SCB, scb(unit(ONE, FtgStat="1")))), retired=INSTANT)
    found = SWEDEN.to_shared_tables({"se_bolagsverket": bulk_rows, "se_scb": left}, TODAY)["companies"].to_dicts()[0]
    assert (found["status"], found["industry_code"]) == ("active", "62100")


@check_cases(
    ("code", "place", "county"),
    [
        ("11122", ("0180", "Stockholm"), "Stockholm"),
        ("111 22", ("0180", "Stockholm"), "Stockholm"),
        ("74421", ("0331", "Heby"), "Uppsala"),  # under its county of before 2007 in the list of post codes
        ("19531", ("0191", "Sigtuna"), "Stockholm"),  # the list has the place alone
        ("74481", (None, None), "Uppsala"),  # the list has the county alone
        ("00000", (None, None), None),
        ("", (None, None), None),
        ("DK-1000", (None, None), None),
    ],
)
def test_the_place_is_told_by_the_post_code(code: str, place: tuple[str | None, ...], county: str | None) -> None:
    found = one({"postadress": f"Gata 1$$ORT${code}$SE-LAND"})
    assert ((found["municipality_code"], found["municipality"]), found["county"]) == (place, county)


def test_where_the_place_comes_from_is_told() -> None:
    sources = json.loads(one({"postadress": "Gata 1$$MÄRSTA$19531$SE-LAND"})["sources"])
    assert [(entry["register"], entry["native_id"]) for entry in sources] == [
        ("se.bolagsverket", ONE),
        ("se.scb", ONE),
        ("se.postnummer", "19531:place"),
    ]
    assert sources[2]["fields"] == ["municipality", "county"]
    assert all(entry["licence"] and entry["retrieved_at"] == "2026-11-16T06:00:00Z" for entry in sources)


def test_a_foreign_address_has_no_municipality() -> None:
    found = one({"postadress": "Rue 1$$PARIS$11122$FR-LAND"})
    assert (found["municipality"], found["county"], found["address_country"]) == (None, None, "FR")


def test_an_address_is_one_registers_whole() -> None:
    theirs = one({"postadress": "null"}, {"Gatuadress": "STORGATAN 2", "COAdress": "C/O X"})
    assert (theirs["address_lines"], theirs["postal_code"], theirs["post_town"]) == (
        ["C/O X", "STORGATAN 2"],
        "11122",
        "STOCKHOLM",
    )
    ours = one({"postadress": "Gata $ 1$c/o Y$UPPSALA$75023$SE-LAND"}, {"Gatuadress": "STORGATAN 2"})
    assert (ours["address_lines"][0], ours["post_town"], ours["municipality"]) == ("c/o Y", "UPPSALA", "Uppsala")


def test_what_bolagsverket_leaves_open_scb_says() -> None:
    known = {"Namn": "EXEMPEL I KISA", "JurForm": "82", "RegDatKtid": "19990102"}
    nothing = {"organisationsnamn": "firma$okänd", "organisationsform": "", "registreringsdatum": ""}
    names = ("name", "legal_form_code", "registered_date")
    theirs, ours = one(nothing, known), one(None, known)
    assert [theirs[name] for name in names] == ["EXEMPEL I KISA", "82", date(1999, 1, 2)]
    assert [ours[name] for name in names] == ["Exempel AB", "AB", date(2001, 5, 10)]


@pytest.mark.parametrize(
    ("address", "lines"),
    [
        ("Gata 1$$KISA$59037$SE-LAND", ["Gata 1"]),
        ("$c/o Y$KISA$59037$SE-LAND", ["c/o Y"]),
        ("Gata 1$c/o Y$KISA$59037$SE-LAND", ["c/o Y", "Gata 1"]),
        ("$$KISA$59037$SE-LAND", None),
    ],
)
def test_lines_of_an_address_are_those_it_has(address: str, lines: list[str] | None) -> None:
    found = profiles([organisation(ONE, postadress=address), organisation(TWO)], [])
    assert (found[ONE]["address_lines"], found[TWO]["address_lines"]) == (lines, ["Storgatan 1"])


def test_company_while_scb_was_never_loaded_has_no_status_source() -> None:
    old = organisation(registreringsdatum="2001-05-10")
    tables = {"se_bolagsverket": present(rows(batches(BULK, bulk(old))))}
    [unread] = SWEDEN.to_shared_tables(tables, TODAY)["companies"].to_dicts()
    assert (unread["status"], unread["status_source"]) == ("active", None)
    assert profiles([old])[ONE]["status"] == "dormant", "SCB's register was loaded and lacks the company"


_BANKRUPT = ("dormant", "bankruptcy", date(2024, 6, 5), "Konkurs")
_NOT_TRADING = ("dormant", "no_trading", None, "FtgStat 9")
_TRADING = ("active", None, None, "FtgStat 1")


@check_cases(
    ("proceedings", "trades", "state"),
    [
        ("|KK-AVOMFO$2024-06-05|KKUHAVD-AVSLAVOMFO$2025-03-11", "1", _TRADING),
        ("KKAVOV-AVSLAVOMFO$2025-03-11|KK-AVOMFO$2024-06-05", "9", _NOT_TRADING),
        ("LI-AVOMFO$2024-06-05|LIUHOR-AVSLAVOMFO$2024-06-05", "1", _TRADING),
        ("FR-AVOMFO$2024-06-05|FRUHOR-AVSLAVOMFO$2024-09-05", "9", _NOT_TRADING),
        ("AC-AVOMFO$2024-06-05|ACUHAVD-AVSLAVOMFO$2024-09-05", "9", _NOT_TRADING),
        ("|LIUHAVD-AVSLAVOMFO$2020-01-01", "9", _NOT_TRADING),  # its beginning is not listed
        # another one began after the end
        ("KK-AVOMFO$2010-01-01|KKAVOV-AVSLAVOMFO$2011-01-01|KK-AVOMFO$2024-06-05", "1", _BANKRUPT),
        ("KK-AVOMFO$2024-06-05|KK-AVOMFO$2010-01-01|KKUHAVD-AVSLAVOMFO$2024-06-04", "1", _BANKRUPT),
        ("KK-AVOMFO$2024-06-05|FRUHOR-AVSLAVOMFO$2024-06-05", "1", _BANKRUPT),  # of another kind
        ("FR-AVOMFO$2024-01-05|FRUHOR-AVSLAVOMFO$2024-06-05|KK-AVOMFO$2024-06-05", "1", _BANKRUPT),
        ("KK-AVOMFO$2024-06-05|KKUHAVD-AVSLAVOMFO$2026-11-21", "1", _BANKRUPT),  # to come
        ("KK-AVOMFO$2024-06-05|KKUHAVD-AVSLAVOMFO$null", "1", _TRADING),
        ("KK-AVOMFO$null|KKUHAVD-AVSLAVOMFO$2025-03-11", "1", _TRADING),
        ("ABC-AVOMFO$2024-01-01", "9", _NOT_TRADING),  # a code that no list has says nothing
        ("ABC-AVOMFO$2024-01-01|KK-AVOMFO$2024-06-05", "9", _BANKRUPT),
    ],
)
def test_proceeding_that_has_ended_is_no_status(
    proceedings: str, trades: str, state: tuple[str, str | None, date | None, str]
) -> None:
    """The list has ended proceedings, too: such companies were bankrupt for good, or active by an end alone."""
    found = one({PROCEEDINGS: proceedings}, {"FtgStat": trades})
    names = ("status", "status_detail", "status_date", "registry_status")
    assert tuple(found[name] for name in names) == state


def test_a_proceeding_under_way_has_no_day_to_come() -> None:
    found = one({PROCEEDINGS: "KK-AVOMFO$2099-02-01"})
    assert (found["status"], found["status_detail"], found["status_date"]) == ("dormant", "bankruptcy", None)
