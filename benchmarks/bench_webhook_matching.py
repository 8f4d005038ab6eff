"""Matching: 10,000 events against a million (subscription, company) rows, deliveries and queue written.

Ours is the fan-out's own steps, in a process of their own, until nothing is left to match. Beside it the barest
statement that finds the same pairs and keeps them: one INSERT … SELECT into a table of two columns, without ids,
states, queue or cursor. Does not belong here: sending (`bench_webhooks`).
"""

import json
import multiprocessing
import random
import resource
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from api.common.clock import Clock
from api.database.engine import Database
from api.database.models.webhooks import Delivery, QueuedAttempt
from api.webhooks.delivery.fanout import FanOut
from benchmarks.api_world import written
from benchmarks.webhook_events import company_id
from benchmarks.webhook_world import Target, World
from warehouse.reader.reader import ReleaseReader
from warehouse.storage.layout import Layout

SUBSCRIPTIONS = 20_000
EVERYTHING = 100
COMPANIES = 200_000
MOST_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Matched:
    """What a process found, and what it took."""

    events: int
    seconds: float
    work: float
    peak_mb: int


def run(events: int = 10_000, rows: int = 1_000_000, subscriptions: int = SUBSCRIPTIONS) -> list[dict[str, Any]]:
    """One result: seconds of both, and the most memory the fan-out held."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder) / "data")
        try:
            world.subscribe(_targets(rows, subscriptions))
            chance = random.Random(7)
            concerned = [chance.randrange(COMPANIES) for _ in range(events)]
            world.publish(concerned)
            told = matched_alone(world)
            made, queued = world.count(Delivery), world.count(QueuedAttempt)
            if told.events != events or queued != made:
                raise RuntimeError(f"{told.events} events matched, {made} deliveries, {queued} queued")
            pairs, bare = _bare(Path(folder), world, concerned)
            if pairs != made:
                raise RuntimeError(f"{made} deliveries instead of {pairs}")
        finally:
            world.close()
    return [
        {
            "name": f"{events:,} events against {written(rows)} (subscription, company) rows: {made:,} deliveries",
            "against": "a bare INSERT … SELECT of the same pairs",
            "ours_s": round(told.seconds, 2),
            "peer_s": round(bare, 2),
            "ratio": round(told.seconds / bare, 2),
            "asked": f"<= {MOST_SECONDS:g} s",
            "met": told.seconds <= MOST_SECONDS,
            "unit": "s",
            "ours_cpu_us": round(1_000_000 * told.work / made, 1),
            "peak_mb": told.peak_mb,
        }
    ]


def _targets(rows: int, subscriptions: int) -> Iterator[Target]:
    """The first hundred name no companies; the others share the rows evenly and their companies by chance."""
    chance = random.Random(6)
    naming = subscriptions - EVERYTHING
    for place in range(subscriptions):
        url = f"https://hooks{place}.example.com/events"
        if place < EVERYTHING:
            yield Target(url)
        else:
            share = rows // naming + (place - EVERYTHING < rows % naming)
            yield Target(url, chance.sample(range(COMPANIES), share))


def matched_alone(world: World) -> Matched:
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_match, (world.database_url, str(world.layout.root)))


def _match(database_url: str, root: str) -> Matched:
    database, reader = Database(database_url), ReleaseReader(Layout(Path(root)))
    try:
        fan_out = FanOut(database, reader, Clock(), "bench")
        began, found = time.perf_counter(), 0
        while done := fan_out.step():
            found += done
        seconds = time.perf_counter() - began
    finally:
        database.close()
        reader.close()
    used = resource.getrusage(resource.RUSAGE_SELF)
    return Matched(found, seconds, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024)


def _bare(folder: Path, world: World, concerned: list[int]) -> tuple[int, float]:
    """Pairs and seconds of the barest statement, over the same rows in a database of its own."""
    with closing(sqlite3.connect(folder / "bare.sqlite", isolation_level=None)) as bare:
        bare.execute("PRAGMA journal_mode = WAL")
        bare.execute("ATTACH ? AS control", (str(world.database.url.database),))
        bare.executescript(
            """CREATE TABLE wanted (
                   company_id TEXT, subscription_id TEXT, PRIMARY KEY (company_id, subscription_id)
               ) WITHOUT ROWID;
               INSERT INTO wanted SELECT company_id, subscription_id FROM control.webhook_companies;
               CREATE TABLE everything AS
                   SELECT subscription_id FROM control.webhook_subscriptions WHERE all_companies;
               CREATE TABLE events (sequence INTEGER PRIMARY KEY, company_id TEXT);
               CREATE TABLE pairs (
                   subscription_id TEXT, sequence INTEGER, PRIMARY KEY (subscription_id, sequence)
               ) WITHOUT ROWID;"""
        )
        bare.executemany("INSERT INTO events VALUES (NULL, ?)", [(company_id(one),) for one in concerned])
        began = time.perf_counter()
        made = bare.execute(
            """INSERT INTO pairs SELECT subscription_id, sequence FROM events JOIN wanted USING (company_id)
               UNION ALL SELECT subscription_id, sequence FROM everything CROSS JOIN events"""
        ).rowcount
        return made, time.perf_counter() - began


if __name__ == "__main__":
    print(json.dumps(run(200, 20_000, 500), indent=2))
