"""Matching with filters: 10,000 events against 20,000 subscriptions that each have some, in the fan-out's own steps.

Filters of every kind, most of them to all companies; a fifth of the subscriptions watch lists, of 10 companies or of
100,000, which hold a tenth of the companies that events are of. Beside the whole: what one event costs against lists
of either size. Does not belong here: subscriptions without filters (`bench_webhook_matching`).
"""

import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from api.database.models.webhooks import Delivery, QueuedAttempt
from benchmarks.bench_webhook_matching import MOST_SECONDS, Matched, matched_alone
from benchmarks.webhook_world import Target, World

SUBSCRIPTIONS = 20_000
COMPANIES = 1_000  # those that the release has, so that their industries are known
LARGE, SMALL = 100_000, 10
_WATCHED_EVENTS = 1_000
_OF_LISTS = 100  # companies of the events that meet a list: a tenth is on it
_MOST_RATIO = 1.5
_CODES = tuple(f"{number:03}" for number in range(10, 970))


def run(events: int = 10_000, subscriptions: int = SUBSCRIPTIONS, large: int = LARGE) -> list[dict[str, Any]]:
    """Two results: seconds of matching, and the time against a large list beside a small one."""
    whole, made = _matched(lambda world: _targets(world, subscriptions, large), events, COMPANIES)
    few, _ = _matched(lambda world: _watching(world, SMALL), min(events, _WATCHED_EVENTS), _OF_LISTS)
    many, _ = _matched(lambda world: _watching(world, large), min(events, _WATCHED_EVENTS), _OF_LISTS)
    ratio = many.seconds / few.seconds
    return [
        {
            "name": f"{events:,} events against {subscriptions:,} subscriptions with filters: {made:,} deliveries",
            "ours_s": round(whole.seconds, 2),
            "asked": f"<= {MOST_SECONDS:g} s",
            "met": whole.seconds <= MOST_SECONDS,
            "unit": "s",
            "ours_cpu_us": round(1_000_000 * whole.work / made, 1),
            "peak_mb": whole.peak_mb,
        },
        {
            "name": f"one event against 100 subscriptions to a watchlist of {large:,} companies",
            "against": f"a watchlist of {SMALL}",
            "ours_us": round(1_000_000 * many.seconds / many.events, 1),
            "peer_us": round(1_000_000 * few.seconds / few.events, 1),
            "ratio": round(ratio, 2),
            "asked": f"<= {_MOST_RATIO:g} times",
            "met": ratio <= _MOST_RATIO,
            "unit": "us",
        },
    ]


def _matched(targets: Any, events: int, companies: int) -> tuple[Matched, int]:
    """What matching took, and the number of deliveries, in a world of its own; events are of so many companies."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder) / "data")
        try:
            world.subscribe([*targets(world)])
            chance = random.Random(7)
            world.publish([chance.randrange(companies) for _ in range(events)])
            told = matched_alone(world)
            made, queued = world.count(Delivery), world.count(QueuedAttempt)
            if told.events != events or queued != made or not made:
                raise RuntimeError(f"{told.events} events matched, {made} deliveries, {queued} queued")
        finally:
            world.close()
    return told, made


def _watching(world: World, companies: int) -> Iterator[Target]:
    """A hundred subscriptions to one list, which has the company of a tenth of the events."""
    some = [*range(SMALL), *range(COMPANIES, COMPANIES + companies - SMALL)]
    watchlist = world.watch(some)
    return (Target(f"https://hooks{place}.example.com/", filters={"watchlist_id": watchlist}) for place in range(100))


def _targets(world: World, subscriptions: int, large: int) -> Iterator[Target]:
    """Filters of every kind in turn; events are of Norwegian companies, and share changes are of 2.5 points."""
    chance = random.Random(6)
    small = [world.watch(chance.sample(range(COMPANIES), SMALL)) for _ in range(10)]
    others = range(COMPANIES, COMPANIES + large - _OF_LISTS)
    much = [world.watch([*chance.sample(range(COMPANIES), _OF_LISTS), *others]) for _ in range(4)]
    for place in range(subscriptions):
        codes = chance.sample(_CODES, 3)
        kinds: tuple[Target, ...] = (
            Target("", filters={"countries": ["NO", "SE"], "industries": codes}),
            Target("", filters={"industries": codes[:1], "industry_scheme": "TOL2025", "is_listed": False}),
            Target("", filters={"countries": ["SE"], "is_listed": False}),
            Target("", filters={"is_listed": True, "ownership": {"thresholds": [50]}}),
            Target("", filters={"countries": ["NO"], "ownership": {"thresholds": [10]}, "industries": codes}),
            Target("", filters={"ownership": {"min_change_pct": 2 + place % 97}, "industries": [codes[0]]}),
            Target("", filters={"changed_fields": ["revenue"], "industries": [codes[0][:2]], "countries": ["NO"]}),
            Target("", [*chance.sample(range(COMPANIES), 25)], {"is_listed": False, "countries": ["NO"]}),
            Target("", filters={"watchlist_id": small[place // 10 % 10], "is_listed": False}),
            Target(
                "", filters={"watchlist_id": much[place // 10 % 4], "industries": codes, "industry_scheme": "SN2007"}
            ),
        )
        chosen = kinds[place % len(kinds)]
        yield Target(f"https://hooks{place}.example.com/events", chosen.companies, chosen.filters)


if __name__ == "__main__":
    print(json.dumps(run(100, 400, 1_000), indent=2))
