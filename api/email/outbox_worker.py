"""Outbox worker: sends mails with retries; any number of processes may run one.

A mail is claimed for longer than sending can take, so a process that is killed meanwhile delays it and loses
nothing; one killed between the server's acceptance and our commit repeats it, with the same Message-ID. Without
a mail server the text goes to the log. Does not belong here: SMTP (`api.email.smtp`), texts
(`api.email.webhook_notices`).
"""

import asyncio
import logging
from contextlib import suppress
from datetime import timedelta
from typing import Final

from api.common.clock import Clock
from api.database.engine import Database
from api.email import outbox_repository
from api.email.outbox_repository import ClaimedMail
from api.email.smtp import CONNECT_SECONDS, MAIL_SECONDS, MailRejectedError, MailServer, MailServerUnreachableError
from api.settings.mail import MailSettings

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
        """Runs until `stop` is set; a mail being sent is finished.

        Database errors end it; the caller restarts it (`api.webhooks.runner`).
        """
        while not stop.is_set():
            await self.step(stop)
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), _POLL_SECONDS)

    async def step(self, stop: asyncio.Event | None = None) -> int:
        """Handles due mails until the queue is empty or the server is unusable; returns the number handled."""
        handled = 0
        try:
            while not (stop and stop.is_set()):
                mail = await asyncio.to_thread(self._claim_next)
                if mail is None:
                    break
                handled += await self._handle_mail(mail)
        except MailServerUnreachableError:
            pass  # already logged; the other mails wait without an attempt
        finally:
            if self._server is not None:
                await self._server.close()
        return handled

    async def _handle_mail(self, mail: ClaimedMail) -> bool:
        """Sends or logs one mail and records the result in the outbox."""
        if self._server is None:
            _LOGGER.warning(
                "notice for account %s (no mail server is configured: FIRM_SMTP_HOST): %s\n%s",
                mail.account_id,
                mail.subject,
                mail.body,
            )
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
        with self._database.reading() as session:
            if not outbox_repository.has_sendable_mail(session.connection(), now):
                return None
        with self._database.writing() as session:
            return outbox_repository.claim_mail(session.connection(), now, now + CLAIM)

    def _mark_sent(self, mail: ClaimedMail) -> None:
        with self._database.writing() as session:
            outbox_repository.mark_sent(session.connection(), mail, self._clock.now())
        _LOGGER.info("mail %s was sent (%s)", mail.mail_id, mail.occasion)

    def _mark_done(self, mail: ClaimedMail, error: str | None) -> None:
        with self._database.writing() as session:
            outbox_repository.finish_unsent(session.connection(), mail, error)
        if error is not None:
            _LOGGER.error(
                "mail %s to account %s is given up (%s): %s; notify the owner another way",
                mail.mail_id,
                mail.account_id,
                mail.occasion,
                error,
            )

    def _schedule_retry(self, mail: ClaimedMail, error: str) -> None:
        now = self._clock.now()
        if now - mail.created_at >= GIVE_UP_AFTER:
            self._mark_done(mail, error)
            return
        wait = retry_delay(mail.attempts)
        with self._database.writing() as session:
            outbox_repository.schedule_retry(session.connection(), mail, error, now + wait)
        _LOGGER.warning(
            "mail %s was not sent (%s), next attempt in %d s: %s",
            mail.mail_id,
            mail.occasion,
            wait.total_seconds(),
            error,
        )


def retry_delay(attempts: int) -> timedelta:
    """Wait after `attempts` attempts: doubled each time, at most an hour."""
    return min(_FIRST_WAIT * 2 ** min(attempts - 1, _MOST_DOUBLINGS), _LONGEST_WAIT)
