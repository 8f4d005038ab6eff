"""The fields read from Stripe's objects; all others are ignored (https://docs.stripe.com/api).

Instants are seconds since 1970. Does not belong here: what they mean for an account (`api.billing.entitlement`).
"""

from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")


class StripeList(msgspec.Struct, Generic[T], frozen=True):
    data: list[T]
    has_more: bool = False


class StripeObject(msgspec.Struct, frozen=True):
    id: str


class StripeCustomerObject(StripeObject, frozen=True):
    """A Stripe customer; of a deleted one Stripe returns only these fields."""

    deleted: bool = False


class StripeRef(msgspec.Struct, frozen=True):
    """A hosted Stripe page that a customer is redirected to."""

    url: str


class StripeRecurrence(msgspec.Struct, frozen=True):
    """How often a price is charged: every `interval_count` `interval`s (day, week, month, year)."""

    interval: str
    interval_count: int


class StripePrice(msgspec.Struct, frozen=True):
    """The price of a period, in minor currency units; no `unit_amount` for usage-based prices."""

    id: str
    active: bool
    currency: str
    unit_amount: int | None = None
    recurring: StripeRecurrence | None = None


class StripeSubscriptionItem(msgspec.Struct, frozen=True):
    """A subscription item and when its current billing period began."""

    price: StripeObject
    current_period_start: int


class StripeSubscription(msgspec.Struct, frozen=True):
    """A Stripe subscription. `status` is Stripe's, see `api.billing.entitlement`."""

    id: str
    status: str
    created: int
    items: StripeList[StripeSubscriptionItem]
    trial_start: int | None = None
    trial_end: int | None = None
    cancel_at: int | None = None


class StripeInvoice(msgspec.Struct, frozen=True):
    """An invoice. `amount_paid` in minor units; `billing_reason` is Stripe's code."""

    amount_paid: int
    billing_reason: str | None = None


class StripeEventData(msgspec.Struct, frozen=True):
    """The object of an event, as of then; only its customer is used."""

    object: dict[str, Any]


class StripeEventMessage(msgspec.Struct, frozen=True):
    id: str
    type: str
    data: StripeEventData

    @property
    def customer_id(self) -> str | None:
        """Id of the customer concerned; None if the event names none."""
        named = self.data.object
        customer = named.get("id") if named.get("object") == "customer" else named.get("customer")
        if isinstance(customer, dict):
            customer = customer.get("id")
        return customer if isinstance(customer, str) else None


class StripeErrorDetail(msgspec.Struct, frozen=True):
    message: str | None = None
    code: str | None = None


class StripeErrorBody(msgspec.Struct, frozen=True):
    error: StripeErrorDetail
