"""Billing service: sends customers to Stripe's pages and stores the subscription state Stripe reports.

One rule makes order and number of events harmless: a stored state was always fetched after the state it replaces
(`repository.store_stripe_state`). An event is recorded in the commit of its effects, so a crash repeats it
and never loses it. Events are signed by scheme `v1` (https://docs.stripe.com/webhooks/signature): the header is
`t=<seconds>,v1=<hex>[,v1=<hex>…]`, the digest HMAC-SHA256 over the seconds, a dot and the raw body, one per secret
while a secret is being rolled. Stripe repeats events for three days and then drops them, and prices and settings change
without events: every account is compared with Stripe once a day, by one process of an installation, under a lease. Does
not belong here: inbound HTTP (`api.billing.routes`), pages, or our own signatures on deliveries
(`api.webhooks.egress.signing`).
"""

import asyncio
import hmac
import logging
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, suppress
from datetime import timedelta
from functools import partial
from hashlib import sha256
from typing import Final, TypeVar

import msgspec
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from api.accounts.repository import AccountRecord
from api.accounts.service import AccountService
from api.billing import repository
from api.billing.entitlement import (
    ENDED,
    OVER,
    Entitlement,
    ended_entitlement,
    entitlement_for,
    unpaid_state,
    unresolved_trials,
)
from api.billing.errors import BillingError, BillingStateError, ForgedEventError, StripeUnavailableError
from api.billing.repository import CustomerRecord, next_account_to_compare
from api.billing.return_urls import build_return_urls
from api.billing.stripe_client import StripeClient
from api.billing.stripe_models import StripeEventMessage
from api.common.background import process_name, run_with_restart, running, sleep_or_stop
from api.common.clock import Clock
from api.database.engine import Database
from api.database.leases import LeaderLease
from api.settings.billing import BillingSettings
from api.settings.tiers import TierCatalogue
from api.webhooks.subscriptions.repository import lock_account

EVENTS: Final = (
    "checkout.session.completed",
    "customer.deleted",
    "customer.subscription.created",
    "customer.subscription.deleted",
    "customer.subscription.paused",
    "customer.subscription.resumed",
    "customer.subscription.updated",
    "invoice.paid",
    "invoice.payment_action_required",
    "invoice.payment_failed",
)
"""Event types to enable for the Stripe webhook endpoint; all others have no effect here."""

KEPT: Final = timedelta(days=60)
"""Retention of event ids; Stripe retries for three days, manually for up to thirty."""

_LOGGER: Final = logging.getLogger("firm.api")
_TRIES: Final = 5
_THREADS: Final = 4
STRIPE_PATIENCE_SECONDS: Final = 25.0
T = TypeVar("T")

TOLERANCE_SECONDS: Final = 300
"""A timestamp further off, past or future, is a replay or comes from a wrong clock."""

_SECONDS: Final = re.compile(rb"t=([0-9]{1,12})")
_DIGEST: Final = re.compile(rb"v1=([0-9a-f]{64})")
_MOST_PARTS: Final = 20


def check_signature(body: bytes, header: bytes | None, secret: str, now: float) -> None:
    """Raises ForgedEventError unless the body was signed with `secret` about the time `now` (Unix seconds)."""
    parts = [part.strip() for part in (header or b"").split(b",")]
    stamps = [found[1] for part in parts if (found := _SECONDS.fullmatch(part))]
    given = [found[1] for part in parts if (found := _DIGEST.fullmatch(part))]
    if len(stamps) != 1 or not given or len(parts) > _MOST_PARTS:
        raise ForgedEventError("The Stripe-Signature header is missing or malformed.")
    expected = hmac.new(secret.encode(), stamps[0] + b"." + body, sha256).hexdigest().encode()
    if not any(hmac.compare_digest(expected, one) for one in given):
        raise ForgedEventError("The signature does not match the body.")
    if abs(now - int(stamps[0])) > TOLERANCE_SECONDS:
        raise ForgedEventError(
            f"The signature's time differs by more than {TOLERANCE_SECONDS} seconds from this service's clock."
        )


