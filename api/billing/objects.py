"""What is read of Stripe's objects; all else in them is passed over (https://docs.stripe.com/api).

Instants are seconds since 1970. Does not belong here: what they mean for an account (`api.billing.standing`).
"""

from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")


class Listed(msgspec.Struct, Generic[T], frozen=True):
    """One page of a list."""

    data: list[T]
    has_more: bool = False


class Named(msgspec.Struct, frozen=True):
    """Whatever has an id."""

    id: str


class Customer(msgspec.Struct, frozen=True):
    """Somebody who pays; one that was deleted is answered with no more than that."""

    id: str
    deleted: bool = False


class Linked(msgspec.Struct, frozen=True):
    """A page of Stripe's that a customer is sent to."""

    url: str


class Recurring(msgspec.Struct, frozen=True):
    """How often a price is charged: every `interval_count` `interval`s (day, week, month, year)."""

    interval: str
    interval_count: int


class Price(msgspec.Struct, frozen=True):
    """What a period costs, in minor units of its currency; no `unit_amount` where it depends on what is used."""

    id: str
    active: bool
    currency: str
    unit_amount: int | None = None
    recurring: Recurring | None = None


class Item(msgspec.Struct, frozen=True):
    """What is subscribed to, and the period that is paid for or due."""

    price: Named
    current_period_start: int
    current_period_end: int


class Subscription(msgspec.Struct, frozen=True):
    """Stripe's word on what a customer subscribes to. `status` is Stripe's, see `api.billing.standing`."""

    id: str
    status: str
    created: int
    items: Listed[Item]
    trial_start: int | None = None
    trial_end: int | None = None
    cancel_at: int | None = None


class Invoice(msgspec.Struct, frozen=True):
    """What was asked for. `amount_paid` in minor units; `billing_reason` is Stripe's word for why."""

    amount_paid: int
    billing_reason: str | None = None


class Happened(msgspec.Struct, frozen=True):
    """The object of an event as it was then: only whose it is counts."""

    object: dict[str, Any]


class Event(msgspec.Struct, frozen=True):
    """Something happened at Stripe."""

    id: str
    type: str
    data: Happened

    @property
    def customer_id(self) -> str | None:
        """Whom it concerns; None where it names no customer."""
        named = self.data.object
        customer = named.get("id") if named.get("object") == "customer" else named.get("customer")
        if isinstance(customer, dict):
            customer = customer.get("id")
        return customer if isinstance(customer, str) else None


class Fault(msgspec.Struct, frozen=True):
    """Why Stripe refuses."""

    message: str | None = None
    code: str | None = None


class Refusal(msgspec.Struct, frozen=True):
    """The body of a refusal."""

    error: Fault
