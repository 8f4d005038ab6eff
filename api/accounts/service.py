"""Administers accounts and keys for the command line and the dashboard.

Belongs here: the rules (tiers, e-mails, domains, one-time display of keys). Does not belong here: SQL
(`api.accounts.repository`), or authentication (`api.http.authenticator`).
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from api.accounts import repository
from api.accounts.repository import AccountRecord
from api.accounts.session_repository import add_link
from api.auth.allowed_origins import domain_fault
from api.auth.api_keys import KINDS, KeyKind, KeyRecord, displayable_parts, key_digest, make_key, make_token
from api.common.clock import Clock
from api.common.email_address import LONGEST, normalise_email
from api.common.ids import UlidGenerator
from api.database.engine import Database
from api.settings.tiers import DEFAULT, TierCatalogue
from api.usage.counter import month_at
from api.usage.repository import monthly_count, usage_marks
from api.webhooks.subscriptions.models import DowngradedSubscription
from api.webhooks.subscriptions.repository import (
    count_subscriptions,
    downgrade_subscriptions,
    downgraded_subscriptions,
    pause_subscriptions,
)

T = TypeVar("T", bound=str)
STATUSES: Final = ("active", "suspended", "payment_required")
MAX_KEYS: Final = 100
MAX_ENDED_KEYS: Final = 100
"""Revoked or expired; older ones are deleted, so that making and revoking keys fills no database."""
_LOGGER: Final = logging.getLogger("firm.api")
_LONGEST_LABEL: Final = 100
_LONGEST_TOLD: Final = 100
_USED_EVERY: Final = timedelta(minutes=10)


class AccountError(ValueError):
    """The requested change is not possible; the message says what to do instead."""


@dataclass(frozen=True, slots=True)
class NewKey:
    """A newly created key. `key` is shown once and never stored."""

    key_id: str
    key: str
    kind: KeyKind


@dataclass(repr=False, eq=False)
class AccountService:
    database: Database
    pepper: bytes
    clock: Clock
    ulids: UlidGenerator
    tiers: TierCatalogue = DEFAULT

    def create_account(self, email: str, tier: str) -> AccountRecord:
        email = require_email(email)
        account = AccountRecord(
            self.ulids.make("acc"), email, _one_of("tier", tier, self.tiers.names), "active", self.clock.now()
        )

        def insert(connection: Connection) -> None:
            if repository.find_account(connection, email) is not None:
                raise AccountError(f"{email} already has an account; change its tier with set-tier")
            repository.insert_account(connection, account)

        self.database.write(insert)
        return account

    def account(self, account_id_or_email: str) -> AccountRecord:
        return self.database.read(_require_account, account_id_or_email)

    def all_accounts(self) -> list[AccountRecord]:
        return self.database.read(repository.list_accounts)

    def used(self, account_id: str, month: int) -> int:
        """Counted requests of a month, as far as they are stored."""
        return self.database.read(monthly_count, account_id, month)

    def subscriptions(self, account_id: str) -> int:
        """Number of webhook subscriptions, including paused ones."""
        return self.database.read(count_subscriptions, account_id)

    def downgraded(self, account_id: str, limit: int) -> list[DowngradedSubscription]:
        """Webhook subscriptions paused because the tier has no webhooks, newest first."""
        return self.database.read(downgraded_subscriptions, account_id, limit)

    def set_tier(self, account_id_or_email: str, tier: str) -> AccountRecord:
        """Changes the tier; without webhooks the subscriptions are paused (docs/contract/contract.md 4.8)."""
        chosen = self.tiers.tier_by_name(_one_of("tier", tier, self.tiers.names))
        return self._change(account_id_or_email, None if chosen.webhooks else downgrade_subscriptions, tier=tier)

    def set_status(self, account_id_or_email: str, status: str) -> AccountRecord:
        """Changes the status. Suspending also pauses the webhook subscriptions; their events are held for a replay."""
        chosen = _one_of("status", status, STATUSES)
        return self._change(account_id_or_email, pause_subscriptions if chosen == "suspended" else None, status=chosen)

    def _change(
        self, named: str, end_deliveries: Callable[[Connection, str, datetime], int] | None, **values: str
    ) -> AccountRecord:
        def change(connection: Connection) -> AccountRecord:
            account, now = _require_account(connection, named), self.clock.now()
            # first: lock order is the account, then its endpoint queues
            repository.update_account(connection, account.account_id, now, values)
            if end_deliveries is not None:
                end_deliveries(connection, account.account_id, now)
            return replace(account, **values)

        return self.database.write(change)

    def create_key(
        self,
        account_id_or_email: str,
        kind: str,
        domains: Sequence[str] = (),
        label: str | None = None,
        expires_at: datetime | None = None,
    ) -> NewKey:
        """Creates a key for an account (id or e-mail). Publishable keys need a domain, other kinds take none.

        AccountError if the account is suspended or has `MAX_KEYS` keys that work. Of those that no longer work the
        newest `MAX_ENDED_KEYS` are kept.
        """
        known: KeyKind = _one_of("key type", kind, KINDS)
        _check_domains(known, domains)
        if label is not None and (len(label) > _LONGEST_LABEL or not label.isprintable()):
            raise AccountError(f"a label can have at most {_LONGEST_LABEL} characters, all of them printable")
        key, now = make_key(known), self.clock.now()
        if expires_at is not None and expires_at <= now:
            raise AccountError(f"{expires_at:%Y-%m-%dT%H:%M:%SZ} is in the past: the key would never work")
        key_id, (prefix, last) = self.ulids.make("key"), displayable_parts(key)
        values = {
            "key_id": key_id,
            "kind": known,
            "label": label,
            "shown_prefix": prefix,
            "shown_last": last,
            "digest": key_digest(key, self.pepper),
            "domains": [*domains],
            "created_at": now,
            "expires_at": expires_at,
        }

        def add(connection: Connection) -> None:
            account = _require_account(connection, account_id_or_email)
            if account.status == "suspended":
                raise AccountError(f"{account.email} is suspended and could not use a key: activate the account first")
            if repository.count_working_keys(connection, account.account_id, now) >= MAX_KEYS:
                raise AccountError(f"{account.email} has {MAX_KEYS} keys that work: revoke one that is not used")
            repository.delete_ended_keys(connection, account.account_id, now, MAX_ENDED_KEYS)
            repository.insert_key(connection, {**values, "account_id": account.account_id})

        self.database.write(add)
        return NewKey(key_id, key, known)

    def keys(self, account_id_or_email: str) -> list[KeyRecord]:
        return self.database.read(repository.list_keys, self.account(account_id_or_email).account_id)

    def revoke_key(self, key_id: str) -> KeyRecord:
        """Revokes a key; it is refused once the cache time has passed. Revoking again changes nothing."""
        self.database.write(repository.revoke_key, key_id, self.clock.now())
        revoked = self.database.read(repository.find_key, key_id)
        if revoked is None:
            raise AccountError(f"there is no key {key_id}")
        return revoked

    def sign_in_token(self, account_id_or_email: str, lifetime: timedelta) -> str:
        """Creates the token of a one-time sign-in link, for owners who cannot receive mail."""
        token, now = make_token("link"), self.clock.now()
        email = self.account(account_id_or_email).email
        self.database.write(add_link, key_digest(token, self.pepper), email, now, now + lifetime)
        return token

    def days(self, account_id: str, month: int) -> list[tuple[int, int]]:
        """Days of a month with counted requests, each with the month's count before that day."""
        return self.database.read(usage_marks, account_id, month)

    def lookup(self, digest: bytes) -> KeyRecord | None:
        """Looks up a key by its digest, with the month's usage of its account.

        Unknown, revoked and expired keys take the same single statement. The use of a working key is recorded
        at intervals, not every time.
        """
        now = self.clock.now()
        record = self.database.read(repository.find_key_by_digest, digest, month_at(now.timestamp()).number)
        if record is None or record.state(now) != "active":
            return record
        if record.last_used_at is None or now - record.last_used_at >= _USED_EVERY:
            try:
                self.database.write(repository.record_key_use, record.key_id, now)
            except OperationalError:  # a busy database must not refuse a valid key
                _LOGGER.warning("could not record the use of key %s", record.key_id, exc_info=True)
        return record


def require_email(email: str) -> str:
    """Normalises an e-mail address; AccountError if it is not one."""
    known = normalise_email(email)
    if known is None:
        raise AccountError(f"{email.strip().lower()[:LONGEST]!r} is not an e-mail address")
    return known


def _require_account(connection: Connection, named: str) -> AccountRecord:
    account = repository.find_account(connection, named.strip().lower())
    if account is None:
        raise AccountError(f"there is no account {named}; create one with: firm accounts create")
    return account


def _one_of(what: str, value: str, allowed: tuple[T, ...]) -> T:
    for known in allowed:
        if value == known:
            return known
    raise AccountError(f"{value!r} is not a {what}; choose one of {', '.join(allowed)}")


def _check_domains(kind: KeyKind, domains: Sequence[str]) -> None:
    if kind != "public":
        if domains:
            raise AccountError("domains can be set for publishable keys only")
        return
    if not domains:
        raise AccountError("a publishable key needs at least one domain, for example example.com or *.example.com")
    for domain in domains:
        fault = domain_fault(domain)
        if fault is not None:
            raise AccountError(f"{domain[:_LONGEST_TOLD]!r} is not a valid domain: {fault}")
