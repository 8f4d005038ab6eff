"""Breaks of paying: signatures, the order of events, trials, webhooks of those who pay no more."""

from typing import Final

from tests.mutants.mutant import Mutant

_EVENTS = "tests/api/billing/test_events.py"
_LIVES = "tests/api/dashboard/pages/plan/test_lives.py"
_SAFETY = "tests/api/dashboard/pages/plan/test_safety.py"
_UPKEEP = "tests/api/billing/test_reconciliation.py"
_TRIALS = "tests/api/billing/test_trials.py"

BILLING: Final = (
    Mutant(
        "billing: any signature will do",
        "api/billing/service.py",
        "if not any(hmac.compare_digest(expected, one) for one in given):",
        "if not expected:",
        f"{_EVENTS}::test_what_is_not_stripes_or_not_of_now_is_refused",
    ),
    Mutant(
        "billing: a recorded event may be sent again for ever",
        "api/billing/service.py",
        "if abs(now - int(stamps[0])) > TOLERANCE_SECONDS:",
        "if abs(now - int(stamps[0])) > 10**9:",
        f"{_EVENTS}::test_what_is_not_stripes_or_not_of_now_is_refused",
    ),
    Mutant(
        "billing: an older answer of Stripe's overwrites a newer one",
        "api/billing/repository.py",
        "same = and_(StripeCustomer.account_id == stored.account_id, StripeCustomer.revision == stored.revision)",
        "same = and_(StripeCustomer.account_id == stored.account_id, StripeCustomer.revision >= 0)",
        f"{_EVENTS}::test_who_asked_earlier_never_overwrites_who_asked_later[sqlite]",
    ),
    Mutant(
        "billing: a trial that cannot be charged goes on until Stripe gives up",
        "api/billing/entitlement.py",
        'if subscription.status == "past_due" and _is_trial_over(subscription) and subscription.id not in paid:',
        'if subscription.status == "overdue" and _is_trial_over(subscription) and subscription.id not in paid:',
        f"{_TRIALS}::test_a_trial_that_cannot_be_charged_is_over_at_once[sqlite]",
    ),
    Mutant(
        "billing: whoever pays no more keeps his webhooks",
        "api/billing/repository.py",
        "if not has_webhooks and tuple(before)[:2] != after[:2]:",
        "if has_webhooks and tuple(before)[:2] != after[:2]:",
        f"{_TRIALS}::test_a_trial_that_cannot_be_charged_is_over_at_once[sqlite]",
    ),
    Mutant(
        "billing: every subscription begins with a trial",
        "api/billing/service.py",
        "days = 0 if tried else self.trial_days(customer)",
        "days = self._settings.trial_days",
        f"{_TRIALS}::test_an_account_has_one_trial",
    ),
    Mutant(
        "billing: what was canceled is not asked for",
        "api/billing/stripe_client.py",
        'asked = {"customer": customer_id, "status": "all", "limit": str(_MOST)}',
        'asked = {"customer": customer_id, "limit": str(_MOST)}',
        f"{_TRIALS}::test_what_ended_before_anything_was_delivered_has_ended",
    ),
    Mutant(
        "billing: who paid is refused for the difference to a better tier",
        "api/billing/entitlement.py",
        'if subscription.status == "past_due" and _is_trial_over(subscription) and subscription.id not in paid:',
        'if subscription.status == "past_due" and _is_trial_over(subscription):',
        f"{_TRIALS}::test_who_paid_for_the_first_period_is_served_though_an_upgrade_was_not_paid",
    ),
    Mutant(
        "billing: a trial that was never paid is served from the second period on",
        "api/billing/entitlement.py",
        "return end is not None and any(item.current_period_start >= end for item in subscription.items.data)",
        "return end is not None and any(item.current_period_start == end for item in subscription.items.data)",
        f"{_TRIALS}::test_a_trial_that_was_never_paid_is_not_served_in_later_periods_either",
    ),
    Mutant(
        "billing: a credit pays for the trial",
        "api/billing/stripe_client.py",
        "return any(one.amount_paid > 0 or one.billing_reason == _NEW_PERIOD for one in found)",
        "return bool(found)",
        f"{_TRIALS}::test_a_credit_does_not_pay_for_the_trial_that_was_not_paid",
    ),
    Mutant(
        "billing: a payment that fails is passed over",
        "api/billing/service.py",
        '"invoice.payment_failed",',
        '"invoice.payment_missed",',
        f"{_EVENTS}::test_each_kind_of_event_is_enough_alone[invoice.payment_failed]",
    ),
    Mutant(
        "billing: whoever signs up is served without a plan",
        "api/billing/entitlement.py",
        'return unpaid_state(tiers) if accounts_pay else SignUpState(tiers.names[0], "active")',
        'return SignUpState(tiers.names[0], "active")',
        f"{_LIVES}::test_who_signs_up_has_nothing_until_a_plan_begins",
    ),
    Mutant(
        "billing: whoever comes back from the checkout waits for Stripe's event",
        "api/dashboard/pages/plan.py",
        "asked = None if origin is None else await _refresh_from_stripe(page)",
        "asked = None",
        f"{_LIVES}::test_coming_back_before_stripe_has_told_anything_is_no_matter",
    ),
    Mutant(
        "billing: Stripe's pages may be anywhere",
        "api/billing/stripe_client.py",
        "if not _PAGE.fullmatch(found.url):",
        "if not found.url:",
        f"{_SAFETY}::test_what_stripe_refuses_is_told_without_its_words",
    ),
    Mutant(
        "billing: Stripe is asked about every account in every pass",
        "api/billing/service.py",
        "account_id = self._database.read(next_account_to_compare, self._clock.now() - EVERY, self._after)",
        "account_id = self._database.read(next_account_to_compare, self._clock.now(), self._after)",
        f"{_UPKEEP}::test_what_an_event_told_today_is_not_asked_again",
    ),
    Mutant(
        "billing: whoever pays no more makes webhooks while his key is still believed",
        "api/webhooks/subscriptions/service.py",
        'if status != "active":',
        'if status == "nothing":',
        f"{_TRIALS}::test_who_is_made_to_choose_a_plan_has_nothing_until_then[sqlite]",
    ),
    Mutant(
        "billing: an account with a subscription can be made to choose one",
        "api/billing/service.py",
        "if _is_subscription_managed(repository.customer_of_account(connection, account_id)):",
        "if repository.customer_of_account(connection, account_id) is None:",
        "tests/firm/test_billing_commands.py::test_accounts_from_before_are_counted_and_can_be_made_to_choose",
    ),
    Mutant(
        "billing: forms of other sites lead to Stripe",
        "api/dashboard/routing.py",
        'if not service.session_service.is_form_token(visit.browser_token, visit.form.get(TOKEN_FIELD, "")):',
        "if TOKEN_FIELD not in visit.form:",
        f"{_SAFETY}::test_forms_of_other_sites_lead_nowhere",
    ),
    Mutant(
        "billing: a page that is asked for again and again asks Stripe each time",
        "api/dashboard/pages/plan.py",
        "limits.check_dashboard_changes(visit.account_id, visit.context.started_at)",
        "limits.month()",
        f"{_SAFETY}::test_who_asks_again_and_again_waits",
    ),
    Mutant(
        "billing: a Stripe that does not answer holds the page",
        "api/billing/service.py",
        "async with asyncio.timeout(STRIPE_PATIENCE_SECONDS):",
        "async with asyncio.timeout(60):",
        f"{_SAFETY}::test_a_stripe_that_does_not_answer_keeps_nobody_waiting",
    ),
)
