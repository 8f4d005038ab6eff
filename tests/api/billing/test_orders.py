"""Whatever happens to a customer, and in whatever order and number Stripe tells of it: the account stands as it must.

A life is a list of things that customer, card and Stripe do. After each, some of the events that are not delivered yet
may come, shuffled; at the end all events come twice, shuffled. What must stand then is written down here a second
time, from what happened and not from what the service reads.
"""

import itertools
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

NUMBERS = itertools.count(1)
DEEDS = {
    "two weeks pass": lambda life: life.paying.wait(15),
    "a month passes": lambda life: life.paying.wait(30),
    "the card is declined from now on": lambda life: life.stripe.declining.add(life.customer),
    "the card works again": lambda life: life.stripe.declining.discard(life.customer),
    "Stripe tries again": lambda life: life.stripe.retry(life.subscription),
    "Stripe gives up, unpaid": lambda life: life.stripe.give_up(life.subscription, "unpaid"),
    "Stripe gives up, canceled": lambda life: life.stripe.give_up(life.subscription, "canceled"),
    "a better tier": lambda life: life.change("price_business"),
    "a lesser tier": lambda life: life.change("price_basic"),
    "a better tier, charged at once": lambda life: life.change_now("price_business", 500),
    "a lesser tier, credited at once": lambda life: life.change_now("price_basic", -50),
    "cancelled for the end": lambda life: life.unless_over(life.stripe.cancel_at_end),
    "taken back": lambda life: life.unless_over(life.stripe.renew),
    "ended": lambda life: life.stripe.end(life.subscription),
    "subscribed again": lambda life: life.subscribe_again(),
}
TIER_OF = {"price_basic": "basic", "price_pro": "pro", "price_business": "business"}


class Life:
    """One account that subscribed to Pro, on trial."""

    def __init__(self, paying):
        self.paying, self.stripe = paying, paying.stripe
        self.stripe.forget()
        self.email = f"life{next(NUMBERS)}@example.com"
        paying.service.accounts.create_account(self.email, "basic")
        self.subscription = paying.subscribe("pro", self.email)
        self.customer = paying.billing.customer(self.email).customer_id

    def now(self):
        return self.stripe.subscriptions[self.subscription]

    def is_over(self):
        return self.now()["status"] not in ("trialing", "active", "past_due")

    def unless_over(self, deed):
        if not self.is_over():
            deed(self.subscription)

    def change(self, price):
        self.unless_over(lambda one: self.stripe.change_price(one, price))

    def change_now(self, price, difference):
        """What is charged at once is only of those who owe nothing; a credit never pays what is owed."""
        if self.now()["status"] in ("trialing", "active") or (difference < 0 and not self.is_over()):
            self.stripe.change_price_now(self.subscription, price, difference)

    def subscribe_again(self):
        if self.now()["status"] == "canceled":
            self.subscription = self.paying.subscribe("pro", self.email)

    def must_stand(self):
        status, price = self.now()["status"], self.now()["items"]["data"][0]["price"]["id"]
        owes = status == "unpaid" or (status == "past_due" and self.subscription not in self.stripe.paid)
        if status == "canceled" or owes:
            return "basic", "payment_required"
        return TIER_OF[price], "active"


@pytest.mark.slow
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(deeds=st.lists(st.sampled_from(sorted(DEEDS)), max_size=9), seed=st.integers(0, 2**32 - 1))
def test_every_order_of_events_leads_to_what_stripe_has(paying, deeds, seed):
    chance = Random(seed)  # not hypothesis' own: how often it is asked depends on what the service answers
    life, delivered = Life(paying), []
    for deed in deeds:
        DEEDS[deed](life)
        waiting = [event for event in life.stripe.events if event not in delivered]
        chosen = chance.sample(waiting, chance.randint(0, min(3, len(waiting))))
        for event in chosen:
            assert paying.deliver(event).status_code == 200
        delivered += chosen
    remaining = [event for event in life.stripe.events if event not in delivered]
    twice = [*remaining, *remaining, *delivered]
    chance.shuffle(twice)
    for event in twice:
        assert paying.deliver(event).status_code == 200
    assert paying.stands(life.email) == life.must_stand()


def test_every_deed_does_something(paying):
    """A life in which nothing happened would prove nothing."""
    life = Life(paying)
    for deeds in (
        ("a better tier", "cancelled for the end", "taken back", "two weeks pass"),
        ("the card is declined from now on", "a month passes", "the card works again", "Stripe tries again"),
        ("the card is declined from now on", "a month passes", "Stripe gives up, unpaid"),
        ("the card works again", "Stripe tries again", "the card is declined from now on", "a month passes"),
        ("Stripe gives up, canceled", "subscribed again", "a lesser tier", "ended"),
        ("subscribed again", "a better tier, charged at once", "the card works again", "Stripe tries again"),
        ("a lesser tier, credited at once",),
    ):
        for deed in deeds:
            before = (repr(life.stripe.subscriptions), set(life.stripe.declining))
            DEEDS[deed](life)
            assert (repr(life.stripe.subscriptions), life.stripe.declining) != before, deed
