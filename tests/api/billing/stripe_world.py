"""What a small Stripe knows and lives through, after its documentation: customers, sessions, subscriptions, a clock.

What customers and Stripe itself do (`complete`, `change_price`, `pass_time` …) are methods; each notes the events that
Stripe would send, with the object as it was at that moment, and sends none: tests deliver them, in what order they like.
Does not belong here: what is asked of it over HTTP (`stripe_server`).
"""

import itertools
from collections.abc import Callable
from copy import deepcopy
from typing import Any

DAY = 86_400
MONTH = 30 * DAY


class StripeWorld:
    """`now`: the clock it lives by, seconds since 1970."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self.numbers = itertools.count(1)
        self.forget()

    def forget(self) -> None:
        self.prices: dict[str, dict[str, Any]] = {
            "price_basic": {"unit_amount": 900},
            "price_pro": {"unit_amount": 14_900},
        }
        self.customers: dict[str, dict[str, Any]] = {}
        self.sessions: dict[str, dict[str, Any]] = {}
        self.subscriptions: dict[str, dict[str, Any]] = {}
        self.created_by_key: dict[str, str] = {}
        self.events: list[dict[str, Any]] = []
        self.declining: set[str] = set()
        self.paid: set[str] = set()
        """Subscriptions of which an invoice was paid."""

    # -- what customers do -------------------------------------------------------------------------------------

    def complete(self, url: str) -> str:
        """The customer leaves a card on the page of that address and subscribes; the subscription's id."""
        session = next(one for one in self.sessions.values() if one["url"] == url)
        assert session["status"] == "open", "the page says that it has expired"
        session["status"] = "complete"
        subscription = self._subscribed(session)
        self._tell("checkout.session.completed", session)
        self._tell("customer.subscription.created", subscription)
        if subscription["status"] == "active":
            self._tell("invoice.paid", self._invoice(subscription))
        return subscription["id"]

    def change_price(self, subscription_id: str, price: str) -> None:
        """In the portal."""
        self._change(subscription_id, lambda one: one["items"]["data"][0].update(price={"id": price}))

    def cancel_at_end(self, subscription_id: str) -> None:
        self._change(
            subscription_id,
            lambda one: one.update(
                cancel_at=one["items"]["data"][0]["current_period_end"], cancel_at_period_end=True
            ),
        )

    def renew(self, subscription_id: str) -> None:
        """Takes a cancellation back before it has come."""
        self._change(subscription_id, lambda one: one.update(cancel_at=None, cancel_at_period_end=False))

    # -- what Stripe does --------------------------------------------------------------------------------------

    def pass_time(self) -> None:
        """Does all that is due by the clock: trials end, periods begin, cards are charged, subscriptions end."""
        for one in self.subscriptions.values():
            while one["status"] in ("trialing", "active", "past_due"):
                item = one["items"]["data"][0]
                if one["cancel_at"] is not None and one["cancel_at"] <= self.now():
                    self.end(one["id"])
                elif item["current_period_end"] <= self.now():
                    self._next_period(one, item)
                else:
                    break

    def retry(self, subscription_id: str) -> None:
        """Charges the card again for what is open."""
        one = self.subscriptions[subscription_id]
        if one["status"] in ("past_due", "unpaid"):
            self._charge(one)

    def give_up(self, subscription_id: str, status: str) -> None:
        """After the last retry: `unpaid` or `canceled`, by the settings of the Stripe account."""
        if self.subscriptions[subscription_id]["status"] == "past_due":
            if status == "canceled":
                self.end(subscription_id)
            else:
                self._change(subscription_id, lambda one: one.update(status=status))

    def end(self, subscription_id: str) -> None:
        one = self.subscriptions[subscription_id]
        if one["status"] != "canceled":
            one["status"] = "canceled"
            self._tell("customer.subscription.deleted", one)

    def delete_customer(self, customer_id: str) -> None:
        for one in self.subscriptions.values():
            if one["customer"] == customer_id:
                self.end(one["id"])
        self._tell("customer.deleted", self.customers.pop(customer_id))

    def _next_period(self, one: dict[str, Any], item: dict[str, Any]) -> None:
        item["current_period_start"] = item["current_period_end"]
        item["current_period_end"] += MONTH
        one["status"] = "active" if one["status"] == "trialing" else one["status"]
        self._tell("customer.subscription.updated", one)
        self._charge(one)

    def _charge(self, one: dict[str, Any]) -> None:
        works = one["customer"] not in self.declining
        one["status"] = "active" if works else ("unpaid" if one["status"] == "unpaid" else "past_due")
        self.paid |= {one["id"]} if works else set()
        self._tell("invoice.paid" if works else "invoice.payment_failed", self._invoice(one))
        self._tell("customer.subscription.updated", one)

    def _subscribed(self, session: dict[str, Any]) -> dict[str, Any]:
        now, days = int(self.now()), session["trial_days"]
        trial_end = now + days * DAY if days else None
        item = {
            "price": {"id": session["price"]},
            "current_period_start": now,
            "current_period_end": trial_end or now + MONTH,
        }
        made = {
            "id": f"sub_{next(self.numbers)}",
            "object": "subscription",
            "customer": session["customer"],
            "status": "trialing" if days else "active",
            "created": now,
            "items": {"object": "list", "data": [item], "has_more": False},
            "trial_start": now if days else None,
            "trial_end": trial_end,
            "cancel_at": None,
            "cancel_at_period_end": False,
        }
        self.subscriptions[made["id"]] = made
        self.paid |= set() if days else {made["id"]}
        return made

    def _invoice(self, one: dict[str, Any]) -> dict[str, Any]:
        return {"id": f"in_{next(self.numbers)}", "object": "invoice", "customer": one["customer"]}

    def _change(self, subscription_id: str, change: Callable[[dict[str, Any]], None]) -> None:
        change(self.subscriptions[subscription_id])
        self._tell("customer.subscription.updated", self.subscriptions[subscription_id])

    def _tell(self, kind: str, told: dict[str, Any]) -> None:
        event = {"id": f"evt_{next(self.numbers)}", "object": "event", "type": kind}
        self.events.append(event | {"created": int(self.now()), "data": {"object": deepcopy(told)}})
