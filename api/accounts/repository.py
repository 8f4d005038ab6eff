"""SQL of accounts and API keys, inside a session the caller has begun.

Nothing here commits: `Database.writing` does. Does not belong here: rules about accounts and keys
(`api.accounts.service`).
"""

from dataclasses import asdict
from datetime import datetime
from typing import Final

from sqlalchemy import RowMapping, and_, func, literal, select, update
from sqlalchemy.orm import Session

from api.accounts.records import AccountRecord
from api.auth.api_keys import KeyRecord
from api.database.models.accounts import Account, ApiKey, Usage
from api.database.models.base import columns_of


class AccountRepository:
    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, account: AccountRecord) -> None:
        self._session.add(Account(**asdict(account), updated_at=account.created_at))
        self._session.flush()

    def find(self, account_id_or_email: str) -> AccountRecord | None:
        """Finds an account by id or e-mail address."""
        column = Account.email if "@" in account_id_or_email else Account.account_id
        row = self._session.execute(ACCOUNTS.where(column == account_id_or_email)).one_or_none()
        return AccountRecord(*row) if row else None

    def all(self) -> list[AccountRecord]:
        """Returns all of them, oldest first."""
        rows = self._session.execute(ACCOUNTS.order_by(Account.account_id))
        return [AccountRecord(*row) for row in rows]

    def change(self, account_id: str, at: datetime, *, tier: str | None = None, status: str | None = None) -> None:
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
            _KEYS.add_columns(literal(month).label("month"), func.coalesce(Usage.count, 0).label("used"))
            .outerjoin(Usage, counted)
            .where(ApiKey.digest == digest)
        )
        row = self._session.execute(statement).mappings().one_or_none()
        return _key_record(row) if row else None

    def by_id(self, key_id: str) -> KeyRecord | None:
        return self._find_key(ApiKey.key_id == key_id)

    def of_account(self, account_id: str) -> list[KeyRecord]:
        """Returns all of them, oldest first."""
        rows = self._session.execute(_KEYS.where(ApiKey.account_id == account_id).order_by(ApiKey.key_id)).mappings()
        return [_key_record(row) for row in rows]

    def revoke(self, key_id: str, at: datetime) -> None:
        """Revokes a key; a repeated revocation keeps the first time."""
        unrevoked = (ApiKey.key_id == key_id) & ApiKey.revoked_at.is_(None)
        self._session.execute(update(ApiKey).where(unrevoked).values(revoked_at=at))

    def used(self, key_id: str, at: datetime) -> None:
        self._session.execute(update(ApiKey).where(ApiKey.key_id == key_id).values(last_used_at=at))

    def _find_key(self, condition: object) -> KeyRecord | None:
        row = self._session.execute(_KEYS.where(condition)).mappings().one_or_none()  # type: ignore[arg-type]
        return _key_record(row) if row else None


ACCOUNTS: Final = select(*columns_of(AccountRecord, Account))
_KEYS: Final = select(
    *columns_of(KeyRecord, ApiKey, Account, computed=("account_status", "month", "used")),
    Account.status.label("account_status"),
).join(Account, ApiKey.account_id == Account.account_id)


def _key_record(row: RowMapping) -> KeyRecord:
    values = {str(name): value for name, value in row.items()}
    return KeyRecord(**{**values, "domains": tuple(row["domains"])})
