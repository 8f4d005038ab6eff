"""Schema of owners (docs/contract/contract.md 4.4).

Does not belong here: how sources are reconciled (`pipelines.steps`).
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
    "What one source says of the holding.",
    {
        "register": REGISTER,
        "native_id": text(200, "The source's own id.", null=True),
        "url": address("Public address of the record."),
        "as_of": day("Day the figure is of.", null=True),
        "pct": percent("Share of capital there."),
    },
)
_OWNER: Final = {
    "holder_id": natural_id("own", "The holder, within this company."),
    "holder_name": text(1000, "Null when protected by law.", null=True),
    "holder_type": word(HOLDER_TYPES, "Kind of holder.", open_ended=True),
    "holder_company_id": text(60, "Where the holder is a company known by number.", null=True),
    "holder_country": COUNTRY_CODE,
    "pct": percent("Share of capital; null where only a band is known."),
    "pct_min": percent("Lower bound."),
    "pct_max": percent("Upper bound."),
    "votes_pct": percent("Share of votes."),
    "share_class": text(60, "Null for all classes.", null=True),
    "basis": word(BASES, "What the share rests on.", null=True),
    "is_direct": flag("Held in the holder's own name; null when unknown.", null=True),
    "as_of": day("Day the percentage is of."),
    "first_seen": day("Start of the earliest observation."),
    "reconciliation": word(RECONCILIATIONS, "How the sources agree."),
    "sources": array(ref("HoldingSource"), 100, "What each source says."),
}


def components() -> dict[str, Any]:
    """Named schemas of this resource."""
    members = HEAD | {
        "as_of": day("The day asked for."),
        "known_pct": percent("Sum of the known shares, at most 100; null when none is known."),
    }
    return {
        "Owner": record("One holder, reconciled over sources.", _OWNER),
        "HoldingSource": _SOURCE,
        "OwnershipList": page("Owners of a company, largest first.", ref("Owner"), members),
    }
