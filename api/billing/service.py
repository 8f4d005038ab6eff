"""What is done about paying: customers are sent to Stripe's pages, and what Stripe says of them is stored.

One rule makes order and number of events harmless: whoever stores has asked Stripe after what is stored already was
asked for (`BillingRepository.settle`). An event is noted in the commit of what it led to, so a crash repeats it and
never loses it. Does not belong here: HTTP towards us (`api.routes.billing`), or pages.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Final, TypeVar

import msgspec

from api.accounts import Accounts
from api.billing.errors import Forged, NotPossible, StripeUnavailable
from api.billing.objects import Event
from api.billing.returns import returns
from api.billing.settings import BillingSettings
from api.billing.signatures import check_signature
from api.billing.standing import ENDED, OVER, Standing, gone, standing, undecided, unpaid
from api.billing.stripe import Stripe
from api.clock import Clock
from api.db.billing import BillingRepository, CustomerRecord, Entitlement, Told
from api.db.engine import Database
from api.db.records import AccountRecord
from api.tiers import Tiers

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
"""What the endpoint at Stripe should be told; of all else nothing follows here."""

KEPT: Final = timedelta(days=60)
"""How long ids of events are kept; Stripe repeats for three days, by hand for thirty."""

_LOGGER: Final = logging.getLogger("firm.api")
_TRIES: Final = 5
_THREADS: Final = 4
STRIPE_PATIENCE_SECONDS: Final = 25.0
T = TypeVar("T")


class Billing:
    """Paying for all accounts. Its methods wait for Stripe: event loops call them by `apart`."""

    def __init__(
        self,
        settings: BillingSettings,
        tiers: Tiers,
        database: Database,
        accounts: Accounts,
        clock: Clock,
        public_url: str,
    ) -> None:
        self._settings = settings
        self._tiers = tiers
        self._database = database
        self._accounts = accounts
        self._clock = clock
        self._back = returns(settings.return_url, public_url)
        self._stripe = Stripe(settings)
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="firm-billing")

    def close(self) -> None:
        """Lets what runs end; nothing is asked afterwards."""
        self._threads.shutdown()
        self._stripe.close()

    async def apart(self, work: Callable[[], T]) -> T:
        """Runs what waits for Stripe in threads of its own: one that does not answer keeps nobody else's.

        StripeUnavailable when it has taken longer than anybody waits.
        """
        running = asyncio.get_running_loop().run_in_executor(self._threads, work)
        try:
            async with asyncio.timeout(STRIPE_PATIENCE_SECONDS):
                return await running
        except TimeoutError:
            raise StripeUnavailable("Stripe has taken too long: try again") from None

    @property
    def sold(self) -> tuple[str, ...]:
        """Tiers that can be subscribed to, smallest first."""
        return tuple(name for name in self._tiers.names if self._settings.price_of(name) is not None)

    def checkout(self, named: str, tier: str) -> str:
        """The address of Stripe's page on which the account (id or e-mail) subscribes to a tier.

        An account's first subscription begins with a trial. Whoever has one changes it in the portal: a second
        would be paid beside it, so at most one checkout is open at a time.
        """
        price = self._settings.price_of(tier)
        if price is None:
            raise NotPossible(f"{tier!r} is not sold; choose one of {', '.join(self.sold)}")
        account = self._accounts.account(named)
        if account.status == "suspended":
            raise NotPossible(f"{named} is suspended and would pay for nothing: activate the account first")
        customer = self._customer(account)
        self._stripe.expire_sessions(customer.customer_id)  # first: what one of them has led to is seen below
        subscriptions = self._stripe.subscriptions(customer.customer_id)
        if any(one.status not in OVER for one in subscriptions):
            raise NotPossible("there is a subscription already: change it in the customer portal")
        tried = any(one.status == ENDED for one in subscriptions)
        days = 0 if tried else self.trial_days(customer)
        return self._stripe.make_session(customer.customer_id, account.account_id, price, days, self._back)

    def trial_days(self, customer: CustomerRecord | None) -> int:
        """How long the next subscription is free of charge, as far as is known here; 0 for all but the first."""
        is_first = customer is None or customer.subscription_id is None
        return self._settings.trial_days if is_first else 0

    def portal(self, named: str) -> str:
        """The address of Stripe's page on which the account changes its card or tier, or cancels."""
        return self._stripe.make_portal(self._known(named).customer_id, None, self._back)

    def cancellation(self, named: str) -> str:
        """The address of Stripe's page on which the account cancels its subscription."""
        customer = self._known(named)
        if customer.subscription_id is None or customer.stripe_status in OVER:
            raise NotPossible(f"{named} has no subscription to cancel")
        return self._stripe.make_portal(customer.customer_id, customer.subscription_id, self._back)

    def customer(self, named: str) -> CustomerRecord | None:
        """What Stripe last said of the account; None where it knows no such customer. Stripe is not asked."""
        account_id = self._accounts.account(named).account_id
        with self._database.reading() as session:
            return BillingRepository(session.connection()).of_account(account_id)

    def governs(self, named: str) -> bool:
        """Whether the account's tier follows a subscription at Stripe: what is set by hand does not last then."""
        return _governs(self.customer(named))

    def require(self, named: str) -> None:
        """From now on the account is served with a subscription alone, as who signs up; its webhooks are paused.

        For accounts from before Stripe was set up, or that an operator served. NotPossible where one has begun.
        """
        account_id, footing = self._accounts.account(named).account_id, unpaid(self._tiers)
        given = Entitlement(footing.tier, footing.status, None, has_webhooks=False)
        with self._database.writing() as session:
            billing = BillingRepository(session.connection())
            billing.lock(account_id)
            if _governs(billing.of_account(account_id)):
                raise NotPossible(f"{named} has a subscription already")
            billing.entitle(account_id, given, self._clock.now())

    def refresh(self, named: str) -> Standing | None:
        """Asks Stripe anew and stores what follows; None where no subscription has begun."""
        return self._bring_up(self._known(named), None)

    def all_accounts(self) -> list[str]:
        """Ids of the accounts that Stripe knows."""
        with self._database.reading() as session:
            return BillingRepository(session.connection()).all_accounts()

    def read(self, body: bytes, signature: bytes | None) -> Event:
        """The event, once its signature was found right. Waits for nothing."""
        check_signature(body, signature, self._settings.signing_secret, self._clock.wall())
        try:
            return msgspec.json.decode(body, type=Event)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Forged(f"The body is no event: {error}") from None

    def act(self, event: Event) -> None:
        """Does what follows of an event. One that was acted upon, or concerns nobody here, changes nothing."""
        customer_id = event.customer_id
        if event.type not in EVENTS or customer_id is None:
            return
        with self._database.reading() as session:
            billing = BillingRepository(session.connection())
            seen, customer = billing.has_seen(event.id), billing.of_customer(customer_id)
        if customer is None:
            _LOGGER.warning("Stripe told of %s, a customer of no account here (%s)", customer_id, event.type)
        elif not seen:
            self._bring_up(customer, event)

    def _bring_up(self, customer: CustomerRecord, event: Event | None) -> Standing | None:
        for _ in range(_TRIES):
            found = self._ask(customer)
            if self._store(customer, found, event):
                return found
            customer = self._known(customer.account_id)
        raise StripeUnavailable(f"others changed {customer.account_id} {_TRIES} times meanwhile: try again")

    def _ask(self, customer: CustomerRecord) -> Standing | None:
        subscriptions = self._stripe.subscriptions(customer.customer_id)
        doubts = undecided(subscriptions)
        paid = {
            subscription_id for subscription_id, end in doubts if self._stripe.has_paid(subscription_id, end)
        }
        found = standing(subscriptions, paid, self._settings.tier_of, self._tiers)
        if found is None and customer.subscription_id is not None:
            return gone(customer.subscription_id, self._tiers)
        return found

    def _store(self, seen: CustomerRecord, found: Standing | None, event: Event | None) -> bool:
        """All in one commit; False where another has stored since `seen` was read."""
        now = self._clock.now()
        told = found and Told(found.subscription_id, found.stripe_status, found.ends_at)
        with self._database.writing() as session:
            billing = BillingRepository(session.connection())
            if not billing.settle(seen, told, now):
                return False
            if found is not None and not _is_old_end(seen, found):
                webhooks = found.is_served and self._tiers.named(found.tier).webhooks
                given = Entitlement(found.tier, found.status, found.trial_ends_at, webhooks)
                billing.entitle(seen.account_id, given, now)
            if event is not None:
                billing.note_event(event.id, event.type, now, now - KEPT)
        return True

    def _known(self, named: str) -> CustomerRecord:
        found = self.customer(named)
        if found is None:
            raise NotPossible(f"{named} has never been to a checkout; begin with: firm billing checkout")
        return found

    def _customer(self, account: AccountRecord) -> CustomerRecord:
        """The account's customer at Stripe, made where there is none: known here before anything happens there."""
        found = self.customer(account.account_id)
        if found is not None and self._stripe.has_customer(found.customer_id):
            return found
        if found is not None:
            self._bring_up(found, None)  # what ended with a deleted customer: his events will find nobody
        former = found and found.customer_id
        customer_id = self._stripe.make_customer(account.account_id, account.email, former)
        with self._database.writing() as session:
            BillingRepository(session.connection()).name_customer(account.account_id, customer_id, former)
        return self._known(account.account_id)


def _governs(customer: CustomerRecord | None) -> bool:
    return customer is not None and customer.stripe_status not in (None, ENDED)


def _is_old_end(seen: CustomerRecord, found: Standing) -> bool:
    """Whether it had ended when Stripe was last asked: since then an operator may have given something again."""
    same = found.subscription_id == seen.subscription_id
    return same and found.stripe_status == seen.stripe_status == ENDED
