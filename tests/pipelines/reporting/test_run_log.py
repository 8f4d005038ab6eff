"""What runs note of themselves for who operates the service, whoever started them and however they end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from pipelines.definitions_builder import build_defs
from pipelines.defs.jobs import job_name
from pipelines.defs.partitions import register_batch
from pipelines.reporting.run_log import shorten_reason
from pipelines.runtime.batch_ids import batch_instant, batch_name
from pipelines.sources.source import FolderSource
from pipelines.workspace import Workspace
from tests.pipelines.invented import MARKET
from tests.pipelines.places import ONE, TWO, Place
from warehouse.release import run_log
from warehouse.release.run_log import QuarantineNote, ReadNote, RunNote, SignalNote


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield Place(tmp_path, instance=instance)


def noted(place: Place) -> list[RunNote]:
    return run_log.read_run_log(place.settings.layout)


def scheduled(place: Place) -> bool:
    """A run as the daemon starts it; whether it came through."""
    instance, batch = place.instance, batch_name(place.clock())
    assert instance is not None
    register_batch(instance, [MARKET.code], batch)
    workspace = Workspace(place.settings, (MARKET,), place.clock)
    definitions = build_defs(place.settings, workspace=workspace, resources={"origin": FolderSource(place.folder)})
    job = definitions.resolve_job_def(job_name(MARKET))
    return job.execute_in_process(instance=instance, partition_key=batch, raise_on_error=False).success


def test_a_run_tells_what_it_read_and_published(place: Place) -> None:
    place.register((ONE, "Yksi Oy", "strange", ""), (TWO, "Kaksi Oy", "odd", ""))
    place.write("fi/register/register2.csv", f"number,name,status,date\n{ONE},Yksi Oy,stranger,\nshort\nend")
    place.ingest()
    (note,) = noted(place)
    assert (note.outcome, note.markets, note.release) == ("published", ("FI",), 1)
    assert note.began_at == batch_instant(note.batch)
    assert note.ended_at is not None
    assert note.ended_at > note.began_at
    assert note.read == (ReadNote("fi.register", 3, 1, 2),)
    assert note.signals == (
        SignalNote("fi.register", "unknown_status", "?", 3),
        SignalNote("fi.register", "differing_files", "fi_register", 1),
    ), "files are added up"
    assert ONE not in (place.settings.layout.run_log_folder / f"{note.batch}.json").read_text()


@pytest.mark.slow
def test_what_a_run_met_from_its_beginning_on(place: Place) -> None:
    """While it works it is unfinished, and stays so if it is killed; then new, nothing new, held, failed."""
    seen: list[str] = []
    place.plain()
    place.ingest(lambda _: seen.append(noted(place)[0].outcome) if not seen else None)
    assert seen == ["unfinished"]
    place.ingest()
    place.write("day.json", json.dumps({"complete": ["fi.accounts"]}))
    place.write("fi/accounts/a1.json", "{torn")
    place.ingest()
    place.register((ONE, "Yksi Oy", "broken", ""), (TWO, "Kaksi Oy", "open", ""))
    report = place.ingest()
    notes = noted(place)
    assert [note.outcome for note in notes] == ["failed", "held", "unchanged", "published"]
    assert notes[1].held == (QuarantineNote("fi.accounts", "unreadable", 1, 0),)
    assert report.errors
    assert [(one.market, one.message) for one in notes[0].errors] == [
        (one.market, one.message[:500]) for one in report.errors
    ]


def test_a_reason_names_no_company_behind_an_address() -> None:
    reason = "https://registry.example/companies/1000001-1?x=y: status 503: https://other.example"
    assert shorten_reason(reason) == "https://registry.example status 503: https://other.example"
    assert len(shorten_reason("x" * 900)) == 500


def test_shorten_reason_of_a_file_dated_in_the_future_does_not_name_it() -> None:
    """Its name may be the number of a company that is erased later."""
    assert shorten_reason("1000001-1.json is dated 2062-01-01T00:00:00Z") == "a file is dated 2062-01-01T00:00:00Z"
    assert shorten_reason("fi/a 1.json, fi/b.json: dated 2062-01-01: no") == "a file: dated 2062-01-01: no"
    assert shorten_reason("the list is dated") == "the list is dated"


@pytest.mark.slow
def test_runs_of_a_schedule_tell_the_same(place: Place) -> None:
    """One that comes through, one that a guard stops, which is no failure, and one that fails."""
    numbers = [f"200000{index}-0" for index in range(8)]
    place.write("day.json", json.dumps({"complete": ["fi.register"]}))
    place.register(*((number, "Oy", "open", "") for number in numbers))
    assert scheduled(place)
    (good,) = noted(place)
    assert (good.outcome, good.markets, good.release) == ("published", ("FI",), 1)
    assert good.read == (ReadNote("fi.register", 8, 0, 0),)
    place.register(*((number, "Oy", "open", "") for number in numbers[:2]))
    scheduled(place)
    held = noted(place)[0]
    assert (held.outcome, held.errors, [one.guard for one in held.held]) == ("held", (), ["max_shrink"])
    place.register(*((number, "Oy", "broken", "") for number in numbers))
    assert not scheduled(place)
    failed = noted(place)[0]
    assert (failed.outcome, failed.ended_at is None) == ("failed", False)
    assert [one.market for one in failed.errors] == ["FI"]
