"""The profiles part of the market: submissions, single responses about filers, symbols.

Belongs here: listing its datasets, their CIK columns and their mapping. Does not belong here: reading any of
them, or `companies`, to which every part contributes (`mapping`).
"""

from __future__ import annotations

from datetime import date
from typing import Final

import polars as pl

from connectors.contract.dataset import SharedTables
from connectors.us import filings
from connectors.us.companyfacts.schema import FACTS
from connectors.us.financial_statement_data_sets.schema import HISTORY
from connectors.us.parts import DatasetGroup, Present, present_rows
from connectors.us.profile import companies
from connectors.us.submissions import dataset as submissions_dataset
from connectors.us.submissions import schema as f
from connectors.us.submissions import single
from connectors.us.symbols import company_tickers
from warehouse.schema.tables import FILINGS, IDENTIFIERS, LISTINGS


def _to_shared_tables(present: Present, today: date) -> SharedTables:
    facts = pl.concat([present_rows(present, table).select(f.CIK, f.ACCESSION) for table in (FACTS, HISTORY)])
    return {
        FILINGS.name: filings.map_filings(present_rows(present, f.FILED_TABLE), facts, today),
        IDENTIFIERS.name: companies.map_identifiers(present),
        LISTINGS.name: companies.map_listings(present),
    }


PART: Final = DatasetGroup(
    datasets=(submissions_dataset.DATASET, single.DATASET, company_tickers.DATASET),
    numbers={f.FILERS.name: f.CIK, f.FILED_TABLE.name: f.CIK, company_tickers.TICKERS.name: "cik"},
    shared=_to_shared_tables,
    precedence={
        "name": (f.KEY, company_tickers.KEY),
        "status": (f.KEY,),
        "is_listed": (f.KEY, company_tickers.KEY),
    },
)
