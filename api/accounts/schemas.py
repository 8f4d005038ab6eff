"""Schema of the usage of an account (docs/contract/contract.md 4.9).

Does not belong here: what the route does (`api.accounts.routes`).
"""

from typing import Any, Final

from api.openapi.schema_types import (
    INT64,
    boolean_schema,
    enum_schema,
    instant_schema,
    integer_schema,
    object_schema,
    text_schema,
)

_USAGE: Final = {
    "tier": text_schema(60, "Name of the tier.", pattern="^[a-z][a-z0-9_-]*$"),
    "period_start": instant_schema("Start of the month, UTC."),
    "period_end": instant_schema("Start of the next month."),
    "requests_used": integer_schema(0, INT64, "Requests counted so far."),
    "requests_limit": integer_schema(0, INT64, "Requests allowed in the month."),
    "requests_remaining": integer_schema(0, INT64, "Never below 0."),
    "burst_per_second": integer_schema(0, 1_000_000, "Sustained requests per second."),
    "burst_capacity": integer_schema(0, 1_000_000, "Burst capacity in requests."),
    "webhooks_enabled": boolean_schema("Whether the tier has webhooks."),
    "subscriptions_used": integer_schema(0, 1_000_000, "Current number of webhook subscriptions."),
    "subscriptions_limit": integer_schema(0, 1_000_000, "Allowed number of webhook subscriptions.", null=True),
    "trial_ends_at": instant_schema("End of the trial; null without a trial.", null=True),
    "account_status": enum_schema(
        ("active", "payment_required", "suspended"), "Status of the account.", open_ended=True
    ),
}


def schema_components() -> dict[str, Any]:
    """The named schema of usage."""
    return {"Usage": object_schema("Usage of the account in the current month.", _USAGE)}
