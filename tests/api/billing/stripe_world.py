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
        self.invoices: list[dict[str, Any]] = []
        self.portals: dict[str, dict[str, str]] = {}
        """What each portal session was made for, by its address."""
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
            self._pay(self._invoice(subscription, "subscription_create", 100))
        else:
            self._pay(self._invoice(subscription, "subscription_create", 0))
        return subscription["id"]

    def change_price(self, subscription_id: str, price: str) -> None:
        """In the portal; the difference is charged with the next period."""
        self._change(subscription_id, lambda one: one["items"]["data"][0].update(price={"id": price}))

    def change_price_now(self, subscription_id: str, price: str, difference: int) -> None:
        """In a portal that charges the difference at once; one below 0 is a credit, which counts as paid."""
        self.change_price(subscription_id, price)
        one = self.subscriptions[subscription_id]
        if one["status"] == "trialing":
            return
        invoice = self._invoice(one, "subscription_update", max(0, difference))
        if difference > 0 and one["customer"] in self.declining:
            self._tell("invoice.payment_failed", invoice)
            self._change(subscription_id, lambda one: one.update(status="past_due"))
        else:
            self._pay(invoice)

    def cancel_in_portal(self, url: str) -> None:
        """On the page of that address, which was made to ask for it."""
        made = self.portals[url]
        assert made["flow_data[type]"] == "subscription_cancel"
        one = self.subscriptions[made["flow_data[subscription_cancel][subscription]"]]
        assert one["customer"] == made["customer"]
        self.cancel_at_end(one["id"])

    def cancel_at_end(self, subscription_id: str) -> None:
        self._change(
            subscription_id,
            lambda one: one.update(cancel_at=one["items"]["data"][0]["current_period_end"], cancel_at_period_end=True),
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
        self._invoice(one, "subscription_cycle", 100)
        self._charge(one)

    def _charge(self, one: dict[str, Any]) -> None:
        """Everything that is open, at once."""
        works = one["customer"] not in self.declining
        one["status"] = "active" if works else ("unpaid" if one["status"] == "unpaid" else "past_due")
        self.paid |= {one["id"]} if works else set()
        for invoice in self.invoices:
            if invoice["subscription"] != one["id"] or invoice["status"] != "open":
                continue
            if works:
                self._pay(invoice)
            else:
                self._tell("invoice.payment_failed", invoice)
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

    def _invoice(self, one: dict[str, Any], reason: str, amount: int) -> dict[str, Any]:
        """Newest first, as Stripe lists them."""
        made = {"id": f"in_{next(self.numbers)}", "object": "invoice", "customer": one["customer"]}
        made |= {"subscription": one["id"], "billing_reason": reason, "created": int(self.now())}
        made |= {"status": "open", "amount_due": amount, "amount_paid": 0}
        self.invoices.insert(0, made)
        return made

    def _pay(self, invoice: dict[str, Any]) -> None:
        invoice.update(status="paid", amount_paid=invoice["amount_due"])
        self._tell("invoice.paid", invoice)

    def _change(self, subscription_id: str, change: Callable[[dict[str, Any]], None]) -> None:
        change(self.subscriptions[subscription_id])
        self._tell("customer.subscription.updated", self.subscriptions[subscription_id])

    def _tell(self, kind: str, told: dict[str, Any]) -> None:
        event = {"id": f"evt_{next(self.numbers)}", "object": "event", "type": kind}
        self.events.append(event | {"created": int(self.now()), "data": {"object": deepcopy(told)}})
