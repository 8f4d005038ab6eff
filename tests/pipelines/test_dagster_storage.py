"""Dagster's records over kept connections: the same files, nothing lost with the process, few files open."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from dagster import AssetRecordsFilter

from pipelines.ingest.job_runs import dagster_instance
from pipelines.settings import IngestSettings

DESCRIBED = "storage: {{sqlite: {{base_dir: '{}'}}}}\ntelemetry: {{enabled: false}}\n"
KILLED = """
import os, signal, sys
from pathlib import Path
from pipelines.ingest.job_runs import dagster_instance
from pipelines.settings import IngestSettings
from tests.pipelines.test_dagster_storage import job
instance = dagster_instance(IngestSettings(data=Path(sys.argv[1])))
assert job.execute_in_process(instance=instance).success
os.kill(os.getpid(), signal.SIGKILL)
"""


@dg.op
def nothing() -> None:
    """A step."""


@dg.job
def job() -> None:
    nothing()


BATCHES = dg.DynamicPartitionsDefinition(name="batches")


@dg.asset(partitions_def=BATCHES, check_specs=[dg.AssetCheckSpec("sound", asset="first")])
def first() -> Iterator[Any]:
    yield dg.MaterializeResult(check_results=[dg.AssetCheckResult(passed=True, check_name="sound")])


@dg.asset(partitions_def=BATCHES, deps=[first])
def second() -> None:
    """An asset that asks for what the first has made."""


def ours(data: Path) -> dg.DagsterInstance:
    return dagster_instance(IngestSettings(data=data))


def plain(data: Path) -> dg.DagsterInstance:
    """An instance over Dagster's own storage of the same folder."""
    storage = IngestSettings(data=data).dagster_storage
    storage.mkdir(parents=True, exist_ok=True)
    (data / "dagster.yaml").write_text(DESCRIBED.format(storage))
    return dg.DagsterInstance.from_config(str(data))


def told(instance: dg.DagsterInstance) -> dict[str, list[str]]:
    """Runs, and the types of their events."""
    return {
        run.run_id: [kind.value for log in instance.all_logs(run.run_id) if (kind := log.dagster_event_type)]
        for run in instance.get_runs()
    }


def test_dagster_and_ours_read_what_the_other_wrote(tmp_path: Path) -> None:
    seen = []
    for made in (plain, ours, plain):
        with made(tmp_path) as instance:
            assert job.execute_in_process(instance=instance).success
            seen.append(told(instance))
    first, second, third = seen
    assert (len(first), len(second), len(third)) == (1, 2, 3)
    assert first.items() <= second.items() <= third.items()
    assert len({tuple(events) for events in third.values()}) == 1


@pytest.mark.slow
def test_a_killed_process_loses_nothing(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, "-c", KILLED, tmp_path], env=environment, cwd=root, check=False)
    assert done.returncode == -9
    with plain(tmp_path) as instance:
        (events,) = told(instance).values()
        assert events[-1] == "PIPELINE_SUCCESS"


def open_files(folder: Path) -> int:
    """Of this process, below a folder."""
    return sum(str(link.resolve()).startswith(str(folder)) for link in Path("/proc/self/fd").iterdir())


def test_of_many_runs_few_files_stay_open_and_none_after_the_end(tmp_path: Path) -> None:
    with ours(tmp_path) as instance:
        for _ in range(8):
            assert job.execute_in_process(instance=instance).success
        assert len(told(instance)) == 8
        few = open_files(tmp_path)
    assert few < 40  # three of each file: itself, its log, what is shared of it
    assert open_files(tmp_path) == 0
    assert not list(tmp_path.rglob("*-wal"))


def test_a_deleted_run_leaves_no_file_open_or_on_disk(tmp_path: Path) -> None:
    with ours(tmp_path) as instance:
        for _ in range(2):
            assert job.execute_in_process(instance=instance).success
        before = open_files(tmp_path)
        newest, other = told(instance)
        instance.delete_run(newest)
        assert open_files(tmp_path) < before
        assert {path.name.split(".")[0] for path in index_of(tmp_path).iterdir()} == {"index", other}
        assert list(told(instance)) == [other]


def test_a_folder_is_made_once_by_many_that_open_it_at_once(tmp_path: Path) -> None:
    """Dagster creates the file of its runs without regard to others: some of them failed on tables that were there."""
    with ThreadPoolExecutor(4) as openers:
        made = list(openers.map(ours, [tmp_path] * 4))
    for instance in made:
        with instance:
            assert told(instance) == {}


