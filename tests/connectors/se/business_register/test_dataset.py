"""Pages of SCB's register: what leaves before the archive, what is staged, and what a profile takes from it."""

import io
import json
from datetime import timedelta
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import NotApplicable, RecognisedFile, UnreadableFileError
from connectors.kit import staging
from connectors.se import SWEDEN
from connectors.se.business_register.schema import LEGAL_UNITS
from tests.connectors.se.bulk_files import BULK, INSTANT, ONE, TODAY, TWO, bulk, organisation, present, profiles, unit
from tests.connectors.se.bulk_files import batches as batches_of
from tests.connectors.se.bulk_files import rows as bulk_rows_of
from tests.connectors.se.register_files import REGISTER, batches, legal_unit, page, rows

LATER, EARLIER = INSTANT + timedelta(days=1), INSTANT - timedelta(days=1)
PERSON = legal_unit(peOrgNr="198013012342", orgNr="8013012342", namn="Fiktivsson, Fiktiv", jurform="10")


def redacted(body: bytes) -> bytes:
    assert REGISTER.redact is not None
    return REGISTER.redact(io.BytesIO(body)).read()


def test_persons_and_contacts_leave_before_the_archive() -> None:
    estate = legal_unit(TWO, jurform="91", namn="Dödsboet efter Fiktivsson")
    masked = page(PERSON, estate, legal_unit(namn="Bolaget 801212-1234 AB"), following=5)
    kept = json.loads(redacted(masked))
    assert [one["peOrgNr"] for one in kept["jes"]] == [f"16{ONE}"]
    assert kept["pagination"] == {"nextCursorId": 5, "limit": 5000, "hasMore": True}
    text = redacted(masked).decode()
    assert not any(secret in text for secret in ("Fiktiv", "801301", "031-000000", "nobody@", "801212-1234"))


def test_redaction_is_stable() -> None:
    once = redacted(page(PERSON, legal_unit()))
    assert redacted(once) == once


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"jes":{}}', b'{"title":"Unauthorized","status":401}'])
def test_body_that_is_no_page_is_replaced_by_the_reason(body: bytes) -> None:
    kept = redacted(body)
    assert set(json.loads(kept)) == {"unreadable"}
    with pytest.raises(UnreadableFileError):
        batches(kept)


@pytest.mark.parametrize(
    ("head", "is_page"),
    [
        (page(legal_unit()), True),
        (b'{"unreadable":"no JSON"}', True),
        (page(legal_unit())[:-1].ljust(65_536, b" "), True),
        (b'{"title":"Too many requests","status":429}', False),
        (b'{"count":3,"path":"x"}', False),
        (b'[{"kod":"1","klartext":"0 anst"}]', False),
        (b"<html>", False),
    ],
)
def test_pages_are_recognised(head: bytes, is_page: bool) -> None:
    assert isinstance(REGISTER.recognise_file("x.json", head), RecognisedFile if is_page else NotApplicable)


def test_unit_is_staged_in_the_registers_codes() -> None:
    assert rows(page(legal_unit())).row(0, named=True) == {
        "organisationsnummer": ONE,
        "kommunSate": "1480",
        "lanSate": "14",
        "anstKl": "2",
        "momsStat": "1",
        "jurform": "49",
        "naringsgren": "62100",
        "sni_version": "SNI2025",
    }
    assert not batches(page(legal_unit()))[0].signals


@pytest.mark.parametrize(
    ("changed", "column", "value"),
    [
        ({"anstKl": 7}, "anstKl", "7"),
        ({"anstKl": "0"}, "anstKl", None),
        ({"anstKl": 0}, "anstKl", None),
        ({"anstKl": " "}, "anstKl", None),
        ({"momsStat": 1}, "momsStat", "1"),
        ({"momsStat": "0"}, "momsStat", "0"),
        ({"momsStat": None}, "momsStat", None),
        ({"lanSate": "00", "kommunSate": ""}, "lanSate", None),
        ({"lanSate": "99"}, "lanSate", None),
        ({"naringsgrenar": []}, "naringsgren", None),
        ({"naringsgrenar": [{"rangordning": 2, "naringsgren": "62100"}]}, "naringsgren", None),
        ({"naringsgrenar": [{"rangordning": 2, "naringsgren": "62100"}, {"rangordning": 1, "naringsgren": "01110"}]},
         "naringsgren", "01110"),
        ({"naringsgrenar": [{"rangordning": 1, "naringsgren": "00000"}]}, "naringsgren", None),
        ({"naringsgrenar": [{"rangordning": 1, "naringsgren": 1110}]}, "naringsgren", "01110"),
        ({"naringsgrenar": [{"rangordning": 1, "naringsgren": "1110"}]}, "naringsgren", None),
        ({"kommunSate": 180, "lanSate": 1}, "kommunSate", "0180"),
        ({"kommunSate": 180, "lanSate": 1}, "lanSate", "01"),
        ({"kommunSate": 0}, "kommunSate", None),
        ({"naringsgrenar": None, "primarNaringsgren": {"rangordning": 1, "naringsgren": "96210"}}, "naringsgren", "96210"),
    ],
)  # fmt: skip
def test_codes_are_text_and_unknown_is_null(changed: dict[str, Any], column: str, value: str | None) -> None:
    assert rows(page(legal_unit(**changed)))[column].to_list() == [value]


