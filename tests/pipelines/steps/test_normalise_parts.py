"""A large register goes through in parts: the same release and events, and what ends between two is taken up."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.steps import normalise
from tests.pipelines.places import ONE, THREE, TWO, Place, accounts, owner
from warehouse.ledger.ledger import Ledger
from warehouse.publish.publisher import ReleaseStore

DAYS = ("2026-03-02", "2026-03-03")


def _world(root: Path) -> Place:
    """Two whole days: all three companies change, and one is gone."""
    place = Place(root)
    for day, state, revenue in zip(DAYS, ("open", "asleep"), (100, 90), strict=True):
        place.day(day, "fi.register")
        rows = [(ONE, "Yksi Oy", state, ""), (TWO, "Kaksi Oy", "open", ""), (THREE, "Kolme Oy", state, "")]
        place.register(*rows[: 3 if day == DAYS[0] else 2], day=day)
        figures = [accounts(f"{day}-{number}", number, 2024, revenue) for number in (ONE, TWO, THREE)]
        place.records("accounts/a.json", *figures, day=day)
        band = (25, 50) if state == "open" else (50, 75)
        shares = [owner(number, number, *band) for number in (ONE, TWO)]
        place.records("owners/o.json", *shares, day=day)
    return place


def _said(place: Place) -> tuple[str, list[tuple[str, str, str]]]:
    manifest = ReleaseStore(place.settings.layout).current_manifest()
    assert manifest is not None
    events = Ledger(place.settings.layout).after(0, 100)
    return manifest.content_fingerprint, sorted(
        (event.event_type, event.company_id, event.event_id) for event in events
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[tuple[str, str, str]]]:
    """What comes of it in one part."""
    place = _world(tmp_path_factory.mktemp("whole"))
    assert place.ingest().exit_code == 0
    said = _said(place)
    assert {kind for kind, _, _ in said[1]} == {"filing.updated", "ownership.changed", "status.changed"}
    return said


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(normalise, "CHUNK", 1)
    monkeypatch.setattr(normalise, "STRETCH", 1)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_many_parts_give_what_one_gives(whole: object, tmp_path: Path) -> None:
    place = _world(tmp_path)
    assert place.ingest().exit_code == 0
    assert _said(place) == whole


@pytest.mark.slow
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("part", [0, 1, 2])
def test_what_ends_between_two_parts_is_taken_up_again(whole: object, tmp_path: Path, part: int) -> None:
    place, left = _world(tmp_path), [-1]

    def told(line: str) -> None:
        if line.endswith("companies touched"):
            left[0] = part

    def step(name: str) -> None:
        if name != "before commit" or left[0] < 0:
            return
        if left[0] == 0:
            left[0] = -1
            raise OSError("the disk is full")
        left[0] -= 1

    assert place.ingest(told, on_step=step).exit_code == 1
    assert ReleaseStore(place.settings.layout).current_manifest() is None
    assert place.ingest().exit_code == 0
    assert _said(place) == whole
