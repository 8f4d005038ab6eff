"""United States: SEC EDGAR. What is read and why, and what is left out: README.md.

Each part names its own datasets in its own module. Of one key that two parts give the earlier part's row holds;
figures know the periods of their filings, so they come first.
"""

from __future__ import annotations

from typing import Final

from connectors.declare import Jurisdiction
from connectors.us import feeds_part, financials_part, ownership_part, profiles_part, schedule13_fields
from connectors.us.mapping import normalising, precedence, touching
from connectors.us.register import MARKET

PARTS: Final = (profiles_part.PART, feeds_part.PART, financials_part.PART, ownership_part.PART)
_HELD: Final = (financials_part.PART, profiles_part.PART, feeds_part.PART, ownership_part.PART)

UNITED_STATES: Final = Jurisdiction(
    code=MARKET,
    state="served",
    datasets=tuple(dataset for part in PARTS for dataset in part.datasets),
    precedence=precedence(PARTS),
    touches=touching(PARTS),
    normalise=normalising(_HELD),
    links=tuple(link for part in PARTS for link in part.links),
    dated=(schedule13_fields.KEY,),
    holders={table: names for part in PARTS for table, names in part.holders.items()},
)
