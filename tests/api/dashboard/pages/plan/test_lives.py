"""What an account lives through with its plan, as its owner sees it on the pages and his program at the API."""

import pytest
from lxml import html

from tests.api.dashboard.conftest import texts
from tests.api.dashboard.pages.plan.conftest import (
    COMPANY,
    NEW,
    OWNER,
    PLAN,
    buttons,
    facts,
    led_to,
    said,
    signed_in_again,
)

HOOK = {"endpoint_url": "https://hooks.example.com/x", "type status.changed": "on"}
WEBHOOKS = "/dashboard/webhooks"
END = "5 December 2026"


def begun(shop, browser, tier="pro"):
    """On trial by the pages, before Stripe has told of it; the subscription and the page that one comes back to."""
    sent = browser.submit(PLAN, f"{PLAN}/checkout", tier=tier)
    subscription = shop.stripe.complete(led_to(sent))
    return subscription, browser.get(f"{PLAN}?from=checkout")


def subscribed(browser):
    made = browser.follow(browser.submit(WEBHOOKS, WEBHOOKS, **HOOK))
    return html.fromstring(made.text).xpath("//main//a/@href")[-1]


def test_who_signs_up_has_nothing_until_a_plan_begins(shop, new):
    assert shop.stands() == ("basic", "payment_required")
    refused = shop.api(COMPANY)
    assert (refused.status_code, refused.json()["code"]) == (402, "payment_required")
    assert f"https://api.example.com{PLAN}" in refused.json()["detail"]
    usage = new.get("/dashboard")
    assert f'href="{PLAN}">see your plan' in usage.text
    assert texts(usage, "//h2")[-1] == "Your tier: none"
    assert new.submit("/dashboard/keys", "/dashboard/keys", kind="live").status_code == 303
    shown = new.get(PLAN)
    assert facts(shown) == {"Tier": "none"}
    assert "You have no plan yet" in said(shown)
    assert "The first 14 days are free" in said(shown)
    assert buttons(shown) == ["Try Basic", "Try Pro", "Try Business"]
    rows = [texts(shown, f"//tbody/tr[{number}]/*") for number in range(1, 5)]
    assert [row[:3] for row in rows] == [
        ["Basic", "9 USD", "1,200"],
        ["Starter", "not available", "10,000"],
        ["Pro", "149 USD", "60,000"],
        ["Business", "shown at checkout", "400,000"],
    ]
    assert [row[4] for row in rows] == [
        "none",
        "none",
        "10 subscriptions of 1,000 companies each, or all",
        "50 subscriptions of 10,000 companies each, or all",
    ]


def test_coming_back_before_stripe_has_told_anything_is_no_matter(shop, new):
    sent = new.submit(PLAN, f"{PLAN}/checkout", tier="pro")
    early = new.get(f"{PLAN}?from=checkout")
    assert "We haven't received confirmation from Stripe yet" in said(early)
    assert buttons(early) == ["Try Basic", "Try Pro", "Try Business"]
    shop.stripe.complete(led_to(sent))
    late = new.get(f"{PLAN}?from=checkout")
    assert "Your plan is active" in said(late)
    assert facts(late) == {"Tier": "Pro", "Trial until": END}
    assert "You have no" not in late.text
    assert shop.stands() == ("pro", "active")
    assert shop.api(COMPANY).status_code == 200
    shop.deliver_all()
    assert shop.stands() == ("pro", "active")
    assert "Your plan is active" not in said(new.get(PLAN))


def test_a_trial_that_is_paid_for_goes_on(shop, new):
    subscription, shown = begun(shop, new)
    assert "first charged when it ends, on " + END in said(shown)
    assert buttons(shown) == ["Card, tier and invoices at Stripe", "Cancel the trial"]
    shop.wait(15)
    shop.deliver_all()
    assert shop.stripe.paid == {subscription}
    shown = signed_in_again(shop).get(PLAN)
    assert "paid and renews every month" in said(shown)
    assert facts(shown) == {"Tier": "Pro"}
    assert buttons(shown) == ["Card, tier and invoices at Stripe", "Cancel the plan"]


def test_a_trial_that_cannot_be_charged_says_what_to_do_and_what_is_paused(shop, new):
    subscription, _ = begun(shop, new)
    hook = subscribed(new)
    shop.stripe.declining = set(shop.stripe.customers)
    shop.wait(15)
    shop.deliver_all()
    browser = signed_in_again(shop)
    shown = browser.get(PLAN)
    assert f"The trial ended on {END} and no payment succeeded" in said(shown)
    assert "pay the open invoice at Stripe" in said(shown)
    assert shop.api(COMPANY).status_code == 402
    assert hook in html.fromstring(shown.text).xpath("//main//li/a/@href")
    assert "You can resume them on a tier with webhooks" in said(shown)
    assert browser.submit(hook, f"{hook}/status", status="active").status_code == 403
    shop.stripe.declining = set()
    portal = led_to(browser.submit(PLAN, f"{PLAN}/portal"))
    assert shop.stripe.portals[portal]["customer"] == shop.billing.customer(NEW).customer_id
    shop.stripe.retry(subscription)
    shown = browser.get(f"{PLAN}?from=portal")
    assert "paid and renews every month" in said(shown)
    assert "Your tier now includes webhooks: resume each" in said(shown)
    assert shop.api(COMPANY).status_code == 200
    assert browser.submit(hook, f"{hook}/status", status="active").status_code == 303
    assert "Paused webhooks" not in said(browser.get(PLAN))


