"""Shareholders of one name over the years: the birth year tells them apart, and is nowhere stored."""

import io
from datetime import date
from typing import Any

from connectors.kit.redact.person_marks import PersonMarker
from connectors.no.aksjonaerregister.redact import redact
from tests.connectors.no.aksjonaerregister.test_dataset import both, line
from tests.connectors.no.market_files import read, rows, shareholders

MARKER, OTHER = PersonMarker(b"1" * 32), PersonMarker(b"2" * 32)
FATHER, SON = "1948", "1979"
Person = tuple[str, int]  # birth year, shares


def listed(year: int, *persons: Person, marker: PersonMarker | None = MARKER) -> list[dict[str, Any]]:
    lines = [line("Ola Nordmann", born, shares, place=f"01{born[2:]} OSLO") for born, shares in persons]
    body = redact(io.BytesIO(shareholders(line(), *lines)), marker).read()
    assert not any(born.encode() in body for born, _ in persons)
    assert redact(io.BytesIO(body), marker).read() == body
    return rows(read("no.aksjonaer", body, f"aksjeeiebok__{year}.csv"), "no_aksjonaer")


def lives(*lists: list[dict[str, Any]]) -> dict[tuple[float, ...], date | None]:
    """By a holder's shares over the years, when it left."""
    now, before = both([row for rows_of_year in lists for row in rows_of_year])
    mine = [row for row in (*before, *now) if row["holder_name"] == "Ola Nordmann"]
    held = {key: [row for row in mine if row["native_id"] == key] for key in {row["native_id"] for row in mine}}
    return {
        tuple(float(row["pct"]) for row in sorted(found, key=lambda row: row["valid_from"])): found[-1]["ended_on"]
        for found in held.values()
    }


def test_heir_of_the_same_name_is_another_holder() -> None:
    found = lives(listed(2023, (FATHER, 300)), listed(2024, (SON, 400)))
    assert found == {(30.0,): date(2024, 12, 31), (40.0,): None}


def test_persons_whose_order_turned_round_keep_their_holdings() -> None:
    found = lives(listed(2023, (FATHER, 300), (SON, 100)), listed(2024, (SON, 110), (FATHER, 290)))
    assert set(found) == {(30.0, 29.0), (10.0, 11.0)}


def test_person_who_comes_back_after_an_heir_is_the_first_holder_again() -> None:
    found = lives(listed(2022, (FATHER, 300)), listed(2023, (SON, 400)), listed(2024, (FATHER, 500)))
    assert set(found) == {(30.0, 50.0), (40.0,)}


def test_list_of_which_two_holders_would_become_one_stays_as_it_is() -> None:
    """Two of one birth year cannot be told apart, so that one of them may have the key of the third."""
    lines = [
        line("Ola Nordmann", born, held, place=f"{held} OSLO")
        for born, held in ((FATHER, 200), (FATHER, 100), (SON, 310))
    ]
    body = redact(io.BytesIO(shareholders(line(), *lines)), MARKER).read()
    second = rows(read("no.aksjonaer", body, "aksjeeiebok__2024.csv"), "no_aksjonaer")
    found = lives(listed(2023, (SON, 300), (FATHER, 250)), second)
    assert sorted(shares[-1] for shares in found) == [10.0, 20.0, 31.0]


def test_list_without_marks_and_marks_of_another_key_end_no_holding() -> None:
    unmarked = listed(2022, (FATHER, 300), marker=None)
    changed = listed(2024, (FATHER, 290), marker=OTHER)
    assert lives(unmarked, listed(2023, (FATHER, 310)), changed) == {(30.0, 31.0, 29.0): None}
    assert lives(listed(2023, (FATHER, 310), (SON, 100)), listed(2024, (FATHER, 290), (SON, 90), marker=OTHER)) == {
        (31.0, 29.0): None,
        (10.0, 9.0): None,
    }
