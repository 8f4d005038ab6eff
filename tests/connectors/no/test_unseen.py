"""Norwegian files beyond the samples: lists where accounts were due, foreign mass files, names over lines."""

import json

import pytest

from connectors.contract.dataset import NotApplicable, RecognisedFile, UnreadableFileError
from connectors.no import NORWAY
from tests.connectors.no.account_files import API, MASS, RES, api, batches, changed, mass, part
from tests.connectors.no.entity_rows import company

ENTITIES = NORWAY.dataset("no.enheter")


@pytest.mark.parametrize("body", [b'["2011", "2012"]', b' [\n "20190327213825-masse-2.xml" ]'])
def test_a_list_of_years_or_file_names_is_not_ours(body: bytes) -> None:
    found = API.recognise_file("regnskap/aar.json", body)
    assert found == NotApplicable("list of names or years: no accounts")


def test_an_empty_list_of_accounts_stays_ours() -> None:
    assert isinstance(API.recognise_file("regnskap/x.json", b"[]"), RecognisedFile)


@pytest.mark.parametrize(("status", "is_layout"), [(500, True), (404, False), (429, False)])
def test_only_the_refusal_of_a_layout_is_called_so(status: int, is_layout: bool) -> None:
    body = json.dumps({"timestamp": "x", "status": status, "error": "e", "path": "/p"}).encode()
    found = API.recognise_file("regnskap/x.json", body)
    assert isinstance(found, NotApplicable)
    assert f"status {status}" in found.reason
    assert ("layout" in found.reason) is is_layout


def test_a_mass_file_of_another_schema_is_refused_and_not_read_as_empty() -> None:
    body = b'<deler xmlns="http://example.org/x"><ant_poster>1</ant_poster><del/></deler>'
    with pytest.raises(UnreadableFileError, match="no <del> in it"):
        batches(MASS, body, "20260701010203-masse-1.xml")
    assert mass(posts=0).rows.is_empty()


def test_a_reject_for_its_period_says_what_stood_there() -> None:
    (_, reason, _) = mass(part("RES", RES, startdato="2025-01-01")).rejects.row(0)
    assert reason == "the period is not a valid range of days: startdato 2025-01-01, avslutningsdato 20251231"
    (_, reason, _) = api(changed("regnskapsperiode.tilDato", "2024-01-01")).rejects.row(0)
    assert reason == "the period is not a valid range of days: fraDato 2025-01-01, tilDato 2024-01-01"


def test_a_name_over_two_lines_is_one_name() -> None:
    assert company(navn="EKSEMPEL\r\nNORGE AS")["name"] == "EKSEMPEL NORGE AS"
    assert company(navn="EKSEMPEL\nNORGE AS")["name"] == "EKSEMPEL NORGE AS"


def test_a_count_of_employees_may_come_as_a_float() -> None:
    record = {
        "organisasjonsnummer": "923609016",
        "navn": "EKSEMPEL ASA",
        "organisasjonsform": {"kode": "ASA"},
        "antallAnsatte": 21000.0,
        "konkurs": False,
        "underAvvikling": False,
        "underTvangsavviklingEllerTvangsopplosning": False,
    }
    rows = [row for batch in batches(ENTITIES, json.dumps(record).encode()) for row in batch.rows.to_dicts()]
    assert [row["antallAnsatte"] for row in rows] == [21000]
