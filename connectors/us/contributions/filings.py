"""What filings contribute to the market: the feeds that name them, news and notices, their figures.

Belongs here: listing the datasets, their CIK columns and their mapping. Does not belong here: reading any of
them.
"""

from __future__ import annotations

from datetime import date
from typing import Final

import polars as pl

from connectors.contract.contribution import Contribution
from connectors.contract.dataset import PresentRows, SharedTables
from connectors.kit.staging import present_rows
from connectors.us import financials_mapping
from connectors.us.companyfacts import dataset as companyfacts_dataset
from connectors.us.companyfacts.schema import ANSWERS_KEY, CIK, KEY, STAGED
from connectors.us.feeds import current_filings, edgar_index
from connectors.us.filing_headers import dataset as filing_headers_dataset
from connectors.us.filing_headers import news_and_notices
from connectors.us.filing_headers import schema as f
from connectors.us.financial_statement_data_sets import dataset as financial_statement_data_sets_dataset
from connectors.us.financial_statement_data_sets import schema as financial_statement_data_sets_schema
from connectors.us.profile import status as profile_status
from connectors.us.register import company_ids
from connectors.us.submissions.schema import FILED_TABLE
from warehouse.schema.tables import NEWS, NOTICES


def to_shared_tables(present: PresentRows, _today: date) -> SharedTables:
    """News from the headers of current reports, notices from the lists of filings."""
    return {
        NEWS.name: news_and_notices.map_news(present_rows(present, f.HEADERS)),
        NOTICES.name: news_and_notices.map_notices(present_rows(present, FILED_TABLE)),
    }


FEEDS: Final = Contribution(
    name="feeds of filings",
    datasets=(
        current_filings.DATASET,
        edgar_index.DATASET,
        filing_headers_dataset.DATASET,
        filing_headers_dataset.ENDINGS_DATASET,
    ),
    # the feeds only determine what to fetch: their rows alone concern no company
    company_ids=dict.fromkeys(f.STAGED, company_ids(pl.col(f.CIK))),
    to_shared_tables=to_shared_tables,
    untitled_datasets=(f.KEY,),
    absence_rules=(profile_status.ENDS_READ,),
)


FINANCIALS: Final = Contribution(
    name="figures of filings",
    rank=-1,  # it knows the periods of its filings
    datasets=(
        financial_statement_data_sets_dataset.DATASET,
        companyfacts_dataset.DATASET,
        companyfacts_dataset.ANSWERS_DATASET,
    ),
    company_ids=dict.fromkeys((*STAGED, *financial_statement_data_sets_schema.STAGED), company_ids(pl.col(CIK))),
    to_shared_tables=financials_mapping.to_shared_tables,
    field_precedence={"figures": (ANSWERS_KEY, KEY, financial_statement_data_sets_schema.KEY)},
)
