"""Which attempts one object has, and when events for a bucket fall due (contract 4.8f)."""

import json
import random

from hypothesis import given
from hypothesis import strategies as st

from api.webhooks.delivery.batches import MOST_EVENTS, next_batch, window_end
from api.webhooks.delivery.records import PreparedAttempt, QueueEntry


def due(sequence: int, at: int, trigger: str = "schedule", *, again: bool = False) -> PreparedAttempt:
    tail = f"{sequence:016d}"
    attempt = f"att_{'0' * 10}{tail[::-1] if again else tail}"
    queued = QueueEntry("whs_1", at, attempt, f"dlv_{'0' * 10}{tail}", trigger)
    data = json.dumps({"company_id": "firm:NO:1", "sequence": sequence}).encode()
    return PreparedAttempt(queued, 0, None, f"evt_{sequence}", "status.changed", data, covers_event=True)


def taken(batch: list[PreparedAttempt]) -> list[str]:
    return [one.event_id for one in batch]


def test_a_window_ends_after_every_instant_in_it() -> None:
    assert window_end(0, 60) == 60_000
    assert window_end(59_999, 60) == 60_000
    assert window_end(60_000, 60) == 120_000
    assert window_end(1_500, 1.5) == 3_000


def test_what_falls_due_at_one_instant_is_one_batch() -> None:
    ready = [due(3, 10), due(1, 10), due(2, 20)]
    assert taken(next_batch(ready, is_all_read=False)) == ["evt_1", "evt_3"], "something later was read"
    assert next_batch(ready[:2], is_all_read=False) == [], "there may be more of it"
    assert taken(next_batch(ready[:2], is_all_read=True)) == ["evt_1", "evt_3"]
    assert next_batch([], is_all_read=True) == []


def test_attempts_by_hand_and_repeated_ones_go_first_and_apart() -> None:
    ready = [
        due(1, 10),
        due(2, 10),
        due(3, 30, again=True),
        due(4, 40, "manual"),
        due(5, 40, "manual"),
        due(6, 10, "replay"),
    ]
    order = []
    while batch := next_batch(ready, is_all_read=True):
        order.append(taken(batch))
        ready = [one for one in ready if one not in batch]
    assert order == [["evt_4"], ["evt_5"], ["evt_3"], ["evt_6"], ["evt_1", "evt_2"]]


def test_a_full_batch_waits_for_no_more() -> None:
    ready = [due(sequence, 10) for sequence in range(MOST_EVENTS)]
    assert len(next_batch(ready, is_all_read=False)) == MOST_EVENTS


@given(
    st.lists(st.tuples(st.integers(1, 60), st.integers(1, 4)), min_size=1, max_size=60, unique_by=lambda one: one[0])
)
def test_whatever_order_rows_are_read_in_their_batches_are_the_same(rows: list[tuple[int, int]]) -> None:
    """A worker that takes over forms the batches of the one that died."""

    def all_batches(ready: list[PreparedAttempt]) -> list[list[str]]:
        found = []
        while batch := next_batch(ready, is_all_read=True):
            found.append(taken(batch))
            ready = [one for one in ready if one not in batch]
        return found

    ready = [due(sequence, at) for sequence, at in rows]
    mixed = random.Random(len(rows)).sample(ready, len(ready))
    assert all_batches(ready) == all_batches(mixed)
    assert sum(map(len, all_batches(ready))) == len(rows)
