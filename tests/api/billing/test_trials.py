"""A trial with a card, on a clock that tests move: converted, failed, cancelled; and what comes after.

See docs/contract/keys-and-limits.md 3.3.
"""

import pytest

from api.billing.repository import count_given_accounts
from api.database.engine import Database
from tests.api.billing.conftest import OWNER

PAUSED = ("paused", "tier_downgraded")
HOOK = {"endpoint_url": "https://hooks.example.com/x", "event_types": ["status.changed"]}


def begun(paying):
    """The owner, in the first minute of a trial of Pro, with one webhook."""
    paying.subscription = paying.subscribe("pro")
    paying.deliver_all()
    made = paying.service.client.post("/api/v1/webhooks", json=HOOK, headers=paying.service.headers)
    paying.hook = f"/api/v1/webhooks/{made.json()['id']}"
    return paying


@pytest.fixture
def trying(paying):
    return begun(paying)


@pytest.fixture
def subscribed(paying):
    """The owner, past a trial that was paid for."""
    paying.subscription = paying.subscribe("pro")
    paying.wait(15)
    paying.deliver_all()
    return paying


def given(url):
    """How many accounts are served without a subscription."""
    database = Database(url)
    with database.reading() as session:
        count = count_given_accounts(session.connection(), "canceled")
    database.close()
    return count


def seen(paying, path="/api/v1/usage"):
    """What the owner's key is answered, once it is no more believed without asking."""
    paying.service.hands.seconds += 31
    return paying.service.get(path)


def test_a_trial_is_served_and_told_until_it_is_paid_for(trying):
    assert (trying.stands(), trying.trial_ends()) == (("pro", "active"), "2026-12-05 09:00")
    usage = seen(trying).json()
    assert (usage["trial_ends_at"], usage["account_status"]) == ("2026-12-05T09:00:00Z", "active")
    trying.wait(13)
    trying.deliver_all()
    assert trying.stands() == ("pro", "active")
    assert trying.stripe.paid == set()
    trying.wait(2)
    trying.deliver_all()
    assert trying.stripe.paid == {trying.subscription}
    assert (trying.stands(), trying.trial_ends()) == (("pro", "active"), None)
    assert seen(trying, trying.hook).json()["status"] == "active"


def test_a_trial_that_cannot_be_charged_is_over_at_once(pay, control_url):
    trying = begun(pay(database_url=control_url))
    trying.stripe.declining = set(trying.stripe.customers)
    trying.wait(15)
    trying.deliver_all()
    assert (trying.stands(), trying.trial_ends()) == (("basic", "payment_required"), "2026-12-05 09:00")
    refused = seen(trying)
    assert (refused.status_code, refused.json()["code"]) == (402, "payment_required")
    assert trying.rows("SELECT status, status_reason FROM webhook_subscriptions") == [PAUSED]
    trying.stripe.declining = set()
    trying.stripe.retry(trying.subscription)
    trying.deliver_all()
    assert (trying.stands(), trying.trial_ends()) == (("pro", "active"), None)
    # nothing is delivered again by itself: what was held waits for a replay (docs/contract/contract.md 4.8)
    hook = seen(trying, trying.hook).json()
    assert (hook["status"], hook["status_reason"]) == PAUSED
    again = trying.service.client.patch(trying.hook, json={"status": "active"}, headers=trying.service.headers)
    assert (again.status_code, again.json()["status"]) == (200, "active")


def test_whoever_cancels_during_the_trial_never_pays(trying):
    trying.wait(10)
    trying.stripe.cancel_at_end(trying.subscription)
    trying.deliver_all()
    assert trying.stands() == ("pro", "active")
    assert f"{trying.billing.customer(OWNER).ends_at:%Y-%m-%d}" == "2026-12-05"
    trying.wait(5)
    trying.deliver_all()
    assert trying.stripe.paid == set()
    assert trying.stands() == ("basic", "payment_required")
    assert seen(trying).status_code == 402


