"""Links releases and acts, which name a company without its number, to companies: a name that exactly one has.

Names are compared without legal forms, case and signs; only public limited companies that exist can match, since only
they list shares. Does not belong here: how a link is followed (pipelines).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.contract.dataset import ComputedKey, Link
from connectors.dk import code_lists
from connectors.dk.register import MARKET
from connectors.dk.virksomhed.schema import COMPANIES
from name_matching.name_columns import core_names, fold_texts

LISTABLE: Final = "60"  # A/S


def issuer_cores(names: pl.Series) -> pl.Series:
    """Names without their legal forms, Nordic letters folded: exchanges and wires write ø as o."""
    return fold_texts(core_names(names, MARKET))


def _listable_cores(rows: pl.DataFrame) -> pl.Series:
    is_listable = (pl.col("form_kode") == LISTABLE) & pl.col("livsforloeb_til").is_null()
    return issuer_cores(rows.select(pl.when(is_listable).then("navn").alias("navn")).to_series())


COMPANY_NAME: Final = ComputedKey("navn_core", _listable_cores)


def name_link(table: str, column: str) -> Link:
    """Link of a table by the names in a column."""
    return Link(
        table, ComputedKey(f"{column}_core", lambda rows: issuer_cores(rows[column])), COMPANIES.name, COMPANY_NAME
    )


def company_names(rows: pl.DataFrame) -> pl.Series:
    """Names that an act of a regulator can mean: not those of sole traders, which are persons' names."""
    is_other = pl.col("form_kode").is_null() | ~pl.col("form_kode").is_in(code_lists.SOLE_TRADERS)
    return rows.select(pl.when(is_other).then("navn").alias("name")).to_series()
