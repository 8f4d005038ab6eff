"""`firm billing …` against a small Stripe over HTTP, and `firm accounts set-tier` beside it."""

import json
import time

import pytest
from typer.testing import CliRunner

from firm.cli import app
from tests.api.billing.stripe_server import KEY, SIGNING_SECRET, FakeStripe, Listening

OWNER = "a@example.com"


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FIRM_DATA", str(tmp_path / "data"))

    def run(*arguments, code=0):
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == code, done.output
        return done.output

    run("accounts", "create", "--email", OWNER, "--tier", "starter")
    return run


@pytest.fixture
def stripe(run, monkeypatch):
    fake = FakeStripe(time.time)
    with Listening(fake) as address:
        monkeypatch.setenv("FIRM_STRIPE_SECRET_KEY", KEY)
        monkeypatch.setenv("FIRM_STRIPE_SIGNING_SECRET", SIGNING_SECRET)
        monkeypatch.setenv("FIRM_STRIPE_PRICES", "basic=price_basic,pro=price_pro")
        monkeypatch.setenv("FIRM_STRIPE_ADDRESS", address)
        yield fake


def test_without_stripe_an_operator_sets_tiers_and_is_told_so(run):
    said = run("billing", "checkout", "--account", OWNER, "--tier", "pro", code=2)
    assert "FIRM_STRIPE_SECRET_KEY" in said
    assert "firm accounts set-tier" in said
    assert run("accounts", "set-tier", "--account", OWNER, "--tier", "pro") == f"{OWNER} now has tier pro\n"


def test_an_account_from_checkout_to_its_end(run, stripe):
    assert "never started a checkout" in run("billing", "portal", "--account", OWNER, code=1)
    url = json.loads(run("billing", "checkout", "--account", OWNER, "--tier", "pro", "--json"))["url"]
    assert "the account is unchanged" in run("billing", "sync")
    run("accounts", "set-tier", "--account", OWNER, "--tier", "business")  # nothing has been subscribed to yet
    subscription = stripe.complete(url)
    assert run("billing", "sync", "--account", OWNER) == f"{OWNER}  pro  active  trialing\n"
    said = run("accounts", "set-tier", "--account", OWNER, "--tier", "business", code=1)
    assert "is set by its Stripe subscription" in said
    assert "portal" in run("billing", "checkout", "--account", OWNER, "--tier", "basic", code=1)
    assert run("billing", "portal", "--account", OWNER).startswith("https://billing.stripe.com/")
    stripe.end(subscription)
    assert "basic  payment_required  canceled" in run("billing", "sync")
    run("accounts", "set-tier", "--account", OWNER, "--tier", "business")
    run("accounts", "activate", OWNER)
    run("billing", "sync")
    assert " business  active " in run("accounts", "list")


def test_one_that_cannot_be_brought_up_to_date_stops_no_other(run, stripe):
    emails = [OWNER, "b@example.com"]
    run("accounts", "create", "--email", emails[1], "--tier", "starter")
    made = [stripe.complete(run("billing", "checkout", "--account", one, "--tier", "pro").strip()) for one in emails]
    stripe.change_price(made[0], "price_unknown")
    said = run("billing", "sync", code=1)
    assert "price_unknown" in said
    assert "1 could not be synced" in said
    tiers = [line.split()[1] for line in run("accounts", "list").splitlines()]
    assert tiers == ["starter", "pro"]


def test_accounts_from_before_are_counted_and_can_be_made_to_choose(run, stripe, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    run("accounts", "create", "--email", "b@example.com", "--tier", "pro")
    assert "2 accounts are served without a subscription" in run("doctor")
    assert "gets 402" in run("billing", "require", "--account", "b@example.com")
    assert " basic  payment_required  b@example.com" in run("accounts", "list")
    assert "1 account is served without a subscription" in run("doctor")
    url = run("billing", "checkout", "--account", OWNER, "--tier", "pro").strip()
    assert "1 account is served without a subscription" in run("doctor")
    subscription = stripe.complete(url)
    run("billing", "sync")
    assert "without a subscription" not in run("doctor")
    assert "already has a subscription" in run("billing", "require", "--account", OWNER, code=1)
    stripe.end(subscription)
    run("billing", "sync")
    run("accounts", "activate", OWNER)
    assert "1 account is served without a subscription" in run("doctor")
    run("billing", "require", "--account", OWNER)
    assert f" basic  payment_required  {OWNER}" in run("accounts", "list")
    run("accounts", "suspend", OWNER)
    run("billing", "require", "--account", OWNER)
    assert f" suspended  {OWNER}" in run("accounts", "list")


def told(run, **ends):
    """What `firm doctor` says of prices: state and text by line."""
    lines = run("doctor", **ends).splitlines()
    return [line for line in lines if "Stripe" in line or "price_" in line]


def test_the_doctor_compares_what_is_charged_with_what_is_told(run, stripe, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    [first, second] = told(run)
    assert first.split()[:1] == second.split()[:1] == ["ok"]
    assert "price_pro of pro: 149.00 USD a month" in second
    stripe.prices["price_basic"] = {"unit_amount": 1_900}
    stripe.prices["price_pro"] = {"unit_amount": 14_900, "currency": "eur"}
    first, second = told(run)
    assert "warn" in first
    assert "price_basic of basic: 19.00 USD a month" in first
    assert "9.00 USD" in first.partition("a month")[2]
    assert "14900 minor units of EUR" in second
    stripe.prices["price_pro"] = {"unit_amount": 14_900, "active": False}
    assert "bad" in told(run, code=1)[1]
    del stripe.prices["price_pro"]
    assert "No such price" in told(run, code=1)[1]
    monkeypatch.delenv("FIRM_STRIPE_SECRET_KEY")
    monkeypatch.delenv("FIRM_STRIPE_SIGNING_SECRET")
    monkeypatch.delenv("FIRM_STRIPE_PRICES")
    assert told(run) == []
