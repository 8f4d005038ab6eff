"""Maps Norway's staged tables to the shared tables, per touched company.

Does not belong here: the mapping of one kind of record (`profile.companies`, `profile.status`, `regnskap.mapping`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

import polars as pl

from connectors.contract.dataset import SharedTables
from connectors.no import holdings
from connectors.no.aksjonaerregister import schema as aksjonaerregister_schema
from connectors.no.enheter.schema import DELETED, NUMBER, REMOVED, STAGED
from connectors.no.euronext import dataset as euronext_dataset
from connectors.no.holdings import present_rows
from connectors.no.konsern import schema as konsern_schema
from connectors.no.newsweb import mapping as newsweb_mapping
from connectors.no.newsweb import schema as newsweb_schema
from connectors.no.oppdateringer import filing_dates
from connectors.no.oppdateringer import schema as feed
from connectors.no.profile import companies
from connectors.no.register import company_ids
from connectors.no.regnskap import mapping as regnskap_mapping
from connectors.no.regnskap.schema import ACCOUNTS, MASS
from connectors.no.regnskap.schema import NUMBER as FILER
from connectors.no.roller import holdings as roller_holdings
from connectors.no.roller.schema import ROLES
from connectors.no.underenheter.schema import PARENT, SUB_UNITS
from warehouse.schema.tables import COMPANIES, FILINGS, HOLDINGS, HOLDINGS_EARLIER, IDENTIFIERS, LISTINGS

NUMBER_COLUMNS: Final = dict.fromkeys(STAGED, NUMBER) | {
    ACCOUNTS.name: FILER,
    MASS.name: "orgnr",
    feed.NAMED.name: feed.NUMBER,
    feed.ACCOUNTS_TOLD.name: feed.NUMBER,
    ROLES.name: NUMBER,
    SUB_UNITS.name: PARENT,  # a sub-unit belongs to its parent
    konsern_schema.MEMBERS.name: konsern_schema.NUMBER,
    konsern_schema.ANSWERS.name: konsern_schema.NUMBER,
    aksjonaerregister_schema.SHAREHOLDERS.name: aksjonaerregister_schema.NUMBER,
    newsweb_schema.FLAGS.name: newsweb_schema.NUMBER,  # rarely printed; otherwise a link finds the company
}

PRECEDENCE: Final = {
    "status": ("no.enheter",),
    "name": ("no.enheter",),
    "figures": ("no.regnskap", "no.regnskap_masse"),
    "ownership": holdings.PRECEDENCE,
}


def company_ids_of_rows(table: str, rows: pl.DataFrame) -> pl.Series:
    """The company that each staged row concerns; for a sub-unit its parent, if it has one.

    Null if a row names an issuer without a number: `Jurisdiction.links` resolves those.
    """
    if table not in NUMBER_COLUMNS:
        return pl.Series("_company_id", [None] * rows.height, pl.String)
    number = pl.col(NUMBER_COLUMNS[table])
    if table == feed.NAMED.name:
        number = pl.when(pl.col(feed.STREAM) != feed.SUB_UNITS).then(number)
    return rows.select(company_ids(number).alias("_company_id")).to_series()


def normalise(tables: Mapping[str, pl.LazyFrame], _today: date) -> SharedTables:
    """Builds the shared tables of the touched companies.

    `_today` is unused: no Norwegian rule depends on age.
    """
    figures = regnskap_mapping.map_filings_and_financials(tables)
    if feed.ACCOUNTS_TOLD.name in tables:
        told = tables[feed.ACCOUNTS_TOLD.name]
        figures[FILINGS.name] = filing_dates.fill_filing_dates(figures[FILINGS.name], told)
    announced = newsweb_mapping.map_filings(
        present_rows(tables, newsweb_schema.MESSAGES),
        present_rows(tables, newsweb_schema.TEXTS),
        present_rows(tables, ACCOUNTS),
    )
    shares = present_rows(tables, euronext_dataset.SHARES)
    listed = euronext_dataset.map_listings(shares)
    figures[FILINGS.name] = pl.concat([figures[FILINGS.name], announced])
    return {
        COMPANIES.name: euronext_dataset.with_listed_flag(companies.map_companies(tables), listed),
        **_map_holdings(tables),
        LISTINGS.name: listed,
        IDENTIFIERS.name: euronext_dataset.map_identifiers(shares),
        **figures,
    }


def _map_holdings(tables: Mapping[str, pl.LazyFrame]) -> dict[str, pl.DataFrame]:
    """Current and former holders of the companies, by every source; none for removed entities."""
    now, before = holdings.map_holdings(tables)
    if ROLES.name in tables:
        now = pl.concat([now, roller_holdings.map_holdings(tables[ROLES.name])])
    found = {HOLDINGS.name: now, HOLDINGS_EARLIER.name: before}
    if DELETED.name not in tables:
        return found
    removed = tables[DELETED.name].filter(pl.col("respons_klasse") == REMOVED)
    gone = removed.select(company_ids(pl.col(NUMBER)).alias("company_id")).collect()
    return {name: rows.join(gone, on="company_id", how="anti") for name, rows in found.items()}
