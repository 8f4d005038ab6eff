"""Subscription service: the rules, one method per operation.

See docs/contract/contract.md 4.8.

Checks follow the contract's order (4.10): tier, validation, existence, If-Match, state. Values that decide over
a change are read again under its locks. Does not belong here: HTTP (`api.routes.webhooks`), SQL
(`api.db.subscriptions`), test sends (`api.webhooks.test_send`), or the delivery engine.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection

from api.bodies import Object
from api.clock import Clock
from api.conditional import strongly_matches
from api.control import ControlPlane
from api.db.subscription_records import AccountTier, NewSubscription, SubscriptionRecord
from api.db.subscriptions import SubscriptionRepository
from api.db.webhook_states import pause, remove, resume
from api.forms import Faults
from api.tiers import Tier, Tiers
from api.ulids import Ulids, is_ulid
from api.webhooks import refusals, validation
from api.webhooks.names import Lookup
from api.webhooks.sealing import Sealer
from api.webhooks.settings import WebhookSettings
from api.webhooks.shown import instant, live_previous
from api.webhooks.signing import make_secret
from api.webhooks.targets import Refusal, refusal
from api.webhooks.validation import Asked, Warned

PREFIX: Final = "whs"
_HINT: Final = 4  # last characters


@dataclass(frozen=True, slots=True)
class Owner:
    """The owning account, and the limits of its tier."""

    account_id: str
    tier: Tier


@dataclass(frozen=True, slots=True)
class Changed:
    """A changed subscription, and the warnings about the change."""

    record: SubscriptionRecord
    warnings: Sequence[Warned]


@dataclass(frozen=True, slots=True)
class NewSecret:
    """A subscription with its new secret, which is shown only now."""

    record: SubscriptionRecord
    secret: str = field(repr=False)
    warnings: Sequence[Warned] = ()


class Subscriptions:
    """Subscription service. `last_sequence` returns the newest published event's sequence."""

    def __init__(  # noqa: PLR0913, PLR0917 -- all that operations need, put together once
        self,
        control: ControlPlane,
        last_sequence: Callable[[], int],
        sealer: Sealer,
        settings: WebhookSettings,
        tiers: Tiers,
        clock: Clock,
        ulids: Ulids,
        lookup: Lookup | None = None,
    ) -> None:
        self._control = control
        self._last_sequence = last_sequence
        self._sealer = sealer
        self._settings = settings
        self._tiers = tiers
        self._clock = clock
        self._ulids = ulids
        self._lookup = lookup

    async def create(self, owner: Owner, body: Object) -> NewSecret:
        """Creates a subscription to events published from now on."""
        faults = Faults()
        asked = validation.new_subscription(body, owner.tier.entity_ids, faults)
        await self._check_members(asked, faults)
        secret = make_secret()
        new = self._new_subscription(owner.account_id, asked.members, secret)
        record = await self._control.write(lambda connection: self._insert_subscription(connection, new))
        return NewSecret(record, secret, asked.warnings)

    async def page(
        self, account_id: str, status: str | None, before: str | None, limit: int
    ) -> list[SubscriptionRecord]:
        """Returns a page of subscriptions with ids below `before`, newest first."""
        return await self._control.read(
            lambda connection: SubscriptionRepository(connection).page(account_id, status, before, limit)
        )

    async def get(self, account_id: str, subscription_id: str) -> SubscriptionRecord:
        """Returns the account's subscription, or raises 404."""
        if not is_ulid(PREFIX, subscription_id):
            raise refusals.not_found(subscription_id)
        found = await self._control.read(
            lambda connection: SubscriptionRepository(connection).find(account_id, subscription_id)
        )
        return _found(found, subscription_id)

    async def change(
        self, owner: Owner, subscription_id: str, body: Object, if_match: bytes | None
    ) -> Changed:
        """Applies a merge patch. Activation checks the endpoint again, and needs a tier with webhooks."""
        tier, activates = owner.tier, body.get("status") == "active"
        if activates and not tier.webhooks:
            raise refusals.tier_required(self._tiers, tier.name)
        faults = Faults()
        asked = validation.changes(body, tier.entity_ids, faults)
        await self._check_members(asked, faults)
        found = await self.get(owner.account_id, subscription_id)
        _check_revision(found, if_match)
        if activates and found.status == "paused" and "endpoint_url" not in asked.members:
            await self._check_members(Asked({"endpoint_url": found.endpoint_url}), Faults())
        record = await self._control.write(
            lambda connection: self._apply_changes(connection, found, asked.members, if_match)
        )
        return Changed(record, asked.warnings)

    async def remove(self, account_id: str, subscription_id: str, if_match: bytes | None) -> None:
        """Deletes a subscription; undelivered deliveries are canceled."""
        await self.get(account_id, subscription_id)

        def do(connection: Connection) -> None:
            subscriptions = SubscriptionRepository(connection)
            record = _found(subscriptions.lock(account_id, subscription_id), subscription_id)
            _check_revision(record, if_match)
            remove(connection, subscription_id, self._clock.now())
            subscriptions.replace_companies(subscription_id, None)

        await self._control.write(do)

    async def rotate(self, account_id: str, subscription_id: str, body: Object) -> NewSecret:
        """Rotates the secret; the previous one signs too for a grace period, or is wiped at once without one."""
        grace = validation.grace(body)
        await self.get(account_id, subscription_id)
        secret = make_secret()
        values = {"secret": self._sealer.seal(secret), "secret_hint": _hint(secret)}

        def do(connection: Connection) -> SubscriptionRecord:
            subscriptions, now = SubscriptionRepository(connection), self._clock.now()
            record = _found(subscriptions.lock(account_id, subscription_id), subscription_id)
            until = live_previous(record, now)
            if until is not None and grace:
                raise refusals.invalid_state(
                    f"The previous secret is valid until {instant(until)}; wait until then, or end it now with "
                    "grace_period_seconds 0.",
                    record.status,
                )
            subscriptions.change(subscription_id, now, values | _overlap(record, now, grace))
            return _found(subscriptions.find(account_id, subscription_id), subscription_id)

        return NewSecret(await self._control.write(do), secret)

    def secrets(self, record: SubscriptionRecord) -> list[str]:
        """Secrets that sign now: the current one, and the previous one during its overlap."""
        secrets = [self._sealer.open(record.secret)]
        if record.previous_secret is not None and live_previous(record, self._clock.now()) is not None:
            secrets.append(self._sealer.open(record.previous_secret))
        return secrets

    async def _check_members(self, asked: Asked, faults: Faults) -> None:
        """Raises 422 with all errors of the members and of the endpoint's target."""
        url = asked.members.get("endpoint_url")
        refused: Refusal | None = None
        if url is not None:
            refused = await refusal(url, self._settings, self._lookup)
        if refused is not None and refused.problem != "validation_failed" and not faults.count:
            raise refusals.endpoint_not_allowed(refused)
        if refused is not None:
            faults.add(refused.code, refused.detail, refusals.ENDPOINT_URL)
        faults.check()

    def _new_subscription(self, account_id: str, members: Mapping[str, Any], secret: str) -> NewSubscription:
        status = members.get("status", "active")
        return NewSubscription(
            subscription_id=self._ulids.make(PREFIX),
            account_id=account_id,
            endpoint_url=members["endpoint_url"],
            event_types=members["event_types"],
            event_mask=validation.mask(members["event_types"]),
            companies=members.get("entity_ids"),
            description=members.get("description"),
            max_per_second=members.get("max_per_second"),
            status=status,
            status_reason=None if status == "active" else "manual",
            created_at=self._clock.now(),
            from_sequence=self._last_sequence(),
            secret=self._sealer.seal(secret),
            secret_hint=_hint(secret),
        )

    def _insert_subscription(self, connection: Connection, new: NewSubscription) -> SubscriptionRecord:
        subscriptions = SubscriptionRepository(connection)
        account = subscriptions.lock_account(new.account_id)
        tier = self._entitled_tier(account)
        if account.subscriptions >= tier.subscriptions:
            raise refusals.limit_reached(tier.subscriptions)
        subscriptions.add(new)
        return _found(subscriptions.find(new.account_id, new.subscription_id), new.subscription_id)

    def _entitled_tier(self, account: AccountTier) -> Tier:
        """Returns the current tier if it has webhooks and the account is active; cached keys may be older."""
        tier = self._tiers.named(account.tier)
        if account.status != "active":
            raise refusals.not_served(account.status)
        if not tier.webhooks:
            raise refusals.tier_required(self._tiers, tier.name)
        return tier

    def _apply_changes(
        self,
        connection: Connection,
        seen: SubscriptionRecord,
        members: Mapping[str, Any],
        if_match: bytes | None,
    ) -> SubscriptionRecord:
        subscriptions, status = SubscriptionRepository(connection), members.get("status")
        account_id, subscription_id = seen.account_id, seen.subscription_id
        if status == "active":
            self._entitled_tier(subscriptions.lock_account(account_id))
        record = _found(subscriptions.lock(account_id, subscription_id), subscription_id)
        _check_revision(record, if_match)
        now, values = self._clock.now(), _differing(record, members)
        if "all_companies" in values:
            subscriptions.replace_companies(subscription_id, members["entity_ids"])
        if values:
            subscriptions.change(subscription_id, now, values)
        if status == "active":
            resume(connection, subscription_id, now)
        elif status == "paused":
            pause(connection, subscription_id, "manual", now)
        return _found(subscriptions.find(account_id, subscription_id), subscription_id)


