"""Plans the next release, and describes it in a manifest.

Does not belong here: locks, the ledger, the pointer (`publisher`), writing its files (`segment_build`), or the
validity of a release (`validation`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

import polars as pl

from warehouse.ledger.ledger import Ledger
from warehouse.publish import full_build, validation
from warehouse.publish.full_build import MarketHistoryFile
from warehouse.publish.segment_build import SegmentFolder
from warehouse.release.manifest import HistoryRevision, InvalidReleaseError, ReleaseManifest
from warehouse.release.past_files import PastFile
from warehouse.release.segments import Segment, has_much_garbage, total_content
from warehouse.schema.market_state import DatasetState, MarketState, Reconciliation
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout


@dataclass(frozen=True, slots=True)
class MarketPart:
    """One market's input to a release. `history` None: its part of the previous release is kept, with its figures."""

    market: str
    history: Path | None
    state: Literal["fresh", "held"]
    at: datetime | None
    datasets: Mapping[str, DatasetState] = field(default_factory=dict)
    reconciliation: Reconciliation | None = None


@dataclass(frozen=True, slots=True)
class ReleasePlan:
    """Plan of the next release. `changed` None: everything of that market may have changed.

    `standings` and `changed` cover the markets with a history; `events` are those not in the ledger yet.
    """

    number: int
    previous_manifest: ReleaseManifest | None
    parts: Mapping[str, MarketPart]
    history_revisions: Mapping[str, HistoryRevision]
    changed: Mapping[str, pl.Series | None]
    events: pl.DataFrame
    is_full: bool

    @property
    def changed_companies(self) -> pl.Series:
        """The changed companies of all markets; those of markets where everything may have changed are missing."""
        found = (companies for companies in self.changed.values() if companies is not None)
        return pl.concat([pl.Series("company_id", [], pl.String), *found])

    @property
    def is_empty(self) -> bool:
        """True if the previous release already has all of this."""
        if self.previous_manifest is None:
            return not self.changed
        quiet = all(companies is not None and companies.is_empty() for companies in self.changed.values())
        return quiet and self.events.is_empty() and not self.is_full


def plan_release(
    previous_manifest: ReleaseManifest | None, parts: Mapping[str, MarketPart], fresh: pl.DataFrame, *, full: bool
) -> ReleasePlan:
    """Inspects the histories.

    Builds in full if a delta is impossible or not worth it: new market, new schema, or too much garbage.
    """
    standings: dict[str, HistoryRevision] = {}
    changed: dict[str, pl.Series | None] = {}
    for market, part in parts.items():
        if part.history is not None:
            since = previous_manifest.history.get(market) if previous_manifest else None
            standings[market], changed[market] = full_build.revision_and_changes(part.history, since)
    number = previous_manifest.release + 1 if previous_manifest else 1
    found = ReleasePlan(number, previous_manifest, parts, standings, changed, fresh, full)
    if found.is_empty:
        return found
    stale = (
        previous_manifest is None
        or previous_manifest.schema_fingerprint != validation.schema_fingerprint()
        or any(companies is None for companies in changed.values())
        or has_much_garbage(previous_manifest.segments, len(found.changed_companies))
    )
    return replace(found, is_full=full or stale)


def require_histories(plan: ReleasePlan) -> None:
    """Raises InvalidReleaseError if a market's rows would have to come from a truncated previous release."""
    former = plan.previous_manifest
    left = sorted(former.markets.keys() - plan.history_revisions.keys()) if former else []
    if former and left:
        raise InvalidReleaseError(
            f"release {former.release}: a file of its rows does not have the size in its manifest, and no copy with "
            f"{', '.join(left)} is available: ingest all markets in one run (`firm ingest`), or roll back to an "
            "earlier release (`firm release rollback`)"
        )


def write_release(layout: Layout, ledger: Ledger, plan: ReleasePlan, on_step: atomic_files.Step) -> tuple[Segment, ...]:
    """Writes the files into the existing release folder and returns the validated segments.

    Raises InvalidReleaseError if the contents are invalid.
    """
    former = plan.previous_manifest
    folder = SegmentFolder.after(layout, plan.number, former, on_step)
    histories = {market: path for market in plan.history_revisions if (path := plan.parts[market].history) is not None}
    if plan.is_full or former is None:
        markets = {*(former.markets if former else ()), *plan.history_revisions}
        return folder.write_base([MarketHistoryFile(market, histories.get(market)) for market in markets], ledger)
    return folder.write_delta(histories, plan.changed_companies, ledger, former.last)


def build_release_manifest(
    layout: Layout,
    plan: ReleasePlan,
    written: tuple[Segment, ...],
    past: tuple[PastFile, ...],
    now: datetime,
    events: range,
) -> ReleaseManifest:
    """Builds the manifest of the written files."""
    former, content = plan.previous_manifest, total_content(written)
    return ReleaseManifest(
        release=plan.number,
        kind="full" if plan.is_full else "patch",
        built_at=now,
        full_at=now if plan.is_full or former is None else former.full_at,
        schema_fingerprint=validation.schema_fingerprint(),
        content_fingerprint=content.fingerprint,
        previous=former.release if former else None,
        first=events.start,
        last=events.stop - 1,
        counts=content.counts,
        segments=written,
        sizes=file_sizes_bytes(layout.release_folder(plan.number), written, past),
        markets=_market_states(plan, content.companies),
        history={**(former.history if former else {}), **plan.history_revisions},
        past=past,
    )


def _market_states(made: ReleasePlan, companies: Mapping[str, int]) -> dict[str, MarketState]:
    markets = dict(made.previous_manifest.markets) if made.previous_manifest else {}
    for market, part in made.parts.items():
        if part.history is not None or market in markets:
            kept = markets[market].reconciliation if market in markets else None
            figures = kept if part.history is None else part.reconciliation
            markets[market] = MarketState(part.state, part.at, 0, part.datasets, figures)
    return {market: replace(markets[market], companies=companies.get(market, 0)) for market in sorted(markets)}


def file_sizes_bytes(folder: Path, segments: Iterable[Segment], past: Iterable[PastFile]) -> dict[str, int]:
    """Sizes in bytes of the files of a release in its folder."""
    names = dict.fromkeys(name for segment in segments for name in segment.files.values())
    return {name: (folder / name).stat().st_size for name in (*names, *(file.file for file in past))}
