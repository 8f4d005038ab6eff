"""The shareholder file: what leaves at the door, what is added up, and percentages (docs/formats/no.md 7)."""

import io
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import NotApplicable, RecognisedFile, UnreadableFileError
from connectors.no import NORWAY
from connectors.no.aksjonaerregister.schema import SHAREHOLDERS
from connectors.no.enheter.schema import ENTITIES
from tests.connectors.no.entity_rows import ENTITY, MONDAY, TODAY, present
from tests.connectors.no.market_files import read, rejects, rows, shareholders, signals, through_the_door
from tests.tables import check_cases

COMPANY, OWNER = "984851006", "923609016"
FILE = "aksjeeiebok__2025_07052026.csv"
DATASET = NORWAY.dataset("no.aksjonaer")


def line(name: str = "Eier AS", holder: str = OWNER, shares: object = 100, **values: Any) -> str:
    cells = {
        "company": COMPANY,
        "name": "EKSEMPEL ASA",
        "share_class": "Ordinære aksjer",
        "holder_name": name,
        "holder": holder,
        "place": "4020 STAVANGER",
        "country": "NO",
        "shares": shares,
        "total": 1000,
    }
    return ";".join(map(str, (cells | values).values()))


def taken(*lines: str, name: str = FILE) -> list[dict[str, Any]]:
    return rows(read("no.aksjonaer", shareholders(*lines), name), "no_aksjonaer")


def holdings(found: list[dict[str, Any]], **entity: Any) -> dict[str, dict[str, Any]]:
    return {row["holder_name"]: row for row in both(found, **entity)[0]}


