"""An ingest of some datasets leaves the others as they are, and costs no steps where nothing is new."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from pipelines.reporting.report import DONE, UNCHANGED
from tests.pipelines.ingest.test_market_run_idle import steps
from tests.pipelines.places import ONE, Place, accounts, owner


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield Place(tmp_path, instance=instance)


@pytest.mark.slow
def test_ingest_of_one_dataset_reads_it_alone_and_the_next_one_the_rest(place: Place) -> None:
    place.plain_ingested()
    place.records("accounts/a2.json", accounts("a2", ONE, 2025, 90))
    place.records("owners/o2.json", owner("o2", ONE, 50, 75))
    report = place.ingest(datasets=["fi.accounts"])
    assert (report.exit_code, dict(report.events)) == (DONE, {"filing.added": 1})
    assert steps(place, report.batches[0]) == {"fi.accounts"}
    assert dict(place.ingest().events) == {"ownership.changed": 1}


def skipped_and_done(place: Place, batch: str) -> tuple[list[str], list[str]]:
    """Steps of a batch's runs that Dagster skipped, and those that were done."""
    assert place.instance is not None
    runs = place.instance.get_runs(dg.RunsFilter(tags={"dagster/partition": batch}))
    logs = [entry.dagster_event for run in runs for entry in place.instance.all_logs(run.run_id)]
    events = [event for event in logs if event is not None]
    return tuple(
        [str(event.step_key) for event in events if event.event_type_value == kind]
        for kind in ("STEP_SKIPPED", "STEP_SUCCESS")
    )  # type: ignore[return-value]


@pytest.mark.slow
def test_ingest_of_a_folder_without_news_runs_no_step_and_notes_that_it_looked(place: Place) -> None:
    place.plain_ingested()
    before = place.noted["accounts"].checked_at
    report = place.ingest()
    assert (report.exit_code, report.release, dict(report.events)) == (DONE, None, {})
    assert {file.reason for file in report.files} == {UNCHANGED}
    assert skipped_and_done(place, report.batches[0]) == ([], [])
    after = place.noted["accounts"].checked_at
    assert before is not None
    assert after is not None
    assert after > before


@pytest.mark.slow
def test_ingest_after_a_run_that_died_before_its_release_is_not_without_news(place: Place) -> None:
    place.plain()

    def dies(step: str) -> None:
        if step == "manifest written":
            raise OSError(step)

    assert place.ingest(on_step=dies).errors
    report = place.ingest()
    assert report.release == 1
    assert skipped_and_done(place, report.batches[0])[0] == []
