"""Dashboard sessions: sign-in links by mail, browser sessions, CSRF tokens of forms. There are no passwords.

A link works once and for a short time. Opening it proves ownership of the address, so it creates the account if
there is none; requesting one does not reveal whether there is. A session always gets a new token, whatever the
browser sent before (session fixation). Does not belong here: cookies (`api.dashboard.routing`), SQL
(`api.accounts.session_repository`).
"""

import hmac
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection

from api.accounts import session_repository
from api.accounts.repository import AccountRecord
from api.accounts.service import require_email
from api.accounts.session_repository import SessionRecord
from api.auth.api_keys import is_token, key_digest, make_token
from api.billing.entitlement import SignUpState
from api.common.clock import Clock
from api.common.ids import UlidGenerator
from api.dashboard.sign_in_mailer import SignInMailer, build_sign_in_mail, sign_in_url
from api.database.engine import AsyncDatabase
from api.problems.problem import ProblemError

LINK_LIFETIME: Final = timedelta(minutes=15)
SESSION_LIFETIME: Final = timedelta(days=14)
IDLE_LIFETIME: Final = timedelta(days=3)
"""Idle timeout of a session."""
_LINKS_AT_ONCE: Final = 3
"""Maximum number of valid links per address, so that this service cannot flood a mailbox."""
MAX_SESSIONS: Final = 20
_SEEN_EVERY: Final = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class AuthenticatedSession:
    """A session with the current state of its account."""

    session: SessionRecord
    account: AccountRecord


@dataclass(frozen=True, slots=True)
class NewSession:
    """A newly created session; only now its token is known."""

    token: str = field(repr=False)
    signed_in: AuthenticatedSession


@dataclass(repr=False, eq=False)
class SessionService:
    """Signs in the customers of one installation."""

    database: AsyncDatabase
    mailer: SignInMailer
    pepper: bytes
    initial_state: SignUpState
    clock: Clock
    ulids: UlidGenerator
    public_url: str

    async def send_link(self, email: str) -> None:
        """Mails a link, unless the address has several valid ones; AccountError if it is no e-mail address."""
        email, now, token = require_email(email), self.clock.now(), make_token("link")
        digest, until = key_digest(token, self.pepper), now + LINK_LIFETIME

        def add(connection: Connection) -> bool:
            session_repository.delete_expired(connection, now)
            if session_repository.count_links(connection, email, now) >= _LINKS_AT_ONCE:
                return False
            session_repository.add_link(connection, digest, email, now, until)
            return True

        if await self.database.write(add):
            link = sign_in_url(token, self.public_url)
            self.mailer.post(build_sign_in_mail(self.ulids.make("eml"), email, link, now, LINK_LIFETIME))

    async def address_of_link(self, token: str) -> str | None:
        """The address a link was sent to; None if it is no longer valid. Does not use it up."""
        if not is_token("link", token):
            return None
        digest, now = key_digest(token, self.pepper), self.clock.now()
        return await self.database.read(session_repository.find_link, digest, now)

    async def sign_in(self, token: str, browser: str | None, previous_session_token: str | None) -> NewSession | None:
        """Exchanges a link for a new session; None if the link is no longer valid. Ends the previous session."""
        if not is_token("link", token):
            return None
        now, shown = self.clock.now(), make_token("session")
        digest, link = key_digest(shown, self.pepper), key_digest(token, self.pepper)

        def enter(connection: Connection) -> AuthenticatedSession | None:
            email = session_repository.consume_link(connection, link, now)
            if email is None:
                return None
            initial, ends_at = self.initial_state, now + SESSION_LIFETIME
            new_account = AccountRecord(self.ulids.make("acc"), email, initial.tier, initial.status, now)
            account = session_repository.find_or_create_account(connection, new_account)
            session = SessionRecord(self.ulids.make("ses"), account.account_id, browser, now, now, ends_at)
            if previous_session_token is not None:
                session_repository.end_session_by_digest(connection, key_digest(previous_session_token, self.pepper))
            session_repository.add_session(connection, session, digest)
            session_repository.end_oldest_sessions(connection, account.account_id, MAX_SESSIONS)
            return AuthenticatedSession(session, account)

        entered = await self.database.write(enter)
        return None if entered is None else NewSession(shown, entered)

    async def signed_in(self, token: str) -> AuthenticatedSession | None:
        """The valid session with this token; its use is recorded at intervals."""
        if not is_token("session", token):
            return None
        digest, now = key_digest(token, self.pepper), self.clock.now()
        found = await self.database.read(session_repository.find_session, digest, now, now - IDLE_LIFETIME)
        if found is None:
            return None
        session, account = found
        if now - session.seen_at >= _SEEN_EVERY:
            await self._record_seen(session, now)
        return AuthenticatedSession(session, account)

    async def sessions(self, account_id: str) -> list[SessionRecord]:
        """The valid sessions, most recently used first."""
        now = self.clock.now()
        return await self.database.read(session_repository.list_sessions, account_id, now, now - IDLE_LIFETIME)

    async def end(self, account_id: str, session_id: str) -> None:
        """Signs a browser out; does nothing for a session of another account."""
        await self.database.write(session_repository.end_session, account_id, session_id)

    async def end_other_sessions(self, session: SessionRecord) -> None:
        await self.database.write(session_repository.end_other_sessions, session.account_id, session.session_id)

    def form_token(self, browser_token: str) -> str:
        """The CSRF token of a page's forms; cannot be computed without the browser's own token."""
        return hmac.digest(self.pepper, b"form " + browser_token.encode(), "sha256").hex()

    def is_form_token(self, browser_token: str, token: str) -> bool:
        return hmac.compare_digest(self.form_token(browser_token).encode(), token.encode())

    async def _record_seen(self, session: SessionRecord, now: datetime) -> None:
        """Records the use of a session. A busy database must not sign users out, so the update is skipped then."""
        try:
            await self.database.write(session_repository.record_seen, session.session_id, now)
        except ProblemError:
            return  # `AsyncDatabase` has logged the reason
