"""View model of the plan page: the account's payment stage, the tiers, and the available actions.

Pure, from stored data: no request to Stripe. Does not belong here: what Stripe's statuses mean for an account
(`api.billing.entitlement`), or the texts (`templates/plan.html`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from api.accounts.records import AccountRecord
from api.billing.entitlement import ENDED
from api.billing.repository import CustomerRecord
from api.settings.billing import BillingSettings
from api.settings.tiers import Tier, TierCatalogue

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
