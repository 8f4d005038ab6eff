"""What others may try on the pages of the plan, and what they say when Stripe does not do what it is asked."""

import threading

import pytest
from lxml import html

from tests.api.dashboard.conftest import hidden, texts
from tests.api.dashboard.pages.plan.conftest import COMPANY, NEW, OWNER, PLAN, buttons, facts, led_to, said

POSTS = {f"{PLAN}/checkout": {"tier": "pro"}, f"{PLAN}/portal": {}, f"{PLAN}/cancel": {}}


@pytest.fixture
def owner(shop, new):
    """Somebody on trial."""
    shop.subscribe()
    shop.stripe.asked.clear()
    return new


def own_token(browser):
    return hidden(browser.get("/dashboard"), "/dashboard/sign-out")


def test_forms_of_other_sites_lead_nowhere(shop, owner):
    """CSRF: nothing is asked of Stripe in anybody's name."""
    own, others = own_token(owner), own_token(shop.desk.signed_in("other@example.com"))
    for path, fields in POSTS.items():
        for token in ({}, {"form_token": ""}, {"form_token": "0" * 64}, others):
            assert owner.post(path, fields | token).status_code == 403, path
        for headers in (
            {"origin": "https://evil.example"},
            {"origin": "https://checkout.stripe.com"},
            {"origin": None, "sec_fetch_site": "cross-site"},
        ):
            assert owner.post(path, fields | own, **headers).status_code == 403, path
        assert owner.get(path).status_code == 405
        assert shop.desk.browser().post(path, fields | own).headers["location"] == "/dashboard/sign-in"
    assert shop.stripe.asked == []


def test_another_accounts_plan_cannot_be_named(shop, owner):
    """Whatever a form or an address adds, the account is the session's."""
    theirs = shop.billing.customer(NEW)
    named = {
        "account": NEW,
        "account_id": theirs.account_id,
        "customer": theirs.customer_id,
        "subscription": theirs.subscription_id,
        "client_reference_id": theirs.account_id,
    }
    intruder = shop.desk.signed_in("intruder@example.com")
    own = own_token(intruder)
    for path in (f"{PLAN}/portal", f"{PLAN}/cancel"):
        answer = intruder.post(f"{path}?account={NEW}&customer={theirs.customer_id}", named | own)
        assert (answer.status_code, texts(answer, "//h1")) == (409, ["This is not possible at the moment"])
        assert theirs.account_id not in answer.text
    led_to(intruder.post(f"{PLAN}/checkout", named | own | {"tier": "pro"}))
    assert all(theirs.customer_id not in str(given) + path for _, path, given in shop.stripe.asked)
    shown = intruder.get(f"{PLAN}?account={NEW}&from=checkout&session_id=cs_1")
    assert facts(shown) == {"Tier": "none"}
    assert NEW not in shown.text


def test_forged_returns_give_nothing(shop, new):
    """An address is no proof: it leads to a question to Stripe, where the account has ever been there, and no more."""
    for query in (
        "from=checkout",
        "from=portal",
        "from=checkout&from=checkout",
        "from=evil",
        "from=checkout&session_id=cs_1&paid=true&status=active&tier=business",
        "from=%00&done=paid",
        "from=<script>alert(1)</script>",
    ):
        shown = new.get(f"{PLAN}?{query}")
        assert "You have no plan yet" in said(shown), query
        assert "alert(1)" not in shown.text
    assert (shop.stripe.asked, shop.stands()) == ([], ("basic", "payment_required"))
    new.submit(PLAN, f"{PLAN}/checkout", tier="business")
    shop.stripe.asked.clear()
    assert "We haven't received confirmation from Stripe yet" in said(new.get(f"{PLAN}?from=checkout"))
    assert "confirmation from Stripe" not in said(new.get(f"{PLAN}?from=checkout&from=checkout"))
    assert [path for _, path, _ in shop.stripe.asked] == ["/v1/subscriptions"]
    assert shop.stands() == ("basic", "payment_required")
    assert shop.api(COMPANY).status_code == 402


def test_who_asks_again_and_again_waits(shop, owner):
    answers = [owner.get(f"{PLAN}?from=portal").status_code for _ in range(31)]
    assert answers == [200] * 30 + [429]
    assert owner.get(PLAN).status_code == 200


def test_where_one_comes_back_to_is_never_taken_from_a_request(shop, new):
    """Open redirect, by Stripe's pages or by ours."""
    evil = {"return_url": "https://evil.example", "success_url": "https://evil.example", "next": "https://evil.example"}
    foreign = {"x_forwarded_host": "evil.example", "forwarded": "host=evil.example", "referer": "https://evil.example"}
    fields = hidden(new.get(PLAN), f"{PLAN}/checkout") | evil | {"tier": "pro"}
    assert led_to(new.post(f"{PLAN}/checkout?next=//evil.example", fields, **foreign)).startswith(
        "https://checkout.stripe.com/"
    )
    asked = shop.stripe.asked[-1][2]
    assert asked["success_url"] == f"https://api.example.com{PLAN}?from=checkout"
    assert asked["cancel_url"] == f"https://api.example.com{PLAN}"
    assert "evil" not in str(shop.stripe.asked)


