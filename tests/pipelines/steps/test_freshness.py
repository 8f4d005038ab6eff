"""What runs note of datasets: when they were looked at, since when they are held, and their terms."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from tests.pipelines.places import ONE, TWO, Place
from warehouse.release import manifest as release_manifest
from warehouse.release.freshness import DatasetCheck
from warehouse.schema.market_state import LicenceTerms


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def tear(place: Place) -> None:
    """The accounts come as a full edition that cannot be read."""
    place.write("day.json", json.dumps({"complete": ["fi.accounts"]}))
    place.write("fi/accounts/a1.json", "{torn")


@pytest.mark.slow
def test_the_release_says_terms_and_when_each_dataset_was_looked_at(place: Place) -> None:
    place.plain_ingested()
    manifest = release_manifest.served_manifest(place.settings.layout)
    assert manifest is not None
    for key, state in manifest.markets["FI"].datasets.items():
        assert state.terms == LicenceTerms("CC0-1.0", None, None)
        assert state.held_since is None
        assert state.checked_at == place.noted[key.removeprefix("fi.")].checked_at == state.observed_at


@pytest.mark.slow
def test_looking_and_finding_nothing_new_is_noted_without_a_release(place: Place) -> None:
    place.plain_ingested()
    before = place.noted
    assert place.ingest().release is None
    for key, seen in place.noted.items():
        former = before[key].checked_at
        assert former is not None
        assert seen.checked_at is not None
        assert seen.checked_at > former


@pytest.mark.slow
def test_a_dataset_whose_files_are_not_there_was_not_looked_at(place: Place) -> None:
    place.plain()
    (place.folder / "fi/owners/o1.json").unlink()
    place.ingest()
    assert place.noted["owners"] == DatasetCheck(None)
    assert place.noted["register"].checked_at is not None


@pytest.mark.slow
def test_held_since_the_first_run_and_until_it_is_taken_in(place: Place) -> None:
    place.plain_ingested()
    good = place.noted["accounts"]
    tear(place)
    place.register((ONE, "Yksi Oy", "asleep", "2026-03-03"), (TWO, "Kaksi Oy", "open", ""))
    place.ingest()
    held = place.noted["accounts"]
    assert held.checked_at == good.checked_at, "what could not be taken in has not been checked"
    assert held.held_since == place.noted["register"].checked_at
    manifest = release_manifest.served_manifest(place.settings.layout)
    assert manifest is not None
    assert manifest.markets["FI"].datasets["fi.accounts"].held_since == held.held_since
    place.register((ONE, "Yksi Oy", "open", ""), (TWO, "Kaksi Oy", "open", ""))
    assert place.ingest().release == 3
    assert place.noted["accounts"] == held, "kept over runs and releases"
    place.plain()
    place.ingest()
    assert place.noted["accounts"].held_since is None
    assert place.noted["accounts"].checked_at == place.noted["register"].checked_at


@pytest.mark.slow
def test_checks_after_a_clock_that_was_ahead_are_dated_by_the_clock(place: Place) -> None:
    place.plain_ingested()
    place.now += timedelta(days=365)
    place.ingest()
    place.now -= timedelta(days=365)
    place.ingest()
    for seen in place.noted.values():
        assert seen.checked_at is not None
        assert place.now - timedelta(minutes=1) < seen.checked_at <= place.now


@pytest.mark.slow
def test_a_market_that_stands_still_tells_since_when(place: Place) -> None:
    numbers = [f"200000{index}-0" for index in range(8)]
    place.write("day.json", json.dumps({"complete": ["fi.register"]}))
    place.register(*((number, "Oy", "open", "") for number in numbers))
    place.ingest()
    place.register(*((number, "Oy", "open", "") for number in numbers[:2]))
    assert place.ingest().release is None
    since = place.noted["register"].held_since
    assert since is not None
    place.ingest()
    assert place.noted["register"].held_since == since
