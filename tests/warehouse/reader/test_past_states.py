"""What earlier releases served is served again, byte for byte, by the instant of their publication."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.warehouse.helpers import DAY, day
from tests.warehouse.past_served import served_now, served_then
from tests.warehouse.world import learn, member, owner, period, publish
from warehouse.publish.publisher import ReleaseStore
from warehouse.reader.reader import ReleaseReader
from warehouse.release import manifest as release_manifest
from warehouse.storage.layout import Layout


def _rows_of_day(chance: random.Random) -> dict[str, list[dict[str, Any]]]:
    """Companies of one day, of which each is there or not, with figures and owners that change now and then."""
    there = [n for n in range(12) if chance.random() < 0.8]
    ids = [f"firm:NO:90000000{n}" if n < 10 else f"firm:NO:9000000{n}" for n in there]
    return {
        "companies": [member("NO", n, website=f"v{chance.randrange(3)}") for n in there],
        "financials": [period(one, 2024, revenue=chance.randrange(3)) for one in ids if chance.random() < 0.7],
        "owners": [owner(one, f"own_{one[-1]}", str(chance.randrange(1, 4))) for one in ids if chance.random() < 0.7],
        "relations": [
            owner(one, "own_r", "60", relation="shareholding", holder_company_id=chance.choice(ids)) for one in ids[::2]
        ],
    }


@pytest.mark.slow
def test_every_release_is_served_again(layout: Layout) -> None:
    chance, kept, companies = random.Random(5), {}, [f"firm:NO:{900000000 + n}" for n in range(12)]
    reader = ReleaseReader(layout, monotonic=iter(range(10**6)).__next__, seconds=10**6)
    numbers = []
    for at in range(14):
        if at == 9:
            ReleaseStore(layout, clock=lambda: day(9), keep=3).rollback(release_manifest.served_position(layout)[0] - 1)
        else:
            learn(layout, "NO", at, **_rows_of_day(chance))
            publish(layout, "NO", at=at, keep=3, full=at == 5)
        with reader.pin_release() as snapshot:
            numbers.append(snapshot.release_number)
            kept[at] = {one: served_now(snapshot, one, day(at).date()) for one in companies}
    assert numbers == list(range(1, 15))
    manifest = release_manifest.served_manifest(layout)
    assert manifest is not None
    assert len(manifest.past) < 4
    with reader.pin_release() as snapshot:
        for at, served in kept.items():
            for one in companies:
                assert served_then(snapshot, one, day(at), day(at).date()) == served[one], (at, one)
        assert served_then(snapshot, companies[0], day(-1), DAY.date()) is None
    gone = [at for at in kept if kept[at][companies[3]] is None]
    assert gone, "a company goes and comes back"
    reader.close()
