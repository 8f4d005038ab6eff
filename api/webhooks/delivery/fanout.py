"""Fan-out: published events become deliveries, by one leader at a time (docs/architecture.md 10).

One step matches one batch: the cursor moves in the commit that stores the deliveries, so a crash repeats a batch
and loses none. Batch sizes adapt to the number of deliveries, as SQLite has no other writer while one is stored.
See docs/contract/delivery.md 1.

`advance_cursor` comes first, as a compare-and-swap, so that of two processes matching the same events one finds
nothing to do. Then the endpoint queues concerned are locked, as by every change of a subscription's state, so that
what is read afterwards is still true at commit. A delivery id consists of the millisecond of matching, the event's
`sequence` and the subscription's own random characters. Ids are unique, also without the time part, from which
replays make ids; those of one millisecond rise with `sequence`.

Does not belong here: what becomes of deliveries (`api.webhooks.delivery.worker`).
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple
from typing import Any, Final, NamedTuple, Protocol

import msgspec
from sqlalchemy import Connection, func, insert, select, text, update

from api.common.clock import Clock
from api.common.ids import earliest_id
from api.database.engine import Database, insert_into
from api.database.json_bulk import ENGINES, rows_query
from api.database.leases import LeaderLease
from api.database.models.base import from_milliseconds, to_milliseconds
from api.database.models.webhooks import LedgerCursor, MatchedEvent, Subscription
from api.webhooks.delivery.batches import BATCH_SECONDS, window_end
from api.webhooks.filters.event_facts import EventFacts, event_facts
from api.webhooks.filters.matching import FACT_COLUMNS, FILTER_COLUMNS, event_selectors, passes_sql
from api.webhooks.subscriptions.models import EVENT_BITS
from warehouse.ledger.read_index import LedgerEvent
from warehouse.reader.types import CompanyFacts

CURSOR: Final = "fan_out"
LEASE: Final = "fan_out"
_LOGGER: Final = logging.getLogger("firm.webhooks")
_LEASE_SECONDS: Final = 15.0
MAX_EVENTS: Final = 1_024
ENOUGH_DELIVERIES: Final = 20_000  # per commit: a few tenths of a second
_TIME: Final = slice(4, 14)  # of an id with a prefix of three letters
_DIGITS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_SHIFTS: Final = (25, 20, 15, 10, 5, 0)  # 30 bits of `sequence`: no two events of 30 days share them


class DescribedEvent(NamedTuple):
    """A published event, and what filters read of it."""

    event: LedgerEvent
    facts: EventFacts


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


def store_deliveries(
    connection: Connection, events: Sequence[DescribedEvent], at: int, batch_seconds: float = BATCH_SECONDS
) -> int:
    """Stores the deliveries of these events, all matched at one instant; returns their number.

    They fall due at once, those for a bucket at the end of the window of `batch_seconds`. An unknown event type matches
    no subscription.
    """
    time_part = earliest_id("dlv", at)[_TIME]
    batch = [_batch_row(event, facts, time_part) for event, facts in events]
    values: dict[str, Any] = {"batch": msgspec.json.encode(batch).decode(), "at": at}
    values["window_end"] = window_end(at, batch_seconds)
    if connection.dialect.name == "postgresql":
        concerned = list(connection.execute(_LOCK_CONCERNED, values).scalars())
        counts = list(connection.execute(_STORE_AT_ONCE, values | {"concerned": concerned})) if concerned else []
    else:
        counts = _store_on_sqlite(connection, values)
    matched = {sequence for sequence, _ in counts}
    store_events(connection, [one for one in events if one.event.sequence in matched], at)
    return sum(count for _, count in counts)


def _store_on_sqlite(connection: Connection, values: Mapping[str, Any]) -> Sequence[tuple[int, int]]:
    """Stores the deliveries; returns their number by sequence. Matches are found once and kept meanwhile."""
    connection.execute(_KEPT)
    counts: list[tuple[int, int]] = []
    if connection.execute(_KEEP, values).rowcount:
        for statement in _STORE:
            connection.execute(statement, values)
        counts = [(row[0], row[1]) for row in connection.execute(text(_COUNT))]
        connection.execute(text("DELETE FROM temp.matched"))
    return counts


def store_events(connection: Connection, events: Sequence[DescribedEvent], at: int) -> None:
    rows = [
        {
            "sequence": event.sequence,
            "event_id": event.event_id,
            "event_type": event.event_type,
            "company_id": event.company_id,
            "data": event.data,
            "matched_at": from_milliseconds(at),
            **asdict(facts),
        }
        for event, facts in events
    ]
    if rows:
        connection.execute(insert(MatchedEvent), rows)


def _batch_row(event: LedgerEvent, facts: EventFacts, time_part: str) -> tuple[Any, ...]:
    """A row of `_BATCHES`."""
    bit, selectors = EVENT_BITS.get(event.event_type, 0), event_selectors(event, facts)
    # the first 16 characters of the ids of its deliveries, without prefix
    head = time_part + "".join([_DIGITS[event.sequence >> shift & 31] for shift in _SHIFTS])
    return (event.sequence, event.company_id, event.event_type, bit, head, selectors, *astuple(facts))


_BATCHES: Final = {
    engine: rows_query(
        engine,
        "sequence bigint, company_id text, event_type text, bit integer, head text, selectors text, " + FACT_COLUMNS,
        ":batch",
    )
    for engine in ENGINES
}

# Join order: events, companies, subscriptions, whatever the statistics say: each event matches few of a
# million subscribed companies. SQLite keeps the order of a CROSS JOIN; OFFSET 0 is PostgreSQL's optimisation
# fence.
_READ: Final = (
    "subscription_id, status, destination_kind, all_companies, deleted_at, from_sequence, event_mask, "
    + ", ".join(FILTER_COLUMNS)
)


def _joined(engine: str, found: str, condition: str, subscription: str) -> str:
    """Subscriptions of each event by way of a table whose rows of an event an index has.

    `condition`: which of its rows, as `found`, are of an event; `subscription`: the condition on `s` of such a row.
    """
    batch = f"batch{_EACH_SELECTOR[engine]}" if "{selector}" in condition else "batch"
    where = condition.format(selector="each.value")
    if engine == "sqlite":
        return f"{batch} CROSS JOIN {found} AS found ON {where} CROSS JOIN webhook_subscriptions AS s ON {subscription}"
    return (
        f"{batch} CROSS JOIN LATERAL (SELECT * FROM {found} AS found WHERE {where} OFFSET 0) AS found "  # noqa: S608 -- texts below
        f"CROSS JOIN LATERAL (SELECT {_READ} FROM webhook_subscriptions AS s WHERE {subscription} OFFSET 0) AS s"
    )


_EACH_SELECTOR: Final = {
    "sqlite": " CROSS JOIN json_each(batch.selectors) AS each",
    "postgresql": " CROSS JOIN LATERAL jsonb_array_elements_text(CAST(batch.selectors AS jsonb)) AS each(value)",
}
_SELECTED: Final = "s.all_companies AND s.watchlist_id IS NULL"
_BY_ID: Final = "s.subscription_id = found.subscription_id"
# the ways to the subscriptions that an event may concern, and what holds of the subscriptions found on each: so each
# is found on one of them
_WAYS: Final = (
    (("webhook_companies", "found.company_id = batch.company_id", _BY_ID), "NOT s.all_companies"),
    (
        ("watchlist_companies", "found.company_id = batch.company_id", "s.watchlist_id = found.watchlist_id"),
        "s.all_companies",
    ),
    (
        (
            "webhook_selectors",
            "found.selector = {selector} AND found.least_change <= coalesce(batch.share_change, 0)",
            _BY_ID,
        ),
        _SELECTED,
    ),
)


def _matches_sql(engine: str, only: str = "") -> str:
    """CTE of the matches, to precede a statement."""
    wanted = f"s.deleted_at IS NULL AND s.from_sequence < batch.sequence AND (s.event_mask & batch.bit) <> 0{only}"
    columns = (
        "batch.sequence AS sequence, s.subscription_id AS subscription_id, s.status AS status, "
        "batch.head || substr(s.subscription_id, 21, 10) AS id, "  # 10 random characters, of 16
        "CAST(CASE s.destination_kind WHEN 's3' THEN :window_end ELSE :at END AS bigint) AS due_at"
    )
    where = f"{wanted} AND {passes_sql(engine, 'batch', 's')}"
    ways = " UNION ALL ".join(
        # several selectors of an event may be of one subscription
        f"SELECT {'DISTINCT ' if holds == _SELECTED else ''}{columns} "  # noqa: S608 -- texts above
        f"FROM {_joined(engine, *way)} WHERE {holds} AND {where}"
        for way, holds in _WAYS
    )
    return (
        f"WITH batch AS MATERIALIZED ({_BATCHES[engine]}), matched AS MATERIALIZED ("  # noqa: S608 -- texts above
        f"{ways} "
        f"UNION ALL "
        f"SELECT {columns} FROM webhook_subscriptions AS s CROSS JOIN batch "
        f"WHERE s.all_companies AND s.filters IS NULL AND {wanted}) "
    )


_INSERT_DELIVERIES: Final = (
    "INSERT INTO webhook_deliveries (subscription_id, delivery_id, sequence, status, tries, attempt_count, "
    "next_attempt_at, created_at) "
    "SELECT subscription_id, 'dlv_' || id, sequence, CASE status WHEN 'active' THEN 'pending' ELSE 'held' END, "
    "0, 0, CASE status WHEN 'active' THEN due_at END, CAST(:at AS bigint) FROM matched "
    "ORDER BY subscription_id, id"
)
_INSERT_ATTEMPTS: Final = (
    'INSERT INTO webhook_queue (subscription_id, due_at, attempt_id, delivery_id, "trigger") '
    "SELECT subscription_id, due_at, 'att_' || id, 'dlv_' || id, 'schedule' "
    "FROM matched WHERE status = 'active' ORDER BY subscription_id, id"
)
_UPDATE_LANES: Final = (
    "UPDATE webhook_lanes SET next_due_at = due.due_at "
    "FROM (SELECT DISTINCT subscription_id, due_at FROM matched WHERE status = 'active') AS due "
    "WHERE webhook_lanes.subscription_id = due.subscription_id "
    "AND (next_due_at IS NULL OR next_due_at > due.due_at)"
)
_COUNT: Final = "SELECT sequence, count(*) FROM matched GROUP BY sequence"
_LOCK: Final = (
    "SELECT subscription_id FROM webhook_lanes "
    "WHERE subscription_id IN (SELECT subscription_id FROM matched) ORDER BY subscription_id"
)

# SQLite has one writer, so all its statements see the same state, and share the matches. PostgreSQL's would each see
# what was committed before it; a single statement sees one state, the one after the locks, restricted to the locked
# rows.
_KEPT: Final = text(
    "CREATE TEMPORARY TABLE IF NOT EXISTS matched (sequence INTEGER, subscription_id TEXT, status TEXT, id TEXT, "
    "due_at INTEGER)"
)
_KEEP: Final = text(
    f"INSERT INTO temp.matched {_matches_sql('sqlite')} "  # noqa: S608 -- texts above
    "SELECT sequence, subscription_id, status, id, due_at FROM matched"
)
_STORE: Final = tuple(text(statement) for statement in (_INSERT_DELIVERIES, _INSERT_ATTEMPTS, _UPDATE_LANES))
_LOCK_CONCERNED: Final = text(f"{_matches_sql('postgresql')}{_LOCK} FOR UPDATE")
_STORE_AT_ONCE: Final = text(
    _matches_sql("postgresql", " AND s.subscription_id = ANY(CAST(:concerned AS text[]))")
    + f", deliveries AS ({_INSERT_DELIVERIES}), attempts AS ({_INSERT_ATTEMPTS}), "
    f"lanes AS ({_UPDATE_LANES}) {_COUNT}"
)


class PublishedEvents(Protocol):
    """The part of `warehouse.reader.reader.ReleaseReader` that matching uses."""

    def events_after(self, sequence: int, limit: int) -> Sequence[LedgerEvent]: ...

    def company_facts(self, company_ids: Iterable[str]) -> Mapping[str, CompanyFacts]: ...


class FanOut:
    """Matches published events while this process leads. `step` blocks; it belongs to one thread."""

    def __init__(
        self, database: Database, reader: PublishedEvents, clock: Clock, name: str, batch_seconds: float = BATCH_SECONDS
    ) -> None:
        self._batch_seconds = batch_seconds
        self._database = database
        self._reader = reader
        self._clock = clock
        self._leadership = LeaderLease(database, clock, LEASE, name, _LEASE_SECONDS)
        self._cursor: int | None = None
        self._limit = 64

    def step(self) -> int:
        """Matches one batch; returns its number of events, 0 if nothing is new or another process leads."""
        if not self._leadership.acquire_or_renew():
            self._cursor = None  # the leader moves it
            return 0
        if self._cursor is None:
            self._cursor = self._load_cursor()
        if self._cursor is None:
            return 0
        events = self._reader.events_after(self._cursor, self._limit)
        return self._match(self._cursor, events) if events else 0

    @property
    def has_begun(self) -> bool:
        """Whether this process leads and has subscriptions to match; otherwise it may poll less often."""
        return self._cursor is not None

    def close(self) -> None:
        self._leadership.release()

    def _load_cursor(self) -> int | None:
        found = self._database.read(fanout_cursor)
        if found is not None or self._database.read(earliest_subscribed_sequence) is None:
            return found
        return self._database.write(start_cursor)

    def _match(self, old: int, events: Sequence[LedgerEvent]) -> int:
        at = to_milliseconds(self._clock.now())
        new = events[-1].sequence
        companies = self._reader.company_facts(event.company_id for event in events)  # in the release that is served
        described = [DescribedEvent(one, event_facts(one, companies.get(one.company_id))) for one in events]
        self._cursor = None  # read again unless this commits
        with self._database.writing() as session:
            connection = session.connection()
            if not advance_cursor(connection, old, new):
                _LOGGER.warning("events above %d were matched by another process", old)
                return 0
            made = store_deliveries(connection, described, at, self._batch_seconds)
        self._cursor = new
        self._adjust_limit(made)
        if made:
            _LOGGER.info("%d deliveries of the events up to %d", made, new)
        return len(events)

    def _adjust_limit(self, made: int) -> None:
        if made > ENOUGH_DELIVERIES:
            self._limit = max(1, self._limit // 2)
        elif made < ENOUGH_DELIVERIES // 2:
            self._limit = min(MAX_EVENTS, self._limit * 2)
