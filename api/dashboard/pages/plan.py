"""The plan page: the account's payment stage, the tiers, and the redirects to and from Stripe.

The account is taken from the session only; forms contain nothing but a tier. Requests to Stripe run in threads
of `api.billing`, and pages work without it too. The view model is made from stored data. Does not belong here: what
Stripe's statuses mean for an account (`api.billing.entitlement`), or the texts (`templates/plan.html`).
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from litestar import get, post

from api.accounts.repository import AccountRecord
from api.billing.entitlement import ENDED
from api.billing.errors import BillingError, BillingStateError, StripeUnavailableError
from api.billing.repository import CustomerRecord
from api.billing.return_urls import CHECKOUT, COMES_FROM, PORTAL
from api.dashboard.html_forms import PageError, unavailable_without_database
from api.dashboard.routing import CurrentPage, PageRequest
from api.http.responses import HttpResponse
from api.settings.billing import PLAN, BillingSettings
from api.settings.tiers import Tier, TierCatalogue
from api.webhooks.subscriptions.models import DowngradedSubscription

UNPUBLISHED: Final = "shown at checkout"
UNSOLD: Final = "not available"


class PlanStage(StrEnum):
    """Payment stage of an account."""

    MANUAL = "by hand"
    """Billing is off: an operator sets tiers."""
    GRANTED = "given"
    """An operator has given the tier; nothing is charged."""
    NONE = "none"
    """No subscription has been started."""
    TRIAL = "trial"
    RUNS = "runs"
    PAST_DUE = "late"
    """Served while Stripe retries a payment."""
    LAPSED = "lapsed"
    """Not served: unpaid after the trial, or Stripe has given up."""
    ENDED = "ended"


_BEFORE: Final = (PlanStage.GRANTED, PlanStage.NONE, PlanStage.ENDED)
"""Stages in which a subscription may be started."""
_SERVED: Final = {"trialing": PlanStage.TRIAL, "active": PlanStage.RUNS, "past_due": PlanStage.PAST_DUE}


@dataclass(frozen=True, slots=True)
class TierOffer:
    """One tier as offered to this account; `price` is per month, as text."""

    tier: Tier
    price: str
    is_sold: bool
    is_current: bool


@dataclass(frozen=True, slots=True)
class PlanView:
    """Everything the page shows about one account."""

    stage: PlanStage
    tier: Tier
    trial_ends_at: datetime | None
    ends_at: datetime | None
    """End of a cancelled subscription."""
    offers: Sequence[TierOffer]
    trial_days: int
    """For a subscription started now."""
    can_subscribe: bool
    can_cancel: bool
    has_portal: bool


def build_plan_view(
    account: AccountRecord,
    customer: CustomerRecord | None,
    tiers: TierCatalogue,
    billing: BillingSettings,
    trial_days: int,
) -> PlanView:
    """Builds the view model; `customer` is Stripe's last known state, None if there is no such customer."""
    stage, tier = _plan_stage(account, customer, billing.is_on), tiers.tier_by_name(account.tier)
    begins = stage in _BEFORE and account.status != "suspended"
    begun = customer is not None and customer.stripe_status is not None
    ends_at = None if customer is None or stage in (*_BEFORE, PlanStage.MANUAL) else customer.ends_at
    return PlanView(
        stage=stage,
        tier=tier,
        trial_ends_at=account.trial_ends_at,
        ends_at=ends_at,
        offers=[_tier_offer(one, tier, billing) for one in tiers.by_name.values()],
        trial_days=trial_days,
        can_subscribe=begins,
        can_cancel=begun and stage not in (*_BEFORE, PlanStage.MANUAL) and ends_at is None,
        has_portal=begun and billing.is_on,
    )


def price_text(tier: Tier, billing: BillingSettings) -> str:
    """The configured monthly price, or a placeholder if none is published."""
    if tier.monthly_cents is not None:
        dollars, cents = divmod(tier.monthly_cents, 100)
        return f"{dollars:,}.{cents:02d} USD" if cents else f"{dollars:,} USD"
    return UNPUBLISHED if billing.price_of(tier.name) else UNSOLD


def _tier_offer(tier: Tier, current: Tier, billing: BillingSettings) -> TierOffer:
    is_sold = billing.is_on and billing.price_of(tier.name) is not None
    return TierOffer(tier, price_text(tier, billing), is_sold, tier.name == current.name)


def _plan_stage(account: AccountRecord, customer: CustomerRecord | None, accounts_pay: bool) -> PlanStage:
    told = None if customer is None else customer.stripe_status
    if not accounts_pay:
        return PlanStage.MANUAL
    if told is None or told == ENDED:
        unserved = PlanStage.NONE if told is None else PlanStage.ENDED
        return PlanStage.GRANTED if account.status == "active" else unserved
    if account.status == "payment_required":
        return PlanStage.LAPSED
    # activated by an operator despite the missing payment: served until the next update from Stripe
    return _SERVED.get(told, PlanStage.PAST_DUE if account.status == "active" else PlanStage.LAPSED)


if TYPE_CHECKING:
    from api.billing.service import BillingService
    from api.services import ApiServices

_LOGGER = logging.getLogger("firm.api")
_UNAVAILABLE = "Your plan is temporarily unavailable."
_LISTED = 50
_RUNNING = (PlanStage.TRIAL, PlanStage.RUNS)


