"""Locks and unfinished files of processes that another container of the same folder runs: they look dead from here."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import pytest

from warehouse.raw import blobs
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout
from warehouse.storage.locks import AlreadyLockedError, is_being_ingested, market_lock


@pytest.fixture(scope="module")
def dead() -> int:
    """The id of a process that has ended: what an id of another container looks like."""
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    return int(ended.stdout)


def in_container(monkeypatch: pytest.MonkeyPatch, space: str, process: int) -> None:
    monkeypatch.setattr(atomic_files, "process_space", lambda: space)
    monkeypatch.setattr(os, "getpid", lambda: process)


def test_lock_held_in_another_container_is_seen(layout: Layout, monkeypatch: pytest.MonkeyPatch, dead: int) -> None:
    in_container(monkeypatch, "1", dead)
    with market_lock(layout, "NO"):
        in_container(monkeypatch, "2", 1)
        assert is_being_ingested(layout, "NO")
        told = f"by process {dead} of another container: wait"
        with pytest.raises(AlreadyLockedError, match=told), market_lock(layout, "NO"):
            pass
    assert not is_being_ingested(layout, "NO")


def test_lock_that_a_killed_process_of_another_container_left_is_free(
    layout: Layout, monkeypatch: pytest.MonkeyPatch, dead: int
) -> None:
    layout.locks_folder.mkdir(parents=True)
    layout.lock_file("market-NO").write_text(f"{dead} 1")
    in_container(monkeypatch, "2", 1)
    assert not is_being_ingested(layout, "NO")


def test_body_that_another_container_is_storing_is_left_alone(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first process of every container is number 1."""
    in_container(monkeypatch, "1", 1)

    def other_starts(step: str) -> None:
        if step == "object written":
            in_container(monkeypatch, "2", 1)
            blobs.discard_incomplete(layout.raw_folder)

    stored = blobs.store_blob(layout.raw_folder, io.BytesIO(b"body"), None, other_starts)
    with blobs.open_blob(layout.raw_folder, stored.sha256, "body") as body:
        assert body.read() == b"body"


def test_what_a_container_left_unfinished_goes_after_a_day(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    in_container(monkeypatch, "2", 1)
    incoming = layout.raw_folder / "incoming"
    incoming.mkdir(parents=True)
    for name in ("1-1.1.tmp", "1-1.2.tmp", "4711.3.tmp"):  # the last one is of an earlier version
        (incoming / name).write_bytes(b"half")
    for name in ("1-1.1.tmp", "4711.3.tmp"):
        os.utime(incoming / name, (0, 0))
    blobs.discard_incomplete(layout.raw_folder)
    assert [path.name for path in incoming.iterdir()] == ["1-1.2.tmp"]
