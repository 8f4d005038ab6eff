"""An ingest of a folder without news leaves Dagster alone; what it finds due all the same, Dagster is told of."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from pipelines.defs.asset_keys import RELEASE
from pipelines.ingest import market_run
from pipelines.reporting.report import DONE
from pipelines.runtime.dead_runs import MARKET_TAG
from tests.pipelines.places import Place
from warehouse.release import run_log
from warehouse.release.manifest import served_manifest


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """After an ingest: the next one finds nothing new."""
    with dg.DagsterInstance.ephemeral() as instance:
        made = Place(tmp_path, instance=instance)
        made.plain()
        assert made.ingest().release == 1
        yield made


def runs(place: Place) -> list[dg.DagsterRun]:
    assert place.instance is not None
    return list(place.instance.get_runs())


def shown_release(place: Place) -> object:
    """The number of the release that Dagster shows."""
    assert place.instance is not None
    event = place.instance.get_latest_materialization_event(RELEASE)
    assert event is not None
    assert event.asset_materialization is not None
    return event.asset_materialization.metadata["release"].value


def test_the_command_loads_neither_dagster_nor_the_engine_of_its_records() -> None:
    loads = "import firm.commands.ingest, pipelines.ingest.run, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", loads], capture_output=True, text=True, check=True, timeout=120)
    assert not {"dagster", "sqlalchemy", "alembic", "adbc_driver_sqlite"} & set(done.stdout.split())


@pytest.mark.slow
def test_an_ingest_without_news_leaves_no_run_and_no_partition(place: Place) -> None:
    assert place.instance is not None
    before = len(runs(place)), place.instance.get_dynamic_partitions("batches_fi")
    report = place.ingest()
    assert (report.exit_code, report.release) == (DONE, None)
    assert (len(runs(place)), place.instance.get_dynamic_partitions("batches_fi")) == before


@pytest.mark.slow
def test_a_release_that_is_due_without_news_is_shown_by_dagster(place: Place) -> None:
    layout = place.settings.layout
    served = served_manifest(layout)
    assert served is not None
    [torn, *_] = sorted(layout.release_folder(1).glob("*.sqlite"))
    torn.write_bytes(torn.read_bytes()[:-1])
    before = len(runs(place))
    assert place.ingest().release == 2
    assert (len(runs(place)), shown_release(place)) == (before, 2)


@pytest.mark.slow
def test_a_publication_without_a_run_that_fails_is_tried_by_a_run(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    before = len(runs(place))
    monkeypatch.setattr(market_run, "publish_run", full)
    report = place.ingest()
    assert (report.exit_code, report.errors) == (DONE, ())
    assert [run.job_name for run in runs(place)[: len(runs(place)) - before]] == ["publish"]
    assert "release: [Errno 28] No space left on device; trying once more, as a run of Dagster" in place.lines


@pytest.mark.slow
def test_runs_of_a_process_that_died_are_failed_although_nothing_is_new(place: Place) -> None:
    assert place.instance is not None
    dead = place.instance.create_run_for_job(
        dg.job(name="dead")(lambda: None), status=dg.DagsterRunStatus.STARTED, tags={MARKET_TAG: "FI"}
    )
    [last, *_] = run_log.read_run_log(place.settings.layout)
    killed = run_log.RunNote(last.batch, last.markets, last.began_at)
    run_log.write_run_note(place.settings.layout, killed)
    assert place.ingest().exit_code == DONE
    found = place.instance.get_run_by_id(dead.run_id)
    assert found is not None
    assert found.status is dg.DagsterRunStatus.FAILURE
