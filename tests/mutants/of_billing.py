"""Breaks of paying: signatures, the order of events, trials, webhooks of those who pay no more."""

from typing import Final

from tests.mutants.mutant import Mutant

_EVENTS = "tests/api/billing/test_billing_events.py"
_TRIALS = "tests/api/billing/test_billing_trials.py"

BILLING: Final = (
    Mutant(
        "billing: any signature will do",
        "api/billing/signatures.py",
        "if not any(hmac.compare_digest(expected, one) for one in given):",
        "if not expected:",
        f"{_EVENTS}::test_what_is_not_stripes_or_not_of_now_is_refused",
    ),
    Mutant(
        "billing: a recorded event may be sent again for ever",
        "api/billing/signatures.py",
        "if abs(now - int(stamps[0])) > TOLERANCE_SECONDS:",
        "if abs(now - int(stamps[0])) > 10**9:",
        f"{_EVENTS}::test_what_is_not_stripes_or_not_of_now_is_refused",
    ),
    Mutant(
        "billing: an older answer of Stripe's overwrites a newer one",
        "api/db/billing.py",
        "same = and_(StripeCustomer.account_id == seen.account_id, StripeCustomer.revision == seen.revision)",
        "same = and_(StripeCustomer.account_id == seen.account_id, StripeCustomer.revision >= 0)",
        f"{_EVENTS}::test_who_asked_earlier_never_overwrites_who_asked_later[sqlite]",
    ),
    Mutant(
        "billing: a trial that cannot be charged goes on until Stripe gives up",
        "api/billing/standing.py",
        'if subscription.status == "past_due" and subscription.trial_end in _began(subscription):',
        'if subscription.status == "overdue" and subscription.trial_end in _began(subscription):',
        f"{_TRIALS}::test_a_trial_that_cannot_be_charged_is_over_at_once[sqlite]",
    ),
    Mutant(
        "billing: whoever pays no more keeps his webhooks",
        "api/db/billing.py",
        "if not given.has_webhooks and tuple(before)[:2] != after[:2]:",
        "if given.has_webhooks and tuple(before)[:2] != after[:2]:",
        f"{_TRIALS}::test_a_trial_that_cannot_be_charged_is_over_at_once[sqlite]",
    ),
    Mutant(
        "billing: every subscription begins with a trial",
        "api/billing/service.py",
        "days = 0 if tried else self._settings.trial_days",
        "days = self._settings.trial_days",
        f"{_TRIALS}::test_an_account_has_one_trial",
    ),
    Mutant(
        "billing: what was canceled is not asked for",
        "api/billing/stripe.py",
        'asked = {"customer": customer_id, "status": "all", "limit": str(_MOST)}',
        'asked = {"customer": customer_id, "limit": str(_MOST)}',
        f"{_TRIALS}::test_what_ended_before_anything_was_delivered_has_ended",
    ),
)