def test_a_partition_is_known_as_soon_as_it_is_added_and_no_longer_than_it_is_there(tmp_path: Path) -> None:
    with ours(tmp_path) as instance:
        assert not instance.has_dynamic_partition("batches", "b1")
        instance.add_dynamic_partitions("batches", ["b1", "b2"])
        assert instance.has_dynamic_partition("batches", "b1")
        instance.delete_dynamic_partition("batches", "b1")
        assert not instance.has_dynamic_partition("batches", "b1")
        assert instance.has_dynamic_partition("batches", "b2")
    with plain(tmp_path) as instance:
        assert instance.get_dynamic_partitions("batches") == ["b2"]


QUESTIONS = {
    "events": "SELECT id, dagster_event_type, step_key, asset_key, partition FROM event_logs ORDER BY id",
    "tags": "SELECT event_id, asset_key, key FROM asset_event_tags ORDER BY event_id, key",
    "assets": """SELECT asset_key, last_materialization IS NULL, last_run_id IS NULL,
        last_materialization_timestamp IS NULL FROM asset_keys ORDER BY asset_key""",
    "checks": """SELECT asset_key, check_name, partition, execution_status, evaluation_event_storage_id,
        materialization_event_storage_id FROM asset_check_executions ORDER BY id""",
}


def asked(folder: Path, statement: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "index.db")) as file:
        return file.execute(statement).fetchall()


def index_of(data: Path) -> Path:
    return next(IngestSettings(data=data).dagster_storage.rglob("index.db")).parent


@pytest.mark.slow
def test_what_is_told_of_assets_is_what_dagster_tells(tmp_path: Path) -> None:
    """Row by row: events, tags, assets, and checks with the very materialisations they judged."""
    for name, made in (("plain", plain), ("ours", ours)):
        (tmp_path / name).mkdir()
        with made(tmp_path / name) as instance:
            for batch in ("b1", "b2"):
                instance.add_dynamic_partitions("batches", [batch])
                assert dg.materialize([first, second], instance=instance, partition_key=batch).success
    for statement in QUESTIONS.values():
        expected = asked(index_of(tmp_path / "plain"), statement)
        assert expected != []
        assert asked(index_of(tmp_path / "ours"), statement) == expected


def test_an_input_has_the_version_of_the_batch_that_was_just_made(tmp_path: Path) -> None:
    with ours(tmp_path) as instance:
        instance.add_dynamic_partitions("batches", ["b1", "b2"])
        for batch in ("b1", "b2", "b1"):
            assert dg.materialize([first, second], instance=instance, partition_key=batch).success
            made = version(instance, "first", batch)["dagster/data_version"]
            found = version(instance, "second", batch)["dagster/input_data_version/first"]
            assert found == sha256(made.encode()).hexdigest()


def version(instance: dg.DagsterInstance, asset: str, batch: str) -> dict[str, str]:
    """Tags of the newest materialisation, by the run that made it: no question that is answered from memory."""
    [*_, last] = [
        log.dagster_event.step_materialization_data.materialization
        for run in reversed(instance.get_runs())
        for log in instance.all_logs(run.run_id, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION)
        if log.dagster_event
        and log.dagster_event.asset_key == dg.AssetKey(asset)
        and log.dagster_event.partition == batch
    ]
    return dict(last.tags or {})


@pytest.mark.parametrize("removed", ["asset", "run"])
def test_what_is_removed_is_told_of_no_longer(tmp_path: Path, removed: str) -> None:
    asked_for = AssetRecordsFilter(dg.AssetKey("first"), ["b1"])
    with ours(tmp_path) as instance:
        instance.add_dynamic_partitions("batches", ["b1"])
        run = dg.materialize([first], instance=instance, partition_key="b1").run_id
        (found,) = instance.fetch_materializations(asked_for, limit=1).records
        assert found.run_id == run
        assert instance.fetch_materializations(asked_for, limit=2).records == [found]
        other = AssetRecordsFilter(dg.AssetKey("first"), ["b2"])
        assert instance.fetch_materializations(other, limit=1).records == []
        if removed == "asset":
            instance.wipe_assets([dg.AssetKey("first")])
        else:
            instance.delete_run(run)
        assert instance.fetch_materializations(asked_for, limit=1).records == []
