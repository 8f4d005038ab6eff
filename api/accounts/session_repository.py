"""SQL of signing in: mailed links, browser sessions, the account of an e-mail address.

Only digests of tokens are stored. Does not belong here: lifetimes (`api.dashboard.sessions`).
"""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, delete, func, insert, select, update

from api.accounts.repository import ACCOUNTS, AccountRecord
from api.database.engine import insert_into
from api.database.models.accounts import Account, DashboardSession, SignInLink
from api.database.models.base import columns_of


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """A signed-in browser session; its token is not stored."""

    session_id: str
    account_id: str
    browser: str | None
    created_at: datetime
    seen_at: datetime
    expires_at: datetime


def add_link(connection: Connection, digest: bytes, email: str, at: datetime, until: datetime) -> None:
    connection.execute(insert(SignInLink).values(digest=digest, email=email, created_at=at, expires_at=until))


def count_links(connection: Connection, email: str, at: datetime) -> int:
    live = select(func.count()).where(SignInLink.email == email, SignInLink.expires_at > at)
    return connection.execute(live).scalar_one()


def find_link(connection: Connection, digest: bytes, at: datetime) -> str | None:
    found = select(SignInLink.email).where(SignInLink.digest == digest, SignInLink.expires_at > at)
    return connection.execute(found).scalar_one_or_none()


def consume_link(connection: Connection, digest: bytes, at: datetime) -> str | None:
    """Consumes a valid link and returns its address; of concurrent requests only one succeeds."""
    spent = delete(SignInLink).where(SignInLink.digest == digest, SignInLink.expires_at > at)
    return connection.execute(spent.returning(SignInLink.email)).scalar_one_or_none()


def find_or_create_account(connection: Connection, new: AccountRecord) -> AccountRecord:
    """Returns the account of the address, creating `new` if there is none."""
    values = asdict(new) | {"updated_at": new.created_at}
    connection.execute(insert_into(connection, Account).values(values).on_conflict_do_nothing(index_elements=["email"]))
    return AccountRecord(*connection.execute(ACCOUNTS.where(Account.email == new.email)).one())


def add_session(connection: Connection, session: SessionRecord, digest: bytes) -> None:
    connection.execute(insert(DashboardSession).values(asdict(session) | {"digest": digest}))


def find_session(
    connection: Connection, digest: bytes, at: datetime, seen_since: datetime
) -> tuple[SessionRecord, AccountRecord] | None:
    """Returns a live session with the current state of its account."""
    session = connection.execute(_live_sessions(at, seen_since).where(DashboardSession.digest == digest)).one_or_none()
    if session is None:
        return None
    account = connection.execute(ACCOUNTS.where(Account.account_id == session.account_id)).one()
    return SessionRecord(*session), AccountRecord(*account)


def list_sessions(connection: Connection, account_id: str, at: datetime, seen_since: datetime) -> list[SessionRecord]:
    """Returns the account's live sessions, most recently seen first."""
    rows = connection.execute(
        _live_sessions(at, seen_since)
        .where(DashboardSession.account_id == account_id)
        .order_by(DashboardSession.seen_at.desc(), DashboardSession.session_id.desc())
    )
    return [SessionRecord(*row) for row in rows]


def record_seen(connection: Connection, session_id: str, at: datetime) -> None:
    connection.execute(update(DashboardSession).where(DashboardSession.session_id == session_id).values(seen_at=at))


def end_session(connection: Connection, account_id: str, session_id: str) -> None:
    """Ends a session of the account; no effect if it does not exist."""
    own = DashboardSession.account_id == account_id
    connection.execute(delete(DashboardSession).where(own, DashboardSession.session_id == session_id))


def end_session_by_digest(connection: Connection, digest: bytes) -> None:
    """Ends the previous session of a browser that signs in again."""
    connection.execute(delete(DashboardSession).where(DashboardSession.digest == digest))


def end_other_sessions(connection: Connection, account_id: str, kept_session_id: str) -> None:
    own = DashboardSession.account_id == account_id
    connection.execute(delete(DashboardSession).where(own, DashboardSession.session_id != kept_session_id))


def end_oldest_sessions(connection: Connection, account_id: str, max_items: int) -> None:
    """Ends all but the newest `max_items` sessions of the account."""
    own = DashboardSession.account_id == account_id
    newest = (
        select(DashboardSession.session_id)
        .where(own)
        .order_by(DashboardSession.created_at.desc(), DashboardSession.session_id.desc())
        .limit(max_items)
    )
    kept = list(connection.execute(newest).scalars())
    connection.execute(delete(DashboardSession).where(own, DashboardSession.session_id.not_in(kept)))


def delete_expired(connection: Connection, at: datetime) -> None:
    connection.execute(delete(SignInLink).where(SignInLink.expires_at <= at))
    connection.execute(delete(DashboardSession).where(DashboardSession.expires_at <= at))


_SESSIONS: Final = select(*columns_of(SessionRecord, DashboardSession))


def _live_sessions(at: datetime, seen_since: datetime):  # noqa: ANN202 -- a select of six columns
    return _SESSIONS.where(DashboardSession.expires_at > at, DashboardSession.seen_at > seen_since)
