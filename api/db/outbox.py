"""All SQL of the mail outbox: one row per occasion, kept until a mail server has it, and as its record afterwards.

`add` works in the transaction that makes the occasion (a pause, a failed retry), so neither exists without the
other. A mail that is being sent is not due meanwhile: `next_attempt_at` is then the end of the claim, and whoever
claims it raises `attempts`, by which it is recognised. Does not belong here: texts (`api.webhooks.notices`), SMTP
and waits (`api.webhooks.mail`).
"""

import hashlib
from base64 import b32encode
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from api.db.webhook_models import Mail
from api.webhooks.notices import LONGEST_SUBJECT, Notice

_INSERTS: Final = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
_PREFIX: Final = "eml_"
_ID_CHARACTERS: Final = 26
_LONGEST_ERROR: Final = 500


@dataclass(frozen=True, slots=True)
class DueMail:
    """A mail that was claimed: whoever holds this one sends it. `attempts` counts this one."""

    mail_id: str
    occasion: str
    account_id: str
    recipient: str
    subject: str
    body: str
    created_at: datetime
    attempts: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many mails are not done, and since when the oldest of them waits."""

    count: int
    since: datetime | None


def add(
    connection: Connection, occasion: str, account_id: str, recipient: str, notice: Notice, at: datetime
) -> bool:
    """A mail to an account's owner, due now. False, and nothing added, where the occasion has its mail already."""
    statement = _INSERTS[connection.dialect.name](Mail).values(
        mail_id=_mail_id(occasion),
        occasion=occasion,
        account_id=account_id,
        recipient=recipient,
        subject=notice.subject[:LONGEST_SUBJECT],
        body=notice.body,
        created_at=at,
        next_attempt_at=at,
        attempts=0,
        sent_at=None,
        last_error=None,
    )
    added = statement.on_conflict_do_nothing().returning(Mail.mail_id)  # a row count not every driver tells
    return connection.execute(added).first() is not None


def has_any(connection: Connection, account_id: str, beginning: str, since: datetime) -> bool:
    """Whether an account has a mail of such occasions that is not older."""
    found = select(Mail.mail_id).where(
        Mail.account_id == account_id,
        Mail.occasion.startswith(beginning, autoescape=True),
        Mail.created_at >= since,
    )
    return connection.execute(found.limit(1)).first() is not None


def is_due(connection: Connection, at: datetime) -> bool:
    """Whether there is a mail to claim; asked first, because claiming takes a writer's lock."""
    return (
        connection.execute(select(Mail.mail_id).where(Mail.next_attempt_at <= at).limit(1)).first()
        is not None
    )


def claim(connection: Connection, at: datetime, until: datetime) -> DueMail | None:
    """The mail that is due longest, nobody else's until then; None where none is."""
    due = (
        select(Mail)
        .where(Mail.next_attempt_at <= at)
        .order_by(Mail.next_attempt_at, Mail.mail_id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    row = connection.execute(due).one_or_none()
    if row is None:
        return None
    connection.execute(
        update(Mail)
        .where(Mail.mail_id == row.mail_id)
        .values(next_attempt_at=until, attempts=row.attempts + 1)
    )
    return DueMail(
        row.mail_id,
        row.occasion,
        row.account_id,
        row.recipient,
        row.subject,
        row.body,
        row.created_at,
        row.attempts + 1,
    )


def sent(connection: Connection, mail: DueMail, at: datetime) -> None:
    """A mail server has it. That stands, even if the claim has run out meanwhile."""
    connection.execute(
        update(Mail)
        .where(Mail.mail_id == mail.mail_id)
        .values(next_attempt_at=None, sent_at=at, last_error=None)
    )


def done(connection: Connection, mail: DueMail, error: str | None = None) -> None:
    """Nothing more is to be done for it: it was logged, or (with an error) given up."""
    _settle(connection, mail, None, error)


def failed(connection: Connection, mail: DueMail, error: str, next_attempt_at: datetime) -> None:
    """It will be tried again then."""
    _settle(connection, mail, next_attempt_at, error)


def waiting(connection: Connection) -> Waiting:
    """What no mail server has yet."""
    row = connection.execute(
        select(func.count(), func.min(Mail.created_at)).where(Mail.next_attempt_at.is_not(None))
    ).one()
    return Waiting(row[0], row[1])


def _settle(
    connection: Connection, mail: DueMail, next_attempt_at: datetime | None, error: str | None
) -> None:
    """Only by the claim that stands: who was slower than it leaves the mail to the next."""
    connection.execute(
        update(Mail)
        .where(Mail.mail_id == mail.mail_id, Mail.attempts == mail.attempts, Mail.sent_at.is_(None))
        .values(next_attempt_at=next_attempt_at, last_error=error and error[:_LONGEST_ERROR])
    )


def _mail_id(occasion: str) -> str:
    """The same for the same occasion: its Message-ID, by which a mail that came twice is known to be one."""
    digest = b32encode(hashlib.sha256(occasion.encode()).digest()).decode().lower()
    return _PREFIX + digest[:_ID_CHARACTERS]
