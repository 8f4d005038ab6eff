"""Maps Sweden's staged tables to the shared tables, and staged rows to company ids.

Does not belong here: the mapping of one kind of record (`bulk.bolagsverket_statements`, `bulk.scb_statements`,
`profile.companies`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

import polars as pl

from connectors.contract.dataset import SharedTables
from connectors.kit import holdings_history as dated
from connectors.kit import staging
from connectors.nasdaq import mapping as releases
from connectors.se import issuer_links, nasdaq
from connectors.se.annual_reports import mapping as annual_reports_mapping
from connectors.se.annual_reports import schema as annual_reports_schema
from connectors.se.annual_reports.schema import REPORTS
from connectors.se.api import schema as api_schema
from connectors.se.api import statements
from connectors.se.api.schema import ANSWERS
from connectors.se.bulk import bolagsverket_schema, bolagsverket_statements, scb_schema, scb_statements
from connectors.se.bulk.bolagsverket_schema import ORGANISATIONS
from connectors.se.bulk.scb_schema import STATISTICS
from connectors.se.finansinspektionen.issuers import SHORTS_ISSUERS
from connectors.se.major_holdings import dataset as major_holdings_dataset
from connectors.se.major_holdings import mapping as major_holdings_mapping
from connectors.se.profile import companies
from connectors.se.register import company_ids
from warehouse.schema.tables import COMPANIES, FILINGS, HOLDINGS, HOLDINGS_EARLIER, IDENTIFIERS
from warehouse.schema.types import Table

PRECEDENCE: Final = {
    "name": (
        bolagsverket_schema.KEY,
        api_schema.KEY,
        scb_schema.KEY,
        annual_reports_schema.KEY,
    ),
    "status": (bolagsverket_schema.KEY, api_schema.KEY, scb_schema.KEY),
    "sni_code": (scb_schema.KEY, api_schema.KEY),
    "figures": (annual_reports_schema.KEY,),
    "ownership": (major_holdings_dataset.KEY,),
}
NUMBER_COLUMNS: Final = {
    ORGANISATIONS.name: bolagsverket_schema.NUMBER,
    STATISTICS.name: scb_schema.NUMBER,
    ANSWERS.name: api_schema.NUMBER,
    REPORTS.name: annual_reports_schema.NUMBER,
    major_holdings_dataset.NOTICES.name: major_holdings_dataset.NUMBER,
}
_META: Final = {
    "_observed_at": pl.Datetime("us", "UTC"),
    "_raw": pl.String(),
    "_retired_at": pl.Datetime("us", "UTC"),
}
_LINKED: Final = {"_company_id": pl.String(), **_META}


def company_ids_of_rows(table: str, rows: pl.DataFrame) -> pl.Series:
    """Company id of each staged row; null for issuers, which `issuer_links` links."""
    if table not in NUMBER_COLUMNS:
        return pl.Series("_company_id", [None] * rows.height, pl.String)
    return rows.select(company_ids(pl.col(NUMBER_COLUMNS[table])).alias("_company_id")).to_series()


def normalise(tables: Mapping[str, pl.LazyFrame], today: date) -> SharedTables:
    """Builds the shared tables of the touched companies for a logical day."""
    answers = _present_rows(tables, ANSWERS).collect()
    bulk = bolagsverket_statements.one_row_per_company(_present_rows(tables, ORGANISATIONS))
    said = companies.newest_statements(bulk, statements.bolagsverket_statements(answers))
    units = scb_statements.one_row_per_company(_present_rows(tables, STATISTICS))
    known = companies.newest_statistics(units, statements.scb_statements(answers))
    reports = _present_rows(tables, REPORTS).collect()
    filed = annual_reports_mapping.map_filings_and_financials(reports)
    listed = _present_rows(tables, nasdaq.RELEASES, _LINKED)
    interim = releases.map_filings(nasdaq.KEY, listed)
    notices, wire = (
        _present_rows(tables, table, _LINKED)
        for table in (major_holdings_dataset.NOTICES, major_holdings_dataset.WIRE)
    )
    notified = major_holdings_mapping.map_holdings(notices, listed, wire)
    return {
        **filed,
        FILINGS.name: staging.concat_tables(FILINGS, (filed[FILINGS.name], interim)),
        COMPANIES.name: companies.map_companies(
            said, known, annual_reports_mapping.report_names(reports), today
        ),
        HOLDINGS.name: dated.latest_per_record(notified),
        HOLDINGS_EARLIER.name: dated.superseded_statements(notified),
        IDENTIFIERS.name: issuer_links.map_identifiers(_present_rows(tables, SHORTS_ISSUERS, _LINKED)),
    }


def _present_rows(
    tables: Mapping[str, pl.LazyFrame], table: Table, meta: Mapping[str, pl.DataType] = _META
) -> pl.LazyFrame:
    """Rows of one staged table; empty if nothing was ever staged."""
    if table.name in tables:
        return tables[table.name].select(*table.names, *meta)
    return (
        staging.empty_frame(table)
        .lazy()
        .with_columns(pl.lit(None, kind).alias(name) for name, kind in meta.items())
    )
