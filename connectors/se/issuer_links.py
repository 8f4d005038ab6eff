"""Links rows of Finansinspektionen's registers to companies: by LEI, then ISIN, then exact name.

See docs/formats/se.md 9.

Names are compared without case, punctuation, «(publ)» and «AB», against current names of limited companies that are
not deregistered; pipelines accept a name only if exactly one company matches. Does not belong here: the rows
(`finansinspektionen.insider_register`, `finansinspektionen.short_positions`), or resolving LEIs
(`connectors.gleif`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.contract.dataset import ComputedKey, Link
from connectors.gleif.level1 import schema as level1_schema
from connectors.kit.staging import ORIGIN
from connectors.se.bulk.bolagsverket_schema import FORM, NAMES, ORGANISATIONS
from connectors.se.bulk.statements import with_names
from connectors.se.finansinspektionen.issuers import INSIDER_ISSUERS, SHORTS_ISSUERS, SHORTS_KEY
from connectors.se.register import MARKET
from name_matching.name_columns import fold_texts_except_nordic
from warehouse.schema.tables import IDENTIFIERS

_LISTABLE: Final = ("AB", "BAB", "FAB", "SE")
_FORMS: Final = r"\b(?:ab|publ|aktiebolag|aktiebolaget)\b"


def core_names(names: pl.Series) -> pl.Series:
    """Comparison form of names; null if nothing is left."""
    plain = pl.col("core").str.replace_all(_FORMS, "").str.replace_all(" +", " ").str.strip_chars()
    words = fold_texts_except_nordic(names).alias("core").to_frame()
    return words.select(pl.when(plain != "").then(plain).alias("core")).to_series()


def core_name_key(name: str, column: str) -> ComputedKey:
    """Key `name` of a link: the comparison form of the names in a column."""
    return ComputedKey(name, lambda rows: core_names(rows[column]))


def _company_core_names(rows: pl.DataFrame) -> pl.Series:
    """Names of existing limited companies; only these issue shares."""
    lists = pl.col(FORM).is_in(_LISTABLE) & pl.col("avregistreringsdatum").is_null()
    able = rows.select(lists.fill_null(value=False).alias("able"))["able"]
    names = pl.Series("core", [None], pl.String).new_from_index(0, rows.height)
    some = with_names(rows.select(NAMES).filter(able))["_name"]
    return names if some.is_empty() else names.scatter(able.arg_true(), core_names(some))


ISSUER_NAME: Final = core_name_key("emittent_core", "emittent")
COMPANY_NAME: Final = ComputedKey("organisationsnamn_core", _company_core_names)

LINKS: Final = (
    Link(INSIDER_ISSUERS.name, "lei", level1_schema.lei_table(MARKET).name, "lei"),
    Link(INSIDER_ISSUERS.name, ISSUER_NAME, ORGANISATIONS.name, COMPANY_NAME),
    Link(SHORTS_ISSUERS.name, "isin", INSIDER_ISSUERS.name, "isin"),
    Link(SHORTS_ISSUERS.name, ISSUER_NAME, ORGANISATIONS.name, COMPANY_NAME),
)


def map_identifiers(shorts: pl.LazyFrame) -> pl.DataFrame:
    """Share ISINs from short positions. Insider trades are not used: they may be in any instrument."""
    present = shorts.filter(pl.col("_company_id").is_not_null()).sort("_observed_at", "isin")
    rows = present.unique(["_company_id", "isin"], keep="last", maintain_order=True).select(
        *ORIGIN, scheme=pl.lit("isin"), value="isin", register=pl.lit(SHORTS_KEY)
    )
    return rows.select(IDENTIFIERS.names).collect()
