"""What each market contributes to a release, and what a run records of its datasets, from plain records."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pipelines.steps.fetch import FetchResult
from pipelines.steps.publish import MarketReleaseInput, plan_parts, state_after_run
from pipelines.workspace import profile_dataset
from tests.pipelines.frames import frame
from tests.pipelines.invented import MARKET
from warehouse.schema.market_state import DatasetState, QuarantineReason
from warehouse.schema.tables import EVENTS

AT = datetime(2026, 11, 3, 12, tzinfo=UTC)
BEFORE, LATER, AHEAD = AT - timedelta(days=1), AT + timedelta(days=1), AT + timedelta(days=365)
HISTORY = Path("FI.duckdb")
PROFILES = profile_dataset(MARKET)
OTHER = next(dataset for dataset in MARKET.datasets if dataset is not PROFILES)
TORN = QuarantineReason("unreadable", 1, 0)


def market(*quarantined: str) -> MarketReleaseInput:
    states = {
        dataset.key: DatasetState(BEFORE, held=TORN if dataset.key in quarantined else None)
        for dataset in MARKET.datasets
    }
    return MarketReleaseInput(MARKET, HISTORY, states, frame(EVENTS))


def test_plan_contributes_history_and_states_while_another_dataset_is_quarantined() -> None:
    part = plan_parts([market(OTHER.key)])["FI"]
    assert (part.history, part.state, part.at) == (HISTORY, "fresh", BEFORE)
    assert part.datasets[OTHER.key].held == TORN


def test_plan_market_without_profiles_keeps_its_last_part_unless_it_is_published_whole() -> None:
    kept = plan_parts([market(PROFILES.key)])["FI"]
    assert (kept.history, kept.state) == (None, "held")
    whole = plan_parts([market(PROFILES.key)], ["FI"])["FI"]
    assert (whole.history, whole.state) == (HISTORY, "held")


@pytest.mark.parametrize(
    ("held", "fetched", "checked_at", "held_since", "expected"),
    [
        (None, FetchResult("d", asked=True), BEFORE, None, (AT, None)),
        (None, FetchResult("d", asked=True), BEFORE, BEFORE, (AT, None)),
        (None, FetchResult("d", asked=True), LATER, None, (LATER, None)),
        (None, FetchResult("d"), BEFORE, None, (BEFORE, None)),
        (None, FetchResult("d", failure="503", asked=True), BEFORE, None, (BEFORE, AT)),
        (TORN, FetchResult("d", asked=True), BEFORE, None, (BEFORE, AT)),
        (TORN, FetchResult("d", asked=True), None, BEFORE, (None, BEFORE)),
        # a clock that was ahead
        (None, FetchResult("d", asked=True), AHEAD, None, (AT, None)),
        (TORN, FetchResult("d", asked=True), BEFORE, AHEAD, (BEFORE, AT)),
    ],
)
def test_state_after_run(
    held: QuarantineReason | None,
    fetched: FetchResult,
    checked_at: datetime | None,
    held_since: datetime | None,
    expected: tuple[datetime | None, datetime | None],
) -> None:
    state = DatasetState(BEFORE, held=held, checked_at=checked_at, held_since=held_since)
    found = state_after_run(state, fetched, AT, LATER)
    assert (found.checked_at, found.held_since) == expected
