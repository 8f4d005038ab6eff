"""Markets that several machines share: each goes on where the last ended, and only one counts."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

import connectors
from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.settings import IngestSettings
from pipelines.sources.source import FolderSource
from pipelines.workspace import Workspace
from sandbox import World, write_days
from tests.bucket import Bucket
from warehouse.ledger.ledger import Ledger
from warehouse.release import manifest as release_manifest
from warehouse.storage.layout import Layout

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        os.environ.get("FIRM_TESTS") != "full", reason="the long way of `test_celery_day`: FIRM_TESTS=full"
    ),
]


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("days")
    write_days(World(seed=7, companies=60, days=2, markets=("FI",)), folder)
    return sorted(path for path in folder.iterdir() if path.is_dir())


def _settings(data: Path, bucket: Bucket | None, leases: str = "") -> IngestSettings:
    environment = {} if bucket is None else {**bucket.environment, "FIRM_DATABASE_URL": leases}
    return IngestSettings.read({**environment, "FIRM_DATA": str(data), "FIRM_WORKERS": "1", "FIRM_CLAIM_SECONDS": "1"})


def _take(data: Path, bucket: Bucket | None, leases: str, day: Path, **overrides: object) -> None:
    report = ingest(
        _settings(data, bucket, leases),
        ["FI"],
        FolderSource(day),
        overrides=IngestOverrides(**overrides),  # type: ignore[arg-type]
    )
    assert report.exit_code == 0, report.errors


def _content(data: Path) -> tuple[str, list[str]]:
    manifest = release_manifest.served_manifest(Layout(data))
    assert manifest is not None
    return manifest.content_fingerprint, [event.event_id for event in Ledger(Layout(data)).after(0, 10_000)]


def _take_and_die(data: Path, bucket: Bucket, leases: str, day: Path) -> None:
    """In a process of its own."""

    def die(step: str) -> None:
        if step == "pointer replaced":  # published; the outbox is full, and nothing has been kept since
            os.kill(os.getpid(), signal.SIGKILL)

    _take(data, bucket, leases, day, on_step=die)


def test_machines_take_turns_and_one_dies(
    object_store: Callable[[], Bucket], postgresql: Callable[[], str], tmp_path: Path, days: list[Path]
) -> None:
    for day in days:
        _take(tmp_path / "alone", None, "", day)
    bucket, leases = object_store(), postgresql()
    one, other = tmp_path / "one", tmp_path / "other"
    _take(one, bucket, leases, days[0])

    dying = multiprocessing.get_context("spawn").Process(target=_take_and_die, args=(one, bucket, leases, days[1]))
    dying.start()
    dying.join()
    assert dying.exitcode == -signal.SIGKILL
    _take(other, bucket, leases, days[1])
    fingerprint, events = _content(tmp_path / "alone")
    found, told = _content(other)
    assert found == fingerprint
    assert sorted(told) == sorted(events)
    assert len(set(told)) == len(told)
    back = Workspace(_settings(one, bucket, leases), connectors.JURISDICTIONS)
    with back.market_lease.hold_lease("FI"), back.release_store.hold_release_lock():  # the dead one comes back
        assert _content(one)[0] == fingerprint
        ours, theirs = Layout(one).history_file("FI"), Layout(other).history_file("FI")
        assert ours.read_bytes() == theirs.read_bytes()