def test_a_cancellation_taken_back_is_none(trying):
    trying.stripe.cancel_at_end(trying.subscription)
    trying.stripe.renew(trying.subscription)
    trying.wait(15)
    trying.deliver_all()
    assert trying.stands() == ("pro", "active")
    assert trying.billing.customer(OWNER).ends_at is None


def test_a_tier_without_webhooks_pauses_them_and_a_better_one_starts_none(trying):
    trying.stripe.change_price(trying.subscription, "price_basic")
    trying.deliver_all()
    assert trying.stands() == ("basic", "active")
    assert seen(trying, "/api/v1/usage").json()["webhooks_enabled"] is False
    before = seen(trying, trying.hook).json()
    assert (before["status"], before["status_reason"]) == PAUSED
    trying.stripe.change_price(trying.subscription, "price_business")
    trying.deliver_all()
    assert trying.stands() == ("business", "active")
    assert seen(trying, trying.hook).json() == before


def test_who_is_made_to_choose_a_plan_has_nothing_until_then(pay, control_url):
    paying = pay(database_url=control_url)
    assert given(control_url) == 1
    made = paying.service.client.post("/api/v1/webhooks", json=HOOK, headers=paying.service.headers).json()
    paying.billing.require(OWNER)
    assert given(control_url) == 0
    assert paying.stands() == ("basic", "payment_required")
    assert paying.rows("SELECT status, status_reason FROM webhook_subscriptions") == [PAUSED]
    # the key is still believed for a while, and gets nothing that lasts
    for answer in (
        paying.service.client.post("/api/v1/webhooks", json=HOOK, headers=paying.service.headers),
        paying.service.client.patch(
            f"/api/v1/webhooks/{made['id']}", json={"status": "active"}, headers=paying.service.headers
        ),
    ):
        assert (answer.status_code, answer.json()["code"]) == (402, "payment_required")
    assert seen(paying).status_code == 402
    paying.subscribe("pro")
    paying.deliver_all()
    assert paying.stands() == ("pro", "active")


def test_what_stays_the_same_touches_no_subscription(trying):
    """The owner paused it himself, on a tier with webhooks and without: each says why as long as it lasts."""
    trying.service.client.patch(trying.hook, json={"status": "paused"}, headers=trying.service.headers)
    trying.stripe.cancel_at_end(trying.subscription)
    trying.deliver_all()
    assert seen(trying, trying.hook).json()["status_reason"] == "manual"
    trying.stripe.change_price(trying.subscription, "price_basic")
    trying.deliver_all()
    tag = seen(trying, trying.hook).headers["etag"]
    trying.stripe.renew(trying.subscription)
    trying.deliver_all()
    assert seen(trying, trying.hook).headers["etag"] == tag


def test_a_card_that_fails_later_has_stripes_retries_to_be_mended(subscribed):
    subscribed.stripe.declining = set(subscribed.stripe.customers)
    subscribed.wait(30)
    subscribed.deliver_all()
    assert subscribed.stripe.subscriptions[subscribed.subscription]["status"] == "past_due"
    assert (subscribed.stands(), subscribed.trial_ends()) == (("pro", "active"), None)
    subscribed.stripe.give_up(subscribed.subscription, "unpaid")
    subscribed.deliver_all()
    assert (subscribed.stands(), subscribed.trial_ends()) == (("basic", "payment_required"), None)
    subscribed.stripe.declining = set()
    subscribed.stripe.retry(subscribed.subscription)
    subscribed.deliver_all()
    assert subscribed.stands() == ("pro", "active")


def test_a_trial_that_was_never_paid_is_not_served_in_later_periods_either(trying):
    """Stripe begins the next period while it goes on retrying: two months after the trial nothing is paid yet."""
    trying.stripe.declining = set(trying.stripe.customers)
    for _ in range(3):
        trying.wait(30)
        trying.deliver_all()
        assert trying.stripe.subscriptions[trying.subscription]["status"] == "past_due"
        assert (trying.stands(), trying.trial_ends()) == (("basic", "payment_required"), "2026-12-05 09:00")
    trying.stripe.declining = set()
    trying.stripe.retry(trying.subscription)
    trying.deliver_all()
    assert (trying.stands(), trying.trial_ends()) == (("pro", "active"), None)


