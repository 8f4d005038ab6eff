"""A real mail server for tests, and mails to send to it. Loaded by the tests of mail, each by path."""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword

from api.common.clock import Clock
from api.database.engine import Database
from api.database.migrate import prepare_database
from api.database.models.accounts import Account
from api.database.models.webhooks import Mail
from api.email import outbox_repository
from api.email.outbox_worker import OutboxWorker
from api.email.webhook_notices import OwnerNotice
from api.settings.webhooks import MailSettings

NOTICE = OwnerNotice("Webhook paused: hooks.example.com", "It is paused.\n\nTo resume: PATCH …\n")
NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
OWNER = "owner@example.com"


@dataclass
class Post:
    """What a server got: the envelope's addresses and the message."""

    sender: str
    recipients: list[str]
    message: EmailMessage

    @property
    def id(self) -> str:
        return self.message["Message-ID"]

    @property
    def text(self) -> str:
        return self.message.get_content().replace("\r\n", "\n")


@dataclass
class PostOffice:
    """A mail server that keeps what it gets; `answers` are given to recipients before it takes anything."""

    posts: list[Post] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    logins: list[bytes] = field(default_factory=list)
    taken: Callable[[Any], str] = field(default=lambda server: "250 OK")
    """What is said when a mail has come; it may hang up instead."""
    port: int = 0

    async def handle_RCPT(  # noqa: N802 -- aiosmtpd's name
        self, server: Any, session: Any, envelope: Envelope, address: str, _: Any
    ) -> str:
        self.recipients.append(address)
        if self.answers:
            return self.answers.pop(0)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Envelope) -> str:  # noqa: N802 -- aiosmtpd's name
        content = envelope.content
        assert isinstance(content, bytes)
        message = message_from_bytes(content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        self.posts.append(Post(envelope.mail_from or "", list(envelope.rcpt_tos), message))
        return self.taken(server)

    def login(self, server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
        assert isinstance(data, LoginPassword)
        self.logins.append(data.login)
        return AuthResult(success=data.password == b"right")

    @contextlib.asynccontextmanager
    async def open(
        self, tls: ssl.SSLContext | None = None, port: int = 0, **more: Any
    ) -> AsyncIterator["PostOffice"]:
        """Listens; with `tls` from the first byte. `more` is for aiosmtpd."""
        loop = asyncio.get_running_loop()
        server = await loop.create_server(
            lambda: SMTP(self, hostname="mail.test", loop=loop, **more), "127.0.0.1", port, ssl=tls
        )
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            await server.wait_closed()

    def settings(self, **more: Any) -> MailSettings:
        """What an operator sets to send by this server."""
        given: dict[str, Any] = {
            "host": "localhost",
            "port": self.port,
            "security": "none",
            "sender": "Firmdata <webhooks@firm.test>",
        }
        return MailSettings(**given | more)


@dataclass
class Box:
    """An outbox with a clock whose hands tests move."""

    database: Database
    seconds: float = NOON.timestamp()

    @property
    def clock(self) -> Clock:
        return Clock(wall=lambda: self.seconds, monotonic=lambda: self.seconds)

    def mailer(self, settings: MailSettings) -> OutboxWorker:
        return OutboxWorker(self.database, settings, self.clock)

    def add(self, occasion: str, recipient: str = OWNER, notice: OwnerNotice = NOTICE) -> bool:
        with self.database.writing() as session:
            return outbox_repository.add_mail(
                session.connection(), occasion, "acc_1", recipient, notice, self.clock.now()
            )

    def mail(self, occasion: str) -> Mail:
        with self.database.reading() as session:
            return session.query(Mail).filter_by(occasion=occasion).one()

    def change(self, occasion: str, **values: Any) -> None:
        """What no code of ours would have written."""
        with self.database.writing() as session:
            session.query(Mail).filter_by(occasion=occasion).update(values)  # type: ignore[arg-type]

    def waits(self) -> int:
        with self.database.reading() as session:
            return outbox_repository.waiting_mails(session.connection()).count


@contextlib.contextmanager
def opened(url: str) -> Iterator[Box]:
    """An outbox of a new database with one account."""
    database = prepare_database(url)
    with database.writing() as session:
        account = {"account_id": "acc_1", "email": OWNER, "tier": "pro", "status": "active"}
        session.add(Account(**account, created_at=NOON, updated_at=NOON, trial_ends_at=None))
    try:
        yield Box(database)
    finally:
        database.close()


def copied(migrated: Path, folder: Path) -> str:
    """The address of a migrated SQLite database, which takes less time than migrating."""
    path = folder / "control.sqlite"
    path.write_bytes(migrated.read_bytes())
    return f"sqlite:///{path}"


def run(work: Awaitable[Any]) -> Any:
    """Awaits in a loop of its own."""

    async def main() -> Any:
        return await work

    return asyncio.run(main())


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
