"""How every account stands that there can be: one sentence for each, and never a button that cannot do anything."""

from datetime import UTC, datetime
from itertools import product

import pytest
from lxml import html

from api.accounts.repository import AccountRecord
from api.billing.repository import CustomerRecord
from api.dashboard import templating
from api.dashboard.pages.plan import PlanStage, build_plan_view, price_text
from api.settings.billing import BillingSettings
from api.settings.tiers import DEFAULT, Tier, read_tiers
from tests.tables import check_cases

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
THEN = datetime(2026, 12, 5, 9, 0, tzinfo=UTC)
SOLD = BillingSettings(secret_key="x", signing_secret="x", prices=(("basic", "price_b"), ("pro", "price_p")))
NOBODY, LOOKED = "no customer", None
TOLD = (NOBODY, LOOKED, "trialing", "active", "past_due", "unpaid", "paused", "canceled")
STATUSES = ("active", "payment_required", "suspended")


def account(status, trial=None):
    return AccountRecord("acc_1", "a@example.com", "pro", status, NOW, trial)


def customer(told, ends=None):
    if told == NOBODY:
        return None
    return CustomerRecord("acc_1", "cus_1", 3, None if told is LOOKED else "sub_1", told, ends, NOW)


def stage(told, status, billing=SOLD):
    return build_plan_view(account(status), customer(told), DEFAULT, billing, 14).stage


@check_cases(
    ("told", "stages"),
    [
        (NOBODY, (PlanStage.GRANTED, PlanStage.NONE, PlanStage.NONE)),
        (LOOKED, (PlanStage.GRANTED, PlanStage.NONE, PlanStage.NONE)),
        ("trialing", (PlanStage.TRIAL, PlanStage.LAPSED, PlanStage.TRIAL)),
        ("active", (PlanStage.RUNS, PlanStage.LAPSED, PlanStage.RUNS)),
        ("past_due", (PlanStage.PAST_DUE, PlanStage.LAPSED, PlanStage.PAST_DUE)),
        ("unpaid", (PlanStage.PAST_DUE, PlanStage.LAPSED, PlanStage.LAPSED)),
        ("paused", (PlanStage.PAST_DUE, PlanStage.LAPSED, PlanStage.LAPSED)),
        ("canceled", (PlanStage.GRANTED, PlanStage.ENDED, PlanStage.ENDED)),
    ],
)
def test_every_account_has_its_stage(told, stages):
    assert tuple(stage(told, status) for status in STATUSES) == stages
    assert {stage(told, status, BillingSettings()) for status in STATUSES} == {PlanStage.MANUAL}


@pytest.mark.parametrize("billing", [SOLD, BillingSettings()], ids=["paid", "by hand"])
def test_every_page_says_one_thing_and_offers_what_can_be_done(billing):
    for told, status, trial, ends, days in product(TOLD, STATUSES, (None, THEN), (None, THEN), (0, 14)):
        whose = account(status, trial)
        plan = build_plan_view(whose, customer(told, ends), DEFAULT, billing, days)
        tree = html.fromstring(shown(plan, whose))
        case = (told, status, trial, ends, days)
        said = tree.xpath("//main/dl[1]/following-sibling::p[1]")
        assert len(said) == 1, case
        assert said[0].text_content().strip(), case
        assert not (plan.can_subscribe and plan.can_cancel), case
        offered = {one.rpartition("/")[2] for one in tree.xpath("//main//form/@action")}
        assert ("checkout" in offered) == plan.can_subscribe, case
        assert not offered or billing.is_on, case
        assert "checkout" not in offered or status != "suspended", case
        assert "portal" not in offered or told not in (NOBODY, LOOKED), case
        assert "cancel" not in offered or (ends is None and told not in (NOBODY, LOOKED, "canceled")), case
        if status == "payment_required":
            assert "402" in tree.text_content() or not billing.is_on, case
            assert "(yours)" not in tree.text_content(), case
        assert "402" not in tree.text_content() or status != "active", case


def test_prices_are_those_of_the_configuration():
    tiers = read_tiers({"tiers": {"starter": {"monthly_cents": 123_450}, "pro": {"monthly_cents": 0}}})
    assert [price_text(one, SOLD) for one in tiers.by_name.values()] == [
        "9 USD",
        "1,234.50 USD",
        "0 USD",
        "not available",
    ]
    assert price_text(Tier("pro", 1, 1, 1), SOLD) == "shown at checkout"


def shown(plan, whose):
    """The page, as the route has it rendered."""
    return templating.render_template(
        "plan.html",
        root="",
        form_field="form_token",
        form_token="0" * 64,
        account=whose,
        is_operator=False,
        path="/dashboard/plan",
        plan=plan,
        stages=PlanStage,
        notice=None,
        paused=[],
        more_paused=False,
        cache_seconds=30,
    ).decode()
