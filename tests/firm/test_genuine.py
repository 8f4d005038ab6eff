"""The main job on genuine registry files: what the command prints, what it keeps, what one change makes of it."""

import csv
import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.firm.conftest import Firm
from warehouse.publish.release_tables import open_release_tables
from warehouse.storage.layout import Layout

pytestmark = [pytest.mark.slow, pytest.mark.sources]
OURS = (
    "no/enheter",
    "no/enheter_bulk_csv",
    "no/regnskap",
    "no/regnskap_masse_xml",
    "uk/basic_company_data",
    "uk/psc_snapshot",
    "uk/accounts_bulk_zip",
    "uk/accounts_edge_cases",
    "uk/accounts_xbrl_xml",
)


@pytest.fixture(scope="module")
def copied(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files the tests change, copied for the time of the tests alone."""
    folder = tmp_path_factory.mktemp("genuine")
    for name in OURS:
        shutil.copytree(sources / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def loaded(copied: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Firm, dict[str, Any]]:
    firm = Firm(tmp_path_factory.mktemp("loaded") / "data")
    return firm, firm.ingest(copied, "no", "uk")


def _current(firm: Firm) -> tuple[int, dict[str, Any]]:
    number = json.loads((firm.data / "releases" / "current.json").read_text())["release"]
    return number, json.loads((firm.data / "releases" / f"{number:010d}" / "manifest.json").read_text())


def _rows(firm: Firm, statement: str) -> list[tuple[Any, ...]]:
    number, _ = _current(firm)
    with open_release_tables(Layout(firm.data), number) as release:
        return release.execute(statement).fetchall()


def test_every_bulk_row_is_a_company_or_a_listed_reject(loaded: tuple[Firm, dict[str, Any]], copied: Path) -> None:
    firm, report = loaded
    companies = {row[0] for row in _rows(firm, "select org_number from companies where country = 'NO'")}
    for path in (copied / "no" / "enheter_bulk_csv").iterdir():
        told = next(file for file in report["files"] if Path(file["path"]).name == path.name)
        numbers = [row[0] for row in csv.reader(io.StringIO(path.read_text(encoding="utf-8")))][1:]
        absent = [number for number in numbers if number not in companies]
        assert told["rows"] + told["rejected"] == len(numbers)
        assert len(absent) == told["rejected"]


def test_every_accounts_file_gives_figures_or_a_reason(loaded: tuple[Firm, dict[str, Any]]) -> None:
    _, report = loaded
    accounts = [file for file in report["files"] if file["dataset"] == "uk.accounts"]
    assert accounts
    assert [file for file in accounts if not file["rows"] and not file["reason"]] == []


def test_the_same_again_changes_nothing(loaded: tuple[Firm, dict[str, Any]], copied: Path) -> None:
    firm, first = loaded
    before = _current(firm), {path.name: path.read_bytes() for path in (firm.data / "history").iterdir()}
    again = firm.ingest(copied, "no", "uk")
    assert (again["release"], again["events"], again["held"]) == (None, {}, [])
    assert first["release"] == _current(firm)[0]
    assert (_current(firm), {path.name: path.read_bytes() for path in (firm.data / "history").iterdir()}) == before


def _csv_rows(path: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"))))


def test_one_planned_change_makes_exactly_its_event(
    loaded: tuple[Firm, dict[str, Any]], copied: Path, tmp_path: Path
) -> None:
    firm = Firm(tmp_path / "data")
    shutil.copytree(loaded[0].data, firm.data)
    path = copied / "no" / "enheter_bulk_csv" / "enheter-sample-2024a.csv"
    # a few numbers stand for other companies in the other sample: they would change by coming again
    other = {row[0] for row in _csv_rows(path.with_name("enheter-sample-2024b.csv"))}
    rows = [row for place, row in enumerate(_csv_rows(path)) if place == 0 or row[0] not in other]
    flag, since = rows[0].index("konkurs"), rows[0].index("konkursdato")
    chosen = next(
        row for row in rows[1:] if row[flag] == "false" and row[2] == "AS" and "true" not in row[flag : flag + 5]
    )
    chosen[flag], chosen[since] = "true", "2026-11-20"
    changed = tmp_path / "changed" / "no" / "enheter_bulk_csv" / path.name
    changed.parent.mkdir(parents=True)
    with changed.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows(rows)
    report = firm.ingest(tmp_path / "changed", "no")
    assert report["events"] == {"status.changed": 1}
    assert report["release"] == loaded[1]["release"] + 1
    with firm.serving() as client:
        events = client.get(f"/api/v1/companies/{chosen[0]}/events").json()["data"]
    assert [(event["event_type"], event["occurred_at"]) for event in events] == [
        ("status.changed", "2026-11-20T00:00:00Z")
    ]
    assert events[0]["data"]["change"] == {
        "previous_status": "active",
        "current_status": "dormant",
        "effective_date": "2026-11-20",
        "registry_status": events[0]["data"]["change"]["registry_status"],
        "reason": "bankruptcy",
    }


def test_a_folder_never_dissolves_what_it_merely_lacks(
    loaded: tuple[Firm, dict[str, Any]], copied: Path, tmp_path: Path
) -> None:
    firm = Firm(tmp_path / "data")
    shutil.copytree(loaded[0].data, firm.data)
    before = _rows(firm, "select status, count(*) from companies group by 1 order by 1")
    for name in (
        "no/enheter_bulk_csv/enheter-sample-2024b.csv",
        "uk/basic_company_data/BasicCompanyData-2021-01_sample21.csv",
    ):
        target = tmp_path / "few" / name
        target.parent.mkdir(parents=True)
        lines = (copied / name).read_text(encoding="utf-8").splitlines(keepends=True)
        target.write_text("".join(lines[:3]), encoding="utf-8")
    report = firm.ingest(tmp_path / "few")
    assert report["events"] == {}
    assert _rows(firm, "select status, count(*) from companies group by 1 order by 1") == before


def test_a_filed_figure_that_changes_makes_one_update(sources: Path, tmp_path: Path) -> None:
    """One row, then the six-row answer of the same company (new periods), then one figure of it restated."""
    firm = Firm(tmp_path / "data")
    entity = {
        "organisasjonsnummer": "923609016",
        "navn": "EKSEMPEL ASA",
        "organisasjonsform": {"kode": "ASA", "beskrivelse": "Allmennaksjeselskap"},
        "registreringsdatoEnhetsregisteret": "1995-03-12",
        "konkurs": False,
        "underAvvikling": False,
        "underTvangsavviklingEllerTvangsopplosning": False,
        "respons_klasse": "Enhet",
    }
    one_row = (sources / "no" / "regnskap" / "regnskap-923609016-single-row-before-2026-10.json").read_text()
    six_rows = json.loads((sources / "no" / "regnskap" / "regnskap-923609016-usd-6-rows.json").read_text())

    def folder(name: str, **files: str) -> Path:
        for path, body in files.items():
            target = tmp_path / name / "no" / path / f"{path}-923609016.json"
            target.parent.mkdir(parents=True)
            target.write_text(body, encoding="utf-8")
        return tmp_path / name

    first = firm.ingest(folder("first", enheter=json.dumps(entity), regnskap=one_row), "no")
    assert first["events"] == {}
    more = firm.ingest(folder("more", regnskap=json.dumps(six_rows)), "no")
    known = {row["regnskapsperiode"]["tilDato"] for row in json.loads(one_row)}
    new = {row["regnskapsperiode"]["tilDato"] for row in six_rows} - known
    assert more["events"] == {"filing.added": len({end for end in new if end >= "2024-11-22"})}
    newest = max(six_rows, key=lambda row: (row["regnskapsperiode"]["tilDato"], row["regnskapstype"] == "KONSERN"))
    figure = newest["resultatregnskapResultat"]["aarsresultat"]
    newest["resultatregnskapResultat"]["aarsresultat"] = figure - 1_000_000
    newest["id"] += 1
    restated = firm.ingest(folder("restated", regnskap=json.dumps(six_rows)), "no")
    assert restated["events"] == {"filing.updated": 1}
    with firm.serving() as client:
        event = client.get("/api/v1/companies/923609016/events", params={"event_type": "filing.updated"}).json()[
            "data"
        ][0]
        row = client.get("/api/v1/companies/923609016/financials", params={"years": "1"}).json()["data"][0]
    assert event["data"]["filing"]["changed_fields"] == [
        {"field": "net_result", "previous": int(figure), "current": int(figure) - 1_000_000}
    ]
    assert (row["version"], row["is_restated"], row["net_result"]) == (2, True, int(figure) - 1_000_000)


def test_unreadable_files_are_named_and_harm_nobody(
    loaded: tuple[Firm, dict[str, Any]], copied: Path, tmp_path: Path
) -> None:
    firm = Firm(tmp_path / "data")
    shutil.copytree(loaded[0].data, firm.data)
    folder = tmp_path / "bad" / "uk"
    for name in ("accounts_bulk_zip", "basic_company_data", "psc_snapshot"):
        (folder / name).mkdir(parents=True)
    archive = next((copied / "uk" / "accounts_bulk_zip").glob("*.zip")).read_bytes()
    (folder / "accounts_bulk_zip" / "Accounts_Bulk_Data-2026-11-19.zip").write_bytes(archive[: len(archive) // 2])
    (folder / "accounts_bulk_zip" / "Accounts_Bulk_Data-2026-11-20.zip").write_bytes(
        b"<html><body>Maintenance</body></html>"
    )
    (folder / "psc_snapshot" / "persons-with-significant-control-snapshot-2026-11-20.zip").write_bytes(
        b"PK\x03\x04gone"
    )
    report = firm.ingest(tmp_path / "bad", "uk", exit_code=4)
    reasons = {Path(file["path"]).name: file["reason"] for file in report["files"]}
    assert len(reasons) == 3
    assert all(reasons.values()), reasons
    assert report["events"] == {}
    assert re.search(r"html", reasons["Accounts_Bulk_Data-2026-11-20.zip"], re.IGNORECASE)
    with firm.serving() as client:
        assert client.get("/api/v1/companies?country=UK&limit=1").json()["data"]
