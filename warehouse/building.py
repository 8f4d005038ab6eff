"""Plans the next release and writes its files, in full or as a patch of the previous release.

Does not belong here: locks, the ledger, the pointer (`release`), or the validity of a release (`soundness`).
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Literal

import duckdb
import polars as pl

from warehouse import assembly, files, naming, patching, serving, soundness
from warehouse.engine import allow, beside, database_of, opened
from warehouse.ledger import Ledger
from warehouse.manifests import NAMES, SERVING, WAREHOUSE, Manifest, Standing, Unsound
from warehouse.paths import Layout
from warehouse.reading import DatasetState, MarketState
from warehouse.soundness import Content

# DuckDB's memory while documents are built; polars and SQLite need as much again
SERVING_MEMORY: Final = "2GB"
CHECKING_MEMORY: Final = "1200MB"  # for DuckDB while SQLite creates its indexes, with all ids in memory
COMPACT_AFTER: Final = timedelta(days=7)  # patches leave holes and unsorted rows behind


@dataclass(frozen=True, slots=True)
class MarketPart:
    """One market's input to a release. `history` None: its part of the previous release is kept."""

    market: str
    history: Path | None
    state: Literal["fresh", "held"]
    at: datetime | None
    datasets: Mapping[str, DatasetState] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """Plan of the next release. `changed` None: everything of that market may have changed.

    `standings` and `changed` cover the markets with a history; `events` are those not in the ledger yet.
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
        """True if the previous release already has all of this."""
        if self.former is None:
            return not self.changed
        quiet = all(companies is not None and companies.is_empty() for companies in self.changed.values())
        return quiet and self.events.is_empty() and not self.full


def plan(
    former: Manifest | None,
    parts: Mapping[str, MarketPart],
    fresh: pl.DataFrame,
    now: datetime,
    *,
    full: bool,
) -> Plan:
    """Inspects the histories.

    Builds in full what cannot be patched: new market, new schema, or a week since the last full build.
    """
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
        or former.schema_fingerprint != soundness.schema_fingerprint()
        or now - former.full_at >= COMPACT_AFTER
        or any(companies is None for companies in changed.values())
    )
    return replace(found, full=full or stale)


def require_histories(made: Plan) -> None:
    """Raises Unsound if a market's rows would have to come from the previous release, which is truncated."""
    former = made.former
    left = sorted(former.markets.keys() - made.standings.keys()) if former else []
    if former and left:
        raise Unsound(
            f"release {former.release}: {WAREHOUSE} does not have the size in its manifest, and no copy with "
            f"{', '.join(left)} is available: ingest all markets in one run (`firm ingest`), or roll back to an "
            "earlier release (`firm release rollback`)"
        )


def write(layout: Layout, ledger: Ledger, made: Plan, on_step: files.Step) -> Content:
    """Writes the files into the existing release folder and returns the validated table contents.

    Raises Unsound if the contents are invalid.
    """
    if made.full or made.former is None:
        return _write_full(layout, ledger, made, on_step)
    return _write_patch(layout, ledger, made, made.former, on_step)


def _write_full(layout: Layout, ledger: Ledger, made: Plan, on_step: files.Step) -> Content:
    folder = layout.release(made.number)
    former = layout.release(made.former.release) / WAREHOUSE if made.former else None
    markets = {*(made.former.markets if made.former else ()), *made.standings}
    sources = [
        assembly.Source(market, made.parts[market].history if market in made.standings else None)
        for market in markets
    ]
    assembly.build(folder / WAREHOUSE, sources, former)
    on_step("warehouse written")
    with (
        opened(folder / WAREHOUSE, read_only=True) as source,
        beside(source) as apart,
        beside(source) as third,
        ThreadPoolExecutor(2) as threads,
    ):
        allow(source, SERVING_MEMORY)
        names = threads.submit(naming.build, folder / NAMES, apart)
        serving.build(folder / SERVING, source)
        allow(source, CHECKING_MEMORY)
        content = threads.submit(soundness.content, third, made.number)
        serving.finish(folder / SERVING, source, ledger.rows())
        names.result()
    on_step("serving written")
    return content.result()


def _write_patch(
    layout: Layout, ledger: Ledger, made: Plan, former: Manifest, on_step: files.Step
) -> Content:
    """Copies the previous release and patches each file in parallel as soon as it is copied."""
    folder, before = layout.release(made.number), layout.release(former.release)

    def copy(name: str) -> None:
        files.copy(before / name, folder / name)

    def patch_documents(copied: Future[None], gathered: duckdb.DuckDBPyConnection) -> None:
        copied.result()
        serving.patch(folder / SERVING, gathered, patching.every(changed), ledger.rows(former.last))

    def patch_names(copied: Future[None], gathered: duckdb.DuckDBPyConnection) -> None:
        copied.result()
        naming.patch(folder / NAMES, gathered, patching.every(changed), before / SERVING)

    changed = {
        history: companies
        for market, companies in made.changed.items()
        if companies is not None and (history := made.parts[market].history) is not None
    }
    rows = folder / patching.CHANGED
    with ThreadPoolExecutor(1) as disk:  # sequentially: a disk is no faster with two
        # documents first, as patching them takes longest
        documents, tables, index = (disk.submit(copy, name) for name in (SERVING, WAREHOUSE, NAMES))
        patching.gather(rows, changed, before / WAREHOUSE)
        with (
            opened(rows, read_only=True) as gathered,
            beside(gathered) as apart,
            ThreadPoolExecutor(2) as threads,
        ):
            catalog = database_of(gathered)
            patched = [
                threads.submit(patch_documents, documents, gathered),
                threads.submit(patch_names, index, apart),
            ]
            tables.result()
            on_step("former release copied")
            patching.put(folder / WAREHOUSE, catalog, changed)
            on_step("warehouse written")
            content = _checked(folder / WAREHOUSE, made.number, catalog)
            for done in patched:
                done.result()
    rows.unlink()
    on_step("serving written")
    return content


def _checked(path: Path, release: int, put: str) -> Content:
    """Validates finished tables, then syncs the file."""
    with opened(path, read_only=True) as connection:
        content = soundness.content(connection, release, put)
    files.sync_file(path)
    return content


def describe(layout: Layout, made: Plan, content: Content, now: datetime, events: range) -> Manifest:
    """Builds the manifest of the written files."""
    former = made.former
    return Manifest(
        release=made.number,
        kind="full" if made.full else "patch",
        built_at=now,
        full_at=now if made.full or former is None else former.full_at,
        schema_fingerprint=soundness.schema_fingerprint(),
        content_fingerprint=content.fingerprint,
        previous=former.release if former else None,
        first=events.start,
        last=events.stop - 1,
        counts=content.counts,
        sizes=sizes(layout.release(made.number)),
        markets=_markets(made, content.companies),
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
    """File sizes of a release in bytes."""
    return {name: (folder / name).stat().st_size for name in (WAREHOUSE, SERVING, NAMES)}