@get(PLAN)
async def show_plan(page: CurrentPage) -> HttpResponse:
    """Shows the plan. After a return from Stripe its state is refreshed first: its events may arrive later."""
    service, origin = page.services, _return_origin(page)
    asked = None if origin is None else await _refresh_from_stripe(page)
    with unavailable_without_database(_UNAVAILABLE):
        account, customer, paused = await asyncio.to_thread(_read_account_plan, service, page.account_id)
    trial_days = 0 if service.billing_service is None else service.billing_service.trial_days(customer)
    settings = service.settings
    plan = build_plan_view(account, customer, settings.tiers, settings.billing, trial_days)
    known = replace(page, session=replace(page.required_session, account=account))
    return known.render(
        "plan.html",
        plan=plan,
        stages=PlanStage,
        notice=_return_notice(origin, asked, plan.stage),
        paused=paused[:_LISTED],
        more_paused=len(paused) > _LISTED,
        cache_seconds=int(settings.key_cache_seconds),
    )


@post(f"{PLAN}/checkout")
async def start_checkout(page: CurrentPage) -> HttpResponse:
    """Redirects to Stripe's checkout; rejects a tier that is not sold."""
    billing, tier = _require_billing(page), page.form.get("tier", "")
    if tier not in billing.sold:
        raise PageError(422, "This tier is not for sale", "Go back to your plan and choose a tier with a button.")
    return await _stripe_redirect_page(page, lambda: billing.checkout(page.account_id, tier))


@post(f"{PLAN}/portal")
async def manage_plan(page: CurrentPage) -> HttpResponse:
    """Redirects to Stripe's portal (cards, tiers, invoices).

    Also for suspended accounts, which may want to cancel.
    """
    billing = _require_billing(page)
    return await _stripe_redirect_page(page, lambda: billing.portal(page.account_id))


@post(f"{PLAN}/cancel")
async def cancel_plan(page: CurrentPage) -> HttpResponse:
    """Redirects to Stripe's cancellation page."""
    billing = _require_billing(page)
    return await _stripe_redirect_page(page, lambda: billing.cancellation(page.account_id))


async def _stripe_redirect_page(visit: PageRequest, ask: Callable[[], str]) -> HttpResponse:
    """A page that leads to a Stripe URL.

    Not an HTTP redirect: the policy limits form targets to `'self'`, and some browsers apply it to redirects
    too.
    """
    try:
        with unavailable_without_database(_UNAVAILABLE):
            address = await _require_billing(visit).run_in_pool(ask)
    except BillingError as error:
        raise _billing_page_error(error) from error
    return visit.render("leaving.html", address=address)


async def _refresh_from_stripe(visit: PageRequest) -> str:
    """Refreshes the account's state from Stripe and stores it; returns the result in one word."""
    billing, limits = visit.services.billing_service, visit.services.rate_limiter
    if billing is None:
        return "unknown"
    limits.check_dashboard_changes(visit.account_id, visit.context.started_at)
    try:
        with unavailable_without_database("Your plan cannot be saved at the moment."):
            await billing.run_in_pool(lambda: billing.refresh(visit.account_id))
    except BillingStateError:
        return "unknown"  # never a Stripe customer, whatever the URL claims
    except StripeUnavailableError:
        return "away"
    except BillingError:
        _LOGGER.exception("the Stripe data of %s cannot be processed", visit.account_id)
        return "unclear"
    return "heard"


def _return_notice(origin: str | None, asked: str | None, stage: PlanStage) -> str | None:
    """The message after a return from Stripe."""
    if asked in ("away", "unclear"):
        return asked
    if asked != "heard" or origin != CHECKOUT:
        return None
    return "begun" if stage in _RUNNING else "pending"


def _return_origin(visit: PageRequest) -> str | None:
    """The claimed origin of a return from Stripe; None if it is not a value we gave to Stripe."""
    given = visit.query_values(COMES_FROM)
    return given[0] if len(given) == 1 and given[0] in (CHECKOUT, PORTAL) else None


def _read_account_plan(
    service: "ApiServices", account_id: str
) -> tuple[AccountRecord, CustomerRecord | None, Sequence[DowngradedSubscription]]:
    """The account, its Stripe customer, and its paused webhooks: one more than a page lists."""
    accounts, billing = service.account_service, service.billing_service
    return (
        accounts.account(account_id),
        None if billing is None else billing.customer(account_id),
        accounts.downgraded(account_id, _LISTED + 1),
    )


def _require_billing(visit: PageRequest) -> "BillingService":
    billing = visit.services.billing_service
    if billing is None:
        raise PageError(404, "Online payment is not available", "Contact support to change your tier.")
    return billing


def _billing_page_error(error: BillingError) -> PageError:
    """The error in words for a customer; the original text is for operators."""
    if isinstance(error, StripeUnavailableError):
        return PageError(503, "Stripe cannot be reached", "Nothing was changed or charged. Try again in a minute.")
    if isinstance(error, BillingStateError):
        return PageError(
            409,
            "This is not possible at the moment",
            "Your plan has changed in the meantime: its page shows the current state.",
        )
    _LOGGER.error("a customer could not be redirected to Stripe", exc_info=error)
    return PageError(
        502,
        "Stripe rejected the request",
        "Nothing was changed or charged. The error has been logged; contact support if it persists.",
    )
