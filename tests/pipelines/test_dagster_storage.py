"""Dagster's records over kept connections: the same files, nothing lost with the process, few files open."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import dagster as dg

from pipelines.run import dagster_instance
from pipelines.settings import Settings

DESCRIBED = "storage: {{sqlite: {{base_dir: '{}'}}}}\ntelemetry: {{enabled: false}}\n"
KILLED = """
import os, signal, sys
from pathlib import Path
from pipelines.run import dagster_instance
from pipelines.settings import Settings
from tests.pipelines.test_dagster_storage import job
instance = dagster_instance(Settings(data=Path(sys.argv[1])))
assert job.execute_in_process(instance=instance).success
os.kill(os.getpid(), signal.SIGKILL)
"""


@dg.op
def nothing() -> None:
    """A step."""


@dg.job
def job() -> None:
    nothing()


def ours(data: Path) -> dg.DagsterInstance:
    return dagster_instance(Settings(data=data))


def plain(data: Path) -> dg.DagsterInstance:
    """An instance over Dagster's own storage of the same folder."""
    storage = Settings(data=data).dagster_storage
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
