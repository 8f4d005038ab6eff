"""Maps current staged rows of the United Kingdom to the shared tables: the jurisdiction's mapping functions.

Belongs here: which staged table goes to which mapping, and the company id of a staged row. Does not belong here:
any field (`profiles`, `holdings`, `accounts_mapping`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

import polars as pl

from connectors.declare import SharedTables
from connectors.kit import staged, statements
from connectors.uk import (
    companies,
    filings,
    holdings,
    live_schema,
    nsm_fields,
    profiles,
    psc_schema,
    tr1_holdings,
)
from connectors.uk.accounts_mapping import FACTS, accounts_tables, no_rows
from connectors.uk.accounts_schema import ACCOUNTS
from connectors.uk.numbers import identity
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
    companies.COMPANIES.name: "CompanyNumber",
    companies.UNMAPPED.name: "CompanyNumber",
    psc_schema.PSC.name: "company_number",
    psc_schema.STATEMENTS.name: "company_number",
    psc_schema.EXEMPTIONS.name: "company_number",
    psc_schema.OTHERS.name: "company_number",
    ACCOUNTS.name: "company_number",
    live_schema.PROFILES.name: "company_number",
    live_schema.FILED.name: "company_number",
    live_schema.INSOLVENCY.name: "company_number",
}


def touches(table: str, rows: pl.DataFrame) -> pl.Series:
    """Company id of each staged row; null for the trailer of a snapshot."""
    column = _NUMBER.get(table)
    if column is None:
        return pl.Series("company_id", [None] * len(rows), dtype=pl.String)
    return rows.select(company_id=identity(pl.col(column))).to_series()


def normalise(present: Mapping[str, pl.LazyFrame], at: date) -> SharedTables:
    """Builds the shared tables from current staged rows."""
    accounts = accounts_tables(present.get(ACCOUNTS.name, no_rows()))
    listed = holdings.listings(_rows(present, psc_schema.EXEMPTIONS))
    told = _rows(present, live_schema.PROFILES)
    known = profiles.companies(
        _rows(present, companies.COMPANIES),
        _rows(present, companies.UNMAPPED),
        accounts.pop(FACTS),
        holdings.traded(listed, at),
        profiles.Live(told, _rows(present, live_schema.INSOLVENCY)),
    )
    filed, figures = filings.with_history(
        accounts[FILINGS.name], accounts[FINANCIALS_REPORTED.name], _rows(present, live_schema.FILED), told
    )
    notified = tr1_holdings.statements(_rows(present, nsm_fields.TR1))
    return {
        FILINGS.name: filed,
        FINANCIALS_REPORTED.name: figures,
        "companies": known,
        "holdings": pl.concat(
            [
                holdings.holdings(_rows(present, psc_schema.PSC), _rows(present, psc_schema.OTHERS)),
                statements.newest(notified),
            ]
        ),
        HOLDINGS_EARLIER.name: statements.earlier(notified),
        "listings": listed,
    }


def _rows(present: Mapping[str, pl.LazyFrame], table: Table) -> pl.DataFrame:
    """Rows of one staged table; empty if nothing was ever staged."""
    if table.name in present:
        return present[table.name].collect()
    return pl.DataFrame(schema={**staged.schema(table), **_META})
