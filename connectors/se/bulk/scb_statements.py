"""Converts rows of SCB's bulk file to one statement per company, column by column.

Does not belong here: Bolagsverket's statements (`bolagsverket_statements`), the choice between bulk and API
(`profile.companies`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.se import code_lists
from connectors.se.bulk.scb_schema import NUMBER, SCHEME

STATEMENT: Final = {
    NUMBER: pl.String,
    "scb_name": pl.String,
    "activity": pl.String,  # 1 active, 0 never, 9 no longer; the API's JA and NEJ are 1 and 9
    "activity_word": pl.String,
    "statistical_form": pl.String,
    "industry": pl.String,
    "industry_label": pl.String,
    "industry_scheme": pl.String,
    "scb_registered": pl.Date,
    "scb_street": pl.String,
    "scb_care_of": pl.String,
    "scb_town": pl.String,
    "scb_postcode": pl.String,
    "scb_seen": pl.Datetime("us", "UTC"),
}
_USED: Final = (
    *(NUMBER, "Namn", "FtgStat", "JurForm", "Ng1", SCHEME, "RegDatKtid"),
    *("Gatuadress", "COAdress", "PostOrt", "PostNr"),
)


def one_row_per_company(rows: pl.LazyFrame) -> pl.DataFrame:
    """One row per company. A row that left the file still counts.

    See docs/formats/se.md 12.
    """
    said = rows.select(*_USED, "_observed_at").collect()
    old = said[SCHEME] == code_lists.OLD_CODES
    # the same digits have other meanings in SNI 2025: no label rather than a wrong one
    label = pl.when(old).then(code_lists.SNI2007.expr("Ng1")) if old.any() else pl.lit(None, pl.String)
    return said.select(
        pl.col(NUMBER),
        pl.col("Namn").alias("scb_name"),
        pl.col("FtgStat").alias("activity"),
        ("FtgStat " + pl.col("FtgStat")).alias("activity_word"),
        pl.col("JurForm").alias("statistical_form"),
        pl.col("Ng1").alias("industry"),
        label.alias("industry_label"),
        pl.col(SCHEME).alias("industry_scheme"),
        pl.col("RegDatKtid").alias("scb_registered"),
        pl.col("Gatuadress").alias("scb_street"),
        pl.col("COAdress").alias("scb_care_of"),
        pl.col("PostOrt").alias("scb_town"),
        pl.col("PostNr").alias("scb_postcode"),
        pl.col("_observed_at").alias("scb_seen"),
    ).select(*STATEMENT)
