"""What Stripe's statuses mean for an account; and settings, which make sense as a whole or not at all."""

from datetime import UTC, datetime

import msgspec
import pytest

from api.billing.entitlement import SignUpState, entitlement_for, sign_up_state, unresolved_trials
from api.billing.errors import StripeMappingError
from api.billing.stripe_models import StripeSubscription
from api.settings.billing import BillingSettings
from api.settings.service import ApiSettings
from api.settings.tiers import DEFAULT
from tests.tables import check_cases
from warehouse.settings.errors import SettingError

TIER_OF = {"price_basic": "basic", "price_pro": "pro"}
TRIAL = {"trial_start": 1_000, "trial_end": 2_000}
END = datetime.fromtimestamp(2_000, UTC)
GIVEN = {
    "FIRM_STRIPE_SECRET_KEY": "sk_live_secret",
    "FIRM_STRIPE_SIGNING_SECRET": "whsec_secret",
    "FIRM_STRIPE_PRICES": "basic=price_1A, pro=price_1B,pro=price_1C",
}


def subscription(status, price="price_pro", began=5_000, name="sub", **more):
    item = {"price": {"id": price}, "current_period_start": began, "current_period_end": began + 1_000}
    told = {"id": f"{name}_{status}", "status": status, "created": 1, "items": {"data": [item]}}
    return msgspec.convert(told | more, StripeSubscription)


def found(*subscriptions):
    """`paid_…` has paid something after its trial."""
    paid = [one.id for one in subscriptions if one.id.startswith("paid")]
    told = entitlement_for(subscriptions, paid, TIER_OF, DEFAULT)
    return told and (told.tier, told.status, told.trial_ends_at)


@check_cases(
    ("status", "more", "expected"),
    [
        ("trialing", {"began": 1_000, **TRIAL}, ("pro", "active", END)),
        ("active", {"began": 2_000, **TRIAL}, ("pro", "active", None)),
        ("past_due", {"began": 2_000, **TRIAL}, ("basic", "payment_required", END)),
        ("past_due", {"began": 3_000, **TRIAL}, ("basic", "payment_required", END)),
        ("past_due", {"began": 3_000, "name": "paid", **TRIAL}, ("pro", "active", None)),
        ("past_due", {"began": 2_000, "name": "paid", **TRIAL}, ("pro", "active", None)),
        ("unpaid", {"began": 2_000, "name": "paid", **TRIAL}, ("basic", "payment_required", None)),
        ("canceled", {"began": 2_000, "name": "paid", **TRIAL}, ("basic", "payment_required", None)),
        ("past_due", {}, ("pro", "active", None)),
        ("unpaid", {"began": 2_000, **TRIAL}, ("basic", "payment_required", END)),
        ("unpaid", {}, ("basic", "payment_required", None)),
        ("paused", {"began": 2_000, **TRIAL}, ("basic", "payment_required", END)),
        ("canceled", {"began": 1_000, **TRIAL}, ("basic", "payment_required", END)),
        ("canceled", {}, ("basic", "payment_required", None)),
        ("incomplete", {}, None),
        ("incomplete_expired", {}, None),
    ],
)
def test_every_status_has_its_meaning(status, more, expected):
    assert found(subscription(status, **more)) == expected


def test_of_several_the_one_that_gives_most_counts():
    ended, lapsed = subscription("canceled"), subscription("unpaid")
    basic, pro = subscription("active", "price_basic"), subscription("trialing", "price_pro")
    for order in ([ended, lapsed, basic, pro], [pro, basic, lapsed, ended]):
        assert entitlement_for(order, (), TIER_OF, DEFAULT).subscription_id == "sub_trialing"
    assert found(ended, basic, lapsed)[:2] == ("basic", "active")
    assert entitlement_for([ended, lapsed], (), TIER_OF, DEFAULT).stripe_status == "unpaid"
    assert found() is None


def test_it_is_asked_what_was_paid_only_where_the_status_leaves_it_open():
    first = {"began": 2_000, **TRIAL}
    of = [subscription(one, **first) for one in ("trialing", "active", "past_due", "unpaid", "canceled")]
    later = [
        subscription("past_due", name="later", began=3_000, **TRIAL),
        subscription("past_due"),
        subscription("canceled", began=1_000, **TRIAL),
    ]
    asked = ["sub_past_due", "sub_unpaid", "sub_canceled", "later_past_due"]
    assert unresolved_trials([*of, *later]) == [(one, 2_000) for one in asked]


def test_where_accounts_pay_nobody_begins_with_anything():
    assert sign_up_state(DEFAULT, accounts_pay=True) == SignUpState("basic", "payment_required")
    assert sign_up_state(DEFAULT, accounts_pay=False) == SignUpState("basic", "active")
    lapsed = entitlement_for([subscription("unpaid")], (), TIER_OF, DEFAULT)
    assert SignUpState(lapsed.tier, lapsed.status) == sign_up_state(DEFAULT, accounts_pay=True)


def test_what_is_not_known_is_never_guessed():
    with pytest.raises(StripeMappingError, match="'dreaming'"):
        found(subscription("dreaming"))
    with pytest.raises(StripeMappingError, match="price_x"):
        found(subscription("active", "price_x"), subscription("canceled"))
    assert found(subscription("active", "price_x"), subscription("active"))[0] == "pro"
    assert found(subscription("canceled", "price_x")) is None


def test_settings_are_read_and_secrets_never_shown():
    read = ApiSettings.read(GIVEN)
    assert read.billing.prices == (("basic", "price_1A"), ("pro", "price_1B"), ("pro", "price_1C"))
    assert (read.billing.price_of("pro"), read.billing.price_of("starter")) == ("price_1B", None)
    assert read.billing.tier_of["price_1C"] == "pro"
    assert read.billing.is_on
    assert "secret" not in repr(read.billing)
    assert ApiSettings.read({}).billing == BillingSettings()
    assert not BillingSettings().is_on


@check_cases(
    ("change", "said"),
    [
        ({"FIRM_STRIPE_SECRET_KEY": ""}, "FIRM_STRIPE_SECRET_KEY must also be set"),
        ({"FIRM_STRIPE_SIGNING_SECRET": ""}, "FIRM_STRIPE_SIGNING_SECRET must also be set"),
        ({"FIRM_STRIPE_PRICES": ""}, "FIRM_STRIPE_PRICES must also be set"),
        ({"FIRM_STRIPE_PRICES": "gold=price_1"}, "'gold' is not a tier; tiers are basic, starter, pro, business"),
        ({"FIRM_STRIPE_PRICES": "pro=prod_1"}, "for example pro=price_…, not 'pro=prod_1'"),
        ({"FIRM_STRIPE_PRICES": "pro=price_1,basic=price_1"}, "price_1 is given twice"),
        ({"FIRM_STRIPE_ADDRESS": "http://stripe.example.com"}, "unencrypted"),
        ({"FIRM_STRIPE_RETURN_URL": "javascript:alert(1)"}, "FIRM_STRIPE_RETURN_URL must be a URL"),
        ({"FIRM_TRIAL_DAYS": "731"}, "FIRM_TRIAL_DAYS must be from 0 to 730"),
    ],
)
def test_settings_that_make_no_sense_are_refused(change, said):
    with pytest.raises(SettingError, match=said.replace("(", r"\(")) as caught:
        ApiSettings.read(GIVEN | change)
    assert "secret" not in str(caught.value)
