"""What a form makes and a page shows once: a key, a secret. The form leads to the page: reloading makes no other.

Meanwhile it lies in the database, sealed by the session's token, which is known to the browser alone: whoever reads
the database cannot open it, and no other session is given it. Does not belong here: SQL (`api.db.shown_once`).
"""

from datetime import timedelta
from typing import Final, TypeVar

import msgspec
from sqlalchemy import Connection

from api.dashboard.pages import Visit
from api.dashboard.refusals import Refused
from api.db import shown_once
from api.ulids import is_ulid
from api.webhooks.sealing import Sealer

T = TypeVar("T", bound=msgspec.Struct)
LIFETIME: Final = timedelta(minutes=5)
"""A browser follows at once; this is for slow ones."""
_PREFIX: Final = "one"


async def keep(visit: Visit, shown: msgspec.Struct) -> str:
    """Keeps what is to be shown to this browser; the id by which its page asks for it."""
    service, session_id = visit.call.service, visit.known.session.session_id
    view_id, now = service.ulids.make(_PREFIX), service.clock.now()
    sealed = _sealer(visit).seal(msgspec.json.encode(shown).decode())

    def write(connection: Connection) -> None:
        shown_once.take_expired(connection, now)
        shown_once.keep(connection, view_id, session_id, sealed, now + LIFETIME)

    await service.control.write(write)
    return view_id


async def take(visit: Visit, view_id: str, what: type[T], advice: str) -> T:
    """What was kept, the first time; afterwards it is refused with what to do instead."""
    service, session_id = visit.call.service, visit.known.session.session_id
    sealed, now = None, service.clock.now()
    if is_ulid(_PREFIX, view_id):
        sealed = await service.control.write(
            lambda connection: shown_once.take(connection, view_id, session_id, now)
        )
    if sealed is None:
        raise Refused(410, "It was shown once, and is not shown again", advice)
    return msgspec.json.decode(_sealer(visit).open(sealed), type=what)


def _sealer(visit: Visit) -> Sealer:
    if visit.session_token is None:
        raise RuntimeError("only who is signed in is shown secrets")
    return Sealer([visit.session_token.encode()])
