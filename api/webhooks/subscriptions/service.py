"""Subscription service: the rules, one method per operation (docs/contract/contract.md 4.8).

Checks follow the contract's order (4.10): tier, validation, existence, If-Match, state. Values that decide over a
change are read again under its locks. Does not belong here: HTTP (`api.webhooks.routes.subscriptions`), SQL
(`api.webhooks.subscriptions.repository`), test sends (`api.webhooks.deliveries.service`), or the delivery
engine.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import Connection

from api.auth.encryption import SecretBox
from api.common.clock import Clock, format_instant
from api.common.ids import UlidGenerator, is_ulid
from api.database.engine import AsyncDatabase
from api.http.access_control import tier_required
from api.http.body_validation import ValidationErrors, read_body
from api.http.json_body import Object, in_body_thread
from api.http.response_headers import check_if_match
from api.problems.problem import new_problem
from api.settings.tiers import Tier, TierCatalogue
from api.settings.webhooks import WebhookSettings
from api.watchlists.repository import owned_watchlists
from api.webhooks import errors
from api.webhooks.destinations.addresses import checked_destination, destination_url
from api.webhooks.destinations.destination import Destination
from api.webhooks.destinations.models import Settings
from api.webhooks.destinations.opening import complete_settings, destination_columns, open_destination
from api.webhooks.egress.dns import Lookup
from api.webhooks.egress.signing import make_secret
from api.webhooks.egress.url_policy import url_rejection
from api.webhooks.filters.matching import filter_columns, subscription_selectors
from api.webhooks.filters.models import Filters, check_filters, merged_filters
from api.webhooks.subscriptions import repository, requests
from api.webhooks.subscriptions.models import SubscriptionRecord, previous_secret_expiry
from api.webhooks.subscriptions.repository import delete_subscription, pause_subscription, resume_subscription
from api.webhooks.subscriptions.requests import (
    InputWarning,
    NewSubscription,
    SecretRotation,
    SubscriptionChanges,
    SubscriptionInput,
)

PREFIX: Final = "whs"
_HINT: Final = 4  # last characters
_FOUND_BY: Final = ("filters", "event_types", "all_companies")
_FEW_COMPANIES: Final = 200  # parsed within 2 ms


@dataclass(frozen=True, slots=True)
class SubscriptionOwner:
    """The owning account, and the limits of its tier."""

    account_id: str
    tier: Tier


@dataclass(frozen=True, slots=True)
class NewSecret:
    """A subscription with its new secret, which is shown only now."""

    record: SubscriptionRecord
    secret: str = field(repr=False)
    warnings: Sequence[InputWarning] = ()


@dataclass(repr=False, eq=False)
class SubscriptionService:
    """Subscription service. `last_sequence` returns the newest published event's sequence."""

    database: AsyncDatabase
    last_sequence: Callable[[], int]
    secret_box: SecretBox
    settings: WebhookSettings
    tiers: TierCatalogue
    clock: Clock
    ulids: UlidGenerator
    lookup: Lookup | None = None

    async def create(self, owner: SubscriptionOwner, body: Object) -> NewSecret:
        """Creates a subscription to events published from now on."""
        faults = ValidationErrors()
        asked = await self._parse(NewSubscription, body, owner.tier.entity_ids, faults)
        filters = merged_filters(None, asked.members.get("filters"))
        check_filters(filters, faults)
        await self._check_watchlist(owner.account_id, filters, faults)
        place = await self._checked_place(None, asked.members, faults)
        secret = make_secret()
        values = self._new_values(owner.account_id, asked.members) | self._secret_values(secret)
        values |= filter_columns(filters) | destination_columns(place, self.secret_box)
        record = await self.database.write(self._insert_subscription, values, asked.members.get("entity_ids"))
        return NewSecret(record, secret, _all_warnings(asked, record))

    async def page(
        self, account_id: str, status: str | None, before: str | None, limit: int
    ) -> list[SubscriptionRecord]:
        return await self.database.read(repository.subscription_page, account_id, status, before, limit)

    async def get(self, account_id: str, subscription_id: str) -> SubscriptionRecord:
        """Returns the account's subscription, or raises 404."""
        if not is_ulid(PREFIX, subscription_id):
            raise errors.webhook_not_found(subscription_id)
        return await self.database.read(_require_found, account_id, subscription_id)

    async def change(
        self, owner: SubscriptionOwner, subscription_id: str, body: Object, if_match: bytes | None
    ) -> tuple[SubscriptionRecord, Sequence[InputWarning]]:
        """Applies a merge patch. Activation checks the endpoint again, and needs a tier with webhooks."""
        tier, activates = owner.tier, body.get("status") == "active"
        if activates and not tier.webhooks:
            raise tier_required(self.tiers, tier.name)
        faults = ValidationErrors()
        asked = await self._parse(SubscriptionChanges, body, tier.entity_ids, faults)
        await self._check_watchlist(owner.account_id, asked.members.get("filters"), faults)
        if "endpoint_url" in asked.members:
            await self._checked_place(None, asked.members, faults)
        faults.check()
        found = await self.get(owner.account_id, subscription_id)
        check_if_match(if_match, found.revision, "subscription")
        if "destination" in asked.members or (
            activates and found.status == "paused" and "endpoint_url" not in asked.members
        ):
            await self._checked_place(found, asked.members, faults)
        record = await self.database.write(self._apply_changes, found, asked.members, if_match)
        return record, _all_warnings(asked, record)

    async def remove(self, account_id: str, subscription_id: str, if_match: bytes | None) -> None:
        """Deletes a subscription; undelivered deliveries are canceled."""
        await self.get(account_id, subscription_id)

        def do(connection: Connection) -> None:
            record = _require_locked(connection, account_id, subscription_id)
            check_if_match(if_match, record.revision, "subscription")
            delete_subscription(connection, subscription_id, self.clock.now())
            repository.replace_companies(connection, subscription_id, None)

        await self.database.write(do)

    async def rotate(self, account_id: str, subscription_id: str, body: Object) -> NewSecret:
        """Rotates the secret; the previous one signs too for a grace period, or is wiped at once without one."""
        grace = timedelta(seconds=read_body(SecretRotation, body).grace_period_seconds)
        await self.get(account_id, subscription_id)
        secret = make_secret()

        def do(connection: Connection) -> SubscriptionRecord:
            now, record = self.clock.now(), _require_locked(connection, account_id, subscription_id)
            until = previous_secret_expiry(record, now)
            if until is not None and grace:
                wait = f"The previous secret is valid until {format_instant(until)}; wait until then, "
                raise errors.invalid_state(f"{wait}or end it now with grace_period_seconds 0.", record.status)
            values = self._secret_values(secret) | {
                "previous_secret": record.secret if grace else None,
                "previous_secret_expires_at": now + grace if grace else None,
            }
            repository.change_subscription(connection, subscription_id, now, values)
            return _require_found(connection, account_id, subscription_id)

        return NewSecret(await self.database.write(do), secret)

    def secrets(self, record: SubscriptionRecord) -> list[str]:
        """Secrets that sign now: the current one, and the previous one during its overlap."""
        secrets = [self.secret_box.open(record.secret)]
        if record.previous_secret is not None and previous_secret_expiry(record, self.clock.now()) is not None:
            secrets.append(self.secret_box.open(record.previous_secret))
        return secrets

    def destination(self, record: SubscriptionRecord) -> Destination:
        return open_destination(record, self.secret_box)

    async def _parse(
        self, model: type[NewSubscription], body: Object, max_companies: int, faults: ValidationErrors
    ) -> SubscriptionInput:
        """Parses a body; one with many companies in a thread."""
        entity_ids = body.get("entity_ids")
        if not isinstance(entity_ids, list) or len(entity_ids) <= _FEW_COMPANIES:
            return requests.parse_subscription(model, body, max_companies, faults)
        return await in_body_thread(requests.parse_subscription, model, body, max_companies, faults)

    async def _checked_place(
        self, present: SubscriptionRecord | None, members: Mapping[str, Any], faults: ValidationErrors
    ) -> Settings:
        """The destination that the members say, else the present one; raises 422 with all errors, of its target too."""
        former = None if present is None else complete_settings(present, self.secret_box)
        patch = requests.destination_patch(members) or former
        place = None if patch is None else checked_destination(former, patch, self.settings, faults)
        if place is not None:
            pointer = errors.place_pointer(place["kind"], members)
            refused = await url_rejection(destination_url(place), self.settings, self.lookup)
            if refused is not None and refused.problem != "validation_failed" and not faults.count:
                raise errors.endpoint_not_allowed(refused, pointer)
            if refused is not None:
                faults.add(refused.code, refused.detail, pointer)
        faults.check()
        if place is None:
            raise RuntimeError("a body without a destination has an error")
        return place

    def _changed_place(self, record: SubscriptionRecord, members: Mapping[str, Any]) -> dict[str, Any]:
        """Columns of another destination; none if it stays, as where a client sends back the URL that stands for it."""
        patch = requests.destination_patch(members)
        if patch is None or members.get("endpoint_url") == record.endpoint_url:
            return {}
        former, faults = complete_settings(record, self.secret_box), ValidationErrors()
        place = checked_destination(former, patch, self.settings, faults)
        faults.check()
        return {} if place is None or place == former else destination_columns(place, self.secret_box)

    async def _check_watchlist(self, account_id: str, filters: Filters | None, faults: ValidationErrors) -> None:
        """Adds the error of a watchlist that is not the account's."""
        watchlist_id = (filters or {}).get("watchlist_id")
        if watchlist_id and not await self.database.read(owned_watchlists, account_id, [watchlist_id]):
            faults.add(*errors.UNKNOWN_WATCHLIST)

    def _secret_values(self, secret: str) -> dict[str, Any]:
        return {"secret": self.secret_box.seal(secret), "secret_hint": f"whsec_…{secret[-_HINT:]}"}

    def _new_values(self, account_id: str, members: Mapping[str, Any]) -> dict[str, Any]:
        status, at = members.get("status", "active"), self.clock.now()
        return {
            "subscription_id": self.ulids.make(PREFIX),
            "account_id": account_id,
            "event_types": list(members["event_types"]),
            "event_mask": requests.to_event_mask(members["event_types"]),
            "all_companies": members.get("entity_ids") is None,
            "description": members.get("description"),
            "max_per_second": members.get("max_per_second"),
            "status": status,
            "status_reason": None if status == "active" else "manual",
            "status_changed_at": at,
            "created_at": at,
            "updated_at": at,
            "revision": 1,
            "from_sequence": self.last_sequence(),
        }

    def _insert_subscription(
        self, connection: Connection, values: dict[str, Any], companies: Sequence[str] | None
    ) -> SubscriptionRecord:
        account_id, subscription_id = values["account_id"], values["subscription_id"]
        tier = self._entitled_tier(*repository.lock_account(connection, account_id))
        if repository.count_subscriptions(connection, account_id) >= tier.subscriptions:
            limit = tier.subscriptions
            raise new_problem("subscription_limit_reached", f"This tier allows {limit} subscriptions.", limit=limit)
        _require_watchlist(connection, account_id, values["watchlist_id"])
        repository.insert_subscription(connection, values, companies)
        _store_selectors(connection, subscription_id, values)
        return _require_found(connection, account_id, subscription_id)

    def _entitled_tier(self, name: str, status: str) -> Tier:
        """Returns the current tier if it has webhooks and the account is active; cached keys may be older."""
        tier = self.tiers.tier_by_name(name)
        if status != "active":
            raise errors.account_not_served(status)
        if not tier.webhooks:
            raise tier_required(self.tiers, tier.name)
        return tier

    def _apply_changes(
        self, connection: Connection, seen: SubscriptionRecord, members: Mapping[str, Any], if_match: bytes | None
    ) -> SubscriptionRecord:
        status = members.get("status")
        account_id, subscription_id = seen.account_id, seen.subscription_id
        account = repository.lock_account(connection, account_id)  # its watchlists too
        if status == "active":
            self._entitled_tier(*account)
        record = _require_locked(connection, account_id, subscription_id)
        check_if_match(if_match, record.revision, "subscription")
        now, values = self.clock.now(), self._changed_place(record, members) | _changed_values(record, members)
        if "all_companies" in values:
            repository.replace_companies(connection, subscription_id, members["entity_ids"])
        _require_watchlist(connection, account_id, values.get("watchlist_id"))
        if values:
            repository.change_subscription(connection, subscription_id, now, values)
            if not values.keys().isdisjoint(_FOUND_BY):
                all_companies = record.companies is None
                stored = {"filters": record.filters, "event_types": record.event_types, "all_companies": all_companies}
                _store_selectors(connection, subscription_id, stored | values)
        if status == "active":
            resume_subscription(connection, subscription_id, now)
        elif status == "paused":
            pause_subscription(connection, subscription_id, "manual", now)
        return _require_found(connection, account_id, subscription_id)


