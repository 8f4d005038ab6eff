"""The group of a company down to five levels: of a release, and as it was known two releases ago.

Half of the companies are in groups, of 2,000 in five levels, of 50 and of 5. The second release changes a tenth of the
relations, the third a fifth: half of them in share, half to another holder, the head of some group. The reader is
asked, without HTTP (`bench_api`), for heads of groups of each size. Milliseconds of wall time and of processor time.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks import api_world
from benchmarks.load import percentile
from warehouse import schema_render
from warehouse.history.history import MarketHistory
from warehouse.publish.publisher import MarketPart, ReleaseStore
from warehouse.reader.reader import PinnedRelease, ReleaseReader, StateQuery
from warehouse.reader.types import CompanyGroup
from warehouse.schema.tables import COMPANIES, EVENTS, RELATIONS
from warehouse.storage.layout import Layout

MARKET = "NO"
DEPTH = 5
SIZES = {2_000: 0.2, 50: 0.2, 5: 0.1}  # companies of a group: share of all companies in such groups
FAN_OUT = 6  # children of each member of a group
CHANGED_EVERY = 20
RELEASES = 3
TIMED = 100  # requests at least, of each kind, where there are fewer groups
_PERCENT = pl.Decimal(9, 4)


def run(companies: int = 200_000, requests: int = 200) -> list[dict[str, Any]]:
    """p99 by size of group, of the newest release and as known at the first."""
    with tempfile.TemporaryDirectory() as name:
        layout = Layout(Path(name))
        heads = _publish(layout, companies)
        with closing(ReleaseReader(layout)) as reader, reader.pin_release() as release:
            return [
                _measured(f"group of {size:,}, depth {DEPTH}, {when}", ask, release, found[:requests])
                for size, found in heads.items()
                for when, ask in (("now", _group_now), ("as known before two releases", _group_then))
            ]


def _publish(layout: Layout, companies: int) -> dict[int, list[str]]:
    """Publishes the releases; the heads of groups, by size."""
    ids: list[str] = []
    with MarketHistory(layout, MARKET) as history:
        for profiles, _ in api_world.chunks(MARKET, companies, companies):
            with history.transaction():
                history.merge_snapshot(COMPANIES, profiles, profiles["company_id"], api_world.AT)
            ids += profiles["company_id"].to_list()
    edges, heads = _edges(ids)
    for number in range(RELEASES):
        at = api_world.AT + timedelta(days=number)
        rows = _relations(edges, heads, number)
        with MarketHistory(layout, MARKET) as history, history.transaction():
            history.merge_snapshot(RELATIONS, rows, rows["company_id"].unique(), at)
        part = MarketPart(MARKET, layout.history_file(MARKET), "fresh", at)
        store = ReleaseStore(layout, clock=lambda at=at: at)
        if store.publish({MARKET: part}, schema_render.polars_schema(EVENTS).to_frame()) is None:
            raise RuntimeError("nothing has changed")
    return heads


def _edges(ids: list[str]) -> tuple[list[tuple[str, str]], dict[int, list[str]]]:
    """(holder, held) of all groups, and their heads."""
    edges: list[tuple[str, str]] = []
    heads: dict[int, list[str]] = {}
    start = 0
    for size, share in SIZES.items():
        for _ in range(max(1, int(len(ids) * share) // size)):
            members = ids[start : start + size]
            edges += ((members[(place - 1) // FAN_OUT], members[place]) for place in range(1, len(members)))
            heads.setdefault(size, []).append(members[0])
            start += size
    return edges, heads


def _relations(edges: list[tuple[str, str]], heads: dict[int, list[str]], number: int) -> pl.DataFrame:
    """The relations of release `number`: in each later one other children have changed, and stay changed."""
    every = [head for found in heads.values() for head in found]
    rows: list[dict[str, Any]] = []
    for place, (holder, held) in enumerate(edges):
        changes = number - place % CHANGED_EVERY // 2 if place % CHANGED_EVERY < 2 * number else 0
        passed = changes > 0 and place % 2 == 1
        head = every[place % len(every)] if passed else holder
        rows.append({"company_id": held, "holder": holder if head == held else head, "pct": 51 + place % 49 - changes})
    share = pl.col("pct").cast(_PERCENT)
    given = {
        "company_id": pl.col("company_id"),
        "holder_id": pl.concat_str(pl.lit("own_"), pl.col("holder").hash(1).cast(pl.String)),
        "relation": pl.lit("shareholding"),
        "holder_name": pl.lit("As stated"),
        "holder_type": pl.lit("company"),
        "holder_company_id": pl.col("holder"),
        "holder_country": pl.lit(MARKET),
        **dict.fromkeys(("pct", "pct_min", "pct_max"), share),
        "basis": pl.lit("exact"),
        "skips_parent": pl.lit(value=False),
        **dict.fromkeys(("as_of", "first_seen"), pl.lit(date(2021, 1, 1))),
        "reconciliation": pl.lit("single"),
        "sources": pl.lit("[]"),
        "observed_at": pl.lit(api_world.AT),
    }
    absent = [pl.lit(None).alias(name) for name in RELATIONS.names if name not in given]
    made = pl.DataFrame(rows).select(*(value.alias(name) for name, value in given.items()), *absent)
    return schema_render.conform_frame(RELATIONS, made)


def _group_now(release: PinnedRelease, company_id: str) -> CompanyGroup:
    return release.company_group(company_id, api_world.AT.date(), DEPTH, None, 100)


def _group_then(release: PinnedRelease, company_id: str) -> CompanyGroup:
    state = release.company_state(company_id, StateQuery(api_world.AT))
    if state is None:
        raise RuntimeError(f"{company_id} is not known")
    return release.past_group(state, api_world.AT.date(), DEPTH, None, 100)


def _measured(
    name: str, ask: Callable[[PinnedRelease, str], CompanyGroup], release: PinnedRelease, heads: list[str]
) -> dict[str, Any]:
    """Latencies of groups that were read once before: their pages are in the cache of the system."""
    for head in heads:
        ask(release, head)
    took, worked = zip(*_timed(ask, release, heads), strict=True)
    p99 = 1000 * percentile(list(took), 0.99)
    return {
        "name": f"{name}, p99",
        "ours_ms": round(p99, 2),
        "p50_ms": round(1000 * percentile(list(took), 0.5), 2),
        "processor_p99_ms": round(1000 * percentile(list(worked), 0.99), 2),
        "asked": "",
        "unit": "ms",
        "groups": len(heads),
    }


def _timed(
    ask: Callable[[PinnedRelease, str], CompanyGroup], release: PinnedRelease, heads: list[str]
) -> Iterator[tuple[float, float]]:
    for _ in range(max(1, TIMED // len(heads))):
        for head in heads:
            began, worked = time.perf_counter(), time.process_time()
            ask(release, head)
            yield time.perf_counter() - began, time.process_time() - worked


if __name__ == "__main__":
    print(json.dumps(run(), indent=2))
