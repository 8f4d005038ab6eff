"""What RAW and STAGED hold that nobody needs goes; what a later step needs stays, whatever its age."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pipelines.maintenance import retention
from pipelines.maintenance.rebuild import RebuildOptions, WorkspaceOverrides, rebuild
from pipelines.maintenance.replay import MissingStagedRowsError
from pipelines.maintenance.retention import ExpiredData, RetentionLimits
from pipelines.workspace import Workspace
from tests.pipelines.invented import MARKET
from tests.pipelines.places import ONE, TWO, Place, accounts, owner
from warehouse.publish.publisher import ReleaseStore
from warehouse.raw.archive import RawArchive

DAYS = timedelta(days=1)
ALL = RetentionLimits(timedelta(), timedelta())


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Three complete registers on three days, accounts one by one, owners once."""
    place = Place(tmp_path_factory.mktemp("lived"))
    for day, name in (("2026-01-01", "Yksi Oy"), ("2026-01-02", "Uusi Oy"), ("2026-01-03", "Yksi Oy")):
        place.day(day, "fi.register")
        place.register((ONE, name, "open", ""), (TWO, "Kaksi Oy", "open", ""), day=day)
        place.records(f"accounts/{day}.json", accounts(day, ONE, 2024, 100), day=day)
    place.records("owners/o1.json", owner("o1", ONE, 25, 50), day="2026-01-01")
    assert len(place.ingest().batches) == 3
    return place


@pytest.fixture
def place(lived: Place, tmp_path: Path) -> Place:
    shutil.copytree(lived.root, tmp_path / "place")
    return Place(tmp_path / "place", lived.now)


def workspace(place: Place) -> Workspace:
    return Workspace(place.settings, (place.market,), place.clock)


def spare(place: Place, limits: RetentionLimits = ALL) -> dict[str, ExpiredData]:
    found = retention.find_expired(workspace(place), place.market, limits, place.now + DAYS)
    return {one.dataset: one for one in found}


def counts(place: Place, limits: RetentionLimits = ALL) -> dict[str, tuple[int, int]]:
    return {key: (len(one.bodies), len(one.batches)) for key, one in spare(place, limits).items()}


def bodies(place: Place) -> set[str]:
    return {path.stem for path in place.settings.layout.raw_folder.glob("sha256/*/*.zst")}


def remove(place: Place, limits: RetentionLimits = ALL) -> None:
    for one in spare(place, limits).values():
        retention.remove_expired(workspace(place), one)


def test_the_newest_complete_edition_and_the_newest_batch_stay(place: Place) -> None:
    before = bodies(place)
    # of the register the second day's alone: the first is, byte for byte, what the third says too
    assert counts(place) == {"fi.register": (1, 1), "fi.accounts": (2, 2)}
    assert spare(place)["fi.register"].bytes > 0
    assert bodies(place) == before, "telling removes nothing"
    remove(place)
    assert len(before) - len(bodies(place)) == 3
    assert counts(place) == {}
    assert [
        line["pruned"] for line in RawArchive(place.settings.layout).manifest_lines("fi.register") if "pruned" in line
    ]


def test_what_is_younger_stays_and_rows_stay_while_their_body_is_there(place: Place) -> None:
    assert counts(place, RetentionLimits(timedelta(days=30), timedelta(days=30))) == {}
    assert counts(place, RetentionLimits(None, timedelta())) == {}, "an erasure finds bodies by their rows"
    assert counts(place, RetentionLimits(timedelta(), None)) == {"fi.register": (1, 0), "fi.accounts": (2, 0)}
    remove(place, RetentionLimits(timedelta(), None))
    assert counts(place, RetentionLimits(None, timedelta())) == {"fi.register": (0, 1), "fi.accounts": (0, 2)}


@pytest.mark.slow
def test_after_pruning_ingests_go_on_and_only_a_rebuild_is_refused(place: Place) -> None:
    served = ReleaseStore(place.settings.layout).current_manifest()
    remove(place)
    again = place.ingest()
    assert ({file.reason for file in again.files}, again.release) == ({"unchanged"}, None)
    place.day("2026-01-04", "fi.register")
    place.register((ONE, "Uusi Oy", "asleep", ""), (TWO, "Kaksi Oy", "open", ""), day="2026-01-04")
    assert dict(place.ingest().events) == {"status.changed": 1}
    place.day("2026-01-05", "fi.register")
    place.register((ONE, "Uusi Oy", "open", ""), (TWO, "Kaksi Oy", "open", ""), day="2026-01-05")
    assert dict(place.ingest().events) == {"status.changed": 1}, "bytes that were pruned have come again"
    assert served is not None
    with pytest.raises(MissingStagedRowsError, match=r"cannot be rebuilt: rows of fi\.register"):
        rebuild(place.settings, ["fi"], RebuildOptions(), overrides=WorkspaceOverrides((place.market,), place.clock))


@pytest.mark.slow
def test_what_was_never_read_or_is_held_stays(place: Place) -> None:
    place.day("2026-01-04", "fi.register")
    place.register((ONE, "Yksi Oy", "open", ""), day="2026-01-04")  # one of two: held
    assert place.ingest().held
    held = spare(place)["fi.register"]
    assert len(held.bodies) == 1, "the newest sound edition stays, and what is held behind it"
    batch = max((place.settings.layout.staged_folder / "fi.accounts").iterdir())
    shutil.rmtree(batch)  # as if a run had been killed before it staged
    assert counts(place)["fi.accounts"] == (1, 1), "what is not read is needed, and the newest that is"


def test_what_an_image_or_a_dataset_that_asks_still_needs_stays(place: Place) -> None:
    asking = replace(MARKET.dataset("fi.owners"), subjects_to_fetch=lambda rows: iter(()))
    others = tuple(made for made in MARKET.datasets if made.key != "fi.owners")
    place.market = replace(MARKET, datasets=(*others, asking))
    assert counts(place) == {"fi.register": (1, 0), "fi.accounts": (2, 0)}
    first = min(path.name for path in (place.settings.layout.staged_folder / "fi.accounts").iterdir())
    workspace(place).staged_store.record_looked_up_batches("fi.owners", {"fi.accounts": first})
    assert counts(place)["fi.accounts"] == (2, 1)
    with workspace(place).open_history("FI") as history:
        history.record_step("image", "waiting")
    assert counts(place) == {}


def test_what_a_killed_run_left_goes(place: Place) -> None:
    left = place.settings.layout.staged_folder / "fi.owners" / "20260301T080000000Z.tmp"
    left.mkdir()
    assert spare(place, RetentionLimits())["fi.owners"].leftovers == (left,)
    remove(place, RetentionLimits())
    assert not left.exists()


@pytest.mark.slow
def test_late_arriving_full_snapshot_releases_nothing_of_the_newest_one(place: Place) -> None:
    """The newest by what it is of: the last that was ingested may be older."""
    before = counts(place)
    place.day("2025-12-30", "fi.register")
    place.register((ONE, "Vanha Oy", "open", ""), (TWO, "Kaksi Oy", "open", ""), day="2025-12-30")
    assert place.ingest().late == {"fi.register": 1}
    assert counts(place) == before
