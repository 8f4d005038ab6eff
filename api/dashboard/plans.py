"""What the page of the plan says: how the account stands, which tiers there are, what may be done about it.

Pure, out of what is stored here: Stripe is not asked for it. Does not belong here: what Stripe's words mean for an
account (`api.billing.standing`), or the sentences (`templates/plan.html`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from api.billing.settings import BillingSettings
from api.billing.standing import ENDED
from api.db.billing import CustomerRecord
from api.db.records import AccountRecord
from api.tiers import Tier, Tiers

UNPUBLISHED: Final = "shown before you pay"
UNSOLD: Final = "not sold here"


class Stage(StrEnum):
    """How an account stands with what it pays."""

    BY_HAND = "by hand"
    """Nobody pays here: an operator sets tiers."""
    GIVEN = "given"
    """An operator has given the tier; nothing is charged."""
    NONE = "none"
    """No subscription has begun."""
    TRIAL = "trial"
    RUNS = "runs"
    LATE = "late"
    """Served while Stripe tries again to get a payment."""
    LAPSED = "lapsed"
    """Not served: nothing was paid after the trial, or Stripe has given up."""
    ENDED = "ended"


_BEFORE: Final = (Stage.GIVEN, Stage.NONE, Stage.ENDED)
"""Stages in which a subscription may begin."""
_SERVED: Final = {"trialing": Stage.TRIAL, "active": Stage.RUNS, "past_due": Stage.LATE}


@dataclass(frozen=True, slots=True)
class Offer:
    """One tier as it is offered to this account; `price` is of a month, in words."""

    tier: Tier
    price: str
    is_sold: bool
    is_current: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that the page says of one account."""

    stage: Stage
    tier: Tier
    trial_ends_at: datetime | None
    ends_at: datetime | None
    """When it ends because it was cancelled."""
    offers: Sequence[Offer]
    trial_days: int
    """Of a subscription that would begin now."""
    may_begin: bool
    may_cancel: bool
    has_portal: bool


def plan_of(
    account: AccountRecord,
    customer: CustomerRecord | None,
    tiers: Tiers,
    billing: BillingSettings,
    trial_days: int,
) -> Plan:
    """`customer` is what Stripe last said, None where it knows no such customer."""
    stage, tier = _stage(account, customer, billing.is_on), tiers.named(account.tier)
    begins = stage in _BEFORE and account.status != "suspended"
    begun = customer is not None and customer.stripe_status is not None
    ends_at = None if customer is None or stage in (*_BEFORE, Stage.BY_HAND) else customer.ends_at
    return Plan(
        stage=stage,
        tier=tier,
        trial_ends_at=account.trial_ends_at,
        ends_at=ends_at,
        offers=[_offer(one, tier, billing) for one in tiers.by_name.values()],
        trial_days=trial_days,
        may_begin=begins,
        may_cancel=begun and stage not in (*_BEFORE, Stage.BY_HAND) and ends_at is None,
        has_portal=begun and billing.is_on,
    )


def price_of(tier: Tier, billing: BillingSettings) -> str:
    """What a month costs, as configured; where no price is published, what is known instead of one."""
    if tier.monthly_cents is not None:
        dollars, cents = divmod(tier.monthly_cents, 100)
        return f"{dollars:,}.{cents:02d} USD" if cents else f"{dollars:,} USD"
    return UNPUBLISHED if billing.price_of(tier.name) else UNSOLD


def _offer(tier: Tier, current: Tier, billing: BillingSettings) -> Offer:
    is_sold = billing.is_on and billing.price_of(tier.name) is not None
    return Offer(tier, price_of(tier, billing), is_sold, tier.name == current.name)


def _stage(account: AccountRecord, customer: CustomerRecord | None, accounts_pay: bool) -> Stage:
    told = None if customer is None else customer.stripe_status
    if not accounts_pay:
        return Stage.BY_HAND
    if told is None or told == ENDED:
        unserved = Stage.NONE if told is None else Stage.ENDED
        return Stage.GIVEN if account.status == "active" else unserved
    if account.status == "payment_required":
        return Stage.LAPSED
    # whom an operator has activated all the same is served until Stripe is asked again
    return _SERVED.get(told, Stage.LATE if account.status == "active" else Stage.LAPSED)
