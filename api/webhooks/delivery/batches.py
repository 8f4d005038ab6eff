"""Batches of due attempts: which of an endpoint queue go into one request (docs/contract/contract.md 4.8f).

A destination that takes one event gets them one by one. For a bucket, what falls due at one instant is one batch: the
fan-out lets the events of one window fall due at its end; a failed batch falls due again as a whole, as a replay does.
So a batch that a dead worker sent is formed anew from the same events. An attempt by hand is a batch of its own.

Pure. Does not belong here: reading the queue (`api.webhooks.delivery.queue_repository`), or sending.
"""

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Final

from api.webhooks.delivery.records import PreparedAttempt
from api.webhooks.egress.payload import EventPayload, event_place

BATCH_SECONDS: Final = 60.0
"""The window, unless a setting says otherwise."""
MOST_EVENTS: Final = 500
"""Maximum events of one object."""
MOST_BYTES: Final = 4 * 1024 * 1024
"""Maximum bytes of the events' `data` in one object; a single event is far smaller."""
_PREFIX_AND_TIME: Final = 14
"""Characters of an id before its random part."""
_MANUAL, _AGAIN, _FIRST = range(3)

_Key = tuple[int, int, str]


def window_end(at: int, window_seconds: float) -> int:
    """When events matched at this instant fall due for a bucket: the end of their window; both in milliseconds."""
    window = round(window_seconds * 1_000)
    return (at // window + 1) * window


def next_batch(ready: Sequence[PreparedAttempt], *, is_all_read: bool) -> list[PreparedAttempt]:
    """The next batch of attempts that were read in the queue's order; none while more of it may be unread."""
    if not ready:
        return []
    first = min(map(_key, ready))
    group = [due for due in ready if _key(due) == first][:MOST_EVENTS]
    if first[0] == _MANUAL:
        return group[:1]
    is_complete = is_all_read or len(group) == MOST_EVENTS or any(_key(due) > first for due in ready)
    return _fitting(sorted(group, key=_sequence)) if is_complete else []


def _key(due: PreparedAttempt) -> _Key:
    """Place of an attempt in the queue's order: by hand, again, for the first time; each by when it fell due."""
    queued = due.queued
    if queued.trigger == "manual":
        return _MANUAL, queued.due_at, queued.attempt_id
    is_first = queued.attempt_id[_PREFIX_AND_TIME:] == queued.delivery_id[_PREFIX_AND_TIME:]
    return _FIRST if is_first else _AGAIN, queued.due_at, queued.trigger


def _fitting(group: Iterable[PreparedAttempt]) -> list[PreparedAttempt]:
    """The first of a group that fit into one object, at least one."""
    size = 0

    def fits(due: PreparedAttempt) -> bool:
        nonlocal size
        before, size = size, size + len(due.data or b"")
        return before == 0 or size <= MOST_BYTES

    return list(takewhile(fits, group))


def _sequence(due: PreparedAttempt) -> int:
    return event_place(EventPayload(due.event_id, due.event_type, due.data or b"")).sequence
