"""Freshness beside releases: what runs note, files of older editions, and manifests that lack it."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from tests.warehouse.helpers import day
from tests.warehouse.world import NO_EVENTS, learn, member, publish
from warehouse.publish.publisher import MarketPart, ReleaseStore
from warehouse.reader.reader import ReleaseReader
from warehouse.release import freshness
from warehouse.release import manifest as release_manifest
from warehouse.release.freshness import CountedRows, DatasetCheck, Freshness
from warehouse.release.manifest import MANIFEST, ReleaseManifest
from warehouse.schema.market_state import DatasetState, LicenceTerms, MarketState, Reconciliation
from warehouse.storage.layout import Layout

TERMS = LicenceTerms("CC0-1.0", "https://licence.example/", "Contains data of the register.")
NEW = ("checked_at", "held_since", "terms")


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path)


def test_a_manifest_carries_terms_and_freshness(layout: Layout) -> None:
    learn(layout, "NO", 0, companies=[member("NO", 1)])
    states = {
        "no.x": DatasetState(day(0), ("b1",), 5, None, None, day(1), None, TERMS),
        "no.y": DatasetState(None, checked_at=None, held_since=day(1), terms=TERMS),
    }
    part = MarketPart("NO", layout.history_file("NO"), "fresh", day(0), states)
    manifest = ReleaseStore(layout).publish({"NO": part}, NO_EVENTS)
    assert manifest is not None
    assert release_manifest.read_manifest(layout, 1).markets["NO"].datasets == states


def test_manifests_of_before_still_open(layout: Layout) -> None:
    learn(layout, "NO", 0, companies=[member("NO", 1)])
    part = MarketPart("NO", layout.history_file("NO"), "fresh", day(0), {"no.x": DatasetState(day(0), ("b1",), 5)})
    ReleaseStore(layout).publish({"NO": part}, NO_EVENTS)
    values = json.loads((layout.release_folder(1) / MANIFEST).read_bytes())
    for name in NEW:
        del values["markets"]["NO"]["datasets"]["no.x"][name]
    old = ReleaseManifest.parse(json.dumps(values).encode())
    assert old.markets["NO"].datasets["no.x"] == DatasetState(day(0), ("b1",), 5)


def test_what_runs_note_adds_up(layout: Layout) -> None:
    publish(layout)
    releases, reader = ReleaseStore(layout), ReleaseReader(layout)
    assert reader.read_freshness() == Freshness()
    releases.record_checks(["NO"], day(1), {"no.x": DatasetCheck(day(1)), "no.y": DatasetCheck(None, day(1))})
    releases.record_checks(["SE"], day(2), {"se.x": DatasetCheck(day(2)), "no.y": DatasetCheck(day(2))})
    assert reader.read_freshness() == Freshness(
        {"NO": day(1), "SE": day(2)},
        {"no.x": DatasetCheck(day(1)), "no.y": DatasetCheck(day(2)), "se.x": DatasetCheck(day(2))},
    )
    assert reader.read_freshness().markets == {"NO": day(1), "SE": day(2)}


def test_a_file_of_before_datasets_were_noted_still_opens(layout: Layout) -> None:
    layout.freshness_file.parent.mkdir(parents=True, exist_ok=True)
    layout.freshness_file.write_text(json.dumps({"NO": day(1).isoformat()}))
    assert freshness.read_freshness(layout) == Freshness({"NO": day(1)}, {})


def test_rows_that_were_counted_since_replace_those_of_the_release(layout: Layout) -> None:
    publish(layout)
    releases = ReleaseStore(layout)
    rows = {"no.x": DatasetCheck(day(1), counted=CountedRows(9, 9)), "no.y": DatasetCheck(day(1))}
    releases.record_checks(["NO"], day(1), rows)
    releases.record_counts({"no.x": CountedRows(7, 1), "no.unheard": CountedRows(5, 5)})
    noted = freshness.read_freshness(layout)
    assert noted.dataset_checks == rows, "no check was made"
    figures = Reconciliation({"no.x": 0, "no.y": 2}, {"no.x": 0, "no.y": 3})
    datasets = dict.fromkeys(("no.x", "no.y"), DatasetState(day(0)))
    state = MarketState("fresh", day(0), 3, datasets, figures)
    found = noted.of(state).reconciliation
    assert found == Reconciliation({"no.x": 7, "no.y": 2}, {"no.x": 1, "no.y": 3})
    assert noted.of(MarketState("fresh", day(0), 3, datasets)).reconciliation is None


def test_what_was_noted_since_counts_before_what_the_release_says() -> None:
    told = DatasetState(day(0), ("b1",), 5, checked_at=day(0), held_since=day(0), terms=TERMS)
    state = MarketState("fresh", day(0), 3, {"no.x": told, "no.unseen": told})
    noted = Freshness({}, {"no.x": DatasetCheck(day(0) + timedelta(hours=1)), "no.other": DatasetCheck(day(1))})
    found = noted.of(state)
    assert found.datasets["no.x"].checked_at == day(0) + timedelta(hours=1)
    assert found.datasets["no.x"].held_since is None
    assert found.datasets["no.x"].observed_at == day(0)
    assert found.datasets["no.unseen"] == told
    assert set(found.datasets) == {"no.x", "no.unseen"}
    assert found.companies == 3
