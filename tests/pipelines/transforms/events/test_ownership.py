"""ownership.changed of what a company's first answer brings (docs/architecture.md 6)."""

import json
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from tests.pipelines.eventful import told, world
from tests.pipelines.frames import DAY_2, frame, holding, occasion
from warehouse.schema.tables import HOLDINGS


@pytest.mark.parametrize(
    ("since", "events"),
    [(date(2021, 2, 1), 0), (None, 0), (DAY_2.date(), 1)],
    ids=["dated before the baseline", "not dated", "dated after it"],
)
def test_owner_of_a_first_answer_is_news_only_if_the_source_dates_it_so(since: date | None, events: int) -> None:
    owner = holding("p1", Decimal(50), Decimal(50), pct=Decimal(50), basis="exact", valid_from=since)
    before = world(holdings=[]) | {"holdings": frame(HOLDINGS)}
    after = world(holdings=[owner], before=before, instant=DAY_2) | {"holdings": frame(HOLDINGS, owner)}
    looked_up = replace(occasion(DAY_2), per_company_datasets=frozenset({owner["register"]}))
    assert len(told(before, after, looked_up)) == events


@pytest.mark.parametrize(
    ("low", "high", "next_low", "next_high", "basis"),
    [(25, 50, 60, 60, "band"), (60, 60, 25, 50, "band"), (25, 50, 50, 75, "band"), (30, 30, 60, 60, "exact")],
)
def test_share_that_was_or_is_a_band_is_told_as_one(
    low: int, high: int, next_low: int, next_high: int, basis: str
) -> None:
    def owner(low: int, high: int, since: date) -> dict[str, object]:
        is_exact = low == high
        pct, kind = Decimal(low) if is_exact else None, "exact" if is_exact else "band"
        return holding("p1", Decimal(low), Decimal(high), pct=pct, basis=kind, valid_from=since)

    first, second = owner(low, high, date(2021, 2, 1)), owner(next_low, next_high, DAY_2.date())
    before = world(holdings=[first]) | {"holdings": frame(HOLDINGS, first)}
    after = world(holdings=[second], before=before, instant=DAY_2) | {"holdings": frame(HOLDINGS, second)}
    [event] = told(before, after, occasion(DAY_2))
    change = json.loads(event["data"])["change"]
    assert (change["previous_pct"], change["current_pct"], change["basis"]) == (low, next_low, basis)
