"""Maps Norway's staged tables to the shared tables, per touched company: one function for each contribution.

Does not belong here: the mapping of one kind of record (`profile.companies`, `profile.status`, `regnskap.mapping`).
"""

from __future__ import annotations

from datetime import date

import polars as pl

from connectors.contract.dataset import PresentRows, SharedTables
from connectors.kit.staging import present_rows
from connectors.no import euronext, holdings
from connectors.no.enheter.schema import DELETED, NUMBER, REMOVED
from connectors.no.newsweb import mapping as newsweb_mapping
from connectors.no.newsweb import schema as newsweb_schema
from connectors.no.oppdateringer import filing_dates
from connectors.no.oppdateringer import schema as feed
from connectors.no.profile import companies
from connectors.no.register import company_ids
from connectors.no.regnskap import mapping as regnskap_mapping
from connectors.no.regnskap.schema import ACCOUNTS
from connectors.no.roller import holdings as roller_holdings
from connectors.no.roller.schema import ROLES
from warehouse.schema.tables import COMPANIES, FILINGS, HOLDINGS, HOLDINGS_EARLIER, IDENTIFIERS, LISTINGS


def map_registers(present: PresentRows, _today: date) -> SharedTables:
    """Profiles, accounts and holders. `_today` is unused: no Norwegian rule depends on age."""
    figures = regnskap_mapping.map_filings_and_financials(present)
    if feed.ACCOUNTS_TOLD.name in present:
        told = present[feed.ACCOUNTS_TOLD.name]
        figures[FILINGS.name] = filing_dates.fill_filing_dates(figures[FILINGS.name], told)
    return {COMPANIES.name: companies.map_companies(present), **_map_holdings(present), **figures}


def map_announcements(present: PresentRows, _today: date) -> SharedTables:
    """Reports that issuers announce on NewsWeb."""
    announced = newsweb_mapping.map_filings(
        present_rows(present, newsweb_schema.MESSAGES),
        present_rows(present, newsweb_schema.TEXTS),
        present_rows(present, ACCOUNTS),
    )
    return {FILINGS.name: announced}


def map_shares(present: PresentRows, _today: date) -> SharedTables:
    """Listings and ISINs of shares on the markets of Oslo."""
    shares = present_rows(present, euronext.SHARES)
    return {LISTINGS.name: euronext.map_listings(shares), IDENTIFIERS.name: euronext.map_identifiers(shares)}


def _map_holdings(present: PresentRows) -> dict[str, pl.DataFrame]:
    """Current and former holders of the companies, by every source; none for removed entities."""
    now, before = holdings.map_holdings(present)
    if ROLES.name in present:
        now = pl.concat([now, roller_holdings.map_holdings(present[ROLES.name])])
    found = {HOLDINGS.name: now, HOLDINGS_EARLIER.name: before}
    if DELETED.name not in present:
        return found
    removed = present[DELETED.name].filter(pl.col("respons_klasse") == REMOVED)
    gone = removed.select(company_ids(pl.col(NUMBER)).alias("company_id")).collect()
    return {name: rows.join(gone, on="company_id", how="anti") for name, rows in found.items()}
