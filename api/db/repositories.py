"""All SQL of the control plane. A repository works inside a session that its caller has begun.

Nothing here commits: `Database.writing` does. Does not belong here: rules about accounts and keys
(`api.accounts`).
"""

from datetime import datetime
from typing import cast

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from api.db.models import Account, ApiKey
from api.db.records import AccountRecord, KeyRecord
from api.keys import Kind


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
            )
        )
        self._session.flush()

    def find(self, named: str) -> AccountRecord | None:
        """By id or by e-mail."""
        column = Account.email if "@" in named else Account.account_id
        account = self._session.scalars(select(Account).where(column == named)).one_or_none()
        return _account(account) if account else None

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

    def by_digest(self, digest: bytes) -> KeyRecord | None:
        return self._one(ApiKey.digest == digest)

    def by_id(self, key_id: str) -> KeyRecord | None:
        return self._one(ApiKey.key_id == key_id)

    def of_account(self, account_id: str) -> list[KeyRecord]:
        """Oldest first."""
        rows = self._session.execute(_KEYS.where(ApiKey.account_id == account_id).order_by(ApiKey.key_id))
        return [_key(key, account) for key, account in rows]

    def revoke(self, key_id: str, at: datetime) -> None:
        """The first revocation stands."""
        unrevoked = (ApiKey.key_id == key_id) & ApiKey.revoked_at.is_(None)
        self._session.execute(update(ApiKey).where(unrevoked).values(revoked_at=at))

    def used(self, key_id: str, at: datetime) -> None:
        self._session.execute(update(ApiKey).where(ApiKey.key_id == key_id).values(last_used_at=at))

    def _one(self, condition: object) -> KeyRecord | None:
        row = self._session.execute(_KEYS.where(condition)).one_or_none()  # type: ignore[arg-type]
        return _key(row[0], row[1]) if row else None


_KEYS = select(ApiKey, Account).join(Account, ApiKey.account_id == Account.account_id)


def _account(account: Account) -> AccountRecord:
    return AccountRecord(account.account_id, account.email, account.tier, account.status, account.created_at)


def _key(key: ApiKey, account: Account) -> KeyRecord:
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
    )
