"""RELEASE: publishes the markets of a run together, and empties their outboxes.

Does not belong here: building and validating (`warehouse.release.publisher`). The outbox is emptied after
publishing: a kill between the two repeats events, which the ledger drops by their known ids.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field

import polars as pl

from pipelines.erasure.market import MarketErasure, ReleaseInUseError
from pipelines.steps import collect_events, freshness, quarantine
from pipelines.workspace import Workspace
from warehouse import schema_render
from warehouse.release.freshness import DatasetCheck
from warehouse.release.publisher import MarketPart
from warehouse.schema.tables import EVENTS


@dataclass(frozen=True, slots=True)
class PublishResult:
    """What was published: the number (None: nothing had changed), and its new events."""

    release: int | None
    events: Mapping[str, int] = field(default_factory=dict)
    events_by_dataset: Mapping[str, int] = field(default_factory=dict)


def publish(workspace: Workspace, markets: Iterable[str], batch: str) -> PublishResult:
    """Publishes the markets of a run; a quarantined one keeps its data of the last release."""
    markets = sorted(markets)
    at = workspace.receipts.facts(batch).at
    erased = {market: MarketErasure(workspace, workspace.jurisdiction(market)).due(at) for market in markets}
    seen = {market: freshness.freshness_after_run(workspace, market, batch) for market in markets}
    parts = {market: market_part(workspace, market, seen[market], whole=erased[market]) for market in markets}
    found = [
        rows
        for market in markets
        if (rows := collect_events.read_collected(workspace, market, batch)) is not None
    ]
    rows = pl.concat([schema_render.empty_frame(EVENTS), *found])
    for market in markets:
        workspace.custody.keep(market)  # before a release depends on it
    fresh = rows.filter(~pl.col("event_id").is_in(workspace.ledger.known(rows["event_id"]).to_list()))
    manifest = workspace.releases.publish(parts, rows, full=any(erased.values()))
    for market in markets:
        _finish_erasure(workspace, market)
    workspace.releases.checked(
        [market for market in markets if parts[market].state == "fresh"],
        at,
        {key: one for market in markets for key, one in seen[market].items()},
    )
    for market in markets:
        _clear_outbox(workspace, market, batch)
    receipt = PublishResult(
        None if manifest is None else manifest.release,
        dict(sorted(Counter(fresh["event_type"]).items())),
        dict(sorted(Counter(_event_registers(fresh)).items())),
    )
    workspace.receipts.write(batch, "release", asdict(receipt))
    workspace.tell("no changes" if receipt.release is None else f"release {receipt.release}")
    return receipt


def republish_markets(
    workspace: Workspace, markets: Iterable[str], *, with_events: bool = False
) -> int | None:
    """Publishes the current history of some markets in full; returns the release's number.

    with_events: also publish and empty their outboxes; else no events. None before the first release.
    """
    if workspace.releases.current() is None:
        return None
    markets = sorted(markets)
    parts = {
        market: market_part(workspace, market, freshness.previous_freshness(workspace, market), whole=True)
        for market in markets
    }
    outboxes = {market: _read_outbox(workspace, market) for market in markets} if with_events else {}
    rows = pl.concat([schema_render.empty_frame(EVENTS), *outboxes.values()])
    for market in markets:
        workspace.custody.keep(market)
    manifest = workspace.releases.publish(parts, rows, full=True)
    for market, told in outboxes.items():
        with workspace.history(market) as history:
            history.clear_outbox(told["event_id"])
    return None if manifest is None else manifest.release


def _read_outbox(workspace: Workspace, market: str) -> pl.DataFrame:
    with workspace.history(market) as history:
        return history.outbox()


def _finish_erasure(workspace: Workspace, market: str) -> None:
    """Removes everything older than the release; anything still being read is removed by a later run."""
    try:
        MarketErasure(workspace, workspace.jurisdiction(market)).published()
    except ReleaseInUseError as error:
        workspace.tell(str(error))


def market_part(
    workspace: Workspace, market: str, seen: Mapping[str, DatasetCheck], *, whole: bool = False
) -> MarketPart:
    """A market's part of a release; `whole`: its history even if it is quarantined."""
    jurisdiction = workspace.jurisdiction(market)
    with workspace.history(market) as history:
        states = quarantine.dataset_states(workspace, jurisdiction, history)
        is_blank = history.revision == 0
    stopped = quarantine.is_market_quarantined(workspace, jurisdiction)
    path = None if is_blank or (stopped and not whole) else workspace.layout.history_file(market)
    told = freshness.with_freshness(states, seen)
    return MarketPart(market, path, "held" if stopped else "fresh", quarantine.newest_instant(states), told)


def _clear_outbox(workspace: Workspace, market: str, batch: str) -> None:
    rows = collect_events.read_collected(workspace, market, batch)
    if rows is not None and not rows.is_empty():
        with workspace.history(market) as history:
            history.clear_outbox(rows["event_id"])


def _event_registers(rows: pl.DataFrame) -> list[str]:
    return [json.loads(data)["source"]["register"] for data in rows["data"]]
