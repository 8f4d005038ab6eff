"""Mail outbox: one row per occasion, kept as a record after sending, and the worker that sends mails with retries.

`add_mail` runs in the transaction of its occasion (a pause, a failed retry), so neither exists without the other. While
a mail is being sent it is not due: `next_attempt_at` is then the end of the claim, and each claim raises `attempts`,
which identifies it. A claim lasts longer than sending can take, so a process that is killed meanwhile delays a mail and
loses nothing; one killed between the server's acceptance and our commit repeats it, with the same Message-ID. Any
number of processes may run a worker. Without a mail server the text goes to the log. Does not belong here: SMTP
(`api.email.smtp`), or texts (`api.email.webhook_notices`).
"""

import asyncio
import hashlib
import logging
from base64 import b32encode
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, func, select, update

from api.common.background import sleep_or_stop
from api.common.clock import Clock
from api.database.engine import Database, insert_into
from api.database.models.accounts import Mail
from api.database.models.base import columns_of
from api.email.smtp import (
    CONNECT_SECONDS,
    MAIL_SECONDS,
    MailRejectedError,
    MailServer,
    MailServerUnreachableError,
    OutgoingMail,
)
from api.email.webhook_notices import LONGEST_SUBJECT, OwnerNotice
from api.settings.mail import MailSettings

_PREFIX: Final = "eml_"
_ID_CHARACTERS: Final = 26
_LONGEST_ERROR: Final = 500


@dataclass(frozen=True, slots=True)
class ClaimedMail(OutgoingMail):
    """A claimed mail, to be sent by its holder. `attempts` includes the current one."""

    occasion: str
    account_id: str
    attempts: int


@dataclass(frozen=True, slots=True)
class WaitingMails:
    """Number of unfinished mails, and the creation time of the oldest."""

    count: int
    since: datetime | None


def add_mail(
    connection: Connection, reason: str, account_id: str, recipient: str, notice: OwnerNotice, at: datetime
) -> bool:
    """Adds a mail to an account's owner, due now; False if the occasion already has its mail."""
    # the same for an occasion: as Message-ID it lets receivers recognise duplicates
    digest = b32encode(hashlib.sha256(reason.encode()).digest()).decode().lower()
    statement = insert_into(connection, Mail).values(
        mail_id=_PREFIX + digest[:_ID_CHARACTERS],
        occasion=reason,
        account_id=account_id,
        recipient=recipient,
        subject=notice.subject[:LONGEST_SUBJECT],
        body=notice.body,
        created_at=at,
        next_attempt_at=at,
        attempts=0,
    )
    added = statement.on_conflict_do_nothing().returning(Mail.mail_id)  # not every driver reports a row count
    return connection.execute(added).first() is not None


def has_mail_with_prefix(connection: Connection, account_id: str, occasion_prefix: str, since: datetime) -> bool:
    """Whether the account has a mail since `since` with an occasion that starts with `occasion_prefix`."""
    found = select(Mail.mail_id).where(
        Mail.account_id == account_id,
        Mail.occasion.startswith(occasion_prefix, autoescape=True),
        Mail.created_at >= since,
    )
    return connection.execute(found.limit(1)).first() is not None


def has_sendable_mail(connection: Connection, at: datetime) -> bool:
    """Whether a mail can be claimed; checked first, because claiming takes the write lock."""
    return connection.execute(select(Mail.mail_id).where(Mail.next_attempt_at <= at).limit(1)).first() is not None


