"""One-time display of secrets: a form creates a key or secret, and the next page shows it once.

The form redirects to the page, so reloading creates nothing. Meanwhile the secret is stored encrypted with the
session's token, which only the browser knows: it cannot be decrypted with the database alone, and no other
session gets it. It is deleted when it is read.
"""

from datetime import datetime, timedelta
from typing import Final, TypeVar

import msgspec
from sqlalchemy import Connection, delete, insert

from api.auth.encryption import SecretBox
from api.common.ids import is_ulid
from api.dashboard.html_forms import PageError
from api.dashboard.routing import PageRequest
from api.database.models.accounts import ShownOnce

T = TypeVar("T", bound=msgspec.Struct)
LIFETIME: Final = timedelta(minutes=5)
"""Browsers follow the redirect at once; this is for slow ones."""
_PREFIX: Final = "one"


async def store_once(request: PageRequest, secret_view: msgspec.Struct) -> str:
    """Stores a secret for this browser and returns the id of its page."""
    service, session_id = request.context.services, request.required_session.session.session_id
    view_id, now = service.ulid_generator.make(_PREFIX), service.clock.now()
    sealed = _session_secret_box(request).seal(msgspec.json.encode(secret_view).decode())

    def write(connection: Connection) -> None:
        connection.execute(delete(ShownOnce).where(ShownOnce.expires_at <= now))
        connection.execute(
            insert(ShownOnce).values(view_id=view_id, session_id=session_id, sealed=sealed, expires_at=now + LIFETIME)
        )

    await service.control_database.write(write)
    return view_id


async def pop_once(request: PageRequest, view_id: str, view_type: type[T], advice: str) -> T:
    """Returns a stored secret the first time; afterwards an error with `advice`."""
    service, session_id = request.context.services, request.required_session.session.session_id
    sealed, now = None, service.clock.now()
    if is_ulid(_PREFIX, view_id):
        sealed = await service.control_database.write(_pop_sealed, view_id, session_id, now)
    if sealed is None:
        raise PageError(410, "This can be shown only once", advice)
    return msgspec.json.decode(_session_secret_box(request).open(sealed), type=view_type)


def _session_secret_box(visit: PageRequest) -> SecretBox:
    if visit.session_token is None:
        raise RuntimeError("secrets are shown only to signed-in users")
    return SecretBox([visit.session_token.encode()])


def _pop_sealed(connection: Connection, view_id: str, session_id: str, at: datetime) -> bytes | None:
    """Reads and deletes a session's secret; None if already read, expired, or another session's."""
    taken = delete(ShownOnce).where(
        ShownOnce.view_id == view_id, ShownOnce.session_id == session_id, ShownOnce.expires_at > at
    )
    return connection.execute(taken.returning(ShownOnce.sealed)).scalar_one_or_none()
