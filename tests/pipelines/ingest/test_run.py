"""The whole way over real Dagster and a real warehouse, with a small invented market."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import dagster as dg
import pytest

from pipelines.ingest.run import ingest
from pipelines.reporting.report import DONE, FAILED, HELD, NOTHING
from pipelines.settings import IngestSettings
from pipelines.sources.source import FolderSource
from pipelines.steps import normalise
from pipelines.workspace import UnknownMarketError
from tests.pipelines.places import ONE, THREE, TWO, Place, accounts, owner
from tests.without_dagster import without_dagster
from warehouse.ledger.ledger import Ledger
from warehouse.publish.publisher import ReleaseStore
from warehouse.schema import ids
from warehouse.storage.locks import AlreadyLockedError, market_lock

ALPHA = f"firm:FI:{ONE}"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """Of tests that ask what becomes of data: without Dagster."""
    with without_dagster():
        yield Place(tmp_path)


@pytest.fixture
def place_in_memory(tmp_path: Path) -> Iterator[Place]:
    """Dagster in memory, where runs fail, end early or are several: its files cost more than all the rest."""
    with dg.DagsterInstance.ephemeral() as instance:
        yield Place(tmp_path, instance=instance)


@pytest.fixture
def place_on_disk(tmp_path: Path) -> Place:
    return Place(tmp_path)


def ledger(place: Place) -> list[dict]:
    return [
        {"type": event.event_type, "id": event.event_id, "sequence": event.sequence, **json.loads(event.data)}
        for event in Ledger(place.settings.layout).after(0, 1000)
    ]


def fingerprint(place: Place) -> str:
    current = ReleaseStore(place.settings.layout).current_manifest()
    assert current is not None
    return current.content_fingerprint


@pytest.mark.slow
def test_companies_that_go_through_in_lanes_make_the_same_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[str] = []
    for most in (normalise.CHUNK, 1):
        monkeypatch.setattr(normalise, "CHUNK", most)
        with without_dagster():
            place = Place(tmp_path / str(most))
            place.plain()
            assert place.ingest().exit_code == DONE
            found.append(fingerprint(place))
    assert found[0] == found[1]


@pytest.mark.slow
def test_a_first_load_is_silent_and_the_same_again_changes_nothing(place_on_disk: Place) -> None:
    place = place_on_disk
    place.plain()
    first = place.ingest()
    assert (first.release, first.exit_code, dict(first.events)) == (1, DONE, {})
    assert {row.dataset: row.rows for row in first.datasets} == {"fi.register": 2, "fi.accounts": 1, "fi.owners": 1}
    before = fingerprint(place)
    again = place.ingest()
    assert (again.release, again.exit_code, dict(again.events)) == (None, DONE, {})
    assert {file.reason for file in again.files} == {"unchanged"}
    assert fingerprint(place) == before


@pytest.mark.slow
def test_one_changed_file_gives_exactly_the_planned_event(place: Place) -> None:
    place.plain_ingested()
    place.register((ONE, "Yksi Oy", "asleep", "2026-03-03"), (TWO, "Kaksi Oy", "open", ""))
    report = place.ingest()
    assert (report.release, dict(report.events)) == (2, {"status.changed": 1})
    [event] = ledger(place)
    assert event["change"]["current_status"] == "dormant"
    place.records("accounts/a1.json", accounts("a1", ONE, 2024, 90))
    assert dict(place.ingest().events) == {"filing.updated": 1}
    place.records("owners/o1.json", owner("o1", ONE, 50, 75))
    assert dict(place.ingest().events) == {"ownership.changed": 1}
    place.records("accounts/a2.json", accounts("a2", ONE, 2025, 90))
    assert dict(place.ingest().events) == {"filing.added": 1}
    assert dict(place.ingest().events) == {}
    assert [event["sequence"] for event in ledger(place)] == [1, 2, 3, 4]


@pytest.mark.slow
def test_two_vintages_in_one_run_make_their_events(place: Place) -> None:
    place.register((ONE, "Yksi Oy", "open", ""), (TWO, "Kaksi Oy", "open", ""), name="register-2025-01-01.csv")
    place.register(
        (ONE, "Yksi Oy", "closed", "2025-06-01"), (THREE, "Kolme Oy", "open", ""), name="register-2025-07-01.csv"
    )
    report = place.ingest()
    assert dict(report.events) == {"status.changed": 1}
    [event] = ledger(place)
    assert (event["company_id"], event["change"]["effective_date"]) == (ALPHA, "2025-06-01")
    assert place.ingest().release is None


@pytest.mark.slow
def test_a_sample_never_dissolves_what_it_lacks_and_a_complete_day_does(place: Place) -> None:
    place.day("2026-01-01", "fi.register")
    place.register(
        (ONE, "Yksi Oy", "open", ""), (TWO, "Kaksi Oy", "open", ""), (THREE, "Kolme Oy", "open", ""), day="2026-01-01"
    )
    place.day("2026-01-02")
    place.register((ONE, "Yksi Oy", "open", ""), (TWO, "Kaksi Oy", "open", ""), day="2026-01-02")
    assert dict(place.ingest().events) == {}
    place.day("2026-01-03", "fi.register")
    place.register((ONE, "Yksi Oy", "open", ""), (TWO, "Uusi Oy", "open", ""), day="2026-01-03")
    report = place.ingest()
    assert dict(report.events) == {"status.changed": 1}
    [event] = ledger(place)
    assert (event["org_nr"], event["change"]["effective_date"]) == (THREE, "2026-01-03")


@pytest.mark.slow
def test_a_complete_day_of_several_files_keeps_what_an_unchanged_one_holds(place: Place) -> None:
    for day, name in (("2026-01-01", "Yksi Oy"), ("2026-01-02", "Uusi Oy")):
        place.day(day, "fi.register")
        place.register((ONE, name, "open", ""), (TWO, "Kaksi Oy", "open", ""), name="a.csv", day=day)
        place.register((THREE, "Kolme Oy", "open", ""), name="b.csv", day=day)
    place.day("2026-01-03", "fi.register")
    place.register((ONE, "Uusi Oy", "open", ""), name="a.csv", day="2026-01-03")
    place.register((THREE, "Kolme Oy", "open", ""), name="b.csv", day="2026-01-03")
    report = place.ingest()
    assert (report.exit_code, dict(report.events)) == (DONE, {"status.changed": 1})
    assert ledger(place)[0]["org_nr"] == TWO


@pytest.mark.slow
def test_days_of_a_folder_are_rounds_with_a_release_each_and_can_be_ingested_again(place_in_memory: Place) -> None:
    place = place_in_memory
    for day, status in (("2026-01-01", "open"), ("2026-01-02", "asleep"), ("2026-01-03", "open")):
        place.day(day, "fi.register")
        place.register((ONE, "Yksi Oy", status, ""), (TWO, "Kaksi Oy", "open", ""), day=day)
    report = place.ingest()
    assert (report.release, len(report.batches)) == (3, 3)
    assert dict(report.events) == {"status.changed": 2}
    assert next(file.path for file in report.files) == "2026-01-01/fi/register/register.csv"
    again = place.ingest()
    assert (again.release, dict(again.events)) == (None, {})
    assert sum(row.rows for row in again.datasets) == 0


@pytest.mark.slow
def test_a_company_that_first_appears_and_what_comes_with_it_is_silent(place: Place) -> None:
    place.plain_ingested()
    place.register((THREE, "Kolme Oy", "open", ""), name="more.csv")
    place.records("accounts/a3.json", accounts("a3", THREE, 2025, 5))
    assert dict(place.ingest().events) == {}
    place.records("accounts/a4.json", accounts("a4", THREE, 2026, 5))
    assert dict(place.ingest().events) == {"filing.added": 1}


@pytest.mark.slow
def test_what_is_older_than_what_is_known_is_silent(place: Place) -> None:
    place.register((ONE, "Yksi Oy", "open", ""), (TWO, "Kaksi Oy", "open", ""), name="register-2025-01-01.csv")
    place.ingest()
    place.register((ONE, "Vanha Oy", "closed", ""), (THREE, "Kolme Oy", "open", ""), name="register-2024-01-01.csv")
    report = place.ingest()
    assert dict(report.events) == {}
    assert report.release == 2  # the gap is filled: a company nobody knew


@pytest.mark.slow
def test_a_file_of_the_newest_edition_issued_again_counts_as_newer(place: Place) -> None:
    place.register((ONE, "Yksi Oy", "open", ""), (TWO, "Kaksi Oy", "open", ""), name="register-2025-01-01.csv")
    place.ingest()
    place.register((ONE, "Yksi Oy", "asleep", ""), (TWO, "Kaksi Oy", "open", ""), name="register-2025-01-01.csv")
    assert dict(place.ingest().events) == {"status.changed": 1}
    place.register((ONE, "Yksi Oy", "open", ""), (TWO, "Kaksi Oy", "open", ""), name="register-2025-01-01.csv")
    assert dict(place.ingest().events) == {"status.changed": 1}


@pytest.mark.slow
def test_unreadable_and_unknown_files_are_listed_and_harm_nothing(place_in_memory: Place) -> None:
    place = place_in_memory
    place.plain()
    place.write("fi/accounts/cut.zip", b"PK\x03\x04 cut off")
    place.write("fi/accounts/page.json", "<html>busy</html>")
    place.write("fi/accounts/bad.json", "{not json")
    place.write("fi/readme.txt", "hello")
    with zipfile.ZipFile(place.write("fi/accounts/two.zip", ""), "w") as archive:
        archive.writestr("a7.json", json.dumps(accounts("a7", TWO, 2024, 7)))
        archive.writestr("bad.json", "{not json")
    report = place.ingest()
    assert (report.exit_code, report.release) == (DONE, 1)
    told = {Path(file.path).name: file for file in report.files}
    assert "zip" in (told["cut.zip"].reason or "")
    assert told["page.json"].reason == "expected records, found HTML"
    assert told["page.json"].dataset is None
    assert "not JSON" in (told["bad.json"].reason or "")
    assert told["readme.txt"].reason == "no dataset reads files of this name"
    assert (told["two.zip"].rows, told["two.zip"].rejected, told["two.zip"].reason) == (1, 1, None)
    assert (told["a1.json"].rows, told["a1.json"].reason) == (1, None)


@pytest.mark.slow
def test_the_report_as_json_has_exactly_the_promised_keys(place: Place) -> None:
    place.plain()
    value = json.loads(json.dumps(place.ingest().as_json()))
    assert list(value) == ["release", "files", "datasets", "events", "held", "signals", "late", "reconciliations"]
    assert list(value["files"][0]) == ["path", "dataset", "rows", "rejected", "reason"]
    assert list(value["datasets"][0]) == ["dataset", "rows", "rejected", "normalised", "seconds"]


@pytest.mark.slow
def test_an_unknown_code_is_a_signal(place: Place) -> None:
    place.register((ONE, "Yksi Oy", "odd", ""), (TWO, "Kaksi Oy", "open", ""))
    report = place.ingest()
    assert (report.signals, report.exit_code) == (1, DONE)


# guards


def complete(place: Place, day: str, *numbers: str) -> None:
    place.day(day, "fi.register")
    place.register(*((number, "Oy", "open", "") for number in numbers), day=day)


@pytest.mark.slow
def test_half_the_rows_gone_holds_the_market_and_keeps_the_last_release(place_in_memory: Place) -> None:
    place = place_in_memory
    complete(place, "2026-01-01", *(f"200000{index}-0" for index in range(8)))
    place.ingest()
    before = fingerprint(place)
    complete(place, "2026-01-02", *(f"200000{index}-0" for index in range(4)))
    held = place.ingest()
    assert (held.exit_code, held.release, dict(held.events)) == (NOTHING, None, {})
    [one] = held.held
    assert (one.dataset, one.guard, one.seen, one.allowed) == ("fi.register", "max_shrink", 0.5, 0.4)
    assert fingerprint(place) == before
    still = place.ingest()
    assert still.exit_code == NOTHING
    let = place.ingest(accept_shrink=["fi.register"])
    assert (let.exit_code, dict(let.events)) == (DONE, {"status.changed": 4})


@pytest.mark.slow
def test_a_good_edition_after_a_held_one_goes_on(place: Place) -> None:
    numbers = [f"200000{index}-0" for index in range(8)]
    complete(place, "2026-01-01", *numbers)
    complete(place, "2026-01-02", *numbers[:4])
    complete(place, "2026-01-03", *numbers[:7])
    report = place.ingest()
    assert (report.exit_code, dict(report.events)) == (DONE, {"status.changed": 1})


@pytest.mark.slow
def test_another_held_dataset_contributes_its_last_good_state(place_in_memory: Place) -> None:
    place = place_in_memory
    place.plain_ingested()
    place.day("", "fi.accounts")
    place.write("day.json", json.dumps({"complete": ["fi.accounts"]}))
    place.write("fi/accounts/a1.json", "{torn")
    place.register((ONE, "Yksi Oy", "asleep", "2026-03-03"), (TWO, "Kaksi Oy", "open", ""))
    report = place.ingest()
    assert (report.exit_code, report.release, dict(report.events)) == (HELD, 2, {"status.changed": 1})
    assert [(one.dataset, one.guard) for one in report.held] == [("fi.accounts", "unreadable")]


def test_many_rejects_hold_a_dataset(place_in_memory: Place) -> None:
    place = place_in_memory
    rows = ["number,name,status,date", *("shifted," * 4 for _ in range(12)), f"{ONE},Oy,open,", "end"]
    place.write("fi/register/register.csv", "\n".join(rows))
    report = place.ingest()
    assert report.exit_code == NOTHING
    assert [one.guard for one in report.held] == ["max_rejected"]


def test_rows_that_break_the_schema_stop_the_market_and_say_why(place_in_memory: Place) -> None:
    place = place_in_memory
    place.register((ONE, "Yksi Oy", "broken", ""), (TWO, "Kaksi Oy", "open", ""))
    report = place.ingest()
    assert (report.exit_code, report.release) == (FAILED, None)
    assert "companies.country: value is not in the code list" in " ".join(place.lines)


# refusals


def test_a_second_ingest_of_a_market_is_refused(place_in_memory: Place) -> None:
    place = place_in_memory
    place.plain()
    with market_lock(place.settings.layout, "FI"), pytest.raises(AlreadyLockedError):
        place.ingest()


def test_an_unknown_market_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownMarketError, match="unknown market 'zz'"):
        ingest(IngestSettings(data=tmp_path), ["zz"], FolderSource(tmp_path))


@pytest.mark.slow
def test_ids_are_the_contracts(place: Place) -> None:
    place.plain_ingested()
    place.records("accounts/a2.json", accounts("a2", ONE, 2024, 90))
    place.ingest()

    [event] = ledger(place)
    assert event["id"] == ids.filing_updated_id(ALPHA, date(2024, 1, 1), date(2024, 12, 31), "a2")


@pytest.mark.slow
def test_an_ingest_of_which_nothing_could_be_read_is_no_success(place_in_memory: Place) -> None:
    place = place_in_memory
    place.plain_ingested()
    cut_off = place.register((ONE, "Yksi Oy", "open", ""), name="register-2.csv")
    cut_off.write_text(cut_off.read_text().removesuffix("end"))
    report = place.ingest()
    assert (report.exit_code, report.release, report.unreadable) == (NOTHING, None, 1)
    assert [file.reason for file in report.files if file.reason != "unchanged"] == [
        "cut off: the line «end» is missing"
    ]
    again = place.ingest()
    assert (again.exit_code, again.unreadable) == (DONE, 0), "nothing came: it has been told of"
    assert again.files == report.files, "but the file is still one that could not be read"
    cut_off.write_text("number,name")
    place.records("accounts/a2.json", accounts("a2", ONE, 2024, 100))  # read, and nothing new in it
    assert place.ingest().exit_code == DONE, "one bad file among good ones"


@pytest.mark.slow
def test_rounds_of_which_one_could_not_be_read_are_told_together(place: Place) -> None:
    place.day("2026-01-01")
    place.write("fi/register/register.csv", "number,name", day="2026-01-01")
    place.day("2026-01-02")
    place.write("fi/register/register.csv", "name,number", day="2026-01-02")
    assert (first := place.ingest()).exit_code == NOTHING
    assert first.unreadable == 2
    place.day("2026-01-03")
    place.register((ONE, "Yksi Oy", "open", ""), (TWO, "Kaksi Oy", "open", ""), day="2026-01-03")
    assert place.ingest().exit_code == DONE
