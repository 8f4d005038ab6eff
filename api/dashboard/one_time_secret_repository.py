"""SQL of one-time secrets: stored encrypted for one session, deleted when read.

Does not belong here: how they are encrypted, or how long they last (`api.dashboard.one_time_secrets`).
"""

from datetime import datetime

from sqlalchemy import Connection, delete, insert

from api.database.models.sessions import ShownOnce


def insert_sealed(connection: Connection, view_id: str, session_id: str, sealed: bytes, until: datetime) -> None:
    connection.execute(
        insert(ShownOnce).values(view_id=view_id, session_id=session_id, sealed=sealed, expires_at=until)
    )


def pop_sealed(connection: Connection, view_id: str, session_id: str, at: datetime) -> bytes | None:
    """Reads and deletes a session's secret; None if already read, expired, or another session's."""
    taken = delete(ShownOnce).where(
        ShownOnce.view_id == view_id, ShownOnce.session_id == session_id, ShownOnce.expires_at > at
    )
    return connection.execute(taken.returning(ShownOnce.sealed)).scalar_one_or_none()


def delete_expired(connection: Connection, at: datetime) -> None:
    """Deletes expired secrets."""
    connection.execute(delete(ShownOnce).where(ShownOnce.expires_at <= at))
