from __future__ import annotations

import json
from datetime import date
from decimal import Decimal

import polars as pl

from pipelines.transforms.events.ownership import ShareRange, crossed_thresholds
from pipelines.transforms.ownership.owners import build_owners
from tests.pipelines.frames import COMPANY, DAY_1, DAY_2, DAY_3, frame, holding
from tests.tables import check_cases
from warehouse.schema.ids import holder_id
from warehouse.schema.tables import HOLDINGS, OWNERS


def owned(*holdings: dict, former: pl.DataFrame | None = None, instant=DAY_2) -> pl.DataFrame:
    return build_owners(frame(HOLDINGS, *holdings), frame(OWNERS) if former is None else former, instant)


@check_cases(
    ("previous", "current", "limits"),
    [
        ("4.99", "5.0", (5,)),
        ("5.0", "4.99", (5,)),
        ("5", "5.0000", ()),
        ("4", "25", (5, 10, 20)),
        ("55", "45", (50,)),
        ("0", "25", (5, 10, 20)),
        ("0", "50", (5, 10, 20, 50)),
        ("25", "50", (50,)),
        ("50", "25", (50,)),
        ("75", "0", (5, 10, 20, 50)),
        ("6", "9", ()),
    ],
)
def test_thresholds(previous: str, current: str, limits: tuple[int, ...]) -> None:
    assert crossed_thresholds(Decimal(previous), Decimal(current)) == limits


@check_cases(
    ("one", "other", "expected"),
    [
        ((25, 50), (50, 75), False),
        ((25, 50), (25, 100), True),
        ((25, 50), (50, 50), True),
        ((25, 50), (25, 25), False),
        ((50, 75), (75, 100), False),
        ((10, 10), (10, 10), True),
        ((0, 0), (25, 50), False),
    ],
)
def test_bands_overlap(one: tuple[int, int], other: tuple[int, int], expected: bool) -> None:
    first, second = (ShareRange(Decimal(low), Decimal(high)) for low, high in (one, other))
    assert first.overlaps(second) is expected
    assert second.overlaps(first) is expected


def test_one_line_per_holder_with_its_source() -> None:
    [row] = owned(holding("p1", 25, 50, url="https://example.test/p1")).to_dicts()
    assert row["holder_id"] == holder_id(COMPANY, "xx.owners", "p1")
    assert (row["as_of"], row["first_seen"]) == (date(2020, 5, 1), date(2020, 5, 1))
    assert row["reconciliation"] == "single"
    assert row["sources"] == (
        '[{"register":"xx.owners","native_id":"p1","url":"https://example.test/p1","as_of":"2020-05-01","pct":null}]'
    )


def test_a_percentage_is_spelled_as_the_shortest_number() -> None:
    result = owned(
        *(holding(f"p{index}", basis="exact", pct=pct) for index, pct in enumerate(("10.7", "25", "33.3333")))
    )
    spelled = sorted(source.split('"pct":')[1] for source in result["sources"])
    assert spelled == ["10.7}]", "25}]", "33.3333}]"]


def test_without_a_date_the_first_observation_counts_and_stays() -> None:
    first = owned(holding(low=25, high=50, valid_from=None, observed_at=DAY_1), instant=DAY_1)
    again = owned(holding(low=25, high=50, valid_from=None), former=first)
    assert again["as_of"].to_list() == again["first_seen"].to_list() == [DAY_1.date()]


def test_a_share_changed_in_place_is_of_the_day_it_was_seen() -> None:
    first = owned(holding(low=25, high=50), instant=DAY_1)
    second = owned(holding(low=50, high=75), former=first)
    third = owned(holding(low=50, high=75, observed_at=DAY_3), former=second, instant=DAY_3)
    assert second["as_of"].to_list() == third["as_of"].to_list() == [DAY_2.date()]
    assert third["first_seen"].to_list() == [date(2020, 5, 1)]


def test_a_start_that_its_source_corrects_is_the_new_one() -> None:
    first = owned(holding(low=25, high=50), instant=DAY_1)
    earlier = holding(low=25, high=50, valid_from=date(2019, 1, 1))
    assert owned(earlier, former=first).select("as_of", "first_seen").rows() == [(date(2019, 1, 1),) * 2]
    changed = owned(holding(low=50, high=75), former=first)
    later = holding(low=50, high=75, valid_from=date(2019, 1, 1))
    again = owned(later, former=changed, instant=DAY_3)  # the share has still changed when that was seen
    assert again.select("as_of", "first_seen").rows() == [(DAY_2.date(), date(2019, 1, 1))]


def test_a_share_dated_anew_by_its_source_is_of_that_day() -> None:
    first = owned(holding(pct=8, basis="exact"), instant=DAY_1)
    second = owned(holding(pct=12, basis="exact", valid_from=date(2025, 12, 30)), former=first)
    assert second["as_of"].to_list() == [date(2025, 12, 30)]
    assert json.loads(second["sources"][0])[0]["as_of"] == "2025-12-30"
