"""Events of one release are numbered as they became known, which may be later than what their files say of themselves."""

from __future__ import annotations

import errno
from datetime import timedelta
from pathlib import Path

import pytest

from pipelines.maintenance.rebuild import RebuildOptions, rebuild
from pipelines.workspace import WorkspaceOverrides
from tests.pipelines.places import ONE, TWO, Place, accounts
from warehouse.ledger.ledger import Ledger


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A market whose status change no release has, and a document dated before it that came later."""
    place = Place(tmp_path)
    place.plain_ingested()
    place.register((ONE, "Yksi Oy", "asleep", "2026-03-02"), (TWO, "Kaksi Oy", "open", ""))
    assert place.ingest(on_step=fail).errors
    place.records(f"accounts/a2-{place.now:%Y-%m-%d}.json", accounts("a2", ONE, 2025, 90))
    return place


def fail(step: str) -> None:
    if step == "events numbered":
        raise OSError(errno.ENOSPC, "no space left on device")


def published(place: Place) -> list[str]:
    return [one.event_type for one in Ledger(place.settings.layout).after(0, 10)]


@pytest.mark.slow
def test_ingest_older_file_after_a_failed_release_numbers_its_events_last(place: Place) -> None:
    assert len(place.ingest().events) == 2
    assert published(place) == ["status.changed", "filing.added"]


@pytest.mark.slow
def test_rebuild_emit_numbers_events_as_they_became_known(place: Place) -> None:
    assert place.ingest(on_step=fail).errors
    place.now += timedelta(days=1)
    rebuild(
        place.settings, ["fi"], RebuildOptions(emit=True), overrides=WorkspaceOverrides((place.market,), place.clock)
    )
    assert published(place) == ["status.changed", "filing.added"]