def test_only_a_tier_that_is_sold_can_be_chosen(shop, new):
    own = own_token(new)
    for tier in ("starter", "", "PRO", "price_pro", "nothing", "pro\x00"):
        answer = new.post(f"{PLAN}/checkout", own | {"tier": tier})
        assert (answer.status_code, texts(answer, "//h1")) == (422, ["This tier is not for sale"]), tier
    assert shop.stripe.asked == []


def test_a_second_subscription_is_not_begun(shop, owner):
    """Two windows: the page of the other one is old."""
    answer = owner.post(f"{PLAN}/checkout", own_token(owner) | {"tier": "business"})
    assert (answer.status_code, texts(answer, "//h1")) == (409, ["This is not possible at the moment"])
    assert len(shop.stripe.subscriptions) == 1


def test_a_stripe_that_is_away_is_told_and_nothing_lost(shop, owner):
    own = own_token(owner)
    for path, status in ((f"{PLAN}/portal", 500), (f"{PLAN}/cancel", 429)):
        shop.stripe.faults = [(status, b"")]
        answer = owner.post(path, own)
        assert (answer.status_code, texts(answer, "//h1")) == (503, ["Stripe cannot be reached"])
        assert "Nothing was changed or charged. Try again" in answer.text
    shop.stripe.faults = [(503, b"")]
    shown = owner.get(f"{PLAN}?from=portal")
    assert "Stripe cannot be reached. Below is the last known state" in said(shown)
    assert facts(shown)["Tier"] == "Pro"
    assert "You are on trial" in said(owner.get(PLAN))
    assert shop.api(COMPANY).status_code == 200


def test_a_stripe_that_does_not_answer_keeps_nobody_waiting(shop, owner, monkeypatch):
    """Pages that ask it say so in time; all others are answered meanwhile."""
    monkeypatch.setattr("api.billing.service.STRIPE_PATIENCE_SECONDS", 0.3)
    answered = threading.Event()
    shop.stripe.meanwhile = lambda: answered.wait(8)
    shown = owner.get(f"{PLAN}?from=portal")
    assert "Stripe cannot be reached" in said(shown)
    assert "You are on trial" in said(owner.get(PLAN))
    assert shop.api(COMPANY).status_code == 200
    answered.set()


def test_what_stripe_refuses_is_told_without_its_words(shop, owner, caplog):
    own = own_token(owner)
    refusals = (
        (401, b'{"error":{"message":"Invalid API Key provided: sk_test_of_the_fake"}}'),
        (400, b'{"error":{"message":"No configuration provided for the portal"}}'),
        (200, b'{"url":"javascript:alert(1)"}'),
        (200, b"<html>"),
    )
    for fault in refusals:
        shop.stripe.faults = [fault]
        answer = owner.post(f"{PLAN}/portal", own)
        assert (answer.status_code, texts(answer, "//h1")) == (502, ["Stripe rejected the request"])
        for word in ("sk_test", "API Key", "configuration", "javascript:"):
            assert word not in answer.text
        assert html.fromstring(answer.text).xpath("//meta[@http-equiv]") == []
    assert "No configuration provided for the portal" in caplog.text
    shop.stripe.change_price(next(iter(shop.stripe.subscriptions)), "price_nobody_named")
    shown = owner.get(f"{PLAN}?from=portal")
    assert "could not be processed" in said(shown)
    assert facts(shown)["Tier"] == "Pro"
    assert "price_nobody_named" in caplog.text
    assert "price_nobody_named" not in shown.text


def test_the_pages_keep_to_what_all_pages_keep_to(shop, owner):
    """Policy, no script, every field and button named; the way to Stripe is no form and no script."""
    leaving = owner.post(f"{PLAN}/portal", own_token(owner))
    unpaid = shop.desk.signed_in("other@example.com").get(PLAN)
    for answer in (leaving, unpaid, owner.get(PLAN), shop.desk.signed_in(OWNER).get(PLAN)):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "form-action 'self';" in policy
        assert "unsafe" not in policy
        assert "stripe" not in policy
        assert (answer.headers["cache-control"], answer.headers["referrer-policy"]) == ("no-store", "same-origin")
        tree = html.fromstring(answer.text)
        assert tree.xpath("//script | //style | //@style | //iframe | //@*[starts-with(name(), 'on')]") == []
        assert tree.xpath("//link/@href | //img/@src")[0].startswith("/dashboard/assets/")
        assert len(tree.xpath("//h1")) == len(tree.xpath("//main")) == 1
        assert all(one.text_content().strip() for one in tree.xpath("//button | //a | //th"))
        assert all(one.get("scope") for one in tree.xpath("//th"))
        assert tree.xpath("//form/@method") == ["post"] * len(tree.xpath("//form"))
        assert all(one.startswith("/dashboard/") for one in tree.xpath("//form/@action"))
    assert texts(unpaid, "//nav//a[@aria-current='page']") == ["Plan"]
    assert len(set(buttons(unpaid))) == len(buttons(unpaid))
