"""SMTP client for one mail: message format, connection, and classification of failures.

Failures are classified by remedy: the server cannot be used (`MailServerUnreachableError`: every mail waits), this
mail was not accepted now (`MailRejectedError`), or never will be (`MailRejectedError` with `is_final`). A server
without the configured security is not used at all. Does not belong here: which mail to send and when to retry
(`api.email.outbox`).
"""

import asyncio
import re
import ssl
from dataclasses import dataclass
from datetime import datetime
from email import policy
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Final

import aiosmtplib
import idna

from api.settings.mail import MailSettings

CONNECT_SECONDS: Final = 20.0
MAIL_SECONDS: Final = 40.0
_QUIT_SECONDS: Final = 5.0
_GOING_DOWN: Final = 421
_PERMANENT: Final = 500
_BAD_ADDRESS: Final = re.compile(r"5\.1\.[0-9]")
"""Enhanced status codes (RFC 3463) about the recipient's address; other permanent refusals are settings."""


@dataclass(frozen=True, slots=True)
class OutgoingMail:
    """A mail to send: one text to one address."""

    mail_id: str
    """Identifier, the same when sent again."""
    recipient: str
    subject: str
    body: str
    created_at: datetime


class MailServerUnreachableError(Exception):
    """The mail server cannot be used; the message says why and what to check."""


class MailRejectedError(Exception):
    """The mail server rejected this mail. `is_final`: permanently."""

    def __init__(self, reason: str, *, is_final: bool) -> None:
        super().__init__(reason)
        self.is_final = is_final


class MailServer:
    """The configured mail server; connects on the first mail, until `close`."""

    def __init__(self, settings: MailSettings) -> None:
        self._settings = settings
        self._connection: aiosmtplib.SMTP | None = None

    async def send(self, mail: OutgoingMail) -> None:
        """Sends a mail; returns when the server has taken responsibility for it."""
        try:
            message, recipient = build_message(mail, self._settings.sender)
        except (MessageError, ValueError) as error:
            raise MailRejectedError(f"it cannot be encoded as an e-mail: {error}", is_final=True) from None
        connection = await self._ensure_connected()
        try:
            async with asyncio.timeout(MAIL_SECONDS):
                sender = _parse_sender(self._settings.sender).addr_spec
                await connection.send_message(message, sender=sender, recipients=[recipient])
        except asyncio.CancelledError:
            self._drop_connection()  # mid-conversation, so without QUIT
            raise
        except (aiosmtplib.SMTPException, OSError, ValueError) as error:
            if (rejection := _rejection_error(error)) is not None:
                raise rejection from None
            self._drop_connection()
            raise MailServerUnreachableError(_unreachable_message(self._settings, error)) from None

    async def probe(self) -> None:
        """Connects, secures the connection, logs in and quits; raises MailServerUnreachableError if that fails."""
        await self._ensure_connected()
        await self.close()

    async def close(self) -> None:
        """Sends QUIT if connected."""
        connection, self._connection = self._connection, None
        if connection is None or not connection.is_connected:
            return
        try:
            await connection.quit(timeout=_QUIT_SECONDS)
        except (aiosmtplib.SMTPException, OSError):
            connection.close()

    async def _ensure_connected(self) -> aiosmtplib.SMTP:
        if self._connection is not None and self._connection.is_connected:
            return self._connection
        settings = self._settings
        connection = aiosmtplib.SMTP(
            hostname=settings.host,
            port=settings.port,
            username=settings.username or None,
            password=settings.password or None,
            timeout=CONNECT_SECONDS,
            use_tls=settings.security == "tls",
            start_tls=settings.security == "starttls",  # required, not opportunistic
            tls_context=ssl.create_default_context(),
        )
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await connection.connect()
        except (aiosmtplib.SMTPException, OSError, ValueError) as error:
            connection.close()
            raise MailServerUnreachableError(_unreachable_message(self._settings, error)) from None
        self._connection = connection
        return connection

    def _drop_connection(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def build_message(mail: OutgoingMail, sender: str) -> tuple[EmailMessage, str]:
    """Builds the message; returns it with the recipient. Raises ValueError or MessageError if invalid.

    Its Message-ID is the same each time, so that duplicates can be recognised.
    """
    written_by, recipient = _parse_sender(sender), _parse_recipient(mail.recipient)
    message = EmailMessage(policy=policy.SMTP)
    message["From"] = written_by
    message["To"] = recipient
    message["Subject"] = mail.subject
    message["Date"] = format_datetime(mail.created_at)
    message["Message-ID"] = f"<{mail.mail_id}@{written_by.domain}>"
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834: suppresses vacation replies
    message.set_content(mail.body)
    return message, recipient.addr_spec


def _parse_sender(sender: str) -> Address:
    """Parses the sender address, which `MailSettings.read` has validated."""
    return policy.SMTP.header_factory("From", sender).addresses[0]


def _parse_recipient(written: str) -> Address:
    local, _, domain = written.rpartition("@")
    if not domain.isascii():
        domain = idna.encode(domain, uts46=True).decode()
    if local.isascii():
        return Address(addr_spec=f"{local}@{domain}")
    return Address(username=local, domain=domain)


def _rejection_error(error: Exception) -> MailRejectedError | None:
    """The refusal of this mail; None if the server itself is at fault."""
    if isinstance(error, aiosmtplib.SMTPRecipientsRefused):
        error = error.recipients[0]
    if isinstance(error, aiosmtplib.SMTPResponseException) and error.code != _GOING_DOWN:
        is_bad_address = isinstance(error, aiosmtplib.SMTPRecipientRefused) and bool(
            error.code >= _PERMANENT and _BAD_ADDRESS.match(error.message)
        )
        return MailRejectedError(f"{error.code} {error.message}", is_final=is_bad_address)
    if isinstance(error, aiosmtplib.SMTPNotSupported):
        return MailRejectedError(str(error), is_final=False)
    if isinstance(error, ValueError):
        return MailRejectedError(f"it cannot be encoded as an e-mail: {error}", is_final=True)
    return None


def _unreachable_message(settings: MailSettings, error: Exception) -> str:
    return (
        f"mail server {settings.host} port {settings.port} ({settings.security}) cannot be used: "
        f"{type(error).__name__}: {error}; check FIRM_SMTP_HOST, _PORT, _SECURITY, _USERNAME and _PASSWORD"
    )
