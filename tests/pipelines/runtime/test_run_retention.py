"""What is deleted of runs: step results, Dagster's records, and its file of each run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from pipelines.ingest.job_runs import dagster_instance
from pipelines.runtime import run_retention
from pipelines.runtime.batch_ids import batch_name
from pipelines.runtime.run_retention import prune_runs
from pipelines.runtime.step_results import StepResults
from pipelines.settings import IngestSettings

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


def test_step_results_of_the_last_two_days_stay_whatever_their_number(tmp_path: Path) -> None:
    results = StepResults(IngestSettings(data=tmp_path).layout)
    for hours in range(0, 120, 12):
        results.write(batch_name(NOW - timedelta(hours=hours)), "release", {})
    assert results.prune(2, NOW) == 5
    assert results.batches() == sorted(batch_name(NOW - timedelta(hours=hours)) for hours in range(0, 49, 12))
    assert results.prune(2, NOW) == 0


@dg.asset
def seldom() -> None:
    """An asset that is materialised once."""


@dg.asset
def again() -> None:
    """Another one, by a newer run of the same job."""


@dg.op
def nothing() -> None:
    """A step."""


@dg.job
def frequent() -> None:
    """A job without assets."""
    nothing()


def files(settings: IngestSettings) -> set[str]:
    return {path.stem for path in (settings.dagster_storage / "history" / "runs").glob("*.db")}


def test_old_runs_of_dagster_go_with_their_files_but_not_the_newest_of_a_job_nor_an_assets_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_retention, "KEPT_PER_JOB", 1)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    settings = IngestSettings(data=tmp_path, keep_dagster_days=14)
    with dagster_instance(settings) as instance:
        made, newer = (dg.materialize([asset], instance=instance).run_id for asset in (seldom, again))
        runs = [frequent.execute_in_process(instance=instance).run_id for _ in range(3)]
        under_way = instance.add_run(dg.DagsterRun(job_name="frequent", status=dg.DagsterRunStatus.STARTED)).run_id
        results = StepResults(settings.layout)
        now = datetime.now(UTC)
        assert prune_runs(results, instance, settings, now + timedelta(days=13)).dagster_runs == 0
        assert prune_runs(results, instance, settings, now + timedelta(days=15)).dagster_runs == 3
        left = {run.run_id for run in instance.get_runs()}
        assert left == {made, newer, under_way}
        assert files(settings).isdisjoint(runs)
        assert made in files(settings)
        assert instance.get_latest_materialization_event(seldom.key) is not None
        assert frequent.execute_in_process(instance=instance).success
