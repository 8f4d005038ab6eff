"""Lines of a record that is changed in place and of others: their past, on both time axes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from operator import itemgetter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from connectors.kit import holdings_history
from pipelines.transforms.events.emission_rules import EmissionContext
from pipelines.transforms.events.ownership import ownership_events
from pipelines.transforms.ownership.line_lineage import SPANS
from pipelines.transforms.ownership.owners import SourcePrecedence, build_owners
from pipelines.transforms.ownership.valid_time import (
    build_valid_time_spans,
    companies_with_overwrites,
    observed_statements,
)
from tests.pipelines.frames import COMPANY, company, frame, holding, whole
from warehouse.history.history import MarketHistory
from warehouse.schema.decisions import HolderDecision
from warehouse.schema.ids import holder_id
from warehouse.schema.tables import COMPANIES, HOLDINGS, OWNERS
from warehouse.storage.layout import Layout

GROUP, LISTS = "xx.group", "xx.lists"
SOURCES = SourcePrecedence((GROUP, LISTS), (LISTS,))
PARENT = "firm:FI:0000002-0"
TOUCHED = pl.Series("company_id", [COMPANY])
PROFILE = frame(COMPANIES, company())
BASELINE = datetime(2025, 1, 1, tzinfo=UTC)


def record(
    register: str, share: float | None, day: str, ended: str | None = None, native: str = "parent", **values: Any
) -> dict[str, Any]:
    """What a register says of the parent."""
    told = dict.fromkeys(("pct", "pct_min", "pct_max"), share)
    return holding(
        native,
        register=register,
        holder_name="Mor AS",
        holder_type="company",
        holder_company_id=PARENT,
        basis=None if share is None else "exact",
        valid_from=date.fromisoformat(day),
        ended_on=None if ended is None else date.fromisoformat(ended),
        **told,
        **values,
    )


class Known:
    """A history that takes in what registers say, day by day."""

    def __init__(self, history: MarketHistory) -> None:
        self._history = history

    def take(
        self,
        seen: str,
        group: Sequence[Mapping[str, Any]],
        lists: Sequence[Mapping[str, Any]] = (),
        verdicts: Sequence[HolderDecision] = (),
    ) -> list[tuple[float, float, str]]:
        """All that is said on a day: the records of the group as they are, and every list. Gives the crossings."""
        instant = _instant(seen)
        told = frame(HOLDINGS, *(dict(one) for one in lists))
        now = pl.concat([frame(HOLDINGS, *(dict(one) for one in group)), holdings_history.latest_statements(told)])
        before = holdings_history.superseded_statements(told)
        former = self._history.current_rows(OWNERS, TOUCHED)
        lines = build_owners(now, former, instant, SOURCES, verdicts, before)
        found = {
            table.name: self._history.merge_snapshot(table, rows, TOUCHED, instant)
            for table, rows in ((COMPANIES, PROFILE), (HOLDINGS, now), (OWNERS, lines))
        }
        states = self._history.known_rows(HOLDINGS, companies_with_overwrites(lines, former, SOURCES))
        made = build_valid_time_spans(lines, (now, before), SOURCES, states, former)
        self._history.replace_valid_times(OWNERS, made.rows, made.keys, instant)
        occasion = EmissionContext(instant, instant, dict.fromkeys((GROUP, LISTS), BASELINE))
        image = whole({"companies": PROFILE, "owners": lines}) | {SPANS: made.rows}
        changes = [json.loads(event.data)["change"] for event in ownership_events(found, image, occasion)]
        crossings = [(one["previous_pct"], one["current_pct"], one["as_of"]) for one in changes]
        return sorted(crossings, key=itemgetter(2))

    def shares(self, *days: str, known: str = "2030-01-01") -> list[float | None]:
        """What the parent held on days, as known on one; null where nothing."""
        return [held[0] if held else None for held in self.lines(*days, known=known)]

    def lines(self, *days: str, known: str = "2030-01-01") -> list[list[float]]:
        """The shares of all lines on days, as known on one."""
        rows = self._history.rows_known_at(OWNERS, _instant(known))
        return [_on(rows, date.fromisoformat(day)) for day in days]


def _instant(day: str) -> datetime:
    return datetime.combine(date.fromisoformat(day), datetime.min.time(), UTC)


def _on(rows: pl.DataFrame, day: date) -> list[float]:
    until = pl.min_horizontal("valid_to", "ended_on")
    held = rows.filter((pl.col("as_of") <= day) & (until.is_null() | (until > day)))
    assert held["holder_id"].is_unique().all()
    return sorted(held["pct"].cast(pl.Float64).to_list())


@pytest.fixture
def known(tmp_path: Path) -> Iterator[Known]:
    with MarketHistory(Layout(tmp_path), "FI") as history:
        yield Known(history)


FIRST, SECOND, THIRD = (record(LISTS, *told) for told in ((40, "2019-12-31"), (45, "2020-12-31"), (55, "2021-12-31")))


def test_lists_of_before_the_record_fill_its_past(known: Known) -> None:
    known.take("2026-01-01", [record(GROUP, 60, "2022-05-01")], [FIRST, SECOND, THIRD])
    days = ("2019-12-30", "2019-12-31", "2021-01-01", "2022-04-30", "2022-05-01", "2026-06-01")
    assert known.shares(*days) == [None, 40, 45, 55, 60, 60]


def test_what_the_record_was_seen_to_say_stays_when_lists_come_late(known: Known) -> None:
    known.take("2026-01-01", [record(GROUP, 60, "2020-06-01")], [FIRST])
    known.take("2026-03-01", [record(GROUP, 70, "2020-06-01")], [FIRST])
    days = ("2020-01-01", "2020-07-01", "2026-02-28", "2026-03-01")
    assert known.shares(*days) == [40, 60, 60, 70]
    late = record(LISTS, 35, "2018-12-31")
    known.take("2026-04-01", [record(GROUP, 70, "2020-06-01")], [late, FIRST])
    assert known.shares("2019-01-01", *days) == [35, 40, 60, 60, 70]
    assert known.shares("2019-01-01", *days, known="2026-03-15") == [None, 40, 60, 60, 70]
    assert known.shares(*days, known="2026-02-01") == [40, 60, 60, 60]


def test_a_record_that_ended_leaves_the_days_to_the_lists(known: Known) -> None:
    lists = [FIRST, SECOND, THIRD, record(LISTS, 20, "2025-12-31")]
    known.take("2026-01-01", [record(GROUP, 60, "2020-06-01")], lists)
    known.take("2026-02-01", [record(GROUP, 60, "2020-06-01", ended="2021-06-01")], lists)
    days = ("2020-01-01", "2020-07-01", "2021-05-31", "2021-07-01", "2022-01-01", "2026-01-01")
    assert known.shares(*days) == [40, 60, 60, None, 55, 20]
    assert known.shares(*days, known="2026-01-15") == [40, 60, 60, 60, 60, 60]


def test_lines_that_a_person_parts_have_each_its_own_past(known: Known) -> None:
    group, lists = [record(GROUP, 60, "2020-06-01")], [FIRST, SECOND]
    known.take("2026-01-01", group, lists)
    days = ("2020-01-01", "2020-07-01", "2021-06-01", "2026-06-01")
    assert known.lines(*days) == [[40], [60], [60], [60]]
    two = HolderDecision(COMPANY, *(holder_id(COMPANY, name, "parent") for name in (GROUP, LISTS)), is_same=False)
    assert known.take("2026-02-01", group, lists, [two]) == []
    assert known.lines(*days) == [[40], [40, 60], [45, 60], [45, 60]]
    assert known.lines(*days, known="2026-01-15") == [[40], [60], [60], [60]]
    assert known.take("2026-03-01", group, lists) == []
    assert known.lines(*days) == [[40], [60], [60], [60]]
    # a list alone, which has said one thing: nothing of the group's past is left to it
    known.take("2026-04-01", group, [FIRST], [two])
    assert known.lines(*days) == [[40], [40, 60], [40, 60], [40, 60]]


def test_a_renewed_record_is_one_holder_with_a_past(known: Known) -> None:
    first = record(GROUP, 30, "2020-01-01", native="a")
    assert known.take("2026-01-01", [first]) == []
    ended = record(GROUP, 30, "2020-01-01", "2026-02-01", native="a")
    renewed = record(GROUP, 60, "2026-02-02", "2026-03-01", native="b")
    third = record(GROUP, 20, "2026-03-01", native="c")
    assert known.take("2026-04-01", [ended, renewed, third]) == [(30, 60, "2026-02-02"), (60, 20, "2026-03-01")]
    days = ("2019-12-31", "2020-01-01", "2026-01-31", "2026-02-02", "2026-03-01", "2026-05-01")
    assert known.shares(*days) == [None, 30, 30, 60, 20, 20]
    assert known.shares(*days, known="2026-02-15") == [None, 30, 30, 30, 30, 30]


def test_a_first_load_of_renewed_records_has_their_past(known: Known) -> None:
    ended = record(GROUP, 30, "2020-01-01", "2024-02-01", native="a")
    assert known.take("2026-01-01", [ended, record(GROUP, 60, "2024-02-01", native="b")]) == []
    assert known.shares("2019-12-31", "2020-01-01", "2024-01-31", "2024-02-01") == [None, 30, 30, 60]


def test_an_end_and_a_beginning_that_is_no_renewal_are_two_crossings(known: Known) -> None:
    known.take("2026-01-01", [record(GROUP, 30, "2020-01-01", native="a")])
    ended = record(GROUP, 30, "2020-01-01", "2026-02-01", native="a")
    assert known.take("2026-04-01", [ended, record(GROUP, 60, "2026-03-01", native="b")]) == [
        (30, 0, "2026-02-01"),
        (0, 60, "2026-03-01"),
    ]
    assert known.shares("2026-01-31", "2026-02-15", "2026-03-01") == [30, None, 60]


def test_states_of_a_record_are_of_the_day_they_were_seen_or_say() -> None:
    seen = (
        (record(GROUP, 10, "2020-01-01"), "2026-01-01"),
        (record(GROUP, 10, "2020-02-01"), "2026-01-05"),  # its start is corrected
        (record(GROUP, 20, "2020-02-01"), "2026-02-01"),
        (record(GROUP, 20, "2026-02-20", url="x"), "2026-02-21"),  # the same share is no new statement
        (record(GROUP, 30, "2026-03-01"), "2026-03-10"),  # says itself since when
        (record(GROUP, 40, "2026-03-01", ended="2026-04-01"), "2026-05-01"),
    )
    columns = pl.Series("known_from", [_instant(day) for _, day in seen])
    states = frame(HOLDINGS, *(row for row, _ in seen)).with_columns(columns)
    [told] = observed_statements(states, SOURCES).values()
    assert [(one["pct"], str(one["valid_from"]), one["url"]) for one in told] == [
        (Decimal(10), "2020-02-01", None),
        (Decimal(20), "2026-02-01", "x"),
        (Decimal(30), "2026-03-01", None),
        (Decimal(40), "2026-04-01", None),
    ]
    assert observed_statements(states, SourcePrecedence((), (GROUP,))) == {}
