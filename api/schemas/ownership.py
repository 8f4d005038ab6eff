"""Schema of owners (docs/contract/contract.md 4.4).

Does not belong here: reconciling sources (`pipelines.steps`).
"""

from typing import Any, Final

from api.schemas.kinds import (
    COUNTRY_CODE,
    HEAD,
    REGISTER,
    address,
    array,
    day,
    flag,
    natural_id,
    page,
    percent,
    record,
    ref,
    text,
    word,
)
from warehouse.schema.codes import BASES, HOLDER_TYPES, RECONCILIATIONS

_SOURCE: Final = record(
    "The holding according to one source.",
    {
        "register": REGISTER,
        "native_id": text(200, "Id in the source.", null=True),
        "url": address("Public URL of the record."),
        "as_of": day("Date of the figure.", null=True),
        "pct": percent("Share of capital according to the source."),
    },
)
_OWNER: Final = {
    "holder_id": natural_id("own", "Id of the holder within this company."),
    "holder_name": text(1000, "Null if protected by law.", null=True),
    "holder_type": word(HOLDER_TYPES, "Type of holder.", open_ended=True),
    "holder_company_id": text(60, "Given if the holder is a company with a known number.", null=True),
    "holder_country": COUNTRY_CODE,
    "pct": percent("Share of capital; null if only a band is known."),
    "pct_min": percent("Lower bound."),
    "pct_max": percent("Upper bound."),
    "votes_pct": percent("Share of votes."),
    "share_class": text(60, "Share class; null for all classes.", null=True),
    "basis": word(BASES, "Basis of the share.", null=True),
    "is_direct": flag("Whether it is held in the holder's own name; null if unknown.", null=True),
    "as_of": day("Date of the percentage."),
    "first_seen": day("Start of the earliest observation."),
    "reconciliation": word(RECONCILIATIONS, "Whether the sources agree."),
    "sources": array(ref("HoldingSource"), 100, "The holding according to each source."),
}


def components() -> dict[str, Any]:
    """Named schemas of this resource."""
    members = HEAD | {
        "as_of": day("The requested date."),
        "known_pct": percent("Sum of the known shares, at most 100; null if none is known."),
    }
    return {
        "Owner": record("One owner, merged from all sources.", _OWNER),
        "HoldingSource": _SOURCE,
        "OwnershipList": page("Owners of a company, largest first.", ref("Owner"), members),
    }
