"""Problems of the webhook operations (docs/contract/contract.md 4.10), each worded once.

Does not belong here: when they are raised, or validation errors of a body (`api.http.body_validation`).
"""

from collections.abc import Mapping
from typing import Any

from api.problems.problem import ProblemDetail, ProblemError, new_problem
from api.webhooks.egress.url_policy import BLOCKED, UrlRejection

_SHOWN = 60
ENDPOINT_URL = "/endpoint_url"
UNKNOWN_WATCHLIST = ("unknown_watchlist", "is no watchlist of this account", "/filters/watchlist_id")
"""Code, detail and pointer of the error."""


def place_pointer(kind: str, members: Mapping[str, Any]) -> str:
    """The member that names the target of a destination, as a client sent it."""
    if kind == "https" and "destination" not in members:
        return ENDPOINT_URL
    return f"/destination/{'url' if kind == 'https' else 'queue_url' if kind == 'sqs' else 'bucket'}"


def webhook_not_found(subscription_id: str) -> ProblemError:
    """404, also for other accounts' subscriptions."""
    return new_problem("webhook_not_found", f"No subscription {subscription_id[:_SHOWN]}.")


def invalid_state(detail: str, status: str) -> ProblemError:
    """409; `status` is that of the subscription."""
    return new_problem("invalid_state", detail, current_status=status)


def account_not_served(status: str) -> ProblemError:
    """402 or 403 for an account that is not active."""
    if status == "payment_required":
        return new_problem("payment_required", "There is no active trial and no successful payment.")
    return new_problem("account_suspended", "Contact support.")


def endpoint_not_allowed(rejection: UrlRejection, pointer: str = ENDPOINT_URL) -> ProblemError:
    """422 for a well-formed URL with a disallowed target."""
    if rejection == BLOCKED:
        detail = "The host is not a public internet address."
    else:
        detail = f"{rejection.detail[:1].upper()}{rejection.detail[1:]}."
    error = ProblemDetail(rejection.code, rejection.detail, pointer=pointer)
    return new_problem("endpoint_not_allowed", detail, error)