class BillingService:
    """Billing of all accounts. Methods block on Stripe; event loops call them through `run_in_pool`."""

    def __init__(
        self,
        settings: BillingSettings,
        tiers: TierCatalogue,
        database: Database,
        accounts: AccountService,
        clock: Clock,
        public_url: str,
    ) -> None:
        self._settings = settings
        self._tiers = tiers
        self._database = database
        self._accounts = accounts
        self._clock = clock
        self._back = build_return_urls(settings.return_url, public_url)
        self._stripe = StripeClient(settings)
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="firm-billing")

    def close(self) -> None:
        self._threads.shutdown()
        self._stripe.close()

    async def run_in_pool(self, work: Callable[[], T]) -> T:
        """Runs blocking Stripe calls in a dedicated thread pool, so that a slow Stripe blocks no other work.

        Raises StripeUnavailableError after STRIPE_PATIENCE_SECONDS.
        """
        running = asyncio.get_running_loop().run_in_executor(self._threads, work)
        try:
            async with asyncio.timeout(STRIPE_PATIENCE_SECONDS):
                return await running
        except TimeoutError:
            raise StripeUnavailableError("Stripe did not respond in time: try again") from None

    @property
    def sold(self) -> tuple[str, ...]:
        """Tiers with a price, smallest first."""
        return tuple(name for name in self._tiers.names if self._settings.price_of(name) is not None)

    def checkout(self, account_id_or_email: str, tier: str) -> str:
        """Creates a Stripe checkout for a tier and returns its URL; the account is an id or e-mail.

        An account's first subscription begins with a trial. An existing subscription is changed in the portal:
        a second one would be charged in addition, so at most one checkout is open at a time.
        """
        price = self._settings.price_of(tier)
        if price is None:
            raise BillingStateError(f"{tier!r} is not for sale; choose one of {', '.join(self.sold)}")
        account = self._accounts.account(account_id_or_email)
        if account.status == "suspended":
            raise BillingStateError(
                f"{account_id_or_email} is suspended and could not use what it pays for: activate the account first"
            )
        customer = self._ensure_customer(account)
        self._stripe.expire_sessions(customer.customer_id)  # first, as one of them may have led to a subscription
        subscriptions = self._stripe.subscriptions(customer.customer_id)
        if any(one.status not in OVER for one in subscriptions):
            raise BillingStateError("the account already has a subscription: change it in the customer portal")
        tried = any(one.status == ENDED for one in subscriptions)
        days = 0 if tried else self.trial_days(customer)
        return self._stripe.make_session(customer.customer_id, account.account_id, price, days, self._back)

    def trial_days(self, customer: CustomerRecord | None) -> int:
        """Trial days of the next subscription, as far as known here; 0 for all but the first."""
        return self._settings.trial_days if customer is None or customer.subscription_id is None else 0

    def portal(self, account_id_or_email: str) -> str:
        """Returns the URL of the Stripe portal, where the account changes its card or tier, or cancels."""
        return self._stripe.make_portal(self._require_customer(account_id_or_email).customer_id, None, self._back)

    def cancellation(self, account_id_or_email: str) -> str:
        """Returns the URL of the Stripe page on which the account cancels its subscription."""
        customer = self._require_customer(account_id_or_email)
        if customer.subscription_id is None or customer.stripe_status in OVER:
            raise BillingStateError(f"{account_id_or_email} has no subscription to cancel")
        return self._stripe.make_portal(customer.customer_id, customer.subscription_id, self._back)

    def customer(self, account_id_or_email: str) -> CustomerRecord | None:
        """Returns the stored customer of the account, without a request to Stripe; None if there is none."""
        account_id = self._accounts.account(account_id_or_email).account_id
        return self._database.read(repository.customer_of_account, account_id)

    def is_tier_managed(self, account_id_or_email: str) -> bool:
        """Whether the account's tier follows a Stripe subscription, which overrides a manually set tier."""
        return _is_subscription_managed(self.customer(account_id_or_email))

    def require(self, account_id_or_email: str) -> None:
        """Makes a subscription mandatory for the account, as for new sign-ups; its webhooks are paused.

        For accounts that predate billing, or were given a tier by an operator. Raises BillingStateError if a
        subscription has begun.
        """
        account_id, unpaid = self._accounts.account(account_id_or_email).account_id, unpaid_state(self._tiers)

        def end_grant(connection: Connection) -> None:
            lock_account(connection, account_id)
            if _is_subscription_managed(repository.customer_of_account(connection, account_id)):
                raise BillingStateError(f"{account_id_or_email} already has a subscription")
            repository.entitle(connection, account_id, unpaid, self._clock.now(), has_webhooks=False)

        self._database.write(end_grant)

    def refresh(self, account_id_or_email: str) -> Entitlement | None:
        """Fetches the state from Stripe and stores it; None if no subscription has begun."""
        return self._sync_customer(self._require_customer(account_id_or_email), None)

    def all_accounts(self) -> list[str]:
        """Ids of the accounts with a Stripe customer."""
        return self._database.read(repository.customer_account_ids)

    def read(self, body: bytes, signature: bytes | None) -> StripeEventMessage:
        """Decodes an event after verifying its signature. Does not block."""
        check_signature(body, signature, self._settings.signing_secret, self._clock.wall())
        try:
            return msgspec.json.decode(body, type=StripeEventMessage)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ForgedEventError(f"The body is not a valid event: {error}") from None

    def act(self, event: StripeEventMessage) -> None:
        """Applies an event. Processed events, and those of unknown customers, change nothing."""
        customer_id = event.customer_id
        if event.type not in EVENTS or customer_id is None:
            return
        customer = self._database.read(repository.find_customer, customer_id)
        if customer is None:
            told = "Stripe sent an event of %s, a customer without an account here (%s)"
            _LOGGER.warning(told, customer_id, event.type)
        elif not self._database.read(repository.has_seen_event, event.id):
            self._sync_customer(customer, event)

    def _sync_customer(self, customer: CustomerRecord, event: StripeEventMessage | None) -> Entitlement | None:
        for _ in range(_TRIES):
            found = self._fetch_entitlement(customer)
            if self._database.write(self._store_entitlement, customer, found, event):
                return found
            customer = self._require_customer(customer.account_id)
        raise StripeUnavailableError(f"{customer.account_id} was changed concurrently {_TRIES} times: try again")

    def _fetch_entitlement(self, customer: CustomerRecord) -> Entitlement | None:
        subscriptions = self._stripe.subscriptions(customer.customer_id)
        doubts = unresolved_trials(subscriptions)
        paid = {subscription_id for subscription_id, end in doubts if self._stripe.has_paid(subscription_id, end)}
        found = entitlement_for(subscriptions, paid, self._settings.tier_of, self._tiers)
        if found is None and customer.subscription_id is not None:
            return ended_entitlement(customer.subscription_id, self._tiers)
        return found

    def _store_entitlement(
        self, connection: Connection, seen: CustomerRecord, found: Entitlement | None, event: StripeEventMessage | None
    ) -> bool:
        """Stores the state; False if the row changed since `seen` was read."""
        now = self._clock.now()
        if not repository.store_stripe_state(connection, seen, found, now):
            return False
        if found is not None and not _is_old_end(seen, found):
            webhooks = found.is_served and self._tiers.tier_by_name(found.tier).webhooks
            repository.entitle(connection, seen.account_id, found, now, has_webhooks=webhooks)
        if event is not None:
            repository.note_event(connection, event.id, event.type, now, now - KEPT)
        return True

    def _require_customer(self, named: str) -> CustomerRecord:
        found = self.customer(named)
        if found is None:
            raise BillingStateError(f"{named} has never started a checkout; start with: firm billing checkout")
        return found

    def _ensure_customer(self, account: AccountRecord) -> CustomerRecord:
        """Returns the account's Stripe customer, creating one if needed and storing it before it is used."""
        found = self.customer(account.account_id)
        if found is not None and self._stripe.has_customer(found.customer_id):
            return found
        if found is not None:
            self._sync_customer(found, None)  # applies a deletion; its events will find no account
        former = found and found.customer_id
        customer_id = self._stripe.make_customer(account.account_id, account.email, former)
        self._database.write(repository.set_customer, account.account_id, customer_id, former)
        return self._require_customer(account.account_id)


