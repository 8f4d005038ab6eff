"""United States: SEC EDGAR. README.md lists the sources read and left out, with reasons.

Each group of datasets declares its contribution in its own module.
"""

from __future__ import annotations

from typing import Final

from connectors.gleif.market import isin_contribution
from connectors.kit.composition import compose_market
from connectors.listings.market import listing_rule
from connectors.news.market import news_contribution
from connectors.regulators.market import acts_contribution
from connectors.us import regulators
from connectors.us.contributions.filings import FEEDS, FINANCIALS
from connectors.us.contributions.ownership import OWNERSHIP
from connectors.us.contributions.profiles import PROFILES, SYMBOLS
from connectors.us.news import PRESS
from connectors.us.register import MARKET
from connectors.us.submissions import dataset as submissions_dataset
from connectors.us.submissions import schema as submissions_schema
from connectors.us.symbols import company_tickers

CONTRIBUTIONS: Final = (
    PROFILES,
    SYMBOLS,
    FEEDS,
    FINANCIALS,
    OWNERSHIP,
    # no LEI records: an LEI is found in the profile
    isin_contribution(MARKET, through=submissions_schema.FILERS.name),
    listing_rule(MARKET, submissions_dataset.DATASET, company_tickers.DATASET),
    news_contribution(MARKET, PRESS),
    acts_contribution(MARKET, regulators.DATASETS, regulators.REGISTER),
)
UNITED_STATES: Final = compose_market(MARKET, CONTRIBUTIONS)
