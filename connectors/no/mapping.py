"""Norway's staged tables to the shared tables: which rows concern which company, and their image.

Does not belong here: the mapping of one kind of record (`profiles`, `statuses`, `financials`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

import polars as pl

from connectors.declare import SharedTables
from connectors.no import financials, profiles
from connectors.no.enheter_fields import NUMBER, STAGED
from connectors.no.register import company_ids
from connectors.no.regnskap_fields import ACCOUNTS, MASS
from connectors.no.regnskap_fields import NUMBER as FILER
from warehouse.schema.tables import COMPANIES

NUMBER_COLUMNS: Final = dict.fromkeys(STAGED, NUMBER) | {ACCOUNTS.name: FILER, MASS.name: "orgnr"}

PRECEDENCE: Final = {
    "status": ("no.enheter",),
    "name": ("no.enheter",),
    "figures": ("no.regnskap", "no.regnskap_masse"),
}


def touches(table: str, rows: pl.DataFrame) -> pl.Series:
    """The company that each staged row concerns."""
    return rows.select(company_ids(pl.col(NUMBER_COLUMNS[table])).alias("_company_id")).to_series()


def normalise(tables: Mapping[str, pl.LazyFrame], _today: date) -> SharedTables:
    """The shared tables of the touched companies.

    Nothing here depends on the day: no Norwegian rule counts age.
    """
    return {COMPANIES.name: profiles.companies(tables), **financials.tables(tables)}
