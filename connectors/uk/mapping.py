"""Maps current staged rows of the United Kingdom to the shared tables: one function for each contribution.

Belongs here: which staged table goes to which mapping. Does not belong here: any field (`profile.companies`,
`psc.holdings`, `accounts.mapping`).
"""

from __future__ import annotations

from datetime import date

import polars as pl

from connectors.contract.dataset import PresentRows, SharedTables
from connectors.kit import holdings_history
from connectors.kit.staging import present_rows
from connectors.uk import live_schema
from connectors.uk.accounts.mapping import FACTS, map_accounts
from connectors.uk.accounts.schema import ACCOUNTS, PUBLISHED_DAYS
from connectors.uk.basic_company_data import dataset as basic_company_data_dataset
from connectors.uk.nsm import schema as nsm_schema
from connectors.uk.nsm import tr1_holdings
from connectors.uk.profile import companies, status
from connectors.uk.psc import holdings
from connectors.uk.psc import schema as psc_schema
from connectors.uk.rest_api import filing_history
from warehouse.schema.tables import (
    COMPANIES,
    FILINGS,
    FINANCIALS_REPORTED,
    HOLDER_MARKS,
    HOLDINGS,
    HOLDINGS_EARLIER,
    LISTINGS,
)
from warehouse.schema.types import Table


def map_registers(present: PresentRows, at: date) -> SharedTables:
    """Builds the shared tables from current staged rows of Companies House."""

    def rows(table: Table) -> pl.DataFrame:
        return present_rows(present, table).collect()

    accounts = map_accounts(present_rows(present, ACCOUNTS), present_rows(present, PUBLISHED_DAYS))
    listed = holdings.map_listings(rows(psc_schema.EXEMPTIONS))
    psc = rows(psc_schema.PSC)
    told = rows(live_schema.PROFILES)
    known = companies.map_companies(
        rows(basic_company_data_dataset.COMPANIES),
        rows(basic_company_data_dataset.UNMAPPED),
        accounts.pop(FACTS),
        holdings.exempt_listed_companies(listed, at),
        companies.StreamTables(told, rows(live_schema.INSOLVENCY), at),
        reads_accounts=status.NO_ACCOUNTS.has_data(present),
    )
    filed, figures = filing_history.merge_filing_history(
        accounts[FILINGS.name], accounts[FINANCIALS_REPORTED.name], rows(live_schema.FILED), told
    )
    return {
        FILINGS.name: filed,
        FINANCIALS_REPORTED.name: figures,
        COMPANIES.name: known,
        HOLDINGS.name: holdings.map_holdings(psc, rows(psc_schema.OTHERS)),
        HOLDER_MARKS.name: holdings.map_holder_marks(psc),
        LISTINGS.name: listed,
    }


def map_notified_holdings(present: PresentRows, _at: date) -> SharedTables:
    """Holdings that issuers announce."""
    forms, items = (present_rows(present, table).collect() for table in (nsm_schema.TR1, nsm_schema.ITEMS))
    notified = tr1_holdings.map_holdings(forms, items)
    return {
        HOLDINGS.name: holdings_history.latest_statements(notified),
        HOLDINGS_EARLIER.name: holdings_history.superseded_statements(notified),
    }
