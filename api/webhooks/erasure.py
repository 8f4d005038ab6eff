"""Erases data subjects from stored events and from the responses of webhook receivers.

Deliveries, attempts and their order stay; an event keeps its ids. Does not belong here: which parts of an event
are blanked (`warehouse.erasure.event_redaction`), or anything outside this database.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, select, text, update

from api.database.engine import Database
from api.database.models.webhooks import Attempt, Delivery, MatchedEvent

_CHUNK: Final = 1_000
# Columns of an attempt that stay; what is not listed may contain what a receiver answered, and becomes null.
KEPT_OF_ATTEMPT: Final = frozenset(
    (
        *("delivery_id", "attempt_id", "number", "trigger", "started_at", "duration_ms", "outcome", "error"),
        *("request_url", "remote_ip", "response_status", "response_body_truncated"),
    )
)

_NOT_KEPT: Final[dict[str, Any]] = {"share_change": None, "thresholds": None, "changed_fields": None}
"""What filters read of an event's change; an erased event passes no filter that asks for it."""
_NOT_KEPT_OF_COMPANY: Final[dict[str, Any]] = {"industry_code": None, "industry_scheme": None, "is_listed": None}


class _Subject(msgspec.Struct):
    org_nr: str | None = None
    name: str | None = None


_SUBJECTS: Final = msgspec.json.Decoder(_Subject)


def erase_events(database: Database, redact: Callable[[str], str]) -> int:
    """Blanks stored events that `redact` changes; returns how many. Frees their pages."""
    count = 0
    for redacted in _redacted_chunks(database, redact):
        if redacted:
            with database.writing() as session:
                for sequence, data in redacted.items():
                    _replace_event(session.connection(), sequence, data)
            count += len(redacted)
    if count:
        _compact_storage(database)
    return count


def _redacted_chunks(database: Database, redact: Callable[[str], str]) -> Iterator[dict[int, bytes]]:
    """Yields, for chunks of all stored events, those that change by sequence: any type may name a subject."""
    after = 0
    columns = select(MatchedEvent.sequence, MatchedEvent.data).order_by(MatchedEvent.sequence).limit(_CHUNK)
    while True:
        with database.reading() as session:
            found = session.execute(columns.where(MatchedEvent.sequence > after)).all()
        if not found:
            return
        told = {sequence: (data, redact(data.decode()).encode()) for sequence, data in found}
        yield {sequence: redacted for sequence, (data, redacted) in told.items() if redacted != data}
        after = found[-1][0]


def _replace_event(connection: Connection, sequence: int, data: bytes) -> None:
    subject, values = _SUBJECTS.decode(data), _NOT_KEPT | {"data": data}
    if subject.name is not None and subject.name == subject.org_nr:  # the number replaces the name of an erased company
        values |= _NOT_KEPT_OF_COMPANY
    connection.execute(update(MatchedEvent).where(MatchedEvent.sequence == sequence).values(values))
    deliveries = select(Delivery.delivery_id).where(Delivery.sequence == sequence)
    # a receiver may have echoed the event in its response
    blank = {column.name: None for column in Attempt.__table__.columns if column.name not in KEPT_OF_ATTEMPT}
    connection.execute(update(Attempt).where(Attempt.delivery_id.in_(deliveries)).values(blank))


def _compact_storage(database: Database) -> None:
    """Rewrites the files: overwritten data remains in free pages and in the write-ahead log until then."""
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT", firm_begin="") as connection:
        if connection.dialect.name == "sqlite":
            connection.execute(text("VACUUM"))
            connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
        else:
            for table in (MatchedEvent.__tablename__, Attempt.__tablename__):
                connection.execute(text(f"VACUUM (FULL) {table}"))
