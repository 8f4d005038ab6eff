"""Maps Norway's staged tables to the shared tables, per touched company.

Does not belong here: the mapping of one kind of record (`profiles`, `statuses`, `financials`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

import polars as pl

from connectors.declare import SharedTables
from connectors.no import (
    aksjonaer_fields,
    euronext,
    financials,
    holdings,
    konsern_fields,
    newsweb_fields,
    newsweb_mapping,
    oppdateringer_dates,
    profiles,
    roller_holdings,
)
from connectors.no import oppdateringer_fields as feed
from connectors.no.enheter_fields import DELETED, NUMBER, REMOVED, STAGED
from connectors.no.holdings import rows_of
from connectors.no.register import company_ids
from connectors.no.regnskap_fields import ACCOUNTS, MASS
from connectors.no.regnskap_fields import NUMBER as FILER
from connectors.no.roller_fields import ROLES
from connectors.no.underenheter_fields import PARENT, SUB_UNITS
from warehouse.schema.tables import COMPANIES, FILINGS, HOLDINGS, HOLDINGS_EARLIER, IDENTIFIERS, LISTINGS

NUMBER_COLUMNS: Final = dict.fromkeys(STAGED, NUMBER) | {
    ACCOUNTS.name: FILER,
    MASS.name: "orgnr",
    feed.NAMED.name: feed.NUMBER,
    feed.ACCOUNTS_TOLD.name: feed.NUMBER,
    ROLES.name: NUMBER,
    SUB_UNITS.name: PARENT,  # a sub-unit belongs to its parent
    konsern_fields.MEMBERS.name: konsern_fields.NUMBER,
    konsern_fields.ANSWERS.name: konsern_fields.NUMBER,
    aksjonaer_fields.SHAREHOLDERS.name: aksjonaer_fields.NUMBER,
    newsweb_fields.FLAGS.name: newsweb_fields.NUMBER,  # rarely printed; otherwise a link finds the company
}

PRECEDENCE: Final = {
    "status": ("no.enheter",),
    "name": ("no.enheter",),
    "figures": ("no.regnskap", "no.regnskap_masse"),
    "ownership": holdings.PRECEDENCE,
}


def touches(table: str, rows: pl.DataFrame) -> pl.Series:
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
    figures = financials.tables(tables)
    if feed.ACCOUNTS_TOLD.name in tables:
        told = tables[feed.ACCOUNTS_TOLD.name]
        figures[FILINGS.name] = oppdateringer_dates.dated(figures[FILINGS.name], told)
    announced = newsweb_mapping.filings(
        rows_of(tables, newsweb_fields.MESSAGES),
        rows_of(tables, newsweb_fields.TEXTS),
        rows_of(tables, ACCOUNTS),
    )
    shares = rows_of(tables, euronext.SHARES)
    listed = euronext.listings(shares)
    figures[FILINGS.name] = pl.concat([figures[FILINGS.name], announced])
    return {
        COMPANIES.name: euronext.with_listing(profiles.companies(tables), listed),
        **_holdings(tables),
        LISTINGS.name: listed,
        IDENTIFIERS.name: euronext.identifiers(shares),
        **figures,
    }


def _holdings(tables: Mapping[str, pl.LazyFrame]) -> dict[str, pl.DataFrame]:
    """Current and former holders of the companies, by every source; none for removed entities."""
    now, before = holdings.holdings(tables)
    if ROLES.name in tables:
        now = pl.concat([now, roller_holdings.holdings(tables[ROLES.name])])
    found = {HOLDINGS.name: now, HOLDINGS_EARLIER.name: before}
    if DELETED.name not in tables:
        return found
    removed = tables[DELETED.name].filter(pl.col("respons_klasse") == REMOVED)
    gone = removed.select(company_ids(pl.col(NUMBER)).alias("company_id")).collect()
    return {name: rows.join(gone, on="company_id", how="anti") for name, rows in found.items()}
