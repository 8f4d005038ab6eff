"""Schema of owners (docs/contract/contract.md 4.4).

Does not belong here: reconciling sources (`pipelines.transforms`).
"""

from typing import Any, Final

from api.openapi.schema_types import (
    COUNTRY_CODE,
    HEAD,
    REGISTER,
    array_schema,
    boolean_schema,
    date_schema,
    enum_schema,
    natural_id_schema,
    object_schema,
    page_schema,
    percent_schema,
    schema_reference,
    text_schema,
    url_schema,
)
from warehouse.schema.codes import BASES, HOLDER_TYPES, RECONCILIATIONS

_SOURCE: Final = object_schema(
    "The holding according to one source.",
    {
        "register": REGISTER,
        "native_id": text_schema(200, "Id in the source.", null=True),
        "url": url_schema("Public URL of the record."),
        "as_of": date_schema("Date of the figure.", null=True),
        "pct": percent_schema("Share of capital according to the source."),
    },
)
_OWNER: Final = {
    "holder_id": natural_id_schema("own", "Id of the holder within this company."),
    "holder_name": text_schema(1000, "Null if protected by law.", null=True),
    "holder_type": enum_schema(HOLDER_TYPES, "Type of holder.", open_ended=True),
    "holder_company_id": text_schema(60, "Given if the holder is a company with a known number.", null=True),
    "holder_country": COUNTRY_CODE,
    "pct": percent_schema("Share of capital; null if only a band is known."),
    "pct_min": percent_schema("Lower bound."),
    "pct_max": percent_schema("Upper bound."),
    "votes_pct": percent_schema("Share of votes."),
    "share_class": text_schema(60, "Share class; null for all classes.", null=True),
    "basis": enum_schema(BASES, "Basis of the share.", null=True),
    "is_direct": boolean_schema("Whether it is held in the holder's own name; null if unknown.", null=True),
    "as_of": date_schema("Date of the percentage."),
    "first_seen": date_schema("Start of the earliest observation."),
    "reconciliation": enum_schema(RECONCILIATIONS, "Whether the sources agree."),
    "sources": array_schema(schema_reference("HoldingSource"), 100, "The holding according to each source."),
}


def schema_components() -> dict[str, Any]:
    """Named schemas of this resource."""
    members = HEAD | {
        "as_of": date_schema("The requested date."),
        "known_pct": percent_schema("Sum of the known shares, at most 100; null if none is known."),
    }
    return {
        "Owner": object_schema("One owner, merged from all sources.", _OWNER),
        "HoldingSource": _SOURCE,
        "OwnershipList": page_schema("Owners of a company, largest first.", schema_reference("Owner"), members),
    }
