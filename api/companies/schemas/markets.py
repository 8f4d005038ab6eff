"""Schemas of markets (docs/contract/contract.md 4.8a).

Does not belong here: problems (`api.openapi.problem_responses`).
"""

from typing import Any, Final

from api.openapi.schema_types import (
    INT64,
    REGISTER,
    array_schema,
    enum_schema,
    instant_schema,
    integer_schema,
    object_schema,
    page_schema,
    schema_reference,
    text_schema,
    url_schema,
)
from warehouse.schema.codes import MARKETS

_DATASET: Final = {
    "dataset": REGISTER,
    "observed_at": instant_schema("Date of the served data in the register.", null=True),
    "checked_at": instant_schema("When the register was last checked.", null=True),
    "held_since": instant_schema("Since when new data has been quarantined for review; null if it is not.", null=True),
    "licence": text_schema(100, "Licence of the data.", null=True),
    "licence_url": url_schema("URL of the licence text."),
    "attribution": text_schema(1000, "Attribution to display with the data.", null=True),
}
_MARKET: Final = {
    "market": text_schema(2, "Market code.", pattern="^[A-Z]{2}$") | {"x-extensible-enum": list(MARKETS)},
    "name": text_schema(60, "Name in English."),
    "state": enum_schema(("served", "announced"), "Announced markets have no companies yet.", open_ended=True),
    "companies": integer_schema(0, INT64, "Number of companies served."),
    "observed_at": instant_schema("Date of the newest of its datasets.", null=True),
    "datasets": array_schema(schema_reference("Dataset"), 100, "Source datasets of the market."),
}


def schema_components() -> dict[str, Any]:
    """Named schemas of these resources."""
    return {
        "Dataset": object_schema("Freshness and licence of one dataset.", _DATASET),
        "Market": object_schema("One market.", _MARKET),
        "MarketList": page_schema("All markets, served and announced.", schema_reference("Market")),
    }
