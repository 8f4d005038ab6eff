"""Problems of the webhook operations (docs/contract/contract.md 4.10), each worded once.

Does not belong here: when they are raised, or validation errors of a body (`api.forms`).
"""

from api.problems import InputError, Problem, problem
from api.tiers import Tiers
from api.webhooks.targets import BLOCKED, Refusal

_SHOWN = 60
ENDPOINT_URL = "/endpoint_url"


def not_found(subscription_id: str) -> Problem:
    """404, also for other accounts' subscriptions."""
    return problem("webhook_not_found", f"No subscription {subscription_id[:_SHOWN]}.")


def changed_meanwhile() -> Problem:
    """412: If-Match names another revision."""
    return problem("precondition_failed", "The subscription changed since you read it.")


def invalid_state(detail: str, status: str) -> Problem:
    """409; `status` is that of the subscription."""
    return problem("invalid_state", detail, current_status=status)


def not_served(status: str) -> Problem:
    """402 or 403 for an account that is not active."""
    if status == "payment_required":
        return problem("payment_required", "There is no active trial and no successful payment.")
    return problem("account_suspended", "Contact support.")


def tier_required(tiers: Tiers, tier: str) -> Problem:
    """403 for a tier without webhooks; names the tiers that have them."""
    wanted = [name for name, one in tiers.by_name.items() if one.webhooks]
    shown = " or ".join(name.capitalize() for name in wanted)
    return problem(
        "tier_required",
        f"Webhooks need the {shown} tier; this account has '{tier}'.",
        required_tiers=wanted,
        current_tier=tier,
    )


def limit_reached(limit: int) -> Problem:
    """403: the tier allows no further subscription."""
    return problem("subscription_limit_reached", f"This tier allows {limit} subscriptions.", limit=limit)


def endpoint_not_allowed(refusal: Refusal) -> Problem:
    """422 for a well-formed URL with a disallowed target."""
    if refusal == BLOCKED:
        detail = "The host is not a public internet address."
    else:
        detail = f"{refusal.detail[:1].upper()}{refusal.detail[1:]}."
    error = InputError(refusal.code, refusal.detail, pointer=ENDPOINT_URL)
    return problem("endpoint_not_allowed", detail, error)
