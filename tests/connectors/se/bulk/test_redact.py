"""Persons leave before the archive: sole traders, estates, whatever cannot be shown to be a company's."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.se.bulk import redact
from connectors.se.identity_numbers import mask_identity_numbers
from connectors.se.register import company_number
from tests.connectors.se.bulk_files import (
    BULK,
    ONE,
    PERSON,
    SCB,
    TWO,
    archived,
    batches,
    bulk,
    organisation,
    rows,
    scb,
    signals,
    sole_trader,
    unit,
    zipped,
)
from tests.tables import check_cases

SECRET = "Hemliga Firman"
PERSONS = (
    PERSON,
    "1212121212",  # ten digits, a month
    "200012611234",  # a coordination number: the day is 61
    "3021234567",  # a number given to persons without one
)


@pytest.mark.parametrize("number", PERSONS)
def test_pitfall_2_persons_leave_at_the_door(number: str) -> None:
    body = bulk(organisation(ONE), sole_trader(number), organisation(TWO))
    kept = archived(BULK, zipped("bolagsverket_bulkfil.txt", body))
    assert number.encode() not in kept
    assert SECRET.encode() not in kept
    found = batches(BULK, kept)
    assert rows(found)["organisationsnummer"].to_list() == [ONE, TWO]
    assert signals(found) == {("withheld_records", "records of persons, withheld before storage"): 1}


def test_pitfall_2_a_persons_lines_leave_with_the_record() -> None:
    trader = sole_trader(
        verksamhetsbeskrivning=f"rad\n{SECRET}\n{PERSON} igen", postadress=f"{SECRET}\n$$X$11122$SE-LAND"
    )
    kept = archived(BULK, bulk(organisation(ONE), trader, organisation(TWO)))
    assert SECRET.encode() not in kept
    assert PERSON.encode() not in kept


def test_pitfall_2_a_sole_trader_under_a_companys_number_leaves_too() -> None:
    assert SECRET.encode() not in archived(BULK, bulk(sole_trader(ONE, organisationsidentitet=f"{ONE}$ORGNR-IDORG")))


@pytest.mark.parametrize("cut", [b"1912121212", b"1950123112"])  # the second looks like a company's
def test_a_record_cut_off_in_its_number_does_not_pass(cut: bytes) -> None:
    assert cut not in archived(BULK, bulk(organisation(ONE)) + b'"' + cut)


def test_what_precedes_every_record_does_not_pass() -> None:
    body = bulk().rstrip() + b"\n191212121212,Hemliga Firman,annat format\n"
    assert SECRET.encode() not in archived(BULK, body)


@check_cases("body", [b"191212121212;Hemliga Firman\n", b'{"id":"191212121212"}', b"<html>191212121212"])
@check_cases("dataset", [BULK, SCB])
def test_a_body_nobody_can_look_through_is_not_kept(dataset: object, body: bytes) -> None:
    kept = archived(dataset, body)  # type: ignore[arg-type]
    assert PERSON.encode() not in kept
    assert redact.UNREADABLE in kept


@settings(max_examples=50)
@given(st.integers(min_value=1, max_value=400))
def test_the_door_is_the_same_whatever_the_blocks(size: int) -> None:
    made = [
        sole_trader(verksamhetsbeskrivning="a\nb") if n % 3 else organisation(str(5560000000 + n)) for n in range(12)
    ]
    body = bulk(*made)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redact, "BLOCK_BYTES", size)
        assert archived(BULK, body) == bulk(*made[::3]) + b"#withheld\t8\n"


@settings(max_examples=50)
@given(st.binary(max_size=300))
def test_the_door_never_fails(body: bytes) -> None:
    archived(BULK, body)
    archived(SCB, body)
    archived(BULK, bulk() + body)
    archived(SCB, scb() + body)


@check_cases(
    "changed",
    [
        {"PeOrgNr": PERSON, "JurForm": "10"},
        {"PeOrgNr": "161212121212"},
        {"JurForm": "10"},
        {"JurForm": "91"},
        {"PeOrgNr": ""},
        {"PeOrgNr": f"19{ONE}"},
    ],
)
def test_pitfall_2_scb_rows_of_persons_leave(changed: dict[str, str]) -> None:
    body = scb(unit(ONE), unit(TWO, Namn=SECRET.upper(), **changed))
    kept = archived(SCB, zipped("scb_bulkfil_JE_20260601T065839_76.txt", body))
    assert SECRET.upper().encode() not in kept
    found = batches(SCB, kept)
    assert rows(found)["organisationsnummer"].to_list() == [ONE]
    assert signals(found) == {("withheld_records", "records of persons, withheld before storage"): 1}


def test_an_scb_row_torn_in_two_does_not_pass() -> None:
    body = scb(unit(ONE), unit(PERSON, Namn="HEMLIGA\nFIRMAN", PeOrgNr=PERSON))
    assert b"HEMLIGA" not in archived(SCB, body)
    assert b"FIRMAN" not in archived(SCB, body)


def test_the_door_lets_through_what_it_let_through_before() -> None:
    once = archived(SCB, scb(unit(ONE), unit(TWO, PeOrgNr=PERSON)))
    assert archived(SCB, once) == once


@check_cases(
    ("text", "number"),
    [("556000-0001", ONE), ("165560000001", ONE), (ONE, ONE), (PERSON, None), ("3021234567", None), ("55600000", None)],
)
def test_numbers_of_companies_in_any_spelling(text: str, number: str | None) -> None:
    assert company_number(text) == number


WRITTEN = (
    "19701212-1234",  # parted by a sign it is nothing else, whatever its check digit
    "701212-1237",
    "701212+1237",
    "701272-1234",  # a coordination number
    "701212 1237",
    "7012121237",
    "197012121237",
    "701212\u20131237",
    "701212 - 1237",
)


@check_cases("number", WRITTEN)
@check_cases("field", ["verksamhetsbeskrivning", "organisationsnamn", "postadress"])
def test_pitfall_2_a_persons_number_inside_a_companys_text_is_masked(number: str, field: str) -> None:
    body = bulk(organisation(ONE, **{field: f"Handel, ägare {number}\nÖvrigt"}), organisation(TWO))
    kept = archived(BULK, body)
    assert number.encode() not in kept
    assert len(kept) == len(body)
    assert "\nÖvrigt".encode() in kept
    assert rows(batches(BULK, archived(BULK, bulk(organisation(ONE)))))["organisationsnummer"].to_list() == [ONE]


@check_cases("number", [number for number in WRITTEN if number.isascii()])
@check_cases("field", ["Namn", "COAdress"])
def test_pitfall_2_a_persons_number_inside_an_scb_row_is_masked(number: str, field: str) -> None:
    kept = archived(SCB, scb(unit(ONE, **{field: f"C/O ÅKE {number}"})))
    assert number.encode() not in kept
    assert "C/O ÅKE *".encode("latin-1") in kept
    assert rows(batches(SCB, kept))["organisationsnummer"].to_list() == [ONE]


@check_cases("number", [number for number in WRITTEN if number.isascii()])
def test_pitfall_2_a_persons_number_in_the_name_of_a_column_is_masked(number: str) -> None:
    for dataset, body, column in (
        (BULK, bulk(organisation(ONE)), b"organisationsnamn"),
        (SCB, scb(unit(ONE)), b"COAdress"),
    ):
        header, _, rest = body.partition(b"\n")
        assert column in header
        kept = archived(dataset, header.replace(column, column + number.encode()) + b"\n" + rest)
        assert number.encode() not in kept
        assert kept.endswith(rest)


@check_cases(
    "text",
    [
        "556000-0001",
        "165560000001",
        "7012121234",  # no check digit
        "701312-1237",  # no month
        "700230-1234",  # no day
        "17012121237",
        "70121212370",
        "2001-05-10 1200",
        "20010510",
        "08-701 21 21",
    ],
)
def test_other_numbers_in_a_text_stay(text: str) -> None:
    body = bulk(organisation(ONE, verksamhetsbeskrivning=f"Handel {text} mera"))
    assert archived(BULK, body) == body


@settings(max_examples=200)
@given(st.from_regex(r"[0-9]{2}[2-9][0-9]{3}-?[0-9]{4}", fullmatch=True), st.sampled_from(["", "16"]))
def test_no_number_of_a_company_is_ever_masked(number: str, before: str) -> None:
    assert mask_identity_numbers(f'"{before}{number}$ORGNR'.encode()) == f'"{before}{number}$ORGNR'.encode()


class _Once(io.RawIOBase):
    """A body that can be read once, as it comes from a socket."""

    def __init__(self, body: bytes) -> None:
        self._rest = io.BytesIO(body)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        return self._rest.readinto(buffer)


def test_the_door_leaves_the_body_open_behind_it() -> None:
    body = zipped("bolagsverket_bulkfil.txt", bulk(organisation(ONE)))
    came = io.BufferedReader(_Once(body))
    assert BULK.redact is not None
    kept = BULK.redact(came)  # type: ignore[arg-type]
    assert kept.read() == bulk(organisation(ONE))
    kept.close()
    assert came.read() == b""
