"""Late filings and filings out of order: whatever came when, a past day is told as it is known to have been now."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connectors.kit import holdings_history
from pipelines.transforms.events.emission_rules import EmissionContext
from pipelines.transforms.events.ownership import ownership_events
from pipelines.transforms.ownership.line_lineage import SPANS
from pipelines.transforms.ownership.owners import SourcePrecedence, build_owners
from pipelines.transforms.ownership.valid_time import build_valid_time_spans
from tests.pipelines.frames import COMPANY, company, differences, frame, holding, whole
from tests.tables import check_cases
from tests.warehouse.helpers import market_history
from warehouse.history.history import MarketHistory
from warehouse.schema.tables import COMPANIES, HOLDINGS, OWNERS
from warehouse.storage.layout import Layout

NOTICES, LISTS = "xx.notices", "xx.lists"
SOURCES = SourcePrecedence((NOTICES, LISTS), (NOTICES, LISTS))
START = date(2025, 1, 1)
SEEN = datetime(2026, 1, 1, tzinfo=UTC)
START_AT = datetime(2025, 1, 1, tzinfo=UTC)
DAYS = 8
UNSAID = -1


@dataclass(frozen=True)
class Filing:
    """What a register says of a holder on a day; a share of None is an exit, one of UNSAID is not said."""

    register: str
    holder: str
    day: int
    share: int | None

    @property
    def on(self) -> date:
        return START + timedelta(days=self.day)


filings = st.builds(
    Filing,
    st.sampled_from((NOTICES, LISTS)),
    st.sampled_from(("Alfa AS", "Beta AS")),
    st.integers(0, DAYS - 1),
    st.none() | st.integers(1, 60),
)
# of one register, holder and day there is one word
worlds = st.lists(filings, min_size=1, max_size=9, unique_by=lambda one: (one.register, one.holder, one.day)).flatmap(
    lambda told: st.tuples(st.just(told), st.permutations(told), st.integers(1, 3))
)


def truth(told: Iterable[Filing], holder: str, day: int) -> int | None:
    """A small model: of each register the last word of that day or before; who has left one has left those behind."""
    left = -1
    for register in SOURCES.precedence:
        words = [one for one in told if (one.register, one.holder) == (register, holder) and one.day <= day]
        last = max(words, key=lambda one: one.day, default=None)
        if last is None or left >= last.day:
            continue
        if last.share is not None:
            return last.share
        left = max(left, last.day)
    return None


def records(told: Iterable[Filing]) -> pl.DataFrame:
    rows = [
        holding(
            one.holder.casefold(),
            register=one.register,
            holder_name=one.holder,
            holder_type="company",
            **dict.fromkeys(("pct", "pct_min", "pct_max"), None if one.share == UNSAID else one.share or 0),
            basis=None if one.share == UNSAID else "exact",
            valid_from=one.on,
            ended_on=one.on if one.share is None else None,
            observed_at=SEEN,
        )
        for one in sorted(told, key=lambda one: one.day)
    ]
    return frame(HOLDINGS, *rows)


def known(arrivals: Sequence[Sequence[Filing]]) -> pl.DataFrame:
    """The history of owners after filings came in this order."""
    touched = pl.Series("company_id", [COMPANY])
    with tempfile.TemporaryDirectory() as folder, market_history(Layout(Path(folder)), "FI") as history:
        arrived: list[Filing] = []
        for at, came in enumerate(arrivals):
            arrived += came
            instant = SEEN + timedelta(days=at)
            rows = records(arrived)
            now, before = (holdings_history.latest_statements(rows), holdings_history.superseded_statements(rows))
            former = history.current_rows(OWNERS, touched)
            lines = build_owners(now, former, instant, SOURCES, earlier=before)
            history.merge_snapshot(OWNERS, lines, touched, instant)
            told = build_valid_time_spans(lines, (now, before), SOURCES)
            history.replace_valid_times(OWNERS, told.rows, told.keys, instant)
        return history.rows_known_at(OWNERS, SEEN + timedelta(days=len(arrivals)))


def on(rows: pl.DataFrame, day: int) -> dict[str, Decimal]:
    """Who held how much on a day, as it is served."""
    when = START + timedelta(days=day)
    until = pl.min_horizontal("valid_to", "ended_on")
    valid = rows.filter((pl.col("as_of") <= when) & (until.is_null() | (until > when)))
    found = valid.select("holder_name", "pct").rows()
    assert len(dict(found)) == len(found), f"a holder has two lines on {when}"
    return dict(found)


def batches(told: Sequence[Filing], size: int) -> list[list[Filing]]:
    return [list(told[start : start + size]) for start in range(0, len(told), size)]


@pytest.mark.slow
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(worlds)
def test_any_order_of_arrival_gives_the_same_past(world: tuple[list[Filing], list[Filing], int]) -> None:
    told, shuffled, size = world
    rows = known(batches(shuffled, size))
    for day in range(DAYS + 1):
        held = {name: truth(told, name, day) for name in ("Alfa AS", "Beta AS")}
        assert on(rows, day) == {name: share for name, share in held.items() if share is not None}


def test_a_notice_that_comes_late_fills_the_days_it_speaks_of() -> None:
    newest, late = Filing(NOTICES, "Alfa AS", 5, 12), Filing(NOTICES, "Alfa AS", 2, 6)
    rows = known([[newest], [late]])
    assert on(rows, 1) == {}
    assert on(rows, 2) == on(rows, 4) == {"Alfa AS": Decimal(6)}
    assert on(rows, 5) == {"Alfa AS": Decimal(12)}
    assert rows["first_seen"].unique().to_list() == [late.on]


def test_what_was_known_before_the_late_notice_stays_known_as_it_was() -> None:
    newest, late = Filing(NOTICES, "Alfa AS", 5, 12), Filing(NOTICES, "Alfa AS", 2, 6)
    touched = pl.Series("company_id", [COMPANY])
    with tempfile.TemporaryDirectory() as folder, MarketHistory(Layout(Path(folder)), "FI") as history:
        for at, told in enumerate(([newest], [newest, late])):
            rows = records(told)
            now, before = (holdings_history.latest_statements(rows), holdings_history.superseded_statements(rows))
            instant = SEEN + timedelta(days=at)
            lines = build_owners(now, history.current_rows(OWNERS, touched), instant, SOURCES, earlier=before)
            history.merge_snapshot(OWNERS, lines, touched, instant)
            made = build_valid_time_spans(lines, (now, before), SOURCES)
            history.replace_valid_times(OWNERS, made.rows, made.keys, instant)
        assert on(history.rows_known_at(OWNERS, SEEN), 3) == {}
        assert on(history.rows_known_at(OWNERS, SEEN + timedelta(days=1)), 3) == {"Alfa AS": Decimal(6)}
        revision = history.revision
        history.replace_valid_times(OWNERS, made.rows, made.keys, SEEN + timedelta(days=2))
        assert history.revision == revision  # the same spans again change nothing


@pytest.mark.parametrize("dated", [(), (NOTICES,)])
def test_lines_with_a_record_that_changes_in_place_are_left_as_history_saw_them(dated: tuple[str, ...]) -> None:
    rows = records(
        [Filing(NOTICES, "Alfa AS", 2, 6), Filing(NOTICES, "Alfa AS", 5, 12), Filing(LISTS, "Alfa AS", 1, 5)]
    )
    now, before = holdings_history.latest_statements(rows), holdings_history.superseded_statements(rows)
    sources = SourcePrecedence((NOTICES, LISTS), dated)
    lines = build_owners(now, frame(OWNERS), SEEN, sources, earlier=before)
    assert build_valid_time_spans(lines, (now, before), sources).keys.is_empty()


def crossings(
    told: Sequence[Filing], later: Sequence[Filing], baseline: datetime = START_AT
) -> list[tuple[float, float, str]]:
    """The events of filings that arrive together, a day after others."""
    states: list[pl.DataFrame] = [frame(OWNERS)]
    for at, arrived in enumerate((told, [*told, *later])):
        rows = records(arrived)
        now, before = holdings_history.latest_statements(rows), holdings_history.superseded_statements(rows)
        lines = build_owners(now, states[-1], SEEN + timedelta(days=at), SOURCES, earlier=before)
        made = build_valid_time_spans(lines, (now, before), SOURCES)
        states.append(lines)
    profiles = frame(COMPANIES, company())
    found = differences({"companies": profiles, "owners": states[1]}, {"companies": profiles, "owners": states[2]})
    image = whole({"companies": profiles, "owners": states[2]}) | {SPANS: made.rows}
    occasion = EmissionContext(
        SEEN + timedelta(days=1), SEEN + timedelta(days=1), dict.fromkeys(SOURCES.precedence, baseline)
    )
    changes = [json.loads(event.data)["change"] for event in ownership_events(found, image, occasion)]
    return [(change["previous_pct"], change["current_pct"], change["as_of"]) for change in changes]


def test_notices_that_arrive_together_are_each_heard() -> None:
    first = Filing(NOTICES, "Alfa AS", 0, 4)
    later = [Filing(NOTICES, "Alfa AS", 2, 6), Filing(NOTICES, "Alfa AS", 4, 12), Filing(NOTICES, "Alfa AS", 6, 9)]
    assert crossings([first], later) == [(4, 6, "2025-01-03"), (6, 12, "2025-01-05"), (12, 9, "2025-01-07")]


def test_an_exit_and_a_return_that_arrive_together_are_each_heard() -> None:
    first, gone = Filing(NOTICES, "Alfa AS", 0, 12), Filing(NOTICES, "Alfa AS", 2, None)
    back, more = Filing(NOTICES, "Alfa AS", 4, 11), Filing(NOTICES, "Alfa AS", 6, 21)
    left, returned = (12, 0, "2025-01-03"), (0, 11, "2025-01-05")
    assert crossings([first], [gone, back]) == [left, returned]
    assert crossings([first], [gone, back, more]) == [left, returned, (11, 21, "2025-01-07")]
    assert crossings([first, gone], [back, more]) == [returned, (11, 21, "2025-01-07")]
    assert crossings([first, gone, back], [more]) == [(11, 21, "2025-01-07")]
    again = Filing(NOTICES, "Alfa AS", 5, None)
    assert crossings([first], [back, again, more]) == [(11, 0, "2025-01-06"), (0, 21, "2025-01-07")]


def test_a_notice_without_a_share_leaves_the_one_before_to_compare_with() -> None:
    first, unsaid = Filing(NOTICES, "Alfa AS", 0, 4), Filing(NOTICES, "Alfa AS", 2, UNSAID)
    more, again = Filing(NOTICES, "Alfa AS", 4, 12), Filing(NOTICES, "Alfa AS", 3, UNSAID)
    told = [(4, 12, "2025-01-05")]
    assert crossings([first], [unsaid]) == []
    assert crossings([first], [unsaid, more]) == told
    assert crossings([first, unsaid], [more]) == told
    assert crossings([first, unsaid], [again, more]) == told
    assert crossings([first, unsaid, more], [Filing(NOTICES, "Alfa AS", 6, UNSAID)]) == []
    gone = Filing(NOTICES, "Alfa AS", 1, None)
    assert crossings([first, gone, unsaid], [more]) == []  # of a return nobody said how much
    assert crossings([unsaid], [more]) == []


def test_a_share_of_nothing_is_of_the_day_of_its_notice() -> None:
    assert crossings([Filing(NOTICES, "Alfa AS", 0, 12)], [Filing(NOTICES, "Alfa AS", 2, 0)]) == [(12, 0, "2025-01-03")]


def test_a_notice_that_comes_late_is_no_event() -> None:
    known_before = Filing(NOTICES, "Alfa AS", 4, 12)
    assert crossings([known_before], [Filing(NOTICES, "Alfa AS", 2, 4)]) == []


def test_what_was_said_before_the_baseline_is_no_event() -> None:
    first = Filing(NOTICES, "Alfa AS", 0, 4)
    later = [Filing(NOTICES, "Alfa AS", 2, 6), Filing(NOTICES, "Alfa AS", 4, 4)]
    assert crossings([first], later) == [(4, 6, "2025-01-03"), (6, 4, "2025-01-05")]
    assert crossings([first], later, baseline=SEEN) == []


def after_withdrawal(*states: Sequence[Filing]) -> pl.DataFrame:
    """The history of owners after a register stated each of these in turn, the later without what it withdrew."""
    touched = pl.Series("company_id", [COMPANY])
    with tempfile.TemporaryDirectory() as folder, market_history(Layout(Path(folder)), "FI") as history:
        for at, told in enumerate(states):
            rows, instant = records(told), SEEN + timedelta(days=at)
            now, before = holdings_history.latest_statements(rows), holdings_history.superseded_statements(rows)
            former = history.current_rows(OWNERS, touched)
            lines = build_owners(now, former, instant, SOURCES, earlier=before)
            history.merge_snapshot(OWNERS, lines, touched, instant)
            made = build_valid_time_spans(lines, (now, before), SOURCES, previous_rows=former)
            history.replace_valid_times(OWNERS, made.rows, made.keys, instant)
        return history.rows_known_at(OWNERS, SEEN + timedelta(days=len(states)))


FIRST, SECOND, THIRD = (Filing(NOTICES, "Alfa AS", day, share) for day, share in ((1, 6), (3, 12), (6, 21)))


@check_cases(
    ("states", "shares"),
    [
        ([[FIRST, SECOND], [SECOND]], {2: None, 4: 12}),  # the only earlier one
        ([[FIRST, SECOND, THIRD], [SECOND, THIRD]], {2: None, 4: 12, 7: 21}),
        ([[FIRST, SECOND, THIRD], [FIRST, THIRD]], {2: 6, 4: 6, 7: 21}),
        ([[FIRST, SECOND], [FIRST]], {2: 6, 4: 6}),  # the newest
        ([[FIRST, SECOND], []], {2: None, 4: None}),
        ([[FIRST], []], {2: None}),
    ],
)
def test_a_notice_that_is_withdrawn_is_of_no_day(states: list[list[Filing]], shares: dict[int, int | None]) -> None:
    """As a correction does: it states that the notice before was wrong (docs/contract/contract.md 4.4)."""
    rows = after_withdrawal(*states)
    for day, share in shares.items():
        assert on(rows, day) == ({} if share is None else {"Alfa AS": Decimal(share)}), day
