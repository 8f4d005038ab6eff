"""The state of the service as the public is shown it: freshness of datasets, delivery lag, incidents.

Pure: from the release, the notes of runs and the delivery backlog to one report. Reasons of failures and guards are for
operators and are not in it. Does not belong here: when an incident begins and ends (`warehouse.release.incidents`).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from api.observability.delivery_health import DeliveryHealth
from warehouse.release.freshness import DatasetCheck, Freshness, check_age
from warehouse.release.incidents import INCIDENT_DAYS, find_incidents
from warehouse.release.run_log import RunNote
from warehouse.schema.codes import MARKETS
from warehouse.schema.market_state import DatasetState, MarketState

DatasetWord = Literal["fresh", "late", "quarantined", "out_of_reach", "unknown"]
DeliveryWord = Literal["on_time", "late", "unknown"]
IncidentKind = Literal["quarantine", "failed_run"]
ServiceWord = Literal["normal", "degraded", "unknown"]

LATE_SECONDS: Final = 60
"""A delivery lag from which on deliveries are late."""


@dataclass(frozen=True, slots=True)
class DatasetFreshness:
    """One dataset against its promise: to be checked at least every `promised_hours`, None if no run has stated it.

    state: `unknown` without a check or a promise, or if the check is dated in the future; `out_of_reach` if its source
    cannot be fetched any more, as declared.
    """

    market: str
    dataset: str
    state: DatasetWord
    checked_at: datetime | None
    promised_hours: int | None
    observed_at: datetime | None
    held_since: datetime | None


@dataclass(frozen=True, slots=True)
class DeliveryState:
    """Webhook delivery: how late the most overdue attempt is, and how many events lack fan-out; None: unknown."""

    state: DeliveryWord
    lag_seconds: int | None
    unmatched_events: int | None


@dataclass(frozen=True, slots=True)
class PublicIncident:
    """An incident of a market, or of one of its datasets. `ended_at` None: it lasts."""

    market: str
    dataset: str | None
    kind: IncidentKind
    began_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class StatusReport:
    """Everything the page shows.

    recorded_since: None if this machine has no record of the runs of any market, so that no incident is known.
    unrecorded_markets: served markets whose incidents are unknown, for (newer) runs of them were made elsewhere.
    """

    at: datetime
    state: ServiceWord
    release: int | None
    released_at: datetime | None
    datasets: Sequence[DatasetFreshness]
    delivery: DeliveryState
    incidents: Sequence[PublicIncident]
    recorded_since: datetime | None
    unrecorded_markets: Sequence[str]

    @property
    def datasets_by_market(self) -> dict[str, list[DatasetFreshness]]:
        """The datasets by market, in the order of markets."""
        found: dict[str, list[DatasetFreshness]] = {}
        for one in self.datasets:
            found.setdefault(one.market, []).append(one)
        return found

    def states_of(self, market: str) -> Counter[DatasetWord]:
        """How many datasets of a market are in which state."""
        return Counter(one.state for one in self.datasets if one.market == market)


def build_report(
    at: datetime,
    release: tuple[int, datetime] | None,
    markets: Mapping[str, MarketState],
    freshness: Freshness,
    deliveries: DeliveryHealth | None,
    runs: Sequence[RunNote],
) -> StatusReport:
    """The report at an instant; `markets` have what runs have recorded since their release."""
    number, released_at = release or (None, None)
    datasets = dataset_rows(at, markets, freshness)
    delivery = delivery_state(deliveries)
    since = at - timedelta(days=INCIDENT_DAYS)
    unrecorded = unrecorded_markets(markets, runs)
    is_recorded = bool(runs) and (not markets or len(unrecorded) < len(markets))
    return StatusReport(
        at,
        _service_state(release is not None, datasets, delivery),
        number,
        released_at,
        datasets,
        delivery,
        recent_incidents(runs, since) if is_recorded else [],
        max(since, min(note.began_at for note in runs)) if is_recorded else None,
        unrecorded,
    )


def dataset_rows(at: datetime, markets: Mapping[str, MarketState], freshness: Freshness) -> list[DatasetFreshness]:
    """Every dataset of the served markets, by market and name."""
    return [
        _dataset_row(at, code, key, state, freshness.dataset_checks.get(key))
        for code, market in sorted(markets.items(), key=lambda item: MARKETS.index(item[0]))
        for key, state in sorted(market.datasets.items())
    ]


def _dataset_row(
    at: datetime, market: str, key: str, state: DatasetState, check: DatasetCheck | None
) -> DatasetFreshness:
    promised = None if check is None else check.stale_after_hours
    return DatasetFreshness(
        market, key, _dataset_state(at, state, check), state.checked_at, promised, state.observed_at, state.held_since
    )


def _dataset_state(at: datetime, state: DatasetState, check: DatasetCheck | None) -> DatasetWord:
    if check is not None and check.out_of_reach is not None:
        return "out_of_reach"
    if state.held_since is not None:
        return "quarantined"
    if check is None or check.stale_after_hours is None or state.checked_at is None:
        return "unknown"
    age = check_age(state.checked_at, at)
    if age is None:
        return "unknown"
    return "fresh" if age <= timedelta(hours=check.stale_after_hours) else "late"


def delivery_state(health: DeliveryHealth | None) -> DeliveryState:
    """Unknown while the database does not answer; late without a process that matches waiting events."""
    if health is None:
        return DeliveryState("unknown", None, None)
    is_stuck = health.unmatched_events > 0 and not health.has_leader
    word: DeliveryWord = "late" if is_stuck or health.lag_seconds >= LATE_SECONDS else "on_time"
    return DeliveryState(word, int(health.lag_seconds), health.unmatched_events)


def unrecorded_markets(markets: Mapping[str, MarketState], runs: Sequence[RunNote]) -> list[str]:
    """Served markets of which the run log of this machine has no run, or not the newest, in the order of markets.

    A dataset that was checked or quarantined after the last recorded run of its market is another machine's doing.
    """
    newest: dict[str, datetime] = {}
    for note in runs:
        at = note.ended_at or note.began_at
        newest.update({market: max(at, newest.get(market, at)) for market in note.markets})
    return [
        code
        for code in MARKETS
        if (market := markets.get(code)) is not None
        and (code not in newest or any(at > newest[code] for at in _touched_at(market)))
    ]


def _touched_at(market: MarketState) -> Iterator[datetime]:
    """When datasets of a market were last checked, and since when they are quarantined."""
    for state in market.datasets.values():
        yield from (at for at in (state.checked_at, state.held_since) if at is not None)


def recent_incidents(runs: Sequence[RunNote], since: datetime) -> list[PublicIncident]:
    """Incidents that last or ended after an instant, those that began last first."""
    return [
        PublicIncident(
            one.market, one.dataset, "failed_run" if one.dataset is None else "quarantine", one.began_at, one.ended_at
        )
        for one in find_incidents(runs)
        if one.ended_at is None or one.ended_at >= since
    ]


def _service_state(has_release: bool, datasets: Sequence[DatasetFreshness], delivery: DeliveryState) -> ServiceWord:
    """Degraded by what is late or quarantined. A source out of reach is for ever, and no news."""
    words = {one.state for one in datasets}
    if words & {"late", "quarantined"} or delivery.state == "late":
        return "degraded"
    if not datasets or not has_release or "unknown" in words or delivery.state == "unknown":
        return "unknown"
    return "normal"
