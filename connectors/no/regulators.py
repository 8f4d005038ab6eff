"""Regulatory acts that concern Norwegian companies: the datasets, and the register names they are matched with.

Does not belong here: reading them (`connectors.regulators`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.gleif.level1.schema import lei_table
from connectors.no.enheter.schema import ENTITIES, FORM, NAME
from connectors.no.register import MARKET
from connectors.regulators import headline_datasets
from connectors.regulators.esma import dataset as esma_dataset
from connectors.regulators.market import CompanyRegister

_SOLE: Final = "ENK"  # carries its owner's name, so acts are not matched with it


def _company_names(rows: pl.DataFrame) -> pl.Series:
    """Names of entities other than sole proprietorships."""
    is_other = pl.col(FORM).is_null() | (pl.col(FORM) != _SOLE)
    return rows.select(pl.when(is_other).then(pl.col(NAME)).alias("name")).to_series()


DATASETS: Final = (headline_datasets.NORWEGIAN_DATASET, esma_dataset.esma_dataset(MARKET))
REGISTER: Final = CompanyRegister(ENTITIES.name, _company_names, leis=lei_table(MARKET))
