"""Erases data subjects from stored events and from the responses of webhook receivers.

Deliveries, attempts and their order stay; an event keeps its ids. Does not belong here: which parts of an event
are blanked (`warehouse.erasure.event_redaction`), or anything outside this database.
"""

from collections.abc import Callable, Collection, Iterator
from typing import Final

from sqlalchemy import Connection, or_, select, text, update

from api.database.engine import Database
from api.database.models.webhooks import Attempt, Delivery, MatchedEvent

_CHUNK: Final = 1_000
_OWNERSHIP: Final = "ownership.changed"  # the event type that names holders


def erase_events(database: Database, companies: Collection[str], redact: Callable[[str], str]) -> int:
    """Blanks stored events about these companies or erased holders; returns how many. Frees their pages."""
    count = 0
    for sequences in _affected_sequences(database, companies):
        with database.writing() as session:
            count += sum(_blank_event(session.connection(), sequence, redact) for sequence in sequences)
    if count:
        _compact_storage(database)
    return count


def _affected_sequences(database: Database, companies: Collection[str]) -> Iterator[list[int]]:
    """Yields chunks of sequences of events that may contain personal data."""
    after = 0
    wanted = or_(MatchedEvent.company_id.in_(companies), MatchedEvent.event_type == _OWNERSHIP)
    while True:
        chosen = select(MatchedEvent.sequence).where(MatchedEvent.sequence > after, wanted)
        with database.reading() as session:
            ordered = chosen.order_by(MatchedEvent.sequence).limit(_CHUNK)
            found = list(session.execute(ordered).scalars())
        if not found:
            return
        yield found
        after = found[-1]


def _blank_event(connection: Connection, sequence: int, blanked: Callable[[str], str]) -> bool:
    row = connection.execute(select(MatchedEvent.data).where(MatchedEvent.sequence == sequence)).scalar_one_or_none()
    data = None if row is None else blanked(row.decode()).encode()
    if data is None or data == row:
        return False
    connection.execute(update(MatchedEvent).where(MatchedEvent.sequence == sequence).values(data=data))
    deliveries = select(Delivery.delivery_id).where(Delivery.sequence == sequence)
    # a receiver may have echoed the event in its response
    connection.execute(
        update(Attempt)
        .where(Attempt.delivery_id.in_(deliveries))
        .values(response_body=None, response_headers=None, error_detail=None)
    )
    return True


def _compact_storage(database: Database) -> None:
    """Rewrites the files: overwritten data remains in free pages and in the write-ahead log until then."""
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT", firm_begin="") as connection:
        if connection.dialect.name == "sqlite":
            connection.execute(text("VACUUM"))
            connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
        else:
            for table in (MatchedEvent.__tablename__, Attempt.__tablename__):
                connection.execute(text(f"VACUUM (FULL) {table}"))
