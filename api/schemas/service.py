"""Schemas of markets and usage (docs/contract/contract.md 4.8a, 4.9).

Does not belong here: problems (`api.schemas.problems`).
"""

from typing import Any, Final

from api.schemas.kinds import (
    INT64,
    REGISTER,
    address,
    array,
    flag,
    instant,
    integer,
    page,
    record,
    ref,
    text,
    word,
)
from warehouse.schema.codes import MARKETS

_DATASET: Final = {
    "dataset": REGISTER,
    "observed_at": instant("Date of the served data in the register.", null=True),
    "checked_at": instant("When the register was last checked.", null=True),
    "held_since": instant(
        "Since when new data has been quarantined for review; null if it is not.", null=True
    ),
    "licence": text(100, "Licence of the data.", null=True),
    "licence_url": address("URL of the licence text."),
    "attribution": text(1000, "Attribution to display with the data.", null=True),
}
_MARKET: Final = {
    "market": text(2, "Market code.", pattern="^[A-Z]{2}$") | {"x-extensible-enum": list(MARKETS)},
    "name": text(60, "Name in English."),
    "state": word(("served", "announced"), "Announced markets have no companies yet.", open_ended=True),
    "companies": integer(0, INT64, "Number of companies served."),
    "observed_at": instant("Date of the newest of its datasets.", null=True),
    "datasets": array(ref("Dataset"), 100, "Source datasets of the market."),
}
_USAGE: Final = {
    "tier": text(60, "Name of the tier.", pattern="^[a-z][a-z0-9_-]*$"),
    "period_start": instant("Start of the month, UTC."),
    "period_end": instant("Start of the next month."),
    "requests_used": integer(0, INT64, "Requests counted so far."),
    "requests_limit": integer(0, INT64, "Requests allowed in the month."),
    "requests_remaining": integer(0, INT64, "Never below 0."),
    "burst_per_second": integer(0, 1_000_000, "Sustained requests per second."),
    "burst_capacity": integer(0, 1_000_000, "Burst capacity in requests."),
    "webhooks_enabled": flag("Whether the tier has webhooks."),
    "subscriptions_used": integer(0, 1_000_000, "Current number of webhook subscriptions."),
    "subscriptions_limit": integer(0, 1_000_000, "Allowed number of webhook subscriptions.", null=True),
    "trial_ends_at": instant("End of the trial; null without a trial.", null=True),
    "account_status": word(
        ("active", "payment_required", "suspended"), "Status of the account.", open_ended=True
    ),
}


def components() -> dict[str, Any]:
    """Named schemas of these resources."""
    return {
        "Dataset": record("Freshness and licence of one dataset.", _DATASET),
        "Market": record("One market.", _MARKET),
        "MarketList": page("All markets, served and announced.", ref("Market")),
        "Usage": record("Usage of the account in the current month.", _USAGE),
    }
