"""All SQL of what a page shows once: kept sealed for one session, and gone when it is taken.

Does not belong here: how it is sealed, or how long it lasts (`api.dashboard.showing`).
"""

from datetime import datetime

from sqlalchemy import Connection, delete, insert

from api.db.models import ShownOnce


def keep(connection: Connection, view_id: str, session_id: str, sealed: bytes, until: datetime) -> None:
    connection.execute(
        insert(ShownOnce).values(view_id=view_id, session_id=session_id, sealed=sealed, expires_at=until)
    )


def take(connection: Connection, view_id: str, session_id: str, at: datetime) -> bytes | None:
    """What was kept for that session, once; None where it was taken, has run out, or is another's."""
    taken = delete(ShownOnce).where(
        ShownOnce.view_id == view_id, ShownOnce.session_id == session_id, ShownOnce.expires_at > at
    )
    return connection.execute(taken.returning(ShownOnce.sealed)).scalar_one_or_none()


def take_expired(connection: Connection, at: datetime) -> None:
    """What nobody came for in time."""
    connection.execute(delete(ShownOnce).where(ShownOnce.expires_at <= at))