def test_whoever_cancels_before_the_trial_ends_never_pays(shop, new):
    begun(shop, new)
    shop.wait(2)
    shop.stripe.cancel_in_portal(led_to(new.submit(PLAN, f"{PLAN}/cancel")))
    shown = new.get(f"{PLAN}?from=portal")
    assert f"Your trial ends on {END}, and nothing will be charged" in said(shown)
    assert facts(shown)["Ends"] == END
    assert buttons(shown) == ["Card, tier and invoices at Stripe"]
    assert shop.api(COMPANY).status_code == 200
    shop.wait(13)
    shop.deliver_all()
    assert shop.stripe.paid == set()
    browser = signed_in_again(shop)
    shown = browser.get(PLAN)
    assert "Your plan has ended" in said(shown)
    assert "Your card is charged immediately" in said(shown)
    assert buttons(shown)[1:] == ["Subscribe to Basic", "Subscribe to Pro", "Subscribe to Business"]
    assert shop.api(COMPANY).status_code == 402
    _, shown = begun(shop, browser, "basic")
    assert facts(shown) == {"Tier": "Basic"}
    assert "Your plan is active" in said(shown)


def test_a_lesser_tier_names_the_webhooks_that_it_pauses(shop, new):
    subscription, _ = begun(shop, new)
    hook = subscribed(new)
    by_hand = subscribed(new)
    new.submit(by_hand, f"{by_hand}/delete")
    shop.stripe.change_price(subscription, "price_basic")
    shown = new.get(f"{PLAN}?from=portal")
    assert facts(shown) == {"Tier": "Basic", "Trial until": END}
    assert html.fromstring(shown.text).xpath("//main//li/a/@href") == [hook]
    assert "https://hooks.example.com/x: 0 held" in said(shown)


def test_a_payment_that_fails_later_is_told_and_served(shop, new):
    begun(shop, new)
    shop.wait(15)
    shop.stripe.declining = set(shop.stripe.customers)
    shop.wait(30)
    shop.deliver_all()
    shown = signed_in_again(shop).get(PLAN)
    assert "The last payment failed" in said(shown)
    assert facts(shown) == {"Tier": "Pro"}
    assert shop.api(COMPANY).status_code == 200


def test_a_suspended_account_begins_nothing_and_may_end_what_runs(shop, new):
    shop.desk.made.accounts.set_status(OWNER, "suspended")
    shown = shop.desk.signed_in(OWNER).get(PLAN)
    assert "You cannot start a plan while the account is suspended" in said(shown)
    assert buttons(shown) == []
    begun(shop, new)
    shop.desk.made.accounts.set_status(NEW, "suspended")
    shown = new.get(PLAN)
    assert "you can end a running one" in said(shown)
    shop.stripe.cancel_in_portal(led_to(new.submit(PLAN, f"{PLAN}/cancel")))
    assert facts(new.get(f"{PLAN}?from=portal"))["Ends"] == END


def test_a_tier_that_was_given_costs_nothing(shop):
    shown = shop.desk.signed_in(OWNER).get(PLAN)
    assert "was assigned to you free of charge" in said(shown)
    assert facts(shown) == {"Tier": "Pro"}
    assert "Pro (yours)" in texts(shown, "//tbody//th")
    assert buttons(shown) == ["Try Basic", "Try Pro", "Try Business"]


def test_where_nobody_pays_an_operator_sets_tiers(desk):
    browser = desk.signed_in(NEW)
    account = desk.made.accounts.account(NEW)
    assert (account.tier, account.status) == ("basic", "active")
    shown = browser.get(f"{PLAN}?from=checkout")
    assert "Contact support to change your tier" in said(shown)
    assert buttons(shown) == []
    assert texts(shown, "//tbody/tr[4]/*")[1] == "not available"
    own = browser.get("/dashboard").text.partition('name="form_token" value="')[2][:64]
    for path in ("checkout", "portal", "cancel"):
        answer = browser.post(f"{PLAN}/{path}", {"form_token": own, "tier": "pro"})
        assert (answer.status_code, texts(answer, "//h1")) == (404, ["Online payment is not available"])


@pytest.mark.parametrize("days", [0, 30])
def test_the_trial_is_as_long_as_it_is_set(open_desk, days):
    from api.settings.billing import BillingSettings

    settings = BillingSettings(secret_key="x", signing_secret="x", prices=(("pro", "price_x"),), trial_days=days)
    shown = open_desk(billing=settings).signed_in(NEW).get(PLAN)
    assert buttons(shown) == ["Try Pro" if days else "Subscribe to Pro"]
    assert (f"The first {days} days are free" in said(shown)) is bool(days)