def test_unknown_codes_keys_and_repeated_numbers_are_told() -> None:
    odd = legal_unit(TWO, anstKl="17", kommunSate="1700", nyckel=1)
    (found,) = batches(page(legal_unit(), odd, legal_unit(), PERSON))
    assert found.rows["organisationsnummer"].to_list() == [ONE, TWO]
    assert {(one.code, one.subject) for one in found.signals} == {
        ("unknown_code", "anstKl 17"),
        ("unknown_code", "kommunSate 1700"),
        ("unknown_key", "nyckel"),
    }
    assert found.rejects.select("record", "reason").rows() == [
        (ONE, "number repeated in this page"),
        ("(withheld)", "not a company: a person's number, or none"),
    ]


def test_industry_that_is_no_code_of_five_digits_is_none_and_told() -> None:
    odd = legal_unit(naringsgrenar=[{"rangordning": "1", "naringsgren": "6210"}])
    (found,) = batches(page(odd, legal_unit(TWO, naringsgrenar=[{"rangordning": 1, "naringsgren": "00000"}])))
    assert found.rows["naringsgren"].to_list() == [None, None]
    assert [(one.code, one.subject, one.count) for one in found.signals] == [("unreadable_value", "naringsgren", 1)]


def profile(*units: dict[str, Any], at: Any = INSTANT, known: dict[str, str] | None = None) -> dict[str, Any]:
    """The profile of ONE from both bulk files and the register."""
    return profiles([organisation(ONE)], [unit(ONE, **(known or {}))], more=_present(units, at))[ONE]


def _present(units: tuple[dict[str, Any], ...], at: Any) -> dict[str, pl.LazyFrame]:
    frame = rows(page(*units), at) if units else staging.make_batch(LEGAL_UNITS, []).rows
    instant = pl.Datetime("us", "UTC")
    return {
        LEGAL_UNITS.name: frame.with_columns(
            SWEDEN.company_ids_of_rows(LEGAL_UNITS.name, frame),
            pl.lit(at, instant).alias("_observed_at"),
            pl.lit("0" * 64).alias("_raw"),
            pl.lit(None, instant).alias("_retired_at"),
        ).lazy()
    }


def place(found: dict[str, Any]) -> tuple[str | None, ...]:
    return tuple(found[name] for name in ("municipality", "municipality_code", "county", "county_code"))


def test_seat_of_the_register_comes_before_the_post_code() -> None:
    assert place(profile())[:2] == ("Stockholm", "0180")
    assert place(profile(legal_unit())) == ("Göteborg", "1480", "Västra Götaland", "14")
    entries = {one["register"]: one for one in json.loads(profile(legal_unit())["sources"])}
    assert "se.postnummer" not in entries
    assert entries["se.foretagsregister"]["fields"] == ["sni_code", "sni_label", "municipality", "county"]


@pytest.mark.parametrize(
    ("kommun", "lan", "expected"),
    [
        ("", "14", (None, None, "Västra Götaland", "14")),
        ("1480", "", ("Göteborg", "1480", "Västra Götaland", "14")),
        ("1480", "01", ("Stockholm", "0180", "Stockholm", "01")),  # they contradict each other: the post code's place
        ("", "", ("Stockholm", "0180", "Stockholm", "01")),
        ("9999", "99", ("Stockholm", "0180", "Stockholm", "01")),
    ],
)
def test_seat_in_part_contradictory_or_unknown(kommun: str, lan: str, expected: tuple[str | None, ...]) -> None:
    assert place(profile(legal_unit(kommunSate=kommun, lanSate=lan))) == expected


@pytest.mark.parametrize(("kind", "employees"), [("1", 0), ("2", None), ("16", None), ("0", None)])
def test_class_of_employees_is_a_count_only_where_it_is_none(kind: str, employees: int | None) -> None:
    assert profile(legal_unit(anstKl=kind))["employees"] == employees


def test_industry_is_that_of_the_register_that_stated_it_last() -> None:
    other = legal_unit(naringsgrenar=[{"rangordning": 1, "naringsgren": "96210"}])
    assert profile(other, at=EARLIER)["industry_code"] == "62100"
    found = profile(other, at=LATER)
    assert (found["industry_code"], found["industry_label"], found["industry_scheme"]) == (
        "96210",
        "Frisörer och barberare",
        "SNI2025",
    )
    assert profile(other, at=EARLIER, known={"Ng1": "00000"})["industry_code"] == "96210"
    assert profile(legal_unit(naringsgrenar=[]), at=LATER)["industry_code"] == "62100"


@pytest.mark.parametrize(("moms", "numbers"), [("1", [f"SE{ONE}01"]), ("0", []), ("3", []), ("9", []), ("", [])])
def test_vat_number_of_a_company_that_is_registered_itself(moms: str, numbers: list[str]) -> None:
    bulk_rows = present(bulk_rows_of(batches_of(BULK, bulk(organisation(ONE)))))
    tables = SWEDEN.to_shared_tables(
        {"se_bolagsverket": bulk_rows, **_present((legal_unit(momsStat=moms),), INSTANT)}, TODAY
    )
    vat = tables["identifiers"].filter(pl.col("scheme") == "vat")
    assert vat["value"].to_list() == numbers
    assert vat["company_id"].to_list() == [f"firm:SE:{ONE}"] * len(numbers)


def test_unit_of_the_register_alone_makes_no_company() -> None:
    tables = SWEDEN.to_shared_tables(_present((legal_unit(),), INSTANT), TODAY)
    assert tables["companies"].is_empty()
    assert tables["identifiers"].is_empty()


def test_register_pages_say_nothing_of_companies_that_they_lack() -> None:
    assert profile(legal_unit(TWO))["status"] == "active"
