"""Maps Sweden's staged tables to the shared tables: one function for each contribution of the market.

Does not belong here: the mapping of one kind of record (`bulk.statements`, `profile.companies`).
"""

from __future__ import annotations

from datetime import date

from connectors.contract.dataset import PresentRows, SharedTables
from connectors.kit.holdings_history import latest_statements, superseded_statements
from connectors.kit.staging import present_rows
from connectors.nasdaq import mapping as releases_mapping
from connectors.se import issuer_links, nasdaq
from connectors.se.annual_reports import mapping as annual_reports_mapping
from connectors.se.annual_reports.schema import REPORTS
from connectors.se.api import statements
from connectors.se.api.schema import ANSWERS
from connectors.se.bulk import statements as bulk_statements
from connectors.se.bulk.bolagsverket_schema import ORGANISATIONS
from connectors.se.bulk.scb_schema import STATISTICS
from connectors.se.business_register import statements as register_statements
from connectors.se.business_register.schema import LEGAL_UNITS
from connectors.se.finansinspektionen.issuers import SHORTS_ISSUERS
from connectors.se.major_holdings import mapping as major_holdings_mapping
from connectors.se.major_holdings.dataset import NOTICES, WIRE
from connectors.se.profile import companies, status
from connectors.se.register import MARKET
from warehouse.schema.tables import COMPANIES, FILINGS, HOLDINGS, HOLDINGS_EARLIER, IDENTIFIERS


def map_registers(present: PresentRows, today: date) -> SharedTables:
    """Profiles, VAT numbers, filings and figures from the registers."""
    answers = present_rows(present, ANSWERS).collect()
    bulk = bulk_statements.bolagsverket_statements(present_rows(present, ORGANISATIONS))
    said = companies.newest_statements(bulk, statements.bolagsverket_statements(answers))
    units = bulk_statements.scb_statements(present_rows(present, STATISTICS))
    enterprises = present_rows(present, LEGAL_UNITS)
    known = companies.with_register(
        companies.newest_statistics(units, statements.scb_statements(answers)),
        register_statements.register_statements(enterprises),
    )
    reports = present_rows(present, REPORTS).collect()
    profiles = companies.map_companies(
        said,
        known,
        annual_reports_mapping.report_names(reports),
        today,
        reads_scb=status.MISSING_FROM_SCB.has_data(present),
    )
    # the register has units, among them authorities, that no other register of companies names
    numbers = register_statements.map_identifiers(enterprises).join(profiles, on="company_id", how="semi")
    return {
        **annual_reports_mapping.map_filings_and_financials(reports),
        IDENTIFIERS.name: numbers,
        COMPANIES.name: profiles,
    }


def map_announcements(present: PresentRows, _today: date) -> SharedTables:
    """Interim reports and holdings that issuers announce."""
    releases = present_rows(present, nasdaq.RELEASES)
    notices, wire = present_rows(present, NOTICES), present_rows(present, WIRE)
    notified = major_holdings_mapping.map_holdings(notices, releases, wire)
    return {
        FILINGS.name: releases_mapping.map_filings(MARKET, nasdaq.KEY, releases),
        HOLDINGS.name: latest_statements(notified),
        HOLDINGS_EARLIER.name: superseded_statements(notified),
    }


def map_share_isins(present: PresentRows, _today: date) -> SharedTables:
    """ISINs of shares that are sold short."""
    return {IDENTIFIERS.name: issuer_links.map_identifiers(present_rows(present, SHORTS_ISSUERS))}