def claim_mail(connection: Connection, at: datetime, until: datetime) -> ClaimedMail | None:
    """Claims the most overdue mail until `until`; None if no mail can be claimed."""
    due = (
        select(*columns_of(ClaimedMail, Mail, computed=("attempts",)), Mail.attempts + 1)
        .where(Mail.next_attempt_at <= at)
        .order_by(Mail.next_attempt_at, Mail.mail_id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    row = connection.execute(due).one_or_none()
    if row is None:
        return None
    mail = ClaimedMail(*row)
    claimed = update(Mail).where(Mail.mail_id == mail.mail_id).values(next_attempt_at=until, attempts=mail.attempts)
    connection.execute(claimed)
    return mail


def mark_sent(connection: Connection, mail: ClaimedMail, at: datetime) -> None:
    """Marks a mail as accepted by a mail server, even if the claim has expired meanwhile."""
    connection.execute(
        update(Mail).where(Mail.mail_id == mail.mail_id).values(next_attempt_at=None, sent_at=at, last_error=None)
    )


def count_waiting_mails(connection: Connection) -> WaitingMails:
    """Counts mails that no mail server has accepted yet."""
    waiting = select(func.count(), func.min(Mail.created_at)).where(Mail.next_attempt_at.is_not(None))
    return WaitingMails(*connection.execute(waiting).one())


def mark_unsent(
    connection: Connection, mail: ClaimedMail, error: str | None = None, next_attempt_at: datetime | None = None
) -> None:
    """Leaves a mail to its next attempt; without one it is finished: logged or, with an error, given up.

    Only under the current claim: a slower holder leaves it to the next one.
    """
    connection.execute(
        update(Mail)
        .where(Mail.mail_id == mail.mail_id, Mail.attempts == mail.attempts, Mail.sent_at.is_(None))
        .values(next_attempt_at=next_attempt_at, last_error=error and error[:_LONGEST_ERROR])
    )


CLAIM: Final = timedelta(seconds=2 * (CONNECT_SECONDS + MAIL_SECONDS))
"""How long a claim on a mail lasts."""

GIVE_UP_AFTER: Final = timedelta(days=30)
"""After this time the events a mail refers to can no longer be replayed."""

_POLL_SECONDS: Final = 5.0
_FIRST_WAIT: Final = timedelta(minutes=1)
_LONGEST_WAIT: Final = timedelta(hours=1)
_MOST_DOUBLINGS: Final = 10
_LOGGER: Final = logging.getLogger("firm.mail")


class OutboxWorker:
    """Sends the mails of one database. `step` handles those due now, `run` continues until stopped."""

    def __init__(self, database: Database, settings: MailSettings, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._server = MailServer(settings) if settings.host else None

    async def run(self, stop: asyncio.Event) -> None:
        """Runs until `stop` is set; a mail being sent is finished. Database errors end it."""
        while not stop.is_set():
            await self.step(stop)
            await sleep_or_stop(stop, _POLL_SECONDS)

    async def step(self, stop: asyncio.Event | None = None) -> int:
        """Handles due mails until the queue is empty or the server is unusable; returns the number handled."""
        handled = 0
        try:
            with suppress(MailServerUnreachableError):  # already logged; the other mails wait without an attempt
                while not (stop and stop.is_set()) and (mail := await asyncio.to_thread(self._claim_next)) is not None:
                    handled += await self._handle_mail(mail)
        finally:
            if self._server is not None:
                await self._server.close()
        return handled

    async def _handle_mail(self, mail: ClaimedMail) -> bool:
        """Sends or logs one mail and records the result in the outbox."""
        if self._server is None:
            shown = "notice for account %s (no mail server is configured: FIRM_SMTP_HOST): %s\n%s"
            _LOGGER.warning(shown, mail.account_id, mail.subject, mail.body)
            await asyncio.to_thread(self._mark_done, mail, None)
            return True
        try:
            await self._server.send(mail)
        except MailServerUnreachableError as error:
            await asyncio.to_thread(self._schedule_retry, mail, str(error))
            raise
        except MailRejectedError as error:
            await asyncio.to_thread(self._mark_done if error.is_final else self._schedule_retry, mail, str(error))
            return False
        await asyncio.to_thread(self._mark_sent, mail)
        return True

    def _claim_next(self) -> ClaimedMail | None:
        now = self._clock.now()
        if not self._database.read(has_sendable_mail, now):
            return None
        return self._database.write(claim_mail, now, now + CLAIM)

    def _mark_sent(self, mail: ClaimedMail) -> None:
        self._database.write(mark_sent, mail, self._clock.now())
        _LOGGER.info("mail %s was sent (%s)", mail.mail_id, mail.occasion)

    def _mark_done(self, mail: ClaimedMail, error: str | None) -> None:
        self._database.write(mark_unsent, mail, error)
        if error is not None:
            given_up = "mail %s to account %s is given up (%s): %s; notify the owner another way"
            _LOGGER.error(given_up, mail.mail_id, mail.account_id, mail.occasion, error)

    def _schedule_retry(self, mail: ClaimedMail, error: str) -> None:
        now = self._clock.now()
        if now - mail.created_at >= GIVE_UP_AFTER:
            self._mark_done(mail, error)
            return
        wait = retry_delay(mail.attempts)
        self._database.write(mark_unsent, mail, error, now + wait)
        sent = "mail %s was not sent (%s), next attempt in %d s: %s"
        _LOGGER.warning(sent, mail.mail_id, mail.occasion, wait.total_seconds(), error)


def retry_delay(attempts: int) -> timedelta:
    """Wait after `attempts` attempts: doubled each time, at most an hour."""
    return min(_FIRST_WAIT * 2 ** min(attempts - 1, _MOST_DOUBLINGS), _LONGEST_WAIT)
