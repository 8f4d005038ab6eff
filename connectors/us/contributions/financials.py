"""What filings' figures contribute to the market: companyfacts, Financial Statement Data Sets.

Belongs here: listing the datasets, their CIK columns and their mapping. Does not belong here: reading any of
them.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.contract.contribution import Contribution
from connectors.us import financials_mapping
from connectors.us.companyfacts import dataset as companyfacts_dataset
from connectors.us.companyfacts import single
from connectors.us.companyfacts.schema import ANSWERS_KEY, CIK, KEY, STAGED
from connectors.us.financial_statement_data_sets import dataset as financial_statement_data_sets_dataset
from connectors.us.financial_statement_data_sets import schema as financial_statement_data_sets_schema
from connectors.us.register import company_ids

FINANCIALS: Final = Contribution(
    name="figures of filings",
    rank=-1,  # it knows the periods of its filings
    datasets=(financial_statement_data_sets_dataset.DATASET, companyfacts_dataset.DATASET, single.DATASET),
    company_ids=dict.fromkeys((*STAGED, *financial_statement_data_sets_schema.STAGED), company_ids(pl.col(CIK))),
    to_shared_tables=financials_mapping.to_shared_tables,
    field_precedence={"figures": (ANSWERS_KEY, KEY, financial_statement_data_sets_schema.KEY)},
)
