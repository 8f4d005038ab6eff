"""Derives an account's entitlement (tier, and whether it is served) from its Stripe subscriptions.

| status at Stripe | effect on the account |
|---|---|
| `trialing`, `active` | served on the tier of the price |
| `past_due` | served while Stripe retries the charge, if anything was paid since the trial |
| `past_due` with nothing paid since the trial, in whichever period; `unpaid`, `paused` | lapsed |
| `canceled` | ended |
| `incomplete`, `incomplete_expired` | not begun: no effect |

A lapsed or ended account gets 402 and the first tier until it pays again: no part of a tier, webhooks least of all,
is free. New accounts start in the same state where billing is on (`sign_up_state`). Of several subscriptions the
most valuable one counts. Pure functions. Does not belong here: requests to Stripe (`api.billing.stripe_client`),
storing (`api.billing.repository`).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import IntEnum
from typing import Final

from api.billing.errors import StripeMappingError
from api.billing.stripe_models import StripeSubscription
from api.settings.tiers import TierCatalogue


class SubscriptionRank(IntEnum):
    """Value of a subscription, lowest first."""

    ENDED = 0
    LAPSED = 1
    SERVED = 2


ENDED: Final = "canceled"
_WORTH: Final[Mapping[str, SubscriptionRank | None]] = {
    "trialing": SubscriptionRank.SERVED,
    "active": SubscriptionRank.SERVED,
    "past_due": SubscriptionRank.SERVED,
    "unpaid": SubscriptionRank.LAPSED,
    "paused": SubscriptionRank.LAPSED,
    ENDED: SubscriptionRank.ENDED,
    "incomplete": None,
    "incomplete_expired": None,
}
OVER: Final = (ENDED, "incomplete", "incomplete_expired")
"""Statuses in which another subscription may begin."""
_PAID: Final = ("trialing", "active")
"""Statuses without open payments."""


@dataclass(frozen=True, slots=True)
class SignUpState:
    """Tier and status (`active` or `payment_required`) of an account without a subscription."""

    tier: str
    status: str
    trial_ends_at: None = None


def unpaid_state(tiers: TierCatalogue) -> SignUpState:
    """State of an unpaid account: there is no free tier (docs/contract/keys-and-limits.md 3.3).

    The owner can sign in, make keys and choose a plan; requests with the keys get 402.
    """
    return SignUpState(tiers.names[0], "payment_required")


def sign_up_state(tiers: TierCatalogue, *, accounts_pay: bool) -> SignUpState:
    """State of a new account. Without billing: the first tier, active; an operator assigns others."""
    return unpaid_state(tiers) if accounts_pay else SignUpState(tiers.names[0], "active")


@dataclass(frozen=True, slots=True)
class Entitlement:
    """Entitlement derived from the subscription that counts. Instants are UTC."""

    tier: str
    status: str
    """`active` or `payment_required`, as in `api.accounts.service`."""
    trial_ends_at: datetime | None
    """End of a running trial, or of one not paid for since; None once paid, or without a trial."""
    subscription_id: str
    stripe_status: str
    ends_at: datetime | None
    """When a cancelled subscription ends; None if it continues."""

    @property
    def is_served(self) -> bool:
        return self.status == "active"


def unresolved_trials(subscriptions: Sequence[StripeSubscription]) -> list[tuple[str, int]]:
    """Subscriptions with an unclear payment after their trial, as (id, end of trial).

    They owe something after the trial: the first period, a later one (Stripe begins periods while it retries), or a
    charge such as the difference to a better tier.
    """
    return [
        (one.id, one.trial_end)
        for one in subscriptions
        if one.status not in _PAID and one.trial_end is not None and _is_trial_over(one)
    ]


def entitlement_for(
    subscriptions: Sequence[StripeSubscription], paid: Collection[str], tier_of: Mapping[str, str], tiers: TierCatalogue
) -> Entitlement | None:
    """Returns the entitlement; None if no subscription has ever begun, and the account stays unchanged.

    `paid`: ids among `unresolved_trials` with a payment after their trial. `tier_of` maps prices to tiers. Raises
    StripeMappingError for an unknown status, or if the customer pays for a price not in the settings.
    """
    judged = [(_subscription_value(one, paid), _tier_name(one, tier_of), one) for one in subscriptions]
    ours = [
        (worth, tiers.names.index(tier), one.created, one)
        for worth, tier, one in judged
        if worth is not None and tier is not None
    ]
    best = max(ours, key=lambda each: each[:3], default=None)
    if best is None or best[0] is not SubscriptionRank.SERVED:
        _check_prices_known(judged)
    if best is None:
        return None
    worth, tier_index, _, subscription = best
    is_served = worth is SubscriptionRank.SERVED
    footing = SignUpState(tiers.names[tier_index], "active") if is_served else unpaid_state(tiers)
    return Entitlement(
        tier=footing.tier,
        status=footing.status,
        trial_ends_at=_from_unix_seconds(subscription.trial_end) if _is_unpaid(subscription, paid) else None,
        subscription_id=subscription.id,
        stripe_status=subscription.status,
        ends_at=_from_unix_seconds(subscription.cancel_at) if worth is not SubscriptionRank.ENDED else None,
    )


def ended_entitlement(subscription_id: str, tiers: TierCatalogue) -> Entitlement:
    """Entitlement of a customer that lost this subscription because Stripe no longer lists any."""
    footing = unpaid_state(tiers)
    return Entitlement(footing.tier, footing.status, None, subscription_id, ENDED, None)


def _subscription_value(subscription: StripeSubscription, paid: Collection[str]) -> SubscriptionRank | None:
    if subscription.status not in _WORTH:
        raise StripeMappingError(
            f"Stripe says that {subscription.id} is {subscription.status!r}, which this version does not know: "
            "nothing was changed; update the service"
        )
    if subscription.status == "past_due" and _is_trial_over(subscription) and subscription.id not in paid:
        return SubscriptionRank.LAPSED
    return _WORTH[subscription.status]


def _is_unpaid(subscription: StripeSubscription, paid: Collection[str]) -> bool:
    """Whether the trial runs, or no period after it was paid."""
    if subscription.status in _PAID:
        return subscription.status == "trialing"
    return subscription.trial_start is not None and subscription.id not in paid


def _is_trial_over(subscription: StripeSubscription) -> bool:
    """Whether there was a trial and the current period began with its end or later."""
    end = subscription.trial_end
    return end is not None and any(item.current_period_start >= end for item in subscription.items.data)


def _tier_name(subscription: StripeSubscription, tier_of: Mapping[str, str]) -> str | None:
    """The tier of the first item with a known price."""
    prices = (item.price.id for item in subscription.items.data)
    return next((tier_of[price] for price in prices if price in tier_of), None)


def _check_prices_known(judged: Sequence[tuple[SubscriptionRank | None, str | None, StripeSubscription]]) -> None:
    """Rejects unknown prices, so that a paying customer is not refused over a missing setting."""
    for worth, tier, one in judged:
        if worth is SubscriptionRank.SERVED and tier is None:
            prices = ", ".join(item.price.id for item in one.items.data)
            raise StripeMappingError(
                f"{one.id} is {one.status} at a price that FIRM_STRIPE_PRICES does not name ({prices}): "
                "nothing was changed; add it with its tier and run: firm billing sync"
            )


def _from_unix_seconds(seconds: int | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
