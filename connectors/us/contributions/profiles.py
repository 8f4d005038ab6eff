"""What profiles contribute to the market: submissions, single responses about filers, symbols.

Belongs here: listing the datasets, their CIK columns and their mapping; the rule that rows of filers that are no
companies are dropped. Does not belong here: reading any of the datasets.
"""

from __future__ import annotations

from datetime import date
from typing import Final

import polars as pl

from connectors.contract.contribution import Contribution
from connectors.contract.dataset import Link, PresentRows, SharedTables
from connectors.kit.staging import present_rows
from connectors.us.companyfacts.schema import FACTS
from connectors.us.contributions.ownership import issuer_names
from connectors.us.financial_statement_data_sets.schema import HISTORY
from connectors.us.financials_mapping import filer_names
from connectors.us.profile import companies
from connectors.us.register import company_ids
from connectors.us.sec_http import LIMITS
from connectors.us.submissions import dataset as submissions_dataset
from connectors.us.submissions import filings
from connectors.us.submissions import schema as f
from connectors.us.symbols import company_tickers, nasdaq_symbol_directory
from warehouse.schema.tables import COMPANIES, FILINGS, IDENTIFIERS, LISTINGS, NORMALISED, PASSING


def to_shared_tables(present: PresentRows, today: date) -> SharedTables:
    """Companies, named by their own documents where they have no profile; their filings, identifiers, listings."""
    facts = pl.concat([present_rows(present, table).select(f.CIK, f.ACCESSION) for table in (FACTS, HISTORY)])
    named = (filer_names(present), issuer_names(present))
    return {
        COMPANIES.name: companies.map_companies(present, named, today),
        FILINGS.name: filings.map_filings(present_rows(present, f.FILED_TABLE), facts, today),
        IDENTIFIERS.name: companies.map_identifiers(present),
        LISTINGS.name: companies.map_listings(present),
    }


def _rows_of_companies(rows: pl.DataFrame, shared: SharedTables, _today: date) -> pl.DataFrame:
    return rows.join(shared[COMPANIES.name].select("company_id"), on="company_id", how="semi")


def _filings_of_companies(rows: pl.DataFrame, shared: SharedTables, today: date) -> pl.DataFrame:
    return filings.with_known_starts(_rows_of_companies(rows, shared, today))


PROFILES: Final = Contribution(
    name="profiles of filers",
    datasets=(submissions_dataset.DATASET, submissions_dataset.ANSWERS_DATASET, company_tickers.DATASET),
    company_ids={
        f.FILERS.name: company_ids(pl.col(f.CIK)),
        f.FILED_TABLE.name: company_ids(pl.col(f.CIK)),
        company_tickers.TICKERS.name: company_ids(pl.col("cik")),
        company_tickers.PLAIN_TICKERS.name: company_ids(pl.col("cik")),
    },
    to_shared_tables=to_shared_tables,
    table_rules={
        table.name: _filings_of_companies if table is FILINGS else _rows_of_companies
        for table in (*NORMALISED, *PASSING)
        if table is not COMPANIES
    },
    field_precedence={"name": (f.KEY, company_tickers.KEY), "status": (f.KEY,)},
    host_limits=LIMITS,
)


def _traded_symbols(present: PresentRows, _today: date) -> SharedTables:
    return {
        LISTINGS.name: nasdaq_symbol_directory.map_listings(
            present_rows(present, nasdaq_symbol_directory.NASDAQ), present_rows(present, nasdaq_symbol_directory.OTHERS)
        )
    }


SYMBOLS: Final = Contribution(
    name="symbols",
    datasets=(nasdaq_symbol_directory.DATASET,),
    to_shared_tables=_traded_symbols,
    links=tuple(
        Link(table.name, nasdaq_symbol_directory.TICKER, company_tickers.TICKERS.name, "ticker")
        for table in (nasdaq_symbol_directory.NASDAQ, nasdaq_symbol_directory.OTHERS)
    ),
)
