"""What a customer's subscriptions at Stripe mean for the account: its tier, and whether it is served.

| status at Stripe | the account |
|---|---|
| `trialing`, `active` | is served on the tier of the price |
| `past_due` | is served while Stripe tries again; not after a trial that nobody ever paid for |
| `past_due` in the first period after a trial, which was not paid for, `unpaid`, `paused` | has lapsed |
| `canceled` | has ended |
| `incomplete`, `incomplete_expired` | has not begun: nothing changes by it |

What has lapsed or ended is answered 402 and has the first tier until it is paid again: nothing of a tier, webhooks
least of all, is had without paying for it. So begins whoever signs up where accounts pay (`at_sign_up`). Of several
subscriptions the one that gives most counts. Pure; does not belong here: asking Stripe (`api.billing.stripe`),
storing (`api.db.billing`).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import IntEnum
from typing import Final

from api.billing.errors import NotConfigured
from api.billing.objects import Subscription
from api.tiers import Tiers


class Worth(IntEnum):
    """What a subscription gives, least first."""

    ENDED = 0
    LAPSED = 1
    SERVED = 2


ENDED: Final = "canceled"
_WORTH: Final[Mapping[str, Worth | None]] = {
    "trialing": Worth.SERVED,
    "active": Worth.SERVED,
    "past_due": Worth.SERVED,
    "unpaid": Worth.LAPSED,
    "paused": Worth.LAPSED,
    ENDED: Worth.ENDED,
    "incomplete": None,
    "incomplete_expired": None,
}
OVER: Final = (ENDED, "incomplete", "incomplete_expired")
"""Statuses beside which another subscription may begin."""
_PAID: Final = ("trialing", "active")
"""Statuses in which nothing is owed."""


@dataclass(frozen=True, slots=True)
class Footing:
    """What an account has without a subscription: its tier, and `active` or `payment_required`."""

    tier: str
    status: str


def unpaid(tiers: Tiers) -> Footing:
    """Where accounts pay, and nothing is paid: there is no free tier (docs/contract/keys-and-limits.md 3.3).

    The owner signs in, makes keys and chooses a plan; his keys are answered 402.
    """
    return Footing(tiers.names[0], "payment_required")


def at_sign_up(tiers: Tiers, *, accounts_pay: bool) -> Footing:
    """What whoever signs up begins with. Where nobody pays, the first tier: an operator gives others."""
    return unpaid(tiers) if accounts_pay else Footing(tiers.names[0], "active")


@dataclass(frozen=True, slots=True)
class Standing:
    """What follows for the account. Instants are UTC."""

    tier: str
    status: str
    """`active` or `payment_required`, as `api.accounts` has them."""
    trial_ends_at: datetime | None
    """End of a trial that runs, or that nobody has paid for since; None once it was paid, or without one."""
    subscription_id: str
    stripe_status: str
    ends_at: datetime | None
    """When it ends because it was cancelled; None where it goes on."""

    @property
    def is_served(self) -> bool:
        return self.status == "active"


def undecided(subscriptions: Sequence[Subscription]) -> list[tuple[str, int]]:
    """Subscriptions whose status does not say whether anything was paid after their trial: id and the trial's end.

    They owe something in the first period after it: that period itself, or what came later, as the difference to
    a better tier.
    """
    return [
        (one.id, one.trial_end)
        for one in subscriptions
        if one.status not in _PAID and one.trial_end is not None and one.trial_end in _began(one)
    ]


def standing(
    subscriptions: Sequence[Subscription], paid: Collection[str], tier_of: Mapping[str, str], tiers: Tiers
) -> Standing | None:
    """None where no subscription has ever begun: then the account stays as it is.

    `paid`: ids of those `undecided` after whose trial something was paid. `tier_of` has the tier of each price.
    NotConfigured where a status is new, or where what the customer pays for now is no price of ours.
    """
    judged = [(_worth(one, paid), _tier(one, tier_of), one) for one in subscriptions]
    ours = [
        (worth, tiers.names.index(tier), one.created, one)
        for worth, tier, one in judged
        if worth is not None and tier is not None
    ]
    best = max(ours, key=lambda each: each[:3], default=None)
    if best is None or best[0] is not Worth.SERVED:
        _check_known(judged)
    if best is None:
        return None
    return _standing(best[3], best[0], tiers.names[best[1]], paid, tiers)


def gone(subscription_id: str, tiers: Tiers) -> Standing:
    """For a customer whom Stripe has no subscriptions of any more, though there was this one."""
    footing = unpaid(tiers)
    return Standing(footing.tier, footing.status, None, subscription_id, ENDED, None)


def _standing(
    subscription: Subscription, worth: Worth, tier: str, paid: Collection[str], tiers: Tiers
) -> Standing:
    footing = Footing(tier, "active") if worth is Worth.SERVED else unpaid(tiers)
    return Standing(
        tier=footing.tier,
        status=footing.status,
        trial_ends_at=_instant(subscription.trial_end) if _is_unpaid(subscription, paid) else None,
        subscription_id=subscription.id,
        stripe_status=subscription.status,
        ends_at=_instant(subscription.cancel_at) if worth is not Worth.ENDED else None,
    )


def _worth(subscription: Subscription, paid: Collection[str]) -> Worth | None:
    if subscription.status not in _WORTH:
        raise NotConfigured(
            f"Stripe says that {subscription.id} is {subscription.status!r}, which this version does not know: "
            "nothing was changed; update the service"
        )
    owes_the_first = subscription.trial_end in _began(subscription) and subscription.id not in paid
    if subscription.status == "past_due" and owes_the_first:
        return Worth.LAPSED
    return _WORTH[subscription.status]


def _is_unpaid(subscription: Subscription, paid: Collection[str]) -> bool:
    """Whether its trial runs, or was followed by no period that was paid."""
    if subscription.status in _PAID:
        return subscription.status == "trialing"
    first = {subscription.trial_start, subscription.trial_end} & _began(subscription)
    return bool(first) and subscription.id not in paid


def _began(subscription: Subscription) -> set[int | None]:
    """When the present period began; after a trial's end that is the first to be paid for."""
    return {item.current_period_start for item in subscription.items.data}


def _tier(subscription: Subscription, tier_of: Mapping[str, str]) -> str | None:
    """The tier of the first item that is one of ours."""
    prices = (item.price.id for item in subscription.items.data)
    return next((tier_of[price] for price in prices if price in tier_of), None)


def _check_known(judged: Sequence[tuple[Worth | None, str | None, Subscription]]) -> None:
    """Somebody who pays must not be refused because a price was forgotten in the settings."""
    for worth, tier, one in judged:
        if worth is Worth.SERVED and tier is None:
            prices = ", ".join(item.price.id for item in one.items.data)
            raise NotConfigured(
                f"{one.id} is {one.status} at a price that FIRM_STRIPE_PRICES does not name ({prices}): "
                "nothing was changed; add it with its tier and run: firm billing sync"
            )


def _instant(seconds: int | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