def _found(record: SubscriptionRecord | None, subscription_id: str) -> SubscriptionRecord:
    if record is None:
        raise refusals.not_found(subscription_id)
    return record


def _check_revision(record: SubscriptionRecord, if_match: bytes | None) -> None:
    if if_match is not None and not strongly_matches(if_match, b"%d" % record.revision):
        raise refusals.changed_meanwhile()


def _hint(secret: str) -> str:
    return f"whsec_…{secret[-_HINT:]}"


def _overlap(record: SubscriptionRecord, now: datetime, grace: int) -> dict[str, Any]:
    if not grace:
        return {"previous_secret": None, "previous_secret_expires_at": None}
    return {"previous_secret": record.secret, "previous_secret_expires_at": now + timedelta(seconds=grace)}


def _differing(record: SubscriptionRecord, members: Mapping[str, Any]) -> dict[str, Any]:
    """Values a patch really changes: unchanged values must not create a new revision."""
    values = {
        name: members[name]
        for name in ("endpoint_url", "description", "max_per_second")
        if name in members and members[name] != getattr(record, name)
    }
    types = members.get("event_types")
    if types is not None and list(types) != list(record.event_types):
        values |= {"event_types": list(types), "event_mask": validation.mask(types)}
    if "entity_ids" in members:
        given, present = members["entity_ids"], record.companies
        if (None if given is None else list(given)) != (None if present is None else json.loads(present)):
            values["all_companies"] = given is None
    return values
