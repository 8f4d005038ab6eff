"""Accounts are compared with Stripe once a day by one process, whatever events came or did not."""

import asyncio
import logging

import pytest

from api.billing.service import BillingReconciler
from api.common.clock import Clock
from api.database.engine import Database

OTHER = "other@example.com"


@pytest.fixture
def paying(pay, control_url):
    return pay(database_url=control_url)


@pytest.fixture
def database(paying):
    database = Database(paying.service.parts.settings.control_database_url)
    yield database
    database.close()


@pytest.fixture
def start(paying, database):
    """Two accounts with subscriptions of which nothing was told, and processes that compare."""
    paying.service.accounts.create_account(OTHER, "starter")
    paying.first, paying.second = paying.subscribe("business"), paying.subscribe("pro", OTHER)
    paying.stripe.asked.clear()
    return lambda: BillingReconciler(paying.billing, database, Clock(wall=paying.service.hands))


def passed(upkeep):
    """How many accounts a pass brought up to date."""
    count = 0
    while upkeep.step():
        count += 1
    return count


def test_what_no_event_told_is_found_within_a_day(paying, start):
    upkeep = start()
    assert passed(upkeep) == 2
    assert (paying.stands(), paying.stands(OTHER)) == (("business", "active"), ("pro", "active"))
    assert passed(upkeep) == 0
    paying.stripe.end(paying.second)
    paying.service.hands.seconds += 86_399
    assert passed(upkeep) == 0
    paying.service.hands.seconds += 1
    assert passed(upkeep) == 2
    assert paying.stands(OTHER) == ("basic", "payment_required")


def test_what_an_event_told_today_is_not_asked_again(paying, start):
    paying.deliver(next(event for event in paying.stripe.events if event["type"].endswith("created")))
    paying.stripe.asked.clear()
    assert passed(start()) == 1
    assert len(paying.stripe.asked) == 1
    assert (paying.stands(), paying.stands(OTHER)) == (("business", "active"), ("pro", "active"))


def test_one_that_cannot_be_followed_stops_no_other(paying, start, caplog):
    paying.stripe.change_price(paying.first, "price_new")
    upkeep = start()
    with caplog.at_level(logging.ERROR, "firm.api"):
        assert passed(upkeep) == 2
    assert "price_new" in caplog.text
    assert (paying.stands(), paying.stands(OTHER)) == (("pro", "active"), ("pro", "active"))
    asked = len(paying.stripe.asked)
    assert passed(upkeep) == 1  # in the next pass that one alone
    assert len(paying.stripe.asked) == asked + 1
    assert paying.stands() == ("pro", "active")


def test_a_stripe_that_is_away_is_left_alone_until_the_next_pass(paying, start, caplog):
    upkeep = start()
    paying.stripe.faults = [(503, b"")]
    with caplog.at_level(logging.WARNING, "firm.api"):
        assert passed(upkeep) == 0
    assert "accounts could not be compared with Stripe" in caplog.text
    assert len(paying.stripe.asked) == 1
    assert paying.stands(OTHER) == ("starter", "active")
    assert passed(upkeep) == 2
    assert (paying.stands(), paying.stands(OTHER)) == (("business", "active"), ("pro", "active"))


def test_one_process_does_it_and_another_when_it_is_gone(paying, start):
    first, second = start(), start()
    assert first.step()
    assert passed(second) == 0
    first.close()
    paying.service.hands.seconds += 60  # whoever does not lead asks again when half of a lease is over
    assert passed(second) == 1


def test_it_goes_on_beside_the_service_and_ends_with_it(paying, start, monkeypatch):
    monkeypatch.setattr("api.billing.service.PASS_SECONDS", 0.01)
    monkeypatch.setattr("api.billing.service.BREATH_SECONDS", 0.0)

    async def run():
        async with start().run_in_background():
            while paying.stands(OTHER) != ("pro", "active"):  # noqa: ASYNC110 -- the database tells nobody
                await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(run(), 20))
    assert paying.rows("SELECT name FROM leases WHERE name = 'billing'") == []
