"""Unmatched acts with the reason, for manual review.

Belongs here: selecting them from present rows of a market. Does not belong here: printing (`firm`), or a
decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import polars as pl

from connectors.regulators import schema
from connectors.regulators.act_types import NEVER_MATCHED
from name_matching.company_markers import CompanyMarker
from warehouse.schema.identifiers import iso_country

COLUMNS: Final = ("register", "published_at", "title", "name", "url", "why")
_WARNING: Final = "a warning: the name is never matched"
_NO_NAME: Final = "no name"
_UNKNOWN_LEI: Final = "no company of the market has this LEI, or it is not fetched yet"
_CUT: Final = "possibly part of a name: «and» precedes it"
_NOBODY: Final = "no company of that name, or several"


def unmatched_acts(market: str, present: Mapping[str, pl.LazyFrame]) -> pl.DataFrame:
    """Acts without a company, newest first, with the columns COLUMNS.

    present: present rows by staged table, with META_COLUMNS. Acts of other countries' authorities are left out:
    they are staged only for the few companies found by LEI.
    """
    table = schema.acts_table(market).name
    if table not in present:
        return pl.DataFrame(schema={**dict.fromkeys(COLUMNS, pl.String), "published_at": pl.Datetime("us", "UTC")})
    why = (
        pl.when(pl.col("kind").is_in(NEVER_MATCHED))
        .then(pl.lit(_WARNING))
        .when(pl.col("lei").is_not_null())
        .then(pl.lit(_UNKNOWN_LEI))
        .when(pl.col("name").is_null() | (pl.col("mark") == CompanyMarker.NONE.value))
        .then(pl.lit(_NO_NAME))
        .when(~pl.col("is_whole"))
        .then(pl.lit(_CUT))
        .otherwise(pl.lit(_NOBODY))
    )
    own = pl.col("authority_country") == iso_country(market)
    rows = present[table].filter(pl.col("_company_id").is_null(), own.fill_null(value=True))
    return (
        rows.with_columns(why=why)
        .sort("published_at", "authority_code", "native_id", "place", descending=[True, False, False, False])
        .select(COLUMNS)
        .collect()
    )
