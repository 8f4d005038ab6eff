"""SQL of accounts and API keys, inside a transaction the caller has begun.

Nothing here commits: `Database.writing` does. Does not belong here: rules about accounts and keys
(`api.accounts.service`).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    and_,
    delete,
    func,
    insert,
    literal,
    not_,
    or_,
    select,
    update,
)

from api.auth.api_keys import KeyRecord
from api.database.models.accounts import Account, ApiKey, Usage
from api.database.models.base import columns_of


@dataclass(frozen=True, slots=True)
class AccountRecord:
    account_id: str
    email: str
    tier: str
    status: str
    created_at: datetime
    trial_ends_at: datetime | None = None


def insert_account(connection: Connection, account: AccountRecord) -> None:
    connection.execute(insert(Account).values(asdict(account) | {"updated_at": account.created_at}))


def find_account(connection: Connection, account_id_or_email: str) -> AccountRecord | None:
    column = Account.email if "@" in account_id_or_email else Account.account_id
    row = connection.execute(ACCOUNTS.where(column == account_id_or_email)).one_or_none()
    return AccountRecord(*row) if row else None


def list_accounts(connection: Connection) -> list[AccountRecord]:
    """Returns all of them, oldest first."""
    return [AccountRecord(*row) for row in connection.execute(ACCOUNTS.order_by(Account.account_id))]


def update_account(connection: Connection, account_id: str, at: datetime, values: Mapping[str, str]) -> None:
    connection.execute(update(Account).where(Account.account_id == account_id).values({**values, "updated_at": at}))


def insert_key(connection: Connection, values: Mapping[str, Any]) -> None:
    connection.execute(insert(ApiKey).values(values))


def find_key_by_digest(connection: Connection, digest: bytes, month: int) -> KeyRecord | None:
    """Finds a key by digest, with its account's usage in `month`: one statement, whether it exists or not."""
    counted = and_(Usage.account_id == ApiKey.account_id, Usage.month == month)
    statement = (
        _KEYS.add_columns(literal(month).label("month"), func.coalesce(Usage.count, 0).label("used"))
        .outerjoin(Usage, counted)
        .where(ApiKey.digest == digest)
    )
    row = connection.execute(statement).mappings().one_or_none()
    return _key_record(row) if row else None


def find_key(connection: Connection, key_id: str) -> KeyRecord | None:
    row = connection.execute(_KEYS.where(ApiKey.key_id == key_id)).mappings().one_or_none()
    return _key_record(row) if row else None


def list_keys(connection: Connection, account_id: str) -> list[KeyRecord]:
    """Returns all of them, oldest first."""
    rows = connection.execute(_KEYS.where(ApiKey.account_id == account_id).order_by(ApiKey.key_id)).mappings()
    return [_key_record(row) for row in rows]


def count_working_keys(connection: Connection, account_id: str, at: datetime) -> int:
    """Counts the account's keys that are neither revoked nor expired."""
    statement = select(func.count()).where(ApiKey.account_id == account_id, not_(_has_ended(at)))
    return connection.execute(statement).scalar_one()


def delete_ended_keys(connection: Connection, account_id: str, at: datetime, kept: int) -> None:
    """Deletes the account's revoked and expired keys except the newest."""
    ended = and_(ApiKey.account_id == account_id, _has_ended(at))
    newest = select(ApiKey.key_id).where(ended).order_by(ApiKey.key_id.desc()).limit(kept)
    connection.execute(delete(ApiKey).where(ended, ApiKey.key_id.not_in(newest)))


def _has_ended(at: datetime) -> ColumnElement[bool]:
    return or_(ApiKey.revoked_at.is_not(None), and_(ApiKey.expires_at.is_not(None), ApiKey.expires_at <= at))


def revoke_key(connection: Connection, key_id: str, at: datetime) -> None:
    """Revokes a key; a repeated revocation keeps the first time."""
    unrevoked = (ApiKey.key_id == key_id) & ApiKey.revoked_at.is_(None)
    connection.execute(update(ApiKey).where(unrevoked).values(revoked_at=at))


def record_key_use(connection: Connection, key_id: str, at: datetime) -> None:
    connection.execute(update(ApiKey).where(ApiKey.key_id == key_id).values(last_used_at=at))


ACCOUNTS: Final = select(*columns_of(AccountRecord, Account))
_KEYS: Final = select(
    *columns_of(KeyRecord, ApiKey, Account, computed=("account_status", "month", "used")),
    Account.status.label("account_status"),
).join(Account, ApiKey.account_id == Account.account_id)


def _key_record(row: RowMapping) -> KeyRecord:
    values = {str(name): value for name, value in row.items()}
    return KeyRecord(**{**values, "domains": tuple(row["domains"])})
