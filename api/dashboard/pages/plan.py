"""The plan page: the account's payment stage, the tiers, and the redirects to and from Stripe.

The account is taken from the session only; forms contain nothing but a tier. Requests to Stripe run in threads
of `api.billing`, and pages work without it too. Does not belong here: what Stripe's statuses mean
(`api.billing.entitlement`), the view model (`api.dashboard.plan_view`).
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from sqlalchemy.exc import SQLAlchemyError

from api.accounts.records import AccountRecord
from api.billing.errors import BillingError, BillingStateError, StripeUnavailableError
from api.billing.repository import CustomerRecord
from api.billing.return_urls import CHECKOUT, COMES_FROM, PORTAL
from api.dashboard.errors import PageError
from api.dashboard.plan_view import PlanStage, build_plan_view
from api.dashboard.routing import PageRequest, dashboard_page
from api.http.responses import HttpResponse
from api.problems.problem import service_unavailable_problem
from api.settings.billing import PLAN
from api.webhooks.subscriptions.records import DowngradedSubscription

if TYPE_CHECKING:
    from api.billing.service import BillingService
    from api.services import ApiServices

_LOGGER = logging.getLogger("firm.api")
_RETRY_AFTER = 2
_LISTED = 50
_RUNNING = (PlanStage.TRIAL, PlanStage.RUNS)


@dataclass(frozen=True, slots=True)
class _AccountPlan:
    """Stored data of an account."""

    account: AccountRecord
    customer: CustomerRecord | None
    paused: Sequence[DowngradedSubscription]
    """Paused webhooks, one more than a page lists."""


@dashboard_page(PLAN)
async def show_plan(request: PageRequest) -> HttpResponse:
    """Shows the plan. After a return from Stripe its state is refreshed first: its events may arrive later."""
    service, origin = request.context.services, _return_origin(request)
    asked = None if origin is None else await _refresh_from_stripe(request)
    stored = await _load_account_plan(request)
    trial_days = 0 if service.billing_service is None else service.billing_service.trial_days(stored.customer)
    settings = service.settings
    plan = build_plan_view(stored.account, stored.customer, settings.tiers, settings.billing, trial_days)
    known = replace(request, session=replace(request.required_session, account=stored.account))
    return known.render(
        "plan.html",
        plan=plan,
        stages=PlanStage,
        notice=_return_notice(origin, asked, plan.stage),
        paused=stored.paused[:_LISTED],
        more_paused=len(stored.paused) > _LISTED,
        cache_seconds=int(settings.key_cache_seconds),
    )


@dashboard_page(f"{PLAN}/checkout", method="POST")
async def start_checkout(request: PageRequest) -> HttpResponse:
    """Redirects to Stripe's checkout; rejects a tier that is not sold."""
    billing, tier = _require_billing(request), request.form.get("tier", "")
    if tier not in billing.sold:
        raise PageError(422, "This tier is not for sale", "Go back to your plan and choose a tier with a button.")
    return await _stripe_redirect_page(request, lambda: billing.checkout(request.account_id, tier))


@dashboard_page(f"{PLAN}/portal", method="POST")
async def manage_plan(request: PageRequest) -> HttpResponse:
    """Redirects to Stripe's portal (cards, tiers, invoices).

    Also for suspended accounts, which may want to cancel.
    """
    billing = _require_billing(request)
    return await _stripe_redirect_page(request, lambda: billing.portal(request.account_id))


@dashboard_page(f"{PLAN}/cancel", method="POST")
async def cancel_plan(request: PageRequest) -> HttpResponse:
    """Redirects to Stripe's cancellation page."""
    billing = _require_billing(request)
    return await _stripe_redirect_page(request, lambda: billing.cancellation(request.account_id))


async def _stripe_redirect_page(visit: PageRequest, ask: Callable[[], str]) -> HttpResponse:
    """A page that leads to a Stripe URL.

    Not an HTTP redirect: the policy limits form targets to `'self'`, and some browsers apply it to redirects
    too.
    """
    try:
        address = await _require_billing(visit).run_in_pool(ask)
    except BillingError as error:
        raise _billing_page_error(error) from error
    except SQLAlchemyError as error:
        raise service_unavailable_problem("Your plan is temporarily unavailable.", _RETRY_AFTER) from error
    return visit.render("leaving.html", address=address)


async def _refresh_from_stripe(visit: PageRequest) -> str:
    """Refreshes the account's state from Stripe and stores it; returns the result in one word."""
    billing, limits = visit.context.services.billing_service, visit.context.services.rate_limiter
    if billing is None:
        return "unknown"
    limits.check_dashboard_changes(visit.account_id, visit.context.started_at)
    try:
        await billing.run_in_pool(lambda: billing.refresh(visit.account_id))
    except BillingStateError:
        return "unknown"  # never a Stripe customer, whatever the URL claims
    except StripeUnavailableError:
        return "away"
    except BillingError:
        _LOGGER.exception("the Stripe data of %s cannot be processed", visit.account_id)
        return "unclear"
    except SQLAlchemyError as error:
        raise service_unavailable_problem("Your plan cannot be saved at the moment.", _RETRY_AFTER) from error
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
    given = parse_qs(visit.context.query_string.decode("latin-1")).get(COMES_FROM, [])
    return given[0] if len(given) == 1 and given[0] in (CHECKOUT, PORTAL) else None


async def _load_account_plan(visit: PageRequest) -> _AccountPlan:
    try:
        return await asyncio.to_thread(_read_account_plan, visit.context.services, visit.account_id)
    except SQLAlchemyError as error:
        raise service_unavailable_problem("Your plan is temporarily unavailable.", _RETRY_AFTER) from error


def _read_account_plan(service: "ApiServices", account_id: str) -> _AccountPlan:
    accounts, billing = service.account_service, service.billing_service
    return _AccountPlan(
        accounts.account(account_id),
        None if billing is None else billing.customer(account_id),
        accounts.downgraded(account_id, _LISTED + 1),
    )


def _require_billing(visit: PageRequest) -> "BillingService":
    billing = visit.context.services.billing_service
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
