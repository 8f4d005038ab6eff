"""Maps current staged rows of the United Kingdom to the shared tables: the jurisdiction's mapping functions.

Belongs here: which staged table goes to which mapping, and the company id of a staged row. Does not belong here:
any field (`profile.companies`, `holdings`, `accounts.mapping`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

import polars as pl

from connectors.contract.dataset import SharedTables
from connectors.kit import holdings_history, staging
from connectors.uk.accounts.mapping import FACTS, empty_accounts, map_accounts
from connectors.uk.accounts.schema import ACCOUNTS
from connectors.uk.basic_company_data import dataset as basic_company_data_dataset
from connectors.uk.nsm import schema as nsm_schema
from connectors.uk.nsm import tr1_holdings
from connectors.uk.profile import companies
from connectors.uk.psc import holdings
from connectors.uk.psc import schema as psc_schema
from connectors.uk.register import company_ids
from connectors.uk.rest_api import filing_history
from connectors.uk.streaming_api import schema as streaming_api_schema
from warehouse.schema.tables import FILINGS, FINANCIALS_REPORTED, HOLDINGS_EARLIER
from warehouse.schema.types import Table

_META: Final = pl.Schema(
    {
        "_company_id": pl.String(),
        "_observed_at": pl.Datetime("us", "UTC"),
        "_raw": pl.String(),
        "_retired_at": pl.Datetime("us", "UTC"),
    }
)
_NUMBER: Final = {
    basic_company_data_dataset.COMPANIES.name: "CompanyNumber",
    basic_company_data_dataset.UNMAPPED.name: "CompanyNumber",
    psc_schema.PSC.name: "company_number",
    psc_schema.STATEMENTS.name: "company_number",
    psc_schema.EXEMPTIONS.name: "company_number",
    psc_schema.OTHERS.name: "company_number",
    ACCOUNTS.name: "company_number",
    streaming_api_schema.PROFILES.name: "company_number",
    streaming_api_schema.FILED.name: "company_number",
    streaming_api_schema.INSOLVENCY.name: "company_number",
}


def company_ids_of_rows(table: str, rows: pl.DataFrame) -> pl.Series:
    """Company id of each staged row; null for the trailer of a snapshot."""
    column = _NUMBER.get(table)
    if column is None:
        return pl.Series("company_id", [None] * len(rows), dtype=pl.String)
    return rows.select(company_id=company_ids(pl.col(column))).to_series()


def normalise(present: Mapping[str, pl.LazyFrame], at: date) -> SharedTables:
    """Builds the shared tables from current staged rows."""
    accounts = map_accounts(present.get(ACCOUNTS.name, empty_accounts()))
    listed = holdings.map_listings(_present_rows(present, psc_schema.EXEMPTIONS))
    told = _present_rows(present, streaming_api_schema.PROFILES)
    known = companies.map_companies(
        _present_rows(present, basic_company_data_dataset.COMPANIES),
        _present_rows(present, basic_company_data_dataset.UNMAPPED),
        accounts.pop(FACTS),
        holdings.listed_companies(listed, at),
        companies.LiveTables(told, _present_rows(present, streaming_api_schema.INSOLVENCY)),
    )
    filed, figures = filing_history.merge_filing_history(
        accounts[FILINGS.name],
        accounts[FINANCIALS_REPORTED.name],
        _present_rows(present, streaming_api_schema.FILED),
        told,
    )
    notified = tr1_holdings.map_holdings(_present_rows(present, nsm_schema.TR1))
    return {
        FILINGS.name: filed,
        FINANCIALS_REPORTED.name: figures,
        "companies": known,
        "holdings": pl.concat(
            [
                holdings.map_holdings(
                    _present_rows(present, psc_schema.PSC), _present_rows(present, psc_schema.OTHERS)
                ),
                holdings_history.latest_per_record(notified),
            ]
        ),
        HOLDINGS_EARLIER.name: holdings_history.superseded_statements(notified),
        "listings": listed,
    }


def _present_rows(present: Mapping[str, pl.LazyFrame], table: Table) -> pl.DataFrame:
    """Rows of one staged table; empty if nothing was ever staged."""
    if table.name in present:
        return present[table.name].collect()
    return pl.DataFrame(schema={**staging.staged_schema(table), **_META})
