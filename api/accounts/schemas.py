"""The usage of an account as a response (docs/contract/contract.md 4.9).

Does not belong here: what the route does (`api.accounts.routes`).
"""

from datetime import datetime

from api.schemas import declare
from api.schemas.declare import INT64, ResponseModel


class Usage(ResponseModel):
    """Usage of the account in the current month."""

    tier: str = declare.text(60, "Name of the tier.", pattern="^[a-z][a-z0-9_-]*$")
    period_start: datetime = declare.instant("Start of the month, UTC.")
    period_end: datetime = declare.instant("Start of the next month.")
    requests_used: int = declare.integer(0, INT64, "Requests counted so far.")
    requests_limit: int = declare.integer(0, INT64, "Requests allowed in the month.")
    requests_remaining: int = declare.integer(0, INT64, "Never below 0.")
    burst_per_second: int = declare.integer(0, 1_000_000, "Sustained requests per second.")
    burst_capacity: int = declare.integer(0, 1_000_000, "Burst capacity in requests.")
    webhooks_enabled: bool = declare.boolean("Whether the tier has webhooks.")
    subscriptions_used: int = declare.integer(0, 1_000_000, "Current number of webhook subscriptions.")
    subscriptions_limit: int | None = declare.integer(0, 1_000_000, "Allowed number of webhook subscriptions.")
    trial_ends_at: datetime | None = declare.instant("End of the trial; null without a trial.")
    account_status: str = declare.open_word(("active", "payment_required", "suspended"), "Status of the account.")
