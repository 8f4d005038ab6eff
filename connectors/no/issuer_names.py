"""Link keys of issuer names and of names in Enhetsregisteret (docs/formats/no.md 13.3).

NewsWeb and Euronext have no organisation numbers: a name links to a company if exactly one matches. First the
whole name is compared, then the name without its legal form, which exchanges leave out («DNB BANK»). Only legal
forms that list shares can match. Does not belong here: which tables are linked (`Jurisdiction.links`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import polars as pl

from connectors.contract.dataset import ComputedKey
from connectors.no.enheter.schema import FORM, NAME
from connectors.no.register import MARKET
from name_matching.name_columns import core_names, fold_texts

LISTED_FORMS: Final = ("ASA", "AS", "SPA")  # savings banks have equity certificates
Fold = Callable[[pl.Series], pl.Series]  # `fold_texts` or `issuer_cores`


def issuer_cores(names: pl.Series) -> pl.Series:
    """Names without their legal forms; exchanges write ø as o, so Nordic letters are folded too."""
    return fold_texts(core_names(names, MARKET))


def issuer_key(column: str, fold: Fold) -> ComputedKey:
    """Link key of an issuer column."""
    return ComputedKey(f"{column.lower()}_{fold.__name__}", lambda rows: fold(rows[column]))


def entity_key(fold: Fold) -> ComputedKey:
    """Link key of entity names, limited to legal forms that list shares."""
    return ComputedKey(f"{NAME}_{fold.__name__}", lambda rows: fold(_listable_names(rows)))


def _listable_names(rows: pl.DataFrame) -> pl.Series:
    return rows.select(pl.when(pl.col(FORM).is_in(LISTED_FORMS)).then(pl.col(NAME))).to_series()
