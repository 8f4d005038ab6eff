"""View model of the plan page: the account's payment stage, the tiers, and the available actions.

Pure, from stored data: no request to Stripe. Does not belong here: what Stripe's statuses mean for an account
(`api.billing.standing`), or the texts (`templates/plan.html`).
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

UNPUBLISHED: Final = "shown at checkout"
UNSOLD: Final = "not available"


class Stage(StrEnum):
    """Payment stage of an account."""

    BY_HAND = "by hand"
    """Billing is off: an operator sets tiers."""
    GIVEN = "given"
    """An operator has given the tier; nothing is charged."""
    NONE = "none"
    """No subscription has been started."""
    TRIAL = "trial"
    RUNS = "runs"
    LATE = "late"
    """Served while Stripe retries a payment."""
    LAPSED = "lapsed"
    """Not served: unpaid after the trial, or Stripe has given up."""
    ENDED = "ended"


_BEFORE: Final = (Stage.GIVEN, Stage.NONE, Stage.ENDED)
"""Stages in which a subscription may be started."""
_SERVED: Final = {"trialing": Stage.TRIAL, "active": Stage.RUNS, "past_due": Stage.LATE}


@dataclass(frozen=True, slots=True)
class Offer:
    """One tier as offered to this account; `price` is per month, as text."""

    tier: Tier
    price: str
    is_sold: bool
    is_current: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything the page shows about one account."""

    stage: Stage
    tier: Tier
    trial_ends_at: datetime | None
    ends_at: datetime | None
    """End of a cancelled subscription."""
    offers: Sequence[Offer]
    trial_days: int
    """For a subscription started now."""
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
    """Builds the view model; `customer` is Stripe's last known state, None if there is no such customer."""
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
    """The configured monthly price, or a placeholder if none is published."""
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
    # activated by an operator despite the missing payment: served until the next update from Stripe
    return _SERVED.get(told, Stage.LATE if account.status == "active" else Stage.LAPSED)
