"""Sending customers to Stripe's pages: one subscription at a time, on tiers that are sold, and what is said to Stripe."""

import pytest

from api.accounts.service import AccountError
from api.billing.errors import BillingStateError, StripeRejectedError, StripeUnavailableError
from api.billing.return_urls import build_return_urls
from tests.api.billing.conftest import OWNER


def test_a_checkout_asks_for_a_card_and_names_account_price_and_trial(paying):
    url = paying.billing.checkout(OWNER, "business")
    assert url.startswith("https://checkout.stripe.com/")
    account_id = paying.service.accounts.account(OWNER).account_id
    customer = paying.billing.customer(OWNER).customer_id
    assert paying.stripe.asked[0] == ("POST", "/v1/customers", {"email": OWNER, "metadata[account_id]": account_id})
    assert paying.stripe.asked[-1] == (
        "POST",
        "/v1/checkout/sessions",
        {
            "mode": "subscription",
            "customer": customer,
            "client_reference_id": account_id,
            "line_items[0][price]": "price_business",
            "line_items[0][quantity]": "1",
            "payment_method_collection": "always",
            "subscription_data[metadata][account_id]": account_id,
            "subscription_data[trial_period_days]": "14",
            "subscription_data[trial_settings][end_behavior][missing_payment_method]": "cancel",
            "success_url": "https://api.example.com/dashboard/plan?from=checkout",
            "cancel_url": "https://api.example.com/dashboard/plan",
        },
    )


def test_looking_at_a_checkout_changes_nothing(paying):
    paying.billing.checkout(OWNER, "basic")
    assert paying.billing.refresh(OWNER) is None
    assert paying.stands() == ("pro", "active")
    assert not paying.billing.is_tier_managed(OWNER)


def test_an_account_has_one_customer_and_one_open_checkout(paying):
    first = paying.billing.checkout(OWNER, "basic")
    second = paying.billing.checkout(OWNER, "pro")
    assert len(paying.stripe.customers) == 1
    with pytest.raises(AssertionError, match="expired"):
        paying.stripe.complete(first)
    paying.stripe.complete(second)
    with pytest.raises(BillingStateError, match="portal"):
        paying.billing.checkout(OWNER, "business")


def test_of_two_who_begin_at_once_the_second_is_led_on_and_the_first_is_not(paying):
    """A button pressed twice: the other request closes the former checkout and makes one, when this one would."""
    paying.billing.checkout(OWNER, "basic")
    others = []
    paying.stripe.meanwhile_of = "/v1/checkout/sessions"
    paying.stripe.meanwhile = lambda: others.append(paying.billing.checkout(OWNER, "pro"))
    url = paying.billing.checkout(OWNER, "business")
    with pytest.raises(AssertionError, match="expired"):
        paying.stripe.complete(others[0])
    assert paying.stripe.complete(url)


def test_who_subscribes_on_the_former_page_at_that_moment_is_not_led_to_another(paying):
    former = paying.billing.checkout(OWNER, "basic")
    paying.stripe.meanwhile_of = "/v1/checkout/sessions"
    paying.stripe.meanwhile = lambda: paying.stripe.complete(former)
    with pytest.raises(BillingStateError, match="already"):
        paying.billing.checkout(OWNER, "pro")
    assert len(paying.stripe.subscriptions) == len(paying.stripe.sessions) == 1


def test_a_checkout_that_cannot_be_closed_keeps_another_from_being_made(paying):
    paying.billing.checkout(OWNER, "basic")
    customer = paying.billing.customer(OWNER).customer_id
    still_open, refused = (200, b'{"data":[{"id":"cs_x"}]}'), (400, b'{"error":{"message":"no"}}')
    paying.stripe.faults = [(200, b'{"id":"%s"}' % customer.encode()), *(3 * [still_open, refused])]
    with pytest.raises(StripeUnavailableError, match="open checkouts of cus_1 could not be closed"):
        paying.billing.checkout(OWNER, "pro")
    assert paying.stripe.asked[-1][1] == "/v1/checkout/sessions/cs_x/expire"


