"""Schemas of what the service tells of itself: markets and usage (docs/contract/contract.md 4.8a, 4.9).

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
    "observed_at": instant("State of the register that is served.", null=True),
    "checked_at": instant("When the register was last asked.", null=True),
    "held_since": instant("Since when new data is held back for a look; null when fresh.", null=True),
    "licence": text(100, "Licence of the data.", null=True),
    "licence_url": address("Its text."),
    "attribution": text(1000, "What to say where the data is shown.", null=True),
}
_MARKET: Final = {
    "market": text(2, "Market code.", pattern="^[A-Z]{2}$") | {"x-extensible-enum": list(MARKETS)},
    "name": text(60, "Name in English."),
    "state": word(("served", "announced"), "Announced markets have no companies yet.", open_ended=True),
    "companies": integer(0, INT64, "Companies served."),
    "observed_at": instant("Of the newest of its datasets.", null=True),
    "datasets": array(ref("Dataset"), 100, "Registers behind the market."),
}
_USAGE: Final = {
    "tier": text(60, "Name of the tier.", pattern="^[a-z][a-z0-9_-]*$"),
    "period_start": instant("Start of the month, UTC."),
    "period_end": instant("Start of the next month."),
    "requests_used": integer(0, INT64, "Counted so far."),
    "requests_limit": integer(0, INT64, "Of the month."),
    "requests_remaining": integer(0, INT64, "Never below 0."),
    "burst_per_second": integer(0, 1_000_000, "Requests per second that are always allowed."),
    "burst_capacity": integer(0, 1_000_000, "Requests that may come at once."),
    "webhooks_enabled": flag("Whether the tier has webhooks."),
    "subscriptions_used": integer(0, 1_000_000, "Webhook subscriptions there are."),
    "subscriptions_limit": integer(0, 1_000_000, "Webhook subscriptions there may be.", null=True),
    "trial_ends_at": instant("End of the trial; null without one.", null=True),
    "account_status": word(
        ("active", "payment_required", "suspended"), "State of the account.", open_ended=True
    ),
}


def components() -> dict[str, Any]:
    """Named schemas of these resources."""
    return {
        "Dataset": record("How fresh one register is, and its terms.", _DATASET),
        "Market": record("One market.", _MARKET),
        "MarketList": page("All markets, served and announced.", ref("Market")),
        "Usage": record("Use of the month by the account.", _USAGE),
    }