def _is_subscription_managed(customer: CustomerRecord | None) -> bool:
    return customer is not None and customer.stripe_status not in (None, ENDED)


def _is_old_end(seen: CustomerRecord, found: Entitlement) -> bool:
    """Whether the subscription had already ended at the last fetch; an operator may have set a tier since."""
    same = found.subscription_id == seen.subscription_id
    return same and found.stripe_status == seen.stripe_status == ENDED


LEASE: Final = "billing"
EVERY: Final = timedelta(hours=24)
_LEASE_SECONDS: Final = 120.0  # longer than one account can take
PASS_SECONDS: Final = 900.0  # between two passes; the first is not at start-up, which is busy enough
BREATH_SECONDS: Final = 0.2  # between two accounts: Stripe allows 25 requests per second in test mode


class BillingReconciler:
    """Reconciles stored accounts with Stripe. `step` blocks on Stripe; one caller at a time."""

    def __init__(self, billing: BillingService, database: Database, clock: Clock) -> None:
        self._billing = billing
        self._database = database
        self._clock = clock
        self._leadership = LeaderLease(database, clock, LEASE, process_name(), _LEASE_SECONDS)
        self._after: str | None = None

    def step(self) -> bool:
        """Reconciles one account not compared for a day; False at the end of a pass.

        An account that fails stays unchanged until the next pass and blocks no other; if Stripe is unreachable
        the pass ends.
        """
        account_id = None
        if self._leadership.acquire_or_renew():
            account_id = self._database.read(next_account_to_compare, self._clock.now() - EVERY, self._after)
        if account_id is not None:
            try:
                self._billing.refresh(account_id)
            except StripeUnavailableError as error:
                _LOGGER.warning("accounts could not be compared with Stripe: %s", error)
                account_id = None
            except BillingError:
                _LOGGER.exception("%s could not be synchronized with Stripe", account_id)
        self._after = account_id
        return account_id is not None

    def close(self) -> None:
        self._leadership.release()

    def run_in_background(self) -> AbstractAsyncContextManager[None]:
        """Runs in the event loop for the duration of the block."""
        return running(partial(run_with_restart, self._run_passes, "comparing with Stripe"))

    async def _run_passes(self, stop: asyncio.Event) -> None:
        try:
            while not await sleep_or_stop(stop, PASS_SECONDS):
                while await asyncio.to_thread(self.step):
                    if await sleep_or_stop(stop, BREATH_SECONDS):
                        return
        finally:
            with suppress(SQLAlchemyError):  # the lease expires anyway
                await asyncio.to_thread(self.close)
