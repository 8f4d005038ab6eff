"""RELEASE: publishes markets together, records what the run checked of their sources, and empties their outboxes.

`load_market` reads what a release needs of one market, `plan_parts` decides what it contributes, then the release
is published. The outbox is emptied after that: a kill between the two repeats events, which the ledger drops by
their known ids. EVENTS of a market: `collect_events` copies its outbox to a file of the run. Does not belong here:
building and validating (`warehouse.publish.publisher`), numbering events (`warehouse.ledger.ledger`), or erased
subjects (`erasure.command`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Final

import polars as pl

from connectors.contract.dataset import Jurisdiction
from pipelines.runtime.batch_ids import CLOCK_SLACK, batch_instant
from pipelines.steps import fetch, quarantine, reconciliation
from pipelines.steps.fetch import FetchResult
from pipelines.steps.normalise import normalise_result_name
from pipelines.workspace import Workspace, profile_dataset
from warehouse import schema_render
from warehouse.erasure.tombstones import TombstoneStore
from warehouse.publish.publisher import MarketPart
from warehouse.release import freshness
from warehouse.release.freshness import CountedRows, DatasetCheck
from warehouse.schema.market_state import DatasetState, Reconciliation
from warehouse.schema.tables import EVENTS
from warehouse.storage import parquet

RELEASE_RESULT: Final = "release"


@dataclass(frozen=True, slots=True)
class PublishResult:
    """What was published: the number (None: nothing had changed), and its new events.

    reconciliations: by market, what its state at the end of the run cannot account for, without examples.
    """

    release: int | None
    events: Mapping[str, int] = field(default_factory=dict)
    events_by_dataset: Mapping[str, int] = field(default_factory=dict)
    reconciliations: Mapping[str, Reconciliation] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MarketReleaseInput:
    """What a release needs of one market. history: its file, None before anything was applied to it."""

    jurisdiction: Jurisdiction
    history: Path | None
    datasets: Mapping[str, DatasetState]
    events: pl.DataFrame
    reconciliation: Reconciliation | None = None


def load_market(workspace: Workspace, market: str, events: pl.DataFrame | None = None) -> MarketReleaseInput:
    """Reads what a release needs of one market, as earlier runs left it; without `events`, those in its outbox."""
    jurisdiction = workspace.jurisdiction(market)
    recorded = freshness.read_freshness(workspace.layout)
    with workspace.open_history(market) as history:
        states = quarantine.dataset_states(workspace, jurisdiction, history)
        return MarketReleaseInput(
            jurisdiction,
            workspace.layout.history_file(market) if history.revision else None,
            {dataset: recorded.update(dataset, state) for dataset, state in states.items()},
            history.outbox_events() if events is None else events,
            reconciliation.reconcile_market(jurisdiction, history),
        )


def state_after_run(state: DatasetState, fetched: FetchResult, at: datetime, latest: datetime) -> DatasetState:
    """A dataset after a run: its source checked in full, or quarantined since the first run that could not.

    What it says of an instant after `latest`, which a clock that was ahead has left, gives way to that of this run.
    """
    checked_at, held_since = (
        None if known is None or known > latest else known for known in (state.checked_at, state.held_since)
    )
    if fetched.failure is not None or state.held is not None:
        return replace(state, held_since=held_since or at)
    return replace(state, checked_at=max(at, checked_at or at), held_since=None) if fetched.asked else state


def _checked_at(workspace: Workspace, batch: str) -> datetime:
    """When a run looked at its sources: its logical instant or, where ids of runs are ahead of the clock, now."""
    at, now = workspace.step_results.facts(batch).at, workspace.clock()
    return now if batch_instant(batch) > now + CLOCK_SLACK else at


def plan_parts(inputs: Iterable[MarketReleaseInput], full_markets: Collection[str] = ()) -> dict[str, MarketPart]:
    """What each market contributes; a quarantined one keeps its part of the last release.

    full_markets: markets that are published in full from their history, even if quarantined.
    """
    return {one.jurisdiction.code: _market_part(one, one.jurisdiction.code in full_markets) for one in inputs}


def served_inputs(inputs: Iterable[MarketReleaseInput], parts: Mapping[str, MarketPart]) -> list[MarketReleaseInput]:
    """The inputs without the events of markets that keep their part of the last release: these stay in the outbox.

    A subscriber is not told what the API does not serve.
    """
    return [
        one if parts[one.jurisdiction.code].history is not None else replace(one, events=one.events.clear())
        for one in inputs
    ]


def _market_part(one: MarketReleaseInput, is_whole: bool) -> MarketPart:
    is_quarantined = one.datasets[profile_dataset(one.jurisdiction).key].held is not None
    return MarketPart(
        one.jurisdiction.code,
        None if is_quarantined and not is_whole else one.history,
        "held" if is_quarantined else "fresh",
        quarantine.newest_instant(one.datasets),
        one.datasets,
        one.reconciliation,
    )


def publish(
    workspace: Workspace, markets: Iterable[str], batch: str, full_markets: Collection[str] = ()
) -> PublishResult:
    """Publishes the markets of a run; `full_markets` as in `plan_parts`."""
    at = _checked_at(workspace, batch)
    inputs = [_load_after_run(workspace, market, batch, at) for market in sorted(markets)]
    parts = plan_parts(inputs, full_markets)
    inputs = served_inputs(inputs, parts)
    events = _all_events(inputs)
    known = workspace.ledger.known(events["event_id"])
    release = _publish_parts(workspace, parts, events, is_full=bool(full_markets))
    counted = _counted_rows(inputs, parts)
    workspace.release_store.record_checks(
        [market for market, part in parts.items() if part.state == "fresh"],
        at,
        {
            dataset.key: DatasetCheck(
                state.checked_at,
                state.held_since,
                dataset.cadence.stale_after_hours,
                counted[dataset.key],
                dataset.out_of_reach,
            )
            for one in inputs
            for dataset in one.jurisdiction.datasets
            for state in [one.datasets[dataset.key]]
        },
    )
    _clear_outboxes(workspace, inputs)
    new = events.filter(~pl.col("event_id").is_in(known.to_list()))
    registers = (json.loads(data)["source"]["register"] for data in new["data"])
    result = PublishResult(
        release,
        dict(sorted(Counter(new["event_type"]).items())),
        dict(sorted(Counter(registers).items())),
        {
            one.jurisdiction.code: found.without_examples()
            for one in inputs
            if (found := one.reconciliation) is not None
        },
    )
    workspace.step_results.write(batch, RELEASE_RESULT, asdict(result))
    workspace.report_progress("no changes" if release is None else f"release {release}")
    return result


def _counted_rows(
    inputs: Iterable[MarketReleaseInput], parts: Mapping[str, MarketPart]
) -> dict[str, CountedRows | None]:
    """By dataset, the rows that cannot be accounted for; None if its market keeps its part of the last release."""
    return {
        key: None
        if figures is None or parts[one.jurisdiction.code].history is None
        else CountedRows(figures.unlinked_rows[key], figures.changed_subjects[key])
        for one in inputs
        for figures in [one.reconciliation]
        for key in one.datasets
    }


def republish_markets(workspace: Workspace, markets: Collection[str], *, with_events: bool = False) -> int | None:
    """Publishes the current history of some markets in full; returns the release's number.

    with_events: also publish and empty their outboxes; else no events. None before the first release.
    """
    if workspace.release_store.current_manifest() is None:
        return None
    events = None if with_events else schema_render.empty_frame(EVENTS)
    inputs = [load_market(workspace, market, events) for market in sorted(markets)]
    parts = plan_parts(inputs, markets)
    release = _publish_parts(workspace, parts, _all_events(inputs), is_full=True)
    workspace.release_store.record_counts(_counted_rows(inputs, parts))
    _clear_outboxes(workspace, inputs)
    return release


def publish_outboxes(workspace: Workspace, markets: Collection[str]) -> int | None:
    """Publishes what has changed in the histories of some markets since their last release, with its events.

    As a run does it, without a run: quarantined markets keep their part. None if nothing was published.
    """
    if workspace.release_store.current_manifest() is None:
        return None
    inputs = [load_market(workspace, market) for market in sorted(markets)]
    parts = plan_parts(inputs)
    inputs = served_inputs(inputs, parts)
    release = _publish_parts(workspace, parts, _all_events(inputs), is_full=False)
    workspace.release_store.record_counts(_counted_rows(inputs, parts))
    _clear_outboxes(workspace, inputs)
    return release


def _load_after_run(workspace: Workspace, market: str, batch: str, at: datetime) -> MarketReleaseInput:
    one = load_market(workspace, market, load_collected(workspace, market, batch))
    fetched = {key: fetch.read_fetch_result(workspace, key, batch) for key in one.datasets}
    latest = max(at, workspace.clock()) + CLOCK_SLACK
    states = {key: state_after_run(state, fetched[key], at, latest) for key, state in one.datasets.items()}
    return replace(one, datasets=states)


def _all_events(inputs: Sequence[MarketReleaseInput]) -> pl.DataFrame:
    return pl.concat([schema_render.empty_frame(EVENTS), *(one.events for one in inputs)])


def _publish_parts(
    workspace: Workspace, parts: Mapping[str, MarketPart], events: pl.DataFrame, *, is_full: bool
) -> int | None:
    for market in parts:
        workspace.market_lease.save_state(market)  # before a release depends on it
    erased = TombstoneStore(workspace.layout).unreleased_subjects()
    manifest = workspace.release_store.publish(parts, events, full=is_full, erased=erased)
    return None if manifest is None else manifest.release


def _clear_outboxes(workspace: Workspace, inputs: Iterable[MarketReleaseInput]) -> None:
    for one in inputs:
        if not one.events.is_empty():
            with workspace.open_history(one.jurisdiction.code) as history:
                history.clear_outbox(one.events["event_id"])


def collect_events(workspace: Workspace, market: str, batch: str) -> int:
    """Writes the outbox: this run's events, and those of runs killed before their release. Returns their number."""
    with workspace.open_history(market) as history:
        events = history.outbox_events()
    parquet.replace_parquet(_events_path(workspace, market, batch), events)
    workspace.step_results.write(batch, _events_name(market), {"market": market, "events": events.height})
    return events.height


def load_collected(workspace: Workspace, market: str, batch: str) -> pl.DataFrame:
    """The events of one market and batch; none if the run did not get that far."""
    path, none = _events_path(workspace, market, batch), schema_render.empty_frame(EVENTS)
    # a run that an upgrade interrupted has a file without the columns declared since
    return pl.concat([none, pl.read_parquet(path)], how="diagonal") if path.exists() else none


def is_release_missing(workspace: Workspace, market: str) -> bool:
    """True if the newest run that changed a market came as far as its events, and made no release."""
    results = workspace.step_results
    for batch in reversed(results.batches()):
        has_events = results.read(batch, _events_name(market)) is not None
        if has_events or results.read(batch, normalise_result_name(market)) is not None:
            return has_events and results.read(batch, RELEASE_RESULT) is None
    return False


def _events_name(market: str) -> str:
    return f"events-{market}"


def _events_path(workspace: Workspace, market: str, batch: str) -> Path:
    return workspace.step_results.folder(batch) / f"{_events_name(market)}.parquet"
