"""United States: SEC EDGAR. README.md lists the sources read and left out, with reasons.

Each part declares its own datasets in its own module. Where two parts give rows with the same key, the earlier
part's row wins; the financials part comes first because it knows the periods of its filings.
"""

from __future__ import annotations

from typing import Final

from connectors.declare import Jurisdiction
from connectors.listed.market import with_evidence
from connectors.news.market import with_news
from connectors.regulators.market import with_acts
from connectors.us import (
    acts,
    feeds_part,
    financials_part,
    ownership_part,
    profiles_part,
    releases_fields,
    symbols_part,
)
from connectors.us.mapping import normalising, precedence, touching
from connectors.us.press import PRESS
from connectors.us.register import MARKET
from connectors.us.submissions_fields import FILERS

PARTS: Final = (
    profiles_part.PART,
    symbols_part.PART,
    feeds_part.PART,
    financials_part.PART,
    ownership_part.PART,
)
_HELD: Final = (
    financials_part.PART,
    profiles_part.PART,
    symbols_part.PART,
    feeds_part.PART,
    ownership_part.PART,
)

_REGISTERS: Final = with_evidence(
    Jurisdiction(
        code=MARKET,
        state="served",
        datasets=tuple(dataset for part in PARTS for dataset in part.datasets),
        precedence=precedence(PARTS),
        touches=touching(PARTS),
        normalise=normalising(_HELD),
        links=tuple(link for part in PARTS for link in part.links),
        dated=ownership_part.DATED,
        untitled=(releases_fields.KEY,),
        holders={table: names for part in PARTS for table, names in part.holders.items()},
    ),
    through=FILERS.name,
)
UNITED_STATES: Final = with_acts(with_news(_REGISTERS, PRESS), acts.DATASETS, acts.REGISTER)