def _require_found(connection: Connection, account_id: str, subscription_id: str) -> SubscriptionRecord:
    record = repository.find_subscription(connection, account_id, subscription_id)
    if record is None:
        raise errors.webhook_not_found(subscription_id)
    return record


def _require_locked(connection: Connection, account_id: str, subscription_id: str) -> SubscriptionRecord:
    repository.lock_endpoints(connection, [subscription_id])
    return _require_found(connection, account_id, subscription_id)


def _require_watchlist(connection: Connection, account_id: str, watchlist_id: str | None) -> None:
    """422 if a watchlist was deleted since it was checked; the account's lock keeps it from now on."""
    faults = ValidationErrors()
    if watchlist_id is not None and not owned_watchlists(connection, account_id, [watchlist_id]):
        faults.add(*errors.UNKNOWN_WATCHLIST)
    faults.check()


def _store_selectors(connection: Connection, subscription_id: str, settings: Mapping[str, Any]) -> None:
    """Stores the selectors of a subscription to all companies; one of chosen companies has none."""
    of_all = settings["all_companies"]
    selectors = subscription_selectors(settings["filters"], settings["event_types"]) if of_all else ()
    repository.replace_selectors(connection, subscription_id, selectors)


def _all_warnings(asked: SubscriptionInput, record: SubscriptionRecord) -> list[InputWarning]:
    """Warnings of the input, and of filters without effect where filters or event types were sent."""
    if asked.members.keys().isdisjoint(("filters", "event_types")):
        return [*asked.warnings]
    return [*asked.warnings, *requests.filter_warnings(record.filters, record.event_types)]


def _changed_values(record: SubscriptionRecord, members: Mapping[str, Any]) -> dict[str, Any]:
    """Values a patch really changes: unchanged values must not create a new revision."""
    values = {
        name: members[name]
        for name in ("description", "max_per_second")
        if name in members and members[name] != getattr(record, name)
    }
    types = members.get("event_types")
    if types is not None and list(types) != list(record.event_types):
        values |= {"event_types": list(types), "event_mask": requests.to_event_mask(types)}
    if "entity_ids" in members:
        given, present = members["entity_ids"], record.companies
        if (None if given is None else list(given)) != (None if present is None else json.loads(present)):
            values["all_companies"] = given is None
    if "filters" in members:
        filters, faults = merged_filters(record.filters, members["filters"]), ValidationErrors()
        check_filters(filters, faults)
        faults.check()
        if filters != record.filters:
            values |= filter_columns(filters)
    return values
