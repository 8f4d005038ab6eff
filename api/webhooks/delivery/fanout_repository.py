"""Fan-out: turns matched events into deliveries, in one transaction.

See docs/architecture.md 10, docs/contract/delivery.md 1.

`advance_cursor` comes first, as a compare-and-swap, so that of two processes matching the same events one finds
nothing to do. Then the endpoint queues concerned are locked, as by every change of a subscription's state, so that
what is read afterwards is still true at commit. A delivery id consists of the millisecond of matching, the event's
`sequence` and the subscription's own random characters. Ids are unique, also without the time part, from which
replays make ids; those of one millisecond rise with `sequence`.

Does not belong here: reading the ledger, the batch size, leadership (`api.webhooks.delivery.fanout`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, func, insert, select, text, update

from api.database.engine import insert_into
from api.database.models.base import to_milliseconds
from api.database.models.webhooks import LedgerCursor, MatchedEvent, Subscription

CURSOR: Final = "fan_out"


@dataclass(frozen=True, slots=True)
class FanOutCandidate:
    """An event to match. `head`: the first 16 characters of its deliveries' ids, without prefix."""

    event: MatchedEvent
    bit: int
    head: str


def fanout_cursor(connection: Connection) -> int | None:
    """Fan-out cursor: how far the ledger is matched; None before the first subscription."""
    return connection.execute(select(LedgerCursor.sequence).where(LedgerCursor.name == CURSOR)).scalar_one_or_none()


def earliest_subscribed_sequence(connection: Connection) -> int | None:
    """Lowest `from_sequence` of all subscriptions; None if there is none."""
    return connection.execute(select(func.min(Subscription.from_sequence))).scalar_one()


def start_cursor(connection: Connection) -> int | None:
    """Sets the cursor to the start of the oldest subscription; None while there is no subscription.

    A subscription created concurrently starts with events published after its commit, so it misses nothing.
    """
    first = earliest_subscribed_sequence(connection)
    if first is None:
        return None
    statement = insert_into(connection, LedgerCursor).values(name=CURSOR, sequence=first)
    connection.execute(statement.on_conflict_do_nothing())
    return fanout_cursor(connection)


def advance_cursor(connection: Connection, old: int, new: int) -> bool:
    """Moves the cursor if it still equals `old`; a concurrent caller waits for this commit, then fails."""
    moved = connection.execute(
        update(LedgerCursor).where(LedgerCursor.name == CURSOR, LedgerCursor.sequence == old).values(sequence=new)
    )
    return moved.rowcount == 1


def store_deliveries(connection: Connection, candidates: Sequence[FanOutCandidate]) -> int:
    """Stores the deliveries of these events, all matched at one instant; returns their number."""
    if not candidates:
        return 0
    batch = [(c.event.sequence, c.event.company_id, c.bit, c.head) for c in candidates]
    at = to_milliseconds(candidates[0].event.matched_at)
    values: dict[str, Any] = {"batch": msgspec.json.encode(batch).decode(), "at": at}
    concerned = list(connection.execute(_CONCERNED[connection.dialect.name], values).scalars())
    if not concerned:
        return 0
    if connection.dialect.name == "postgresql":
        values["concerned"] = concerned
        counts = [(row[0], row[1]) for row in connection.execute(_STORE_AT_ONCE, values)]
    else:
        for statement in _STORE:
            connection.execute(statement, values)
        counts = [(row[0], row[1]) for row in connection.execute(_COUNTS, values)]
    matched = {sequence for sequence, _ in counts}
    store_events(connection, [c.event for c in candidates if c.event.sequence in matched])
    return sum(count for _, count in counts)


def store_events(connection: Connection, events: Sequence[MatchedEvent]) -> None:
    names = [column.key for column in MatchedEvent.__table__.columns]
    rows = [{name: getattr(event, name) for name in names} for event in events]
    if rows:
        connection.execute(insert(MatchedEvent), rows)


_BATCHES: Final = {
    "sqlite": "SELECT json_extract(value, '$[0]') AS sequence, json_extract(value, '$[1]') AS company_id, "
    "json_extract(value, '$[2]') AS bit, json_extract(value, '$[3]') AS head FROM json_each(:batch)",
    "postgresql": "SELECT CAST(value ->> 0 AS bigint) AS sequence, value ->> 1 AS company_id, "
    "CAST(value ->> 2 AS integer) AS bit, value ->> 3 AS head "
    "FROM jsonb_array_elements(CAST(:batch AS jsonb)) AS value",
}


