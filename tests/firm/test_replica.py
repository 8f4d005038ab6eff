"""A machine that ingests and one that only serves, each with a data folder of its own, as processes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from connectors.sandbox import World, write
from tests.bucket import Bucket, Fault
from tests.firm.conftest import Firm
from tests.firm.inside import Inside

_PATIENCE = 30.0


@dataclass(frozen=True)
class Sharing(Firm):
    """`firm` over one data folder and a bucket."""

    bucket: Bucket

    @property
    def environment(self) -> dict[str, str]:
        return {
            **super().environment,
            **self.bucket.environment,
            "FIRM_FOLLOW_SECONDS": "0.2",
            "FIRM_DELIVER": "false",
        }


def _until(client: httpx.Client, release: int) -> None:
    until = time.monotonic() + _PATIENCE
    while client.get("/api/v1/markets").headers.get("Firm-Release") != str(release):
        assert time.monotonic() < until, f"release {release} did not come"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("days")
    write(World(seed=5, companies=60, days=2, markets=("FI",)), folder)
    return sorted(path for path in folder.iterdir() if path.is_dir())


@pytest.mark.slow
def test_a_replica_serves_what_another_machine_publishes(
    object_store: Callable[[], Bucket], tmp_path: Path, days: list[Path]
) -> None:
    bucket = object_store()
    writer, replica = Inside(tmp_path / "writer"), Sharing(tmp_path / "replica", bucket)
    with replica.serving() as client:
        assert client.get("/api/v1/markets").status_code == 503  # nothing has come yet
        assert writer.run("ingest", "fi", "--from", days[0], **bucket.environment).exit_code == 0
        _until(client, 1)
        bucket.faults.append(Fault("503", "^GET .*/releases/0000000002/[0-9a-f]", times=3))
        assert writer.run("ingest", "fi", "--from", days[1], **bucket.environment).exit_code == 0
        _until(client, 2)
    beside = Inside(replica.data)
    assert "2 *" in beside.run("release", "list", **bucket.environment).out
    assert "is sound" in beside.run("release", "verify", **bucket.environment).out
    assert "nothing newer" in beside.run("release", "pull", **bucket.environment).out
    exported = writer.run("export", "fi", "--format", "parquet", "--json", **bucket.environment)
    listed = [file["name"] for file in json.loads(exported.out)["exports"][0]["files"]]
    assert {f"exports/FI/0000000002/{name}" for name in (*listed, "manifest.json")} < set(bucket.listed())
    assert writer.run("release", "push", **bucket.environment).exit_code == 0


def test_commands_say_what_is_wrong(object_store: Callable[[], Bucket], tmp_path: Path) -> None:
    inside = Inside(tmp_path / "data")
    alone = inside.run("release", "pull")
    assert (alone.exit_code, "FIRM_OBJECT_STORE" in alone.err) == (2, True)
    wrong = inside.run("release", "list", FIRM_OBJECT_STORE="bucket")
    assert (wrong.exit_code, "s3://bucket/prefix" in wrong.err) == (2, True)
    empty = inside.run("release", "push", **object_store().environment)
    assert (empty.exit_code, "nothing has been published" in empty.err) == (1, True)