def test_a_customer_that_was_made_before_a_crash_is_the_same_afterwards(paying, monkeypatch):
    monkeypatch.setattr("api.billing.repository.set_customer", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        paying.billing.checkout(OWNER, "basic")
    monkeypatch.undo()
    paying.billing.checkout(OWNER, "basic")
    assert list(paying.stripe.customers) == [paying.billing.customer(OWNER).customer_id]


def test_who_was_deleted_at_stripe_may_come_again_without_another_trial(paying):
    paying.subscribe("pro")
    paying.deliver_all()
    former = paying.billing.customer(OWNER).customer_id
    paying.stripe.delete_customer(former)
    url = paying.billing.checkout(OWNER, "pro")
    paying.deliver_all()  # too late: he has another customer by now
    assert paying.stands() == ("basic", "payment_required")
    second = paying.stripe.complete(url)
    paying.deliver_all()
    assert paying.stands() == ("pro", "active")
    assert paying.stripe.subscriptions[second]["trial_end"] is None
    assert list(paying.stripe.customers) == [paying.billing.customer(OWNER).customer_id] != [former]


def test_who_is_suspended_pays_for_nothing(paying):
    paying.service.accounts.set_status(OWNER, "suspended")
    with pytest.raises(BillingStateError, match="suspended"):
        paying.billing.checkout(OWNER, "pro")
    assert paying.stripe.asked == []


def test_the_portal_is_for_customers(paying):
    with pytest.raises(BillingStateError, match="checkout"):
        paying.billing.portal(OWNER)
    paying.billing.checkout(OWNER, "basic")
    assert paying.billing.portal(OWNER).startswith("https://billing.stripe.com/")
    assert paying.stripe.asked[-1][2] == {
        "customer": paying.billing.customer(OWNER).customer_id,
        "return_url": "https://api.example.com/dashboard/plan?from=portal",
    }


def test_an_operators_own_address_takes_the_place_of_the_page():
    given = build_return_urls("https://shop.example.com/back", "https://api.example.com")
    assert {given.subscribed, given.left, given.managed} == {"https://shop.example.com/back"}


def test_the_cancellation_is_of_the_accounts_own_subscription(paying):
    with pytest.raises(BillingStateError, match="checkout"):
        paying.billing.cancellation(OWNER)
    paying.billing.checkout(OWNER, "basic")
    with pytest.raises(BillingStateError, match="no subscription"):
        paying.billing.cancellation(OWNER)
    subscription = paying.subscribe("pro")
    paying.deliver_all()
    back = "https://api.example.com/dashboard/plan?from=portal"
    assert paying.billing.cancellation(OWNER) in paying.stripe.portals
    assert paying.stripe.asked[-1][2] == {
        "customer": paying.billing.customer(OWNER).customer_id,
        "return_url": back,
        "flow_data[type]": "subscription_cancel",
        "flow_data[subscription_cancel][subscription]": subscription,
        "flow_data[after_completion][type]": "redirect",
        "flow_data[after_completion][redirect][return_url]": back,
    }
    paying.stripe.end(subscription)
    paying.deliver_all()
    with pytest.raises(BillingStateError, match="no subscription"):
        paying.billing.cancellation(OWNER)


def test_tiers_without_a_price_and_accounts_that_are_none_are_refused_before_stripe_is_asked(paying):
    assert paying.billing.sold == ("basic", "pro", "business")
    with pytest.raises(BillingStateError, match="'starter' is not for sale; choose one of basic, pro, business"):
        paying.billing.checkout(OWNER, "starter")
    with pytest.raises(AccountError, match="no account"):
        paying.billing.checkout("nobody@example.com", "basic")
    assert paying.stripe.asked == []


FAULTS = (
    (500, b"", StripeUnavailableError, "Stripe returned 500"),
    (429, b'{"error":{"message":"slow","code":"rate_limit"}}', StripeUnavailableError, "Stripe returned 429"),
    (401, b'{"error":{"message":"Invalid API Key"}}', StripeRejectedError, "FIRM_STRIPE_SECRET_KEY"),
    (400, b'{"error":{"message":"No such price","code":null}}', StripeRejectedError, "No such price"),
    (400, b"<html>", StripeRejectedError, "Stripe returned 400"),
    (200, b"<html>", StripeRejectedError, "does not match its documentation"),
    (302, b"", StripeRejectedError, "does not match its documentation"),
    (200, b'{"url":7}', StripeRejectedError, "does not match its documentation"),
    (200, b'{"url":"javascript:alert(1)"}', StripeRejectedError, "no URL to redirect the customer to"),
    (200, b'{"url":"http://stripe.example.com/"}', StripeRejectedError, "no URL to redirect the customer to"),
    (200, b'{"url":"https://x/\\" onclick=\\"y"}', StripeRejectedError, "no URL to redirect the customer to"),
    (200, b'{"url":"https://x/\\r\\nset-cookie: y"}', StripeRejectedError, "no URL to redirect the customer to"),
)


def test_what_stripe_does_not_do_is_said(paying):
    paying.billing.checkout(OWNER, "basic")
    for status, body, kind, said in FAULTS:
        paying.stripe.faults = [(status, body)]
        with pytest.raises(kind, match=said) as caught:
            paying.billing.portal(OWNER)
        assert "sk_test" not in str(caught.value)


def test_a_stripe_that_is_not_there_is_said(settings_of, serve, world):
    gone = serve(world, billing=settings_of("http://127.0.0.1:9"))
    with pytest.raises(StripeUnavailableError, match="cannot be reached"):
        gone.parts.billing_service.checkout(OWNER, "basic")
