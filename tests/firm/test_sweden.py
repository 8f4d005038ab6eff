"""The main job on Swedish files of several days: which events follow, and that no person's number is anywhere."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.connectors.se import answer_files, bulk_files, report_files
from tests.connectors.se.bulk_files import ONE, THREE, TWO, organisation, sole_trader, unit
from tests.firm.conftest import Firm
from tests.searched import texts
from warehouse.ledger.ledger import Ledger
from warehouse.publish.release_tables import open_release_tables
from warehouse.storage.layout import Layout

pytestmark = pytest.mark.slow
COMPLETE = ["se.bolagsverket", "se.scb"]
SECRET = "Hemliga Firman"
PERSONS = ("191212121212", "1212121212", "200012611234", "3021234567")
KK = "pagandeAvvecklingsEllerOmstruktureringsforfarande"


def day(
    root: Path, date: str, organisations: list[dict[str, str]], units: list[dict[str, str]], **files: bytes
) -> None:
    """One day's folder: the two bulk files, whole, and whatever else came."""
    persons = [sole_trader(number, verksamhetsbeskrivning=f"{SECRET}\n{number}") for number in PERSONS]
    people = [
        unit(PeOrgNr=number if len(number) == 12 else f"19{number}", Namn=SECRET.upper(), JurForm="10")
        for number in PERSONS
    ]
    stamp = date.replace("-", "")
    bodies = {
        "bolagsverket_bulk/bolagsverket_bulkfil.zip": bulk_files.zipped(
            "bolagsverket_bulkfil.txt", bulk_files.bulk(*organisations, *persons)
        ),
        "scb_bulk/scb_bulkfil.zip": bulk_files.zipped(
            f"scb_bulkfil_JE_{stamp}T060000_1.txt", bulk_files.scb(*units, *people)
        ),
        **{name.replace("__", "/"): body for name, body in files.items()},
    }
    for name, body in bodies.items():
        path = root / date / "se" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    (root / date / "day.json").write_text(json.dumps({"date": date, "complete": COMPLETE}))


def name(text: str) -> dict[str, str]:
    return {"organisationsnamn": f"{text}$FORETAGSNAMN-ORGNAM$2001-05-10"}


WEEKLY = "arsredovisningar__2026__45_1.zip"


def weekly(revenue: str) -> bytes:
    inner = report_files.package(report_files.full(number=ONE, revenue=revenue), report_files.audit())
    return report_files.zipped(**{f"{ONE}_2025-12-31.zip": inner})


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> tuple[Firm, list[dict[str, Any]]]:
    """Four days, each ingested as it came."""
    root = tmp_path_factory.mktemp("days")
    all_ = [
        organisation(ONE, **name("Ett AB")),
        organisation(TWO, **name("Två AB")),
        organisation(THREE, **name("Tre AB")),
    ]
    units = [unit(ONE), unit(TWO), unit(THREE)]
    partial = answer_files.answer(
        answer_files.organisation(
            TWO,
            verksamOrganisation=answer_files.failed(),
            organisationsnamn=answer_files.failed("OTILLGANGLIG_UPPGIFTSKALLA"),
            naringsgrenOrganisation=answer_files.failed(),
        ),
        answer_files.organisation(THREE, organisationsidentitet={"identitetsbeteckning": PERSONS[0]}),
    )
    insiders = "Publiceringsdatum;Emittent;LEI-kod;Anmälningsskyldig;ISIN;Handelsplats;Status;\r\n"
    insiders += f"2026-11-02 10:00:00;Ett AB;;{SECRET};SE0000000001;X;Aktuell;\r\n"
    day(root / "1", "2026-11-02", all_, units, insyn__x=insiders.encode("utf-16-le"))
    recoded = [unit(number, Ng1="62200", Reklamsparrtyp="2", mNg1="J") for number in (ONE, TWO, THREE)]
    day(root / "2", "2026-11-09", all_, recoded, organisationer__x=partial, **{WEEKLY: weekly("1 000 000")})
    changed = [
        organisation(ONE, **name("Ett Nytt AB")),
        organisation(TWO, **name("Två AB"), **{KK: "KK-AVOMFO$2026-11-12"}),
        organisation(THREE, **name("Tre AB"), avregistreringsdatum="2026-11-13", avregistreringsorsak="FUAV-AVORG"),
    ]
    day(root / "3", "2026-11-16", changed, units, **{WEEKLY.replace("45", "46"): weekly("1 200 000")})
    ended = "|KK-AVOMFO$2026-11-12|KKUHAVD-AVSLAVOMFO$2026-11-18"  # a proceeding stays listed beside its end
    day(root / "4", "2026-11-20", [changed[0], organisation(TWO, **name("Två AB"), **{KK: ended}), all_[2]], units)
    firm = Firm(tmp_path_factory.mktemp("sweden") / "data")
    return firm, [firm.ingest(root / str(number), "se") for number in (1, 2, 3, 4)]


def test_the_first_day_is_silent(days: tuple[Firm, list[dict[str, Any]]]) -> None:
    first = days[1][0]
    assert (first["events"], first["held"]) == ({}, [])
    read = {row["dataset"]: (row["rows"], row["rejected"]) for row in first["datasets"]}
    assert (read["se.bolagsverket"], read["se.scb"], read["se.insyn"]) == ((3, 0), (3, 0), (1, 0))


def test_recoding_flicker_and_partial_answers_make_no_event(days: tuple[Firm, list[dict[str, Any]]]) -> None:
    second = days[1][1]
    assert second["held"] == []
    assert "status.changed" not in second["events"]


def test_changes_make_exactly_their_events(days: tuple[Firm, list[dict[str, Any]]]) -> None:
    assert days[1][2]["events"] == {"company.changed": 2, "filing.updated": 1, "status.changed": 2}
    told = [event for event in Ledger(Layout(days[0].data)).after(0, 100) if event.event_type == "company.changed"]
    changes = {event.company_id: json.loads(event.data) for event in told}
    moved, renamed = changes[f"firm:SE:{TWO}"], changes[f"firm:SE:{ONE}"]
    # the answer of the day before had another address: the newer file is the register's word
    assert {one["field"] for one in moved["change"]["changes"]} == {"municipality", "county", "address"}
    assert (moved["source"]["register"], moved["source"]["retrieved_at"]) == ("se.bolagsverket", "2026-11-16T00:00:00Z")
    assert [one["current"] for one in renamed["change"]["changes"]] == ["Ett Nytt AB"]


def test_a_restored_company_is_active_again(days: tuple[Firm, list[dict[str, Any]]]) -> None:
    assert days[1][3]["events"] == {"status.changed": 2}
    firm, _ = days
    release = json.loads((firm.data / "releases" / "current.json").read_text())["release"]
    with open_release_tables(Layout(firm.data), release) as found:
        rows = found.execute("select org_number, name, status from companies order by 1").fetchall()
    assert rows == [(ONE, "Ett Nytt AB", "active"), (TWO, "Två AB", "active"), (THREE, "Tre AB", "active")]


def test_no_persons_number_or_name_is_anywhere(days: tuple[Firm, list[dict[str, Any]]]) -> None:
    firm, _ = days
    searched = 0
    for path in firm.data.rglob("*"):
        if path.is_file():
            searched += 1
            for text in texts(path):
                assert not any(number.encode() in text for number in PERSONS), path
                assert SECRET.casefold().encode() not in text.lower(), path
    assert searched > 50
