"""Converts staged legal units of SCB's register to statements for profiles and identifiers.

Belongs here: which columns a profile takes, and when. Does not belong here: the choice between the registers' industry
codes (`profile.companies`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.kit.staging import ORIGIN
from connectors.se import code_lists
from connectors.se.business_register import schema as f
from warehouse.schema.tables import IDENTIFIERS

_REGISTERED: Final = "1"
_NO_EMPLOYEES: Final = "1"


def register_statements(rows: pl.LazyFrame) -> pl.DataFrame:
    """One row per company: seat, employees, industry.

    A class of employees is a count only where it says «none»; the others are ranges. A municipality of another county
    than the stated one is no seat at all: nothing tells which of both is wrong.
    """
    county_of_seat = pl.col("kommunSate").str.slice(0, 2)
    fits = (pl.col("lanSate") == county_of_seat).fill_null(value=True)
    known = pl.when(fits & code_lists.MUNICIPALITIES.expr("kommunSate").is_not_null()).then("kommunSate")
    stated = pl.when(fits & code_lists.COUNTIES.expr("lanSate").is_not_null()).then("lanSate")
    county = pl.coalesce(stated, pl.when(known.is_not_null()).then(county_of_seat))
    return rows.select(
        f.NUMBER,
        known.alias("seat_code"),
        code_lists.MUNICIPALITIES.expr(known).alias("seat_name"),
        county.alias("seat_county"),
        code_lists.COUNTIES.expr(county).alias("seat_county_name"),
        pl.when(pl.col("anstKl") == _NO_EMPLOYEES).then(pl.lit(0, pl.Int64)).alias("register_employees"),
        pl.col("naringsgren").alias("register_industry"),
        code_lists.industry_labels("naringsgren", f.SCHEME).alias("register_label"),
        pl.col(f.SCHEME).alias("register_scheme"),
        pl.col("_observed_at").alias("register_seen"),
    ).collect()


def map_identifiers(rows: pl.LazyFrame) -> pl.DataFrame:
    """VAT numbers of companies that are registered for VAT themselves: SE, the number, 01 (docs/formats/se.md 7.4)."""
    registered = rows.filter(pl.col("momsStat") == _REGISTERED)
    number = pl.lit("SE") + pl.col(f.NUMBER) + pl.lit("01")
    found = registered.select(*ORIGIN, scheme=pl.lit("vat"), value=number, register=pl.lit(f.KEY))
    return found.select(IDENTIFIERS.names).collect()
