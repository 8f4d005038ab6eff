"""RELEASE: publishes the markets of a run together, and empties their outboxes.

Does not belong here: building and validating (`warehouse.release`). The outbox is emptied after publishing: a
kill between the two repeats events, which the ledger drops by their known ids.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field

import polars as pl

from pipelines.erasing import Erasing, StillRead
from pipelines.resources import Workspace
from pipelines.stages import events, freshness, held
from warehouse import render
from warehouse.freshness import Seen
from warehouse.release import MarketPart
from warehouse.schema.tables import EVENTS


@dataclass(frozen=True, slots=True)
class ReleaseReceipt:
    """What was published: the number (None: nothing had changed), and its new events."""

    release: int | None
    events: Mapping[str, int] = field(default_factory=dict)
    events_by_dataset: Mapping[str, int] = field(default_factory=dict)


def publish(workspace: Workspace, markets: Iterable[str], batch: str) -> ReleaseReceipt:
    """Publishes the markets of a run; a quarantined one keeps its data of the last release."""
    markets = sorted(markets)
    at = workspace.receipts.facts(batch).at
    erased = {market: Erasing(workspace, workspace.jurisdiction(market)).due(at) for market in markets}
    seen = {market: freshness.seen(workspace, market, batch) for market in markets}
    parts = {market: part(workspace, market, seen[market], whole=erased[market]) for market in markets}
    found = [rows for market in markets if (rows := events.collected(workspace, market, batch)) is not None]
    rows = pl.concat([render.empty(EVENTS), *found])
    for market in markets:
        workspace.custody.keep(market)  # before a release depends on it
    fresh = rows.filter(~pl.col("event_id").is_in(workspace.ledger.known(rows["event_id"]).to_list()))
    manifest = workspace.releases.publish(parts, rows, full=any(erased.values()))
    for market in markets:
        _end_erasing(workspace, market)
    workspace.releases.checked(
        [market for market in markets if parts[market].state == "fresh"],
        at,
        {key: one for market in markets for key, one in seen[market].items()},
    )
    for market in markets:
        _empty_outbox(workspace, market, batch)
    receipt = ReleaseReceipt(
        None if manifest is None else manifest.release,
        dict(sorted(Counter(fresh["event_type"]).items())),
        dict(sorted(Counter(_registers(fresh)).items())),
    )
    workspace.receipts.write(batch, "release", asdict(receipt))
    workspace.tell("no changes" if receipt.release is None else f"release {receipt.release}")
    return receipt


def reissue(workspace: Workspace, markets: Iterable[str], *, with_events: bool = False) -> int | None:
    """Publishes the current history of some markets in full; returns the release's number.

    with_events: also publish and empty their outboxes; else no events. None before the first release.
    """
    if workspace.releases.current() is None:
        return None
    markets = sorted(markets)
    parts = {
        market: part(workspace, market, freshness.known(workspace, market), whole=True) for market in markets
    }
    outboxes = {market: _outbox(workspace, market) for market in markets} if with_events else {}
    rows = pl.concat([render.empty(EVENTS), *outboxes.values()])
    for market in markets:
        workspace.custody.keep(market)
    manifest = workspace.releases.publish(parts, rows, full=True)
    for market, told in outboxes.items():
        with workspace.history(market) as history:
            history.clear_outbox(told["event_id"])
    return None if manifest is None else manifest.release


def _outbox(workspace: Workspace, market: str) -> pl.DataFrame:
    with workspace.history(market) as history:
        return history.outbox()


def _end_erasing(workspace: Workspace, market: str) -> None:
    """Removes everything older than the release; anything still being read is removed by a later run."""
    try:
        Erasing(workspace, workspace.jurisdiction(market)).published()
    except StillRead as error:
        workspace.tell(str(error))


def part(workspace: Workspace, market: str, seen: Mapping[str, Seen], *, whole: bool = False) -> MarketPart:
    """A market's part of a release; `whole`: its history even if it is quarantined."""
    jurisdiction = workspace.jurisdiction(market)
    with workspace.history(market) as history:
        states = held.dataset_states(workspace, jurisdiction, history)
        is_blank = history.revision == 0
    stopped = held.is_stopped(workspace, jurisdiction)
    path = None if is_blank or (stopped and not whole) else workspace.layout.history_file(market)
    told = freshness.with_seen(states, seen)
    return MarketPart(market, path, "held" if stopped else "fresh", held.newest(states), told)


def _empty_outbox(workspace: Workspace, market: str, batch: str) -> None:
    rows = events.collected(workspace, market, batch)
    if rows is not None and not rows.is_empty():
        with workspace.history(market) as history:
            history.clear_outbox(rows["event_id"])


def _registers(rows: pl.DataFrame) -> list[str]:
    return [json.loads(data)["source"]["register"] for data in rows["data"]]