def both(found: list[dict[str, Any]], **entity: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What the register says now and what it said before, by holder and day."""
    frame = pl.DataFrame(found, schema=pl.Schema(SHAREHOLDERS_SCHEMA))
    instant = pl.Datetime("us", "UTC")
    table = frame.with_columns(
        NORWAY.company_ids_of_rows(SHAREHOLDERS.name, frame),
        pl.lit(MONDAY, instant).alias("_observed_at"),
        pl.lit("0" * 64).alias("_raw"),
        pl.lit(None, instant).alias("_retired_at"),
    ).lazy()
    row = ENTITY | {"organisasjonsnummer": COMPANY} | {name.replace("__", "."): v for name, v in entity.items()}
    shared = NORWAY.to_shared_tables({SHAREHOLDERS.name: table, ENTITIES.name: present(ENTITIES, row)}, TODAY)
    names = ("holdings", "holdings_earlier")
    now, before = (shared[name].sort("holder_name", "valid_from").to_dicts() for name in names)
    return now, before


SHAREHOLDERS_SCHEMA = read("no.aksjonaer", shareholders(line()), FILE)[-1].rows.schema


def test_birth_years_and_places_of_persons_leave_at_the_door() -> None:
    body = shareholders(
        line("Kari Nordmann", "1961"),
        line("Ola Nordmann 01017012345", "01017012345", place="0150 OSLO"),
        line("Foreign Holder Ltd", "", place="12 High Street; London", country="GB"),
        line(),
    )
    kept = through_the_door(body).decode()
    for secret in ("1961", "01017012345", "0150 OSLO", "High Street", "London"):
        assert secret not in kept
    assert kept.count("4020 STAVANGER") == 1  # of the company
    assert {len(text.split(";")) for text in kept.splitlines()} == {9}
    assert not kept.startswith("\ufeff")


def test_a_file_that_has_passed_the_door_passes_it_again_unchanged() -> None:
    once = through_the_door(shareholders(line("Kari", "1961"), line("Kari", "1988"), line("Kari", "x")))
    assert through_the_door(once) == once


def test_holders_of_one_name_are_told_apart_without_what_tells_them_apart() -> None:
    found = taken(
        line("Kari Nordmann", "1961", 10), line("KARI NORDMANN", "1988", 20), line("Kari Nordmann", "1961", 5)
    )
    assert sorted(row["antall_aksjer"] for row in found) == [15, 20]
    assert len({row["innehaver"] for row in found}) == 2
    assert {row["art"] for row in found} == {"person"}
    assert not any("19" in row["innehaver"][:8] for row in found)


def test_the_same_person_in_two_companies_is_two_holders() -> None:
    one, other = taken(line("Kari Nordmann", "1961"), line("Kari Nordmann", "1961", company=OWNER))
    assert one["innehaver"] != other["innehaver"]


def test_older_editions_without_a_country_and_not_in_utf_8() -> None:
    header = "Orgnr;Selskap;Aksjeklasse;Navn aksjonær;Fødselsår/orgnr;Postnr/sted;Antall aksjer;Antall aksjer selskap"
    text = f"{header}\n{COMPANY};EKSEMPEL ASA;A-aksjer;Øst AS;{OWNER};4020; STAVANGER;100;1000\n"
    (row,) = rows(read("no.aksjonaer", text.encode("cp1252"), "aksjeeiebok__2017.csv"), "no_aksjonaer")
    assert (row["navn"], row["landkode"], row["antall_aksjer"], row["inntektsaar"]) == ("Øst AS", None, 100, 2017)


@check_cases(("given", "country"), [("NO", "NO"), ("NOR", "NO"), ("gbr", "GB"), ("XX", None), ("", None)])
def test_countries_of_two_and_three_letters(given: str, country: str | None) -> None:
    batches = read("no.aksjonaer", shareholders(line("Holder", "", country=given)), FILE)
    assert rows(batches, "no_aksjonaer")[0]["landkode"] == country
    assert (("unreadable_value", "Landkode") in signals(batches)) is (given == "XX")


def test_accounts_and_classes_are_added_up() -> None:
    found = taken(line(shares=100), line(shares=50), line(shares=25, share_class="NO0010161896"))
    assert sorted((row["aksjeklasse"], row["antall_aksjer"]) for row in found) == [
        ("NO0010161896", 25),
        ("Ordinære aksjer", 150),
    ]
    assert holdings(found)["Eier AS"]["pct"] == Decimal("17.5")


def test_lines_that_do_not_come_apart_are_rejects_and_keep_nothing_private() -> None:
    short = f"{COMPANY};EKSEMPEL ASA;Ordinære;Kari Nordmann;1961"
    batches = read("no.aksjonaer", shareholders(line(), short, line(shares="mange"), line(company="12")), FILE)
    assert len(rejects(batches)) == 3
    assert not any("1961" in text for batch in batches for text in batch.rejects["excerpt"])


@pytest.mark.parametrize(
    "shifted",
    [
        f"{COMPANY};EQ; INC;Ord;OLA NORDMANN;1950;0150 OSLO;NO;10;100",
        f"{COMPANY};EKSEMPEL ASA;Ord;FIRMA;AS;{OWNER};4020 STAVANGER;NO;10;100",
    ],
)
def test_a_separator_outside_the_place_makes_no_false_holder(shifted: str) -> None:
    kept = through_the_door(shareholders(shifted)).decode()
    assert not [word for word in ("NORDMANN", "1950", "OSLO", OWNER) if word in kept]
    batches = read("no.aksjonaer", shareholders(shifted, line()), FILE)
    assert len(rejects(batches)) == 1
    assert [row["innehaver"] for row in rows(batches, "no_aksjonaer")] == [OWNER]


def test_a_separator_within_the_place_is_the_places() -> None:
    assert len(taken(*(line("X", holder, place="S-51, Tranemo; Sverige") for holder in (OWNER, "1950", "")))) == 3


@check_cases(
    ("name", "kept"),
    [
        ("LARS F. 1964", "LARS F."),
        ("LARS (1964) HOLM", "LARS HOLM"),
        ("LARS 03.02.1964", "LARS"),
        ("LARS 19645", "LARS 19645"),
        ("LARS 1988", "LARS 1988"),
    ],
)
def test_the_birth_year_leaves_the_name_too(name: str, kept: str) -> None:
    (found,) = taken(line(name, "1964"))
    assert (found["navn"], found["art"]) == (kept, "person")


def test_a_year_in_the_name_of_a_company_stays() -> None:
    assert taken(line("INVEST 1964 AS"))[0]["navn"] == "INVEST 1964 AS"


def test_percentages_are_of_the_total_exactly() -> None:
    found = holdings(taken(line(shares=50), line("Annen AS", "915330193", shares=499999, total=1000)))
    assert found["Eier AS"]["basis"] == "derived"  # more shares than the total: of their sum
    exact = holdings(taken(line(shares=50), line("Annen AS", "915330193", shares=333)))
    assert (exact["Eier AS"]["pct"], exact["Eier AS"]["basis"]) == (Decimal("5.0"), "exact")
    assert exact["Annen AS"]["pct"] == Decimal("33.3")


def test_a_hair_below_a_threshold_stays_below() -> None:
    found = holdings(taken(line(shares=49_999_999, total=100_000_000)))
    assert found["Eier AS"]["pct"] == Decimal("49.9999")


def test_no_total_falls_back_on_the_share_capital_then_on_the_sum() -> None:
    lines = taken(line(shares=50, total=0), line("Annen AS", "915330193", shares=150, total=""))
    known = holdings(lines, kapital__antallAksjer=1000)
    assert (known["Eier AS"]["pct"], known["Eier AS"]["basis"]) == (Decimal("5.0"), "derived")
    assert holdings(lines)["Eier AS"]["pct"] == Decimal("25.0")


def test_sums_and_totals_that_cannot_be_are_told() -> None:
    batches = read("no.aksjonaer", shareholders(line(shares=900), line("B", "1961", 200, total=1001)), FILE)
    told = {code for code, _ in signals(batches)}
    assert told == {"shares_above_total", "several_totals"}


def test_who_holds_what_kind() -> None:
    found = holdings(
        taken(
            line("EKSEMPEL ASA", COMPANY, 10),
            line("Kari Nordmann", "1961", 10),
            line("STATE STREET BANK AND TRUST COMP", "", 10, country="US"),
            line("Somebody Ltd", "", 10, country="GB"),
        )
    )
    assert {
        name: (row["holder_type"], row["holder_company_id"], row["holder_country"]) for name, row in found.items()
    } == {
        "EKSEMPEL ASA": ("company", f"firm:NO:{COMPANY}", "NO"),  # own shares
        "Kari Nordmann": ("person", None, "NO"),
        "STATE STREET BANK AND TRUST COMP": ("nominee", None, "US"),
        "Somebody Ltd": ("unknown", None, "GB"),
    }


def test_the_newest_year_says_who_holds_and_who_has_gone() -> None:
    before = taken(line(shares=100), line("Gone AS", "915330193", 300), name="aksjeeiebok__2024.csv")
    found = holdings([*taken(line(shares=250)), *before])
    assert (found["Eier AS"]["pct"], found["Eier AS"]["valid_from"], found["Eier AS"]["ended_on"]) == (
        Decimal("25.0"),
        date(2025, 12, 31),
        None,
    )
    assert found["Gone AS"]["ended_on"] == date(2025, 12, 31)


@check_cases("unread", [line("Gone AS", "915330193", shares="3OO"), line("Gone; AS", "Gone AS", 300)])
def test_a_list_with_a_line_that_cannot_be_read_says_of_nobody_that_he_has_gone(unread: str) -> None:
    """The line may be his. The next list that is read whole decides."""
    first = taken(line(shares=100), line("Gone AS", "915330193", 300), name="aksjeeiebok__2023.csv")
    torn = taken(line(shares=250), unread, name="aksjeeiebok__2024.csv")
    found = holdings([*torn, *first])
    assert (found["Gone AS"]["valid_from"], found["Gone AS"]["ended_on"]) == (date(2023, 12, 31), None)
    assert found["Eier AS"]["valid_from"] == date(2024, 12, 31)
    whole = holdings([*taken(line(shares=250)), *torn, *first])
    assert whole["Gone AS"]["ended_on"] == date(2025, 12, 31)
    assert whole["Eier AS"]["ended_on"] is None


def test_a_file_without_its_year_in_the_name_says_what_to_do() -> None:
    with pytest.raises(UnreadableFileError, match=r"aksjeeiebok__<year>\.csv"):
        read("no.aksjonaer", shareholders(line()), "aksjeeiebok.csv")


@check_cases(
    ("name", "year"),
    [
        ("aksjeeiebok__2024_07052025.csv", 2024),
        ("aksjeeiebok__2024_2025-05-07.csv", 2024),
        ("2025-05-07_aksjeeiebok_2024.csv", 2024),
        ("2025-05-07_eiere_2024.csv", None),
        ("aksjeeiebok__2026.csv", None),  # observed in November 2026
        ("aksjeeiebok__2062.csv", None),
    ],
)
def test_the_income_year_is_the_one_year_of_the_name_that_is_over(name: str, year: int | None) -> None:
    if year is None:
        with pytest.raises(UnreadableFileError, match="year"):
            taken(line(), name=name)
    else:
        assert [row["inntektsaar"] for row in taken(line(), name=name)] == [year]


@check_cases(("shares", "due"), [("1 000", 1000), ("1" * 18, int("1" * 18)), ("1" * 19, None), ("9" * 20, None)])
def test_a_number_of_shares_past_64_bits_is_a_reject_and_never_nought(shares: str, due: int | None) -> None:
    assert [row["antall_aksjer"] for row in taken(line(shares=shares))] == ([] if due is None else [due])


def test_noughts_are_no_number_and_make_no_one_holder_of_several() -> None:
    body = shareholders(line("Fond SA", "0" * 9, 100), line("Trust Ltd", "0" * 9, 200))
    batches = read("no.aksjonaer", body, FILE)
    assert [(row["navn"], row["art"]) for row in rows(batches, "no_aksjonaer")] == [
        ("Fond SA", "unknown"),
        ("Trust Ltd", "unknown"),
    ]
    assert signals(batches) == {("unreadable_value", "Fødselsår/orgnr"): 2}


def test_a_holders_number_with_a_wrong_check_digit_is_told() -> None:
    told = signals(read("no.aksjonaer", shareholders(line(holder="923609017")), FILE))
    assert told == {("wrong_check_digit", "Fødselsår/orgnr"): 1}


def test_what_is_no_shareholder_file() -> None:
    assert isinstance(DATASET.recognise_file(FILE, shareholders(line())), RecognisedFile)
    assert isinstance(DATASET.recognise_file("aksjeeiebok__2021.xlsx", b"PK\x03\x04"), NotApplicable)
    assert isinstance(DATASET.recognise_file(FILE, b"a;b;c\n1;2;3\n"), NotApplicable)
    with pytest.raises(UnreadableFileError, match="expected the header of a shareholder file"):
        read("no.aksjonaer", b"a;b;c\n1;2;3\n", FILE)
    with pytest.raises(UnreadableFileError, match="not zip"):
        read("no.aksjonaer", through_the_door(b"PK\x03\x04"), FILE)


def test_a_large_file_streams_through_the_door() -> None:
    body = shareholders(*(line(f"Eier {place} AS", "1961", 1) for place in range(20_000)))
    kept = DATASET.redact(io.BytesIO(body)) if DATASET.redact else io.BytesIO()
    size = 0
    while chunk := kept.read(4096):
        size += len(chunk)
        assert len(chunk) <= 4096
    assert size == len(through_the_door(body))


def test_every_list_is_a_statement_until_the_next_and_who_is_not_in_that_has_gone_by_then() -> None:
    lists = {
        2022: (line("Eier AS", OWNER, 300), line("Kort AS", "915330193", 100)),
        2023: (line("Eier AS", OWNER, 200),),
        2025: (line("Eier AS", OWNER, 500),),
    }
    found = [row for year, lines in lists.items() for row in taken(*lines, name=f"aksjeeiebok__{year}.csv")]
    now, before = both(found)
    assert [(row["holder_name"], row["pct"], row["ended_on"]) for row in now] == [
        ("Eier AS", Decimal(50), None),
        ("Kort AS", Decimal(10), date(2023, 12, 31)),  # and not with the list of 2025
    ]
    assert [(row["holder_name"], row["pct"], row["valid_from"], row["ended_on"]) for row in before] == [
        ("Eier AS", Decimal(30), date(2022, 12, 31), None),
        ("Eier AS", Decimal(20), date(2023, 12, 31), None),
    ]
