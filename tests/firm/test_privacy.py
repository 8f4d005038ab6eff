"""A world full of sole traders and other persons: nothing that leaves at the door is anywhere afterwards.

Whatever is stored is unpacked before it is searched (`tests.searched`); what was said is searched too. Files are
written by hand in the registries' own formats, persons' private facts in every place where a registry puts them.
"""

import json
from pathlib import Path

import pytest

from api.common.redaction import redact
from tests.connectors.no import entity_files
from tests.connectors.se import answer_files, bulk_files
from tests.connectors.se.bulk_files import ONE, organisation, sole_trader, unit
from tests.firm.inside import Inside
from tests.searched import found, texts
from tests.tables import check_cases
from warehouse.serving import codec_write, document_sql
from warehouse.serving.codec_write import RowPacker

COMPLETE = ["se.bolagsverket", "se.scb", "no.enheter", "uk.psc"]
TRADERS = 60
SECRETS = ["Hemliga Gatan 77", "Skjulte Vei 88", "Hidden Lane 99", "date_of_birth", "fodselsdato", "1917-07-17"]
SHOWN = "Ola Synlig"
"""A holder: name and country stay, nothing else."""


def _luhn(nine: str) -> str:
    doubled = [int(sign) * (2 - place % 2) for place, sign in enumerate(nine)]
    return str(-sum(number // 10 + number % 10 for number in doubled) % 10)


def personal_numbers() -> list[str]:
    """Twelve digits each: whole days of birth, days of coordination numbers, births of two centuries."""
    numbers = []
    for index in range(TRADERS):
        day = f"{1 + index % 28 + (60 if index % 7 == 0 else 0):02}"
        born = f"{(2000 + index % 8) if index % 5 == 0 else (1940 + index % 60)}{1 + index % 12:02}{day}"
        nine = f"{born[2:]}{101 + 6 * index:03}"
        numbers.append(f"{born[:2]}{nine}{_luhn(nine)}")
    return numbers


NUMBERS = personal_numbers()


def spelled(number: str) -> list[str]:
    """As a source or a person may write it."""
    return [number, number[2:], f"{number[:8]}-{number[8:]}", f"{number[2:8]}-{number[8:]}"]


NEEDLES = [text for number in NUMBERS for text in (number[2:], spelled(number)[3])]  # the longer hold these


def _sweden(root: Path) -> None:
    people = [
        sole_trader(
            number if index % 2 else number[2:],
            organisationsnamn=f"Firma {number}$FORETAGSNAMN-ORGNAM$2001-05-10",
            verksamhetsbeskrivning=f"Innehavare {spelled(number)[2]}\n{spelled(number)[3]}",
            postadress="Hemliga Gatan 77$$STOCKHOLM$11122$SE-LAND",
        )
        for index, number in enumerate(NUMBERS)
    ]
    units = [
        unit(PeOrgNr=number, JurForm="10", Namn=f"FIRMA {number}", Gatuadress="Hemliga Gatan 77") for number in NUMBERS
    ]
    asked = [
        answer_files.organisation(organisationsidentitet={"identitetsbeteckning": number}) for number in NUMBERS[:20]
    ]
    bulk = bulk_files.bulk(*people[:30], organisation(ONE), *people[30:])
    _write(root / "bolagsverket_bulk/bulk.zip", bulk_files.zipped("bolagsverket_bulkfil.txt", bulk))
    scb = bulk_files.scb(unit(ONE), *units)
    _write(root / "scb_bulk/scb.zip", bulk_files.zipped("scb_bulkfil_JE_20261102T060000_1.txt", scb))
    _write(root / "organisationer/answer.json", answer_files.answer(answer_files.organisation(), *asked))


def _norway(root: Path) -> None:
    trader = {
        "organisasjonsform.kode": "ENK",
        "organisasjonsform.beskrivelse": "Enkeltpersonforetak",
        "navn": "OLA SYNLIG",
    }
    rows = [entity_files.ROW | trader | {"organisasjonsnummer": str(810000000 + index)} for index in range(TRADERS)]
    _write(root / "enheter_bulk_csv/enheter.csv", entity_files.sheet(entity_files.ROW, *rows))
    person = {
        "fodselsdato": "1917-07-17",
        "navn": {"fornavn": "Ola", "etternavn": "Synlig"},
        "adresse": "Skjulte Vei 88",
        "erDoed": False,
    }
    group = {
        "type": {"kode": "INNH", "beskrivelse": "Innehaver"},
        "roller": [{"type": {"kode": "INNH", "beskrivelse": "Innehaver"}, "person": person, "avregistrert": False}],
    }
    for index in range(3):
        number = 810000000 + index
        links = {"self": {"href": f"https://data.brreg.no/enhetsregisteret/api/enheter/{number}/roller"}}
        body = {"organisasjonsnummer": str(number), "rollegrupper": [group], "_links": links}
        _write(root / f"roller/roller-{number}.json", json.dumps(body).encode())


def _britain(root: Path) -> None:
    lines = [
        {
            "company_number": f"{1000000 + index:08}",
            "data": {
                "kind": "individual-person-with-significant-control",
                "etag": f"{index:040}",
                "links": {
                    "self": f"/company/{1000000 + index:08}/persons-with-significant-control/individual/id{index}"
                },
                "name": SHOWN,
                "date_of_birth": {"day": 17, "month": 7, "year": 1917},
                "address": {"address_line_1": "Hidden Lane 99", "country": "England"},
                "country_of_residence": "England",
                "nationality": "British",
                "natures_of_control": ["ownership-of-shares-75-to-100-percent"],
                "notified_on": "2020-01-02",
            },
        }
        for index in range(TRADERS)
    ]
    body = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    _write(root / "psc_snapshot/psc-snapshot-2026-11-02_1of1.txt", body)


def _write(path: Path, body: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Inside, str]:
    """A day of such a world, taken in and handed over; and all that was said on the way."""
    root = tmp_path_factory.mktemp("persons")
    firm = Inside(tmp_path_factory.mktemp("privacy") / "data")
    _sweden(root / "se")
    _norway(root / "no")
    _britain(root / "uk")
    (root / "day.json").write_text(json.dumps({"date": "2026-11-02", "complete": COMPLETE}))
    said = ""
    for arguments in (("ingest", "se", "no", "uk", "--from", root), ("export",)):
        done = firm.run(*arguments)
        assert done.exit_code == 0, done.out + done.err
        said += done.out + done.err
    return firm, said


@pytest.mark.slow
def test_the_persons_were_really_there(world: tuple[Inside, str]) -> None:
    """What may stay has come through: else the search would prove nothing."""
    firm, _ = world
    assert {path.partition("/")[0] for path, _ in found(firm.data, [SHOWN])} >= {
        "archive",
        "staged",
        "history",
        "releases",
        "exports",
    }
    assert any(path.startswith("releases") for path, _ in found(firm.data, ["OLA SYNLIG"]))


@pytest.mark.slow
def test_no_personal_number_and_no_private_fact_is_stored_anywhere(world: tuple[Inside, str]) -> None:
    firm, _ = world
    assert found(firm.data, [*NEEDLES, *SECRETS]) == set()


@pytest.mark.slow
def test_none_was_said(world: tuple[Inside, str]) -> None:
    _, said = world
    assert [word for word in [*NEEDLES, *SECRETS] if word.casefold() in said.casefold()] == []


def test_the_search_finds_what_is_packed(tmp_path: Path) -> None:
    """Of each kind of file one with a number in it: the search itself is not blind."""
    import sqlite3
    from contextlib import closing

    import duckdb
    import polars as pl
    import zstandard

    number = NUMBERS[0]
    zipped = bulk_files.zipped("inner.zip", bulk_files.zipped("x.txt", number.encode()))
    (tmp_path / "object.zst").write_bytes(zstandard.ZstdCompressor().compress(zipped))
    pl.DataFrame({"x": [[{"deep": number}]]}).write_parquet(tmp_path / "x.parquet", compression="zstd")
    (tmp_path / f"{number}.json").write_text("{}")
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as database:
        database.execute("CREATE TABLE t (body BLOB)")
        database.execute("INSERT INTO t VALUES (?)", (number.encode(),))
        database.commit()
    with closing(sqlite3.connect(tmp_path / "packed.sqlite")) as database:
        for statement in codec_write.SCHEMA:
            database.execute(statement)
        codec_write.write_packing_tables(database, document_sql.compression_dictionary(), document_sql.TEMPLATES)
        database.execute("CREATE TABLE t (packed BLOB)")
        packed = RowPacker.of(database).packed(pl.Series([f'"deregistered"{number}' * 9]))
        database.executemany("INSERT INTO t VALUES (?)", [packed])
        database.commit()
    with duckdb.connect(tmp_path / "x.duckdb") as connection:
        connection.execute("CREATE TABLE t AS SELECT $1 || i AS x FROM range(5000) AS r(i)", [number])
    files = {path for path, _ in found(tmp_path, [number])}
    assert files == {"object.zst", "x.parquet", f"{number}.json", "x.sqlite", "packed.sqlite", "x.duckdb"}
    assert sum(1 for _ in texts(tmp_path / "object.zst")) > 3


@check_cases("number", [text for number in NUMBERS[:8] for text in spelled(number)])
def test_a_personal_number_that_a_caller_asks_for_is_in_no_log_line(number: str) -> None:
    line = redact(f"/api/v1/companies/{number} q={number}&x=1")
    assert number not in line
    assert line.count("[number]") == 2


@check_cases("number", ["17071712345", "170717 12345", "170717-123A", "170717A1234"])
def test_norwegian_and_finnish_ones_too(number: str) -> None:
    assert redact(f"/api/v1/companies/{number}") == "/api/v1/companies/[number]"


@check_cases(
    "number",
    ["5560000001", "556000-0001", "165560000001", "923609016", "0923609016", "0112038-9", "SC123456", "01234567"],
)
def test_company_numbers_stay_in_log_lines(number: str) -> None:
    assert redact(f"/api/v1/companies/{number}") == f"/api/v1/companies/{number}"
