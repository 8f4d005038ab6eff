"""Thirty days of registries: what each release served is served again, and a day is as it was known at its end."""

import json
from contextlib import closing
from datetime import date, datetime
from typing import Any

import pytest

from sandbox import World, write_days
from tests.firm.inside import Inside, profiles_on
from tests.warehouse.past_served import served_now, served_then
from warehouse.reader.company_state import StateQuery
from warehouse.reader.reader import PinnedRelease, ReleaseReader
from warehouse.release.manifest import served_manifest

pytestmark = pytest.mark.slow
WORLD = World(seed=17, companies=520, days=30, markets=("NO",))
KEPT = 3


def test_thirty_days_are_served_again(tmp_path_factory: pytest.TempPathFactory) -> None:
    days = write_days(WORLD, tmp_path_factory.mktemp("days"))
    told = json.loads((days[0].parent / "truth.json").read_text())
    firm = Inside(tmp_path_factory.mktemp("past") / "data")
    kept: dict[int, tuple[datetime, date, dict[str, object]]] = {}
    with closing(ReleaseReader(firm.layout)) as reader:
        for folder in days:
            firm.ingest(folder)
            reader.close()  # looks at once for the next one
            with reader.pin_release() as snapshot:
                on = date.fromisoformat(folder.name)
                served = {one: served_now(snapshot, one, on) for one in told["companies"]}
                kept.setdefault(snapshot.release_number, (snapshot.built_at, on, served))
        assert len(kept) > 20, "days without a change make no release"
        with reader.pin_release() as snapshot:
            for number, (at, on, served) in kept.items():
                for one, then in served.items():
                    assert served_then(snapshot, one, at, on) == then, (number, one)
            for place, folder in enumerate(days):
                _check_day(snapshot, profiles_on(told, place), date.fromisoformat(folder.name))
    manifest = served_manifest(firm.layout)
    assert manifest is not None
    assert len(manifest.past) <= KEPT


def _check_day(snapshot: PinnedRelease, profiles: dict[str, dict[str, Any]], on: date) -> None:
    """Everything but the status, whose changes have dates of their own, as the world tells it of the day."""
    for company, expected in profiles.items():
        state = snapshot.company_state(company, StateQuery(as_of=on))
        assert state is not None
        found = json.loads(state.profile())
        assert {**found, "status": None} == {**expected, "status": None}, (company, on)
