"""Sign-in links: their mail, sent immediately, in the background, with retries while the link is valid.

They are not in the outbox of notices: a stored link could be used by anyone with read access to the database. A
process that ends before a server accepted its mails loses them, and the user requests another. The text is the
same whether there is an account or not. Does not belong here: SMTP (`api.email.smtp`).
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final

from api.common.time_spans import format_span
from api.email.smtp import MailRejectedError, MailServer, MailServerUnreachableError, OutgoingMail
from api.settings.mail import MailSettings

PATH: Final = "/dashboard/sign-in/link"
SUBJECT: Final = "Your link to sign in to Firmdata"
_LOGGER: Final = logging.getLogger("firm.mail")
_WAITS: Final = (0.0, 10.0, 60.0, 120.0, 240.0)
"""Seconds before each attempt: greylisting servers accept the second or third. A link outlives all attempts."""
_MOST: Final = 500
_CONNECTIONS: Final = 4

Sleep = Callable[[float], Awaitable[None]]


def sign_in_url(token: str, public_url: str) -> str:
    """The sign-in link: it opens a page with a button, because mail programs open links too."""
    return f"{public_url}{PATH}?token={token}"


def build_sign_in_mail(
    mail_id: str, recipient: str, link: str, created_at: datetime, lifetime: timedelta
) -> OutgoingMail:
    body = (
        "A sign-in to Firmdata was requested for this address. To sign in, open this link and\n"
        "press the button there:\n"
        "\n"
        f"{link}\n"
        "\n"
        f"The link works once, within {format_span(lifetime)}. "
        "If this address has no account yet, one is created.\n"
        "\n"
        "If you did not request this, ignore this e-mail: signing in requires the link.\n"
    )
    return OutgoingMail(mail_id, recipient, SUBJECT, body, created_at)


class SignInMailer:
    """The pending sign-in mails of one process."""

    def __init__(self, settings: MailSettings, sleep: Sleep = asyncio.sleep) -> None:
        self._settings = settings
        self._sleep = sleep
        self._connections = asyncio.Semaphore(_CONNECTIONS)
        self._under_way: set[asyncio.Task[None]] = set()

    def post(self, mail: OutgoingMail) -> None:
        """Starts sending a mail and returns; the result is logged, without the address."""
        if not self._settings.host:
            _LOGGER.warning(
                "a sign-in link was requested, but no mail server is configured: set "
                "FIRM_SMTP_HOST, or create a link with `firm accounts link`"
            )
            return
        if len(self._under_way) >= _MOST:
            _LOGGER.error("%d sign-in mails are queued, the maximum: %s is dropped", _MOST, mail.mail_id)
            return
        task = asyncio.get_running_loop().create_task(self._deliver_with_retries(mail))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def close(self) -> None:
        """Cancels pending mails."""
        for task in self._under_way:
            task.cancel()
        if self._under_way:
            await asyncio.wait(self._under_way)

    async def _deliver_with_retries(self, letter: OutgoingMail) -> None:
        for wait in _WAITS:
            await self._sleep(wait)
            try:
                await self._send_once(letter)
            except MailServerUnreachableError as error:
                _LOGGER.warning("mail %s was not sent: %s", letter.mail_id, error)
            except MailRejectedError as error:
                _LOGGER.warning("mail %s was rejected: %s", letter.mail_id, error)
                if error.is_final:
                    return
            else:
                return
        _LOGGER.error("mail %s is given up: the user has to request another link", letter.mail_id)

    async def _send_once(self, letter: OutgoingMail) -> None:
        async with self._connections:
            server = MailServer(self._settings)
            try:
                await server.send(letter)
            finally:
                await server.close()