def test_who_paid_for_the_first_period_is_served_though_an_upgrade_was_not_paid(subscribed):
    """The difference to a better tier is charged at once and declined, before the second period begins."""
    subscribed.stripe.declining = set(subscribed.stripe.customers)
    subscribed.stripe.change_price_now(subscribed.subscription, "price_business", 25_000)
    subscribed.deliver_all()
    assert subscribed.stripe.subscriptions[subscribed.subscription]["status"] == "past_due"
    assert (subscribed.stands(), subscribed.trial_ends()) == (("business", "active"), None)
    subscribed.stripe.give_up(subscribed.subscription, "unpaid")
    subscribed.deliver_all()
    assert (subscribed.stands(), subscribed.trial_ends()) == (("basic", "payment_required"), None)


def test_a_credit_does_not_pay_for_the_trial_that_was_not_paid(trying):
    """Neither does what was settled before the trial ended, which costs nothing."""
    trying.stripe.declining = set(trying.stripe.customers)
    trying.wait(15)
    trying.stripe.change_price_now(trying.subscription, "price_basic", -14_000)
    trying.deliver_all()
    invoices = [(one["billing_reason"], one["status"]) for one in trying.stripe.invoices]
    assert invoices == [
        ("subscription_update", "paid"),
        ("subscription_cycle", "open"),
        ("subscription_create", "paid"),
    ]
    assert (trying.stands(), trying.trial_ends()) == (("basic", "payment_required"), "2026-12-05 09:00")


def test_a_first_period_that_costs_nothing_is_paid_for(trying):
    """A voucher: Stripe settles the period's invoice without any money."""
    trying.wait(15)
    for invoice in trying.stripe.invoices:
        invoice["amount_paid"] = 0
    trying.stripe.declining = set(trying.stripe.customers)
    trying.stripe.change_price_now(trying.subscription, "price_business", 25_000)
    trying.deliver_all()
    assert trying.stands() == ("business", "active")


def test_an_account_has_one_trial(subscribed):
    subscribed.stripe.end(subscribed.subscription)
    subscribed.deliver_all()
    assert subscribed.stands() == ("basic", "payment_required")
    second = subscribed.subscribe("business")
    subscribed.deliver_all()
    assert subscribed.stripe.subscriptions[second]["trial_end"] is None
    assert (subscribed.stands(), subscribed.trial_ends()) == (("business", "active"), None)


def test_what_ended_before_anything_was_delivered_has_ended(paying):
    paying.stripe.end(paying.subscribe("pro"))
    paying.stripe.events.reverse()
    paying.deliver_all()
    assert paying.stands() == ("basic", "payment_required")


def test_a_deleted_customer_has_ended(subscribed):
    subscribed.stripe.delete_customer(next(iter(subscribed.stripe.customers)))
    subscribed.deliver_all()
    assert subscribed.stands() == ("basic", "payment_required")


def test_an_old_price_is_still_recognised(subscribed):
    subscribed.stripe.change_price(subscribed.subscription, "price_pro_old")
    subscribed.deliver_all()
    assert subscribed.stands() == ("pro", "active")


def test_a_suspended_account_stays_suspended(subscribed):
    subscribed.service.accounts.set_status(OWNER, "suspended")
    subscribed.stripe.change_price(subscribed.subscription, "price_business")
    subscribed.deliver_all()
    assert subscribed.stands() == ("business", "suspended")


def test_after_the_end_an_operator_may_give_what_he_likes(subscribed):
    subscribed.stripe.end(subscribed.subscription)
    subscribed.deliver_all()
    assert not subscribed.billing.is_tier_managed(OWNER)
    subscribed.service.accounts.set_tier(OWNER, "business")
    subscribed.service.accounts.set_status(OWNER, "active")
    subscribed.billing.refresh(OWNER)
    assert subscribed.stands() == ("business", "active")
