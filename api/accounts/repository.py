"""SQL of accounts, API keys and usage, inside a session the caller has begun.

Nothing here commits: `Database.writing` does. Does not belong here: rules about accounts and keys
(`api.accounts.service`).
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, cast

import msgspec
from sqlalchemy import Connection, and_, func, select, update
from sqlalchemy.orm import Session

from api.accounts.records import AccountRecord, KeyRecord
from api.auth.api_keys import Kind
from api.database.models.accounts import Account, ApiKey, Usage


class AccountRepository:
    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, account: AccountRecord) -> None:
        self._session.add(
            Account(
                account_id=account.account_id,
                email=account.email,
                tier=account.tier,
                status=account.status,
                created_at=account.created_at,
                updated_at=account.created_at,
                trial_ends_at=account.trial_ends_at,
            )
        )
        self._session.flush()

    def find(self, named: str) -> AccountRecord | None:
        """Finds an account by id or e-mail address."""
        column = Account.email if "@" in named else Account.account_id
        account = self._session.scalars(select(Account).where(column == named)).one_or_none()
        return _account_record(account) if account else None

    def all(self) -> list[AccountRecord]:
        """Returns all of them, oldest first."""
        return [
            _account_record(account)
            for account in self._session.scalars(select(Account).order_by(Account.account_id))
        ]

    def change(
        self, account_id: str, at: datetime, *, tier: str | None = None, status: str | None = None
    ) -> None:
        values: dict[str, object] = {"updated_at": at}
        values |= {"tier": tier} if tier is not None else {}
        values |= {"status": status} if status is not None else {}
        self._session.execute(update(Account).where(Account.account_id == account_id).values(values))


class KeyRepository:
    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, key: KeyRecord, digest: bytes) -> None:
        self._session.add(
            ApiKey(
                key_id=key.key_id,
                account_id=key.account_id,
                kind=key.kind,
                label=key.label,
                shown_prefix=key.shown_prefix,
                shown_last=key.shown_last,
                digest=digest,
                domains=list(key.domains),
                created_at=key.created_at,
                expires_at=key.expires_at,
                revoked_at=key.revoked_at,
                last_used_at=key.last_used_at,
            )
        )
        self._session.flush()

    def by_digest(self, digest: bytes, month: int) -> KeyRecord | None:
        """Finds a key by digest, with its account's usage in `month`.

        One statement, whether the key exists or not.
        """
        counted = and_(Usage.account_id == ApiKey.account_id, Usage.month == month)
        statement = (
            _KEYS.add_columns(func.coalesce(Usage.count, 0))
            .outerjoin(Usage, counted)
            .where(ApiKey.digest == digest)
        )
        row = self._session.execute(statement).one_or_none()
        return _key_record(row[0], row[1], month, row[2]) if row else None

    def by_id(self, key_id: str) -> KeyRecord | None:
        return self._find_key(ApiKey.key_id == key_id)

    def of_account(self, account_id: str) -> list[KeyRecord]:
        """Returns all of them, oldest first."""
        rows = self._session.execute(_KEYS.where(ApiKey.account_id == account_id).order_by(ApiKey.key_id))
        return [_key_record(key, account) for key, account in rows]

    def revoke(self, key_id: str, at: datetime) -> None:
        """Revokes a key; a repeated revocation keeps the first time."""
        unrevoked = (ApiKey.key_id == key_id) & ApiKey.revoked_at.is_(None)
        self._session.execute(update(ApiKey).where(unrevoked).values(revoked_at=at))

    def used(self, key_id: str, at: datetime) -> None:
        self._session.execute(update(ApiKey).where(ApiKey.key_id == key_id).values(last_used_at=at))

    def _find_key(self, condition: object) -> KeyRecord | None:
        row = self._session.execute(_KEYS.where(condition)).one_or_none()  # type: ignore[arg-type]
        return _key_record(row[0], row[1]) if row else None


_KEYS = select(ApiKey, Account).join(Account, ApiKey.account_id == Account.account_id)


class UsageRepository:
    """Usage counts per account and month, on a connection in a transaction the caller has begun."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, rows: Sequence[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
        """Adds counts, inserting missing rows; returns the new totals. Unknown accounts are skipped."""
        statement = _ADD_USAGE[self._connection.dialect.name]
        found = self._connection.exec_driver_sql(statement, (msgspec.json.encode(rows).decode(),))
        return [(row[0], row[1], row[2]) for row in found]

    def count(self, account_id: str, month: int) -> int:
        statement = select(Usage.count).where(Usage.account_id == account_id, Usage.month == month)
        return self._connection.execute(statement).scalar() or 0


def _add_usage(source: str) -> str:
    """One upsert for any number of rows, always in the same order, so that writers cannot deadlock.

    Rows of one account and month are summed first: PostgreSQL refuses to change a row twice in one statement.
    """
    return (
        f"INSERT INTO usage (account_id, month, count) "  # noqa: S608 -- of the two texts below
        f"SELECT added.account_id, added.month, sum(added.count) FROM ({source}) AS added "
        f"JOIN accounts ON accounts.account_id = added.account_id WHERE true GROUP BY 1, 2 ORDER BY 1, 2 "
        f"ON CONFLICT (account_id, month) DO UPDATE SET count = usage.count + excluded.count "
        f"RETURNING account_id, month, count"
    )


_ADD_USAGE: Final = {
    "sqlite": _add_usage(
        "SELECT json_extract(value, '$[0]') AS account_id, json_extract(value, '$[1]') AS month, "
        "json_extract(value, '$[2]') AS count FROM json_each(?)"
    ),
    "postgresql": _add_usage(
        "SELECT value ->> 0 AS account_id, CAST(value ->> 1 AS integer) AS month, "
        "CAST(value ->> 2 AS bigint) AS count FROM jsonb_array_elements(CAST(%s AS jsonb)) AS value"
    ),
}


def _account_record(account: Account) -> AccountRecord:
    return AccountRecord(
        account_id=account.account_id,
        email=account.email,
        tier=account.tier,
        status=account.status,
        created_at=account.created_at,
        trial_ends_at=account.trial_ends_at,
    )


def _key_record(key: ApiKey, account: Account, month: int = 0, used: int = 0) -> KeyRecord:
    return KeyRecord(
        key_id=key.key_id,
        account_id=key.account_id,
        kind=cast("Kind", key.kind),
        label=key.label,
        shown_prefix=key.shown_prefix,
        shown_last=key.shown_last,
        domains=tuple(key.domains),
        created_at=key.created_at,
        expires_at=key.expires_at,
        revoked_at=key.revoked_at,
        last_used_at=key.last_used_at,
        tier=account.tier,
        account_status=account.status,
        month=month,
        used=used,
    )
