"""Events of one company by sequence (docs/contract/contract.md 4.5)."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from typing import Final

from warehouse.reader.queries.paging import build_page, key_parts
from warehouse.reader.types import EventQuery, Key, ResultPage

_LAST: Final = datetime.max.replace(microsecond=0, tzinfo=UTC)


def company_events(
    connection: sqlite3.Connection, company_id: str, query: EventQuery, after: Key | None, limit: int
) -> ResultPage:
    """One page of events, newest or oldest first."""
    tests, values = ["company_id = ?"], [company_id]
    if query.types:
        tests.append(f"event_type IN ({', '.join('?' * len(query.types))})")
        values += query.types
    if query.since is not None:
        tests.append("recorded_at >= ?")
        values.append(recorded_bound(query.since))
    if query.until is not None:
        tests.append("recorded_at < ?")
        values.append(recorded_bound(query.until))
    if after is not None:
        tests.append(f"sequence {'<' if query.is_descending else '>'} CAST(? AS INTEGER)")
        values.append(str(key_parts(after, int)[0]))
    rows = connection.execute(
        f"""SELECT sequence, body FROM events WHERE {" AND ".join(tests)}
            ORDER BY sequence {"DESC" if query.is_descending else "ASC"} LIMIT ?""",
        (*values, limit + 1),
    )
    return build_page((((sequence,), body) for sequence, body in rows), limit)


def recorded_bound(moment: datetime) -> str:
    """A bound for comparison with recorded instants, which are stored in whole seconds.

    As nothing lies between two seconds, a fraction is rounded up for both `since` and `until`; isoformat pads
    years to four digits, so that they sort as text (strftime does not).
    """
    moment = moment.astimezone(UTC)
    if moment.microsecond and moment < _LAST:
        moment = moment.replace(microsecond=0) + timedelta(seconds=1)
    return moment.replace(microsecond=0, tzinfo=None).isoformat() + "Z"
