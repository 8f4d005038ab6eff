"""United States: SEC EDGAR. README.md lists the sources read and left out, with reasons.

Each part declares its own datasets in its own module. Where two parts give rows with the same key, the earlier
part's row wins; the financials part comes first because it knows the periods of its filings.
"""

from __future__ import annotations

from typing import Final

from connectors.contract.dataset import Jurisdiction
from connectors.listings.market import with_isin_evidence
from connectors.news.market import with_news
from connectors.regulators.market import with_acts
from connectors.us import regulators
from connectors.us.feeds import group as feeds_group
from connectors.us.filing_headers import schema as filing_headers_schema
from connectors.us.financials import group as financials_group
from connectors.us.mapping import build_normaliser, company_ids_resolver, merge_precedence
from connectors.us.news import PRESS
from connectors.us.ownership import group as ownership_group
from connectors.us.profile import group as profile_group
from connectors.us.register import MARKET
from connectors.us.submissions.schema import FILERS
from connectors.us.symbols import group as symbols_group

PARTS: Final = (
    profile_group.PART,
    symbols_group.PART,
    feeds_group.PART,
    financials_group.PART,
    ownership_group.PART,
)
_HELD: Final = (
    financials_group.PART,
    profile_group.PART,
    symbols_group.PART,
    feeds_group.PART,
    ownership_group.PART,
)

_REGISTERS: Final = with_isin_evidence(
    Jurisdiction(
        code=MARKET,
        state="served",
        datasets=tuple(dataset for part in PARTS for dataset in part.datasets),
        precedence=merge_precedence(PARTS),
        touches=company_ids_resolver(PARTS),
        normalise=build_normaliser(_HELD),
        links=tuple(link for part in PARTS for link in part.links),
        dated=ownership_group.DATED,
        untitled=(filing_headers_schema.KEY,),
        holders={table: names for part in PARTS for table, names in part.holders.items()},
    ),
    through=FILERS.name,
)
UNITED_STATES: Final = with_acts(with_news(_REGISTERS, PRESS), regulators.DATASETS, regulators.REGISTER)
