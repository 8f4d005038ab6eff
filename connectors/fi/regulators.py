"""Regulatory acts that concern Finnish companies: the datasets, and the register names they are matched with.

FIN-FSA has no feed of its own: its sanctions are those of ESMA's register (docs/formats/news.md 1.6). Does not
belong here: reading them (`connectors.regulators`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.fi.register import MARKET
from connectors.fi.ytj.schema import COMPANIES
from connectors.gleif.level1.schema import lei_table
from connectors.regulators.esma import dataset as esma_dataset
from connectors.regulators.market import CompanyRegister


def _company_names(rows: pl.DataFrame) -> pl.Series:
    return rows["name"]


DATASETS: Final = (esma_dataset.esma_dataset(MARKET),)
REGISTER: Final = CompanyRegister(COMPANIES.name, _company_names, leis=lei_table(MARKET))
