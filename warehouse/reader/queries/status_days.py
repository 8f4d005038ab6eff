"""The status of one company on a day, by the dates of its changes (docs/contract/contract.md 4.4a).

A register may state a change long after its day: the events of the company tell both, when it took effect and when it
was recorded. Does not belong here: the events themselves (`events`).
"""

from __future__ import annotations

import sqlite3
from datetime import date
from itertools import pairwise
from typing import Final

import msgspec

_CHANGES: Final = """SELECT body FROM events WHERE company_id = ? AND event_type = 'status.changed' AND recorded_at <= ?
    ORDER BY sequence"""


class _Change(msgspec.Struct):
    previous_status: str | None
    current_status: str
    effective_date: date


class _Data(msgspec.Struct):
    change: _Change


class _Event(msgspec.Struct):
    data: _Data


_DECODER: Final = msgspec.json.Decoder(_Event)


def status_on_day(connection: sqlite3.Connection, company_id: str, day: date, known_to: str, known: str) -> str | None:
    """The status on a day, by the changes recorded up to an instant (as events state it).

    The last change that had taken effect by the day decides; before the first, the status that it replaced. None if
    there are no changes, or if they do not lead to the status known at the instant: first loads make no events.
    """
    rows = connection.execute(_CHANGES, (company_id, known_to))
    changes = [_DECODER.decode(body).data.change for (body,) in rows]
    follows = all(later.previous_status == one.current_status for one, later in pairwise(changes))
    if not changes or not follows or changes[-1].current_status != known:
        return None
    effective = [change for change in changes if change.effective_date <= day]
    if effective:
        return effective[-1].current_status
    return changes[0].previous_status