# Join order: events, companies, subscriptions, whatever the statistics say: each event matches few of a
# million subscribed companies. SQLite keeps the order of a CROSS JOIN; OFFSET 0 is PostgreSQL's optimisation
# fence.
_NAMED: Final = {
    "sqlite": "batch CROSS JOIN webhook_companies AS c ON c.company_id = batch.company_id "
    "CROSS JOIN webhook_subscriptions AS s ON s.subscription_id = c.subscription_id",
    "postgresql": "batch CROSS JOIN LATERAL (SELECT subscription_id FROM webhook_companies "
    "WHERE company_id = batch.company_id OFFSET 0) AS c CROSS JOIN LATERAL (SELECT subscription_id, status, "
    "all_companies, deleted_at, from_sequence, event_mask FROM webhook_subscriptions "
    "WHERE subscription_id = c.subscription_id OFFSET 0) AS s",
}


def _matches_sql(engine: str, only: str = "") -> str:
    """CTE of the matches, to precede a statement."""
    wanted = f"s.deleted_at IS NULL AND s.from_sequence < batch.sequence AND (s.event_mask & batch.bit) <> 0{only}"
    columns = (
        "batch.sequence AS sequence, s.subscription_id AS subscription_id, s.status AS status, "
        "batch.head || substr(s.subscription_id, 21, 10) AS id"  # 10 random characters, of 16
    )
    return (
        f"WITH batch AS MATERIALIZED ({_BATCHES[engine]}), matched AS MATERIALIZED ("  # noqa: S608 -- texts above
        f"SELECT {columns} FROM {_NAMED[engine]} WHERE NOT s.all_companies AND {wanted} "
        f"UNION ALL "
        f"SELECT {columns} FROM webhook_subscriptions AS s CROSS JOIN batch "
        f"WHERE s.all_companies AND {wanted}) "
    )


_INSERT_DELIVERIES: Final = (
    "INSERT INTO webhook_deliveries (subscription_id, delivery_id, sequence, status, tries, attempt_count, "
    "next_attempt_at, created_at) "
    "SELECT subscription_id, 'dlv_' || id, sequence, CASE status WHEN 'active' THEN 'pending' ELSE 'held' END, "
    "0, 0, CASE status WHEN 'active' THEN CAST(:at AS bigint) END, CAST(:at AS bigint) FROM matched "
    "ORDER BY subscription_id, id"
)
_INSERT_ATTEMPTS: Final = (
    'INSERT INTO webhook_queue (subscription_id, due_at, attempt_id, delivery_id, "trigger") '
    "SELECT subscription_id, CAST(:at AS bigint), 'att_' || id, 'dlv_' || id, 'schedule' "
    "FROM matched WHERE status = 'active' ORDER BY subscription_id, id"
)
_UPDATE_LANES: Final = (
    "UPDATE webhook_lanes SET next_due_at = CAST(:at AS bigint) "
    "WHERE subscription_id IN (SELECT subscription_id FROM matched WHERE status = 'active') "
    "AND (next_due_at IS NULL OR next_due_at > CAST(:at AS bigint))"
)
_COUNT: Final = "SELECT sequence, count(*) FROM matched GROUP BY sequence"
_LOCK: Final = (
    "SELECT subscription_id FROM webhook_lanes "
    "WHERE subscription_id IN (SELECT subscription_id FROM matched) ORDER BY subscription_id"
)

# SQLite has one writer, so all its statements see the same state. PostgreSQL's would each see what was
# committed before it; a single statement sees one state, the one after the locks, restricted to the locked
# rows.
_CONCERNED: Final = {
    "sqlite": text(_matches_sql("sqlite") + _LOCK),
    "postgresql": text(_matches_sql("postgresql") + _LOCK + " FOR UPDATE"),
}
_STORE: Final = tuple(
    text(_matches_sql("sqlite") + statement) for statement in (_INSERT_DELIVERIES, _INSERT_ATTEMPTS, _UPDATE_LANES)
)
_COUNTS: Final = text(_matches_sql("sqlite") + _COUNT)
_STORE_AT_ONCE: Final = text(
    _matches_sql("postgresql", " AND s.subscription_id = ANY(CAST(:concerned AS text[]))")
    + f", deliveries AS ({_INSERT_DELIVERIES}), attempts AS ({_INSERT_ATTEMPTS}), "
    f"lanes AS ({_UPDATE_LANES}) {_COUNT}"
)
