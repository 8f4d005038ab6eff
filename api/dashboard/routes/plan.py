"""The plan: how the account stands, the tiers, and the ways to Stripe's pages and back.

Which account is meant is known by the session alone; forms name a tier and nothing else. Stripe is asked in threads
of `api.billing`, and pages are shown without it too. Does not belong here: what Stripe's words mean
(`api.billing.standing`), what a page says of them (`api.dashboard.plans`).
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from sqlalchemy.exc import SQLAlchemyError

from api.answers import Answer
from api.billing.errors import BillingError, NotPossible, StripeUnavailable
from api.billing.returns import CHECKOUT, COMES_FROM, PLAN, PORTAL
from api.dashboard.pages import Visit, page
from api.dashboard.plans import Stage, plan_of
from api.dashboard.refusals import Refused
from api.db.billing import CustomerRecord
from api.db.records import AccountRecord
from api.db.subscription_records import Downgraded
from api.problems import unavailable
from api.service import Service

if TYPE_CHECKING:
    from api.billing.service import Billing

_LOGGER = logging.getLogger("firm.api")
_RETRY_AFTER = 2
_LISTED = 50
_RUNNING = (Stage.TRIAL, Stage.RUNS)


@dataclass(frozen=True, slots=True)
class _Stored:
    """What is stored of an account."""

    account: AccountRecord
    customer: CustomerRecord | None
    paused: Sequence[Downgraded]
    """Webhooks, one more than a page lists."""


@page(PLAN)
async def show_plan(visit: Visit) -> Answer:
    """For whoever comes back from Stripe it is asked first: its events may come later than he does."""
    service, origin = visit.call.service, _origin(visit)
    asked = None if origin is None else await _ask_anew(visit)
    stored = await _stored(visit)
    trial_days = 0 if service.billing is None else service.billing.trial_days(stored.customer)
    settings = service.settings
    plan = plan_of(stored.account, stored.customer, settings.tiers, settings.billing, trial_days)
    known = replace(visit, signed_in=replace(visit.known, account=stored.account))
    return known.render(
        "plan.html",
        plan=plan,
        stages=Stage,
        notice=_notice(origin, asked, plan.stage),
        paused=stored.paused[:_LISTED],
        more_paused=len(stored.paused) > _LISTED,
        cache_seconds=int(settings.key_cache_seconds),
    )


@page(f"{PLAN}/checkout", method="POST")
async def begin_plan(visit: Visit) -> Answer:
    """To the page on which a card is left. The tier is one that is sold, or nothing happens."""
    billing, tier = _billing(visit), visit.form.get("tier", "")
    if tier not in billing.sold:
        raise Refused(422, "That tier is not sold", "Go back to your plan and choose one that has a button.")
    return await _lead(visit, lambda: billing.checkout(visit.account_id, tier))


@page(f"{PLAN}/portal", method="POST")
async def manage_plan(visit: Visit) -> Answer:
    """To the page with cards, tiers and invoices; open to suspended accounts too, which may want to end it."""
    billing = _billing(visit)
    return await _lead(visit, lambda: billing.portal(visit.account_id))


@page(f"{PLAN}/cancel", method="POST")
async def cancel_plan(visit: Visit) -> Answer:
    """To the page that asks whether to cancel."""
    billing = _billing(visit)
    return await _lead(visit, lambda: billing.cancellation(visit.account_id))


async def _lead(visit: Visit, ask: Callable[[], str]) -> Answer:
    """A page that leads on to an address of Stripe's.

    No redirect: what forms may lead to is `'self'`, and some browsers hold redirects to it.
    """
    try:
        address = await _billing(visit).apart(ask)
    except BillingError as error:
        raise _refused(error) from error
    except SQLAlchemyError as error:
        raise unavailable("Your plan cannot be read or changed at this moment.", _RETRY_AFTER) from error
    return visit.render("leaving.html", address=address)


async def _ask_anew(visit: Visit) -> str:
    """Has Stripe asked how the account stands, and stored; in one word, what came of it."""
    billing, limits = visit.call.service.billing, visit.call.service.limits
    if billing is None:
        return "unknown"
    limits.check_change(visit.account_id, visit.call.started)
    try:
        await billing.apart(lambda: billing.refresh(visit.account_id))
    except NotPossible:
        return "unknown"  # the account has never been there, whatever the address says
    except StripeUnavailable:
        return "away"
    except BillingError:
        _LOGGER.exception("what Stripe says of %s cannot be followed", visit.account_id)
        return "unclear"
    except SQLAlchemyError as error:
        raise unavailable("Your plan cannot be stored at this moment.", _RETRY_AFTER) from error
    return "heard"


def _notice(origin: str | None, asked: str | None, stage: Stage) -> str | None:
    """What is said to whoever comes back."""
    if asked in ("away", "unclear"):
        return asked
    if asked != "heard" or origin != CHECKOUT:
        return None
    return "begun" if stage in _RUNNING else "pending"


def _origin(visit: Visit) -> str | None:
    """Where he says that he comes from; None where the address says nothing that Stripe was given."""
    given = parse_qs(visit.call.query.decode("latin-1")).get(COMES_FROM, [])
    return given[0] if len(given) == 1 and given[0] in (CHECKOUT, PORTAL) else None


async def _stored(visit: Visit) -> _Stored:
    try:
        return await asyncio.to_thread(_read, visit.call.service, visit.account_id)
    except SQLAlchemyError as error:
        raise unavailable("Your plan cannot be read at this moment.", _RETRY_AFTER) from error


def _read(service: Service, account_id: str) -> _Stored:
    accounts, billing = service.accounts, service.billing
    return _Stored(
        accounts.account(account_id),
        None if billing is None else billing.customer(account_id),
        accounts.downgraded(account_id, _LISTED + 1),
    )


def _billing(visit: Visit) -> "Billing":
    billing = visit.call.service.billing
    if billing is None:
        raise Refused(404, "Nothing is sold here", "Whoever runs this service sets the tier: ask there.")
    return billing


def _refused(error: BillingError) -> Refused:
    """In words for a customer; those of the error are an operator's."""
    if isinstance(error, StripeUnavailable):
        return Refused(
            503, "Stripe cannot be reached", "Nothing was changed and nothing charged. Try again in a minute."
        )
    if isinstance(error, NotPossible):
        return Refused(
            409, "That is not possible now", "Your plan has changed meanwhile: its page shows how it stands."
        )
    _LOGGER.error("a customer could not be led to Stripe", exc_info=error)
    return Refused(
        502,
        "Stripe did not accept that",
        "Nothing was changed and nothing charged. It is in the log of whoever runs this service: write there if it "
        "lasts.",
    )
