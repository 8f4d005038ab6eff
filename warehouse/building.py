"""What the next release is made of, and making its two files: from nothing, or from the former ones.

Does not belong here: locks, the ledger, verifying, the pointer (`release`).
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Final, Literal

import polars as pl

from warehouse import assembly, files, patching, render, serving
from warehouse.engine import opened
from warehouse.ledger import Ledger
from warehouse.manifests import SERVING, WAREHOUSE, Manifest, Standing, Unsound
from warehouse.paths import Layout
from warehouse.reading import DatasetState, MarketState
from warehouse.schema.tables import EVENTS, TABLES
from warehouse.searching import PLACES, SEARCH

COMPACT_AFTER: Final = timedelta(days=7)  # patches leave holes and unsorted rows behind


@dataclass(frozen=True, slots=True)
class MarketPart:
    """What a market brings to a release. `history` None: what the former release has of it stays."""

    market: str
    history: Path | None
    state: Literal["fresh", "held"]
    at: datetime | None
    datasets: Mapping[str, DatasetState] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """What the next release is made of. `changed` None: everything of that market may have changed.

    `standings` and `changed` are of the markets that bring a history; `events` are new to the ledger.
    """

    number: int
    former: Manifest | None
    parts: Mapping[str, MarketPart]
    standings: Mapping[str, Standing]
    changed: Mapping[str, pl.Series | None]
    events: pl.DataFrame
    full: bool

    @property
    def is_empty(self) -> bool:
        """Whether the former release already says all of this."""
        if self.former is None:
            return not self.changed
        quiet = all(companies is not None and companies.is_empty() for companies in self.changed.values())
        return quiet and self.events.is_empty() and not self.full


@cache
def schema_fingerprint() -> str:
    """The edition of both files that this code writes."""
    tables = render.fingerprint((*TABLES, EVENTS, SEARCH, PLACES))
    return hashlib.sha256("\n".join((tables, *serving.SCHEMA, assembly.hash_edition())).encode()).hexdigest()


def plan(
    former: Manifest | None,
    parts: Mapping[str, MarketPart],
    fresh: pl.DataFrame,
    now: datetime,
    *,
    full: bool,
) -> Plan:
    """Looks at the histories. What cannot be patched is built in full: a new market, schema or week."""
    standings: dict[str, Standing] = {}
    changed: dict[str, pl.Series | None] = {}
    for market, part in parts.items():
        if part.history is not None:
            since = former.history.get(market) if former else None
            standings[market], changed[market] = assembly.standing(part.history, since)
    number = former.release + 1 if former else 1
    found = Plan(number, former, parts, standings, changed, fresh, full)
    if found.is_empty:
        return found
    stale = (
        former is None
        or former.schema_fingerprint != schema_fingerprint()
        or now - former.full_at >= COMPACT_AFTER
        or any(companies is None for companies in changed.values())
    )
    return replace(found, full=full or stale)


def require_histories(made: Plan) -> None:
    """Raises Unsound where some market's rows would be taken from the former release, which is torn."""
    former = made.former
    left = sorted(former.markets.keys() - made.standings.keys()) if former else []
    if former and left:
        raise Unsound(
            f"release {former.release}: {WAREHOUSE} is not as long as its manifest says, and no other file of "
            f"{', '.join(left)} is at hand: take all markets in at one time (`firm ingest`), or go back to a "
            "release before it (`firm release rollback`)"
        )


def write(layout: Layout, ledger: Ledger, made: Plan, on_step: files.Step) -> None:
    """Makes the two files in the release's folder, which is there."""
    if made.full or made.former is None:
        _write_full(layout, ledger, made, on_step)
    else:
        _write_patch(layout, ledger, made, made.former, on_step)


def _write_full(layout: Layout, ledger: Ledger, made: Plan, on_step: files.Step) -> None:
    folder = layout.release(made.number)
    former = layout.release(made.former.release) / WAREHOUSE if made.former else None
    markets = {*(made.former.markets if made.former else ()), *made.standings}
    sources = [
        assembly.Source(market, made.parts[market].history if market in made.standings else None)
        for market in markets
    ]
    assembly.build(folder / WAREHOUSE, sources, former)
    on_step("warehouse written")
    with opened(folder / WAREHOUSE, read_only=True) as source:
        serving.build(folder / SERVING, source, ledger.rows())
    on_step("serving written")


def _write_patch(layout: Layout, ledger: Ledger, made: Plan, former: Manifest, on_step: files.Step) -> None:
    folder = layout.release(made.number)

    def copy(name: str) -> None:
        shutil.copyfile(layout.release(former.release) / name, folder / name)

    changed = {
        history: companies
        for market, companies in made.changed.items()
        if companies is not None and (history := made.parts[market].history) is not None
    }
    rows = folder / patching.CHANGED
    with ThreadPoolExecutor(1) as thread:  # a disk copies the one file while the other is written
        first, second = thread.submit(copy, WAREHOUSE), thread.submit(copy, SERVING)
        patching.gather(rows, changed)
        first.result()
        on_step("former release copied")
        patching.put(folder / WAREHOUSE, rows, changed)
        second.result()
    on_step("warehouse written")
    companies = pl.concat([pl.Series("company_id", [], pl.String), *changed.values()])
    with opened(rows, read_only=True) as source:
        serving.patch(folder / SERVING, source, companies, ledger.rows(former.last))
    rows.unlink()
    on_step("serving written")


def describe(layout: Layout, made: Plan, now: datetime, events: range) -> Manifest:
    """The manifest of the files as they are."""
    former = made.former
    folder = layout.release(made.number)
    with opened(folder / WAREHOUSE, read_only=True) as connection:
        content = assembly.fingerprint(connection)
        counts = assembly.counts(connection)
        companies = assembly.companies_by_market(connection)
    return Manifest(
        release=made.number,
        kind="full" if made.full else "patch",
        built_at=now,
        full_at=now if made.full or former is None else former.full_at,
        schema_fingerprint=schema_fingerprint(),
        content_fingerprint=content,
        previous=former.release if former else None,
        first=events.start,
        last=events.stop - 1,
        counts=counts,
        sizes=sizes(folder),
        markets=_markets(made, companies),
        history={**(former.history if former else {}), **made.standings},
    )


def _markets(made: Plan, companies: Mapping[str, int]) -> dict[str, MarketState]:
    markets = dict(made.former.markets) if made.former else {}
    for market, part in made.parts.items():
        if part.history is not None or market in markets:
            markets[market] = MarketState(part.state, part.at, 0, part.datasets)
    return {
        market: replace(markets[market], companies=companies.get(market, 0)) for market in sorted(markets)
    }


def sizes(folder: Path) -> dict[str, int]:
    """Bytes of a release's files."""
    return {name: (folder / name).stat().st_size for name in (WAREHOUSE, SERVING)}
