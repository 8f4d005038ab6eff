"""SQL of the mail outbox: one row per occasion, kept as a record after sending.

`add_mail` runs in the transaction of its occasion (a pause, a failed retry), so neither exists without the other.
While a mail is being sent it is not due: `next_attempt_at` is then the end of the claim, and each claim raises
`attempts`, which identifies it. Does not belong here: texts (`api.email.webhook_notices`), SMTP and waits
(`api.email.outbox_worker`).
"""

import hashlib
from base64 import b32encode
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, func, select, update

from api.database.engine import insert_into
from api.database.models.accounts import Mail
from api.email.smtp import OutgoingMail
from api.email.webhook_notices import LONGEST_SUBJECT, OwnerNotice

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
    statement = insert_into(connection, Mail).values(
        mail_id=_mail_id(reason),
        occasion=reason,
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
        update(Mail).where(Mail.mail_id == row.mail_id).values(next_attempt_at=until, attempts=row.attempts + 1)
    )
    return ClaimedMail(
        row.mail_id,
        row.recipient,
        row.subject,
        row.body,
        row.created_at,
        row.occasion,
        row.account_id,
        row.attempts + 1,
    )


def mark_sent(connection: Connection, mail: ClaimedMail, at: datetime) -> None:
    """Marks a mail as accepted by a mail server, even if the claim has expired meanwhile."""
    connection.execute(
        update(Mail).where(Mail.mail_id == mail.mail_id).values(next_attempt_at=None, sent_at=at, last_error=None)
    )


def finish_unsent(connection: Connection, mail: ClaimedMail, error: str | None = None) -> None:
    """Finishes a mail without sending: it was logged or, with an error, given up."""
    _update_claimed(connection, mail, None, error)


def schedule_retry(connection: Connection, mail: ClaimedMail, error: str, next_attempt_at: datetime) -> None:
    """Schedules another attempt at `next_attempt_at`."""
    _update_claimed(connection, mail, next_attempt_at, error)


def count_waiting_mails(connection: Connection) -> WaitingMails:
    """Counts mails that no mail server has accepted yet."""
    row = connection.execute(
        select(func.count(), func.min(Mail.created_at)).where(Mail.next_attempt_at.is_not(None))
    ).one()
    return WaitingMails(row[0], row[1])


def _update_claimed(
    connection: Connection, mail: ClaimedMail, next_attempt_at: datetime | None, error: str | None
) -> None:
    """Updates the mail only under the current claim; a slower holder leaves it to the next one."""
    connection.execute(
        update(Mail)
        .where(Mail.mail_id == mail.mail_id, Mail.attempts == mail.attempts, Mail.sent_at.is_(None))
        .values(next_attempt_at=next_attempt_at, last_error=error and error[:_LONGEST_ERROR])
    )


def _mail_id(occasion: str) -> str:
    """Deterministic id per occasion; as Message-ID it lets receivers recognise duplicates."""
    digest = b32encode(hashlib.sha256(occasion.encode()).digest()).decode().lower()
    return _PREFIX + digest[:_ID_CHARACTERS]
