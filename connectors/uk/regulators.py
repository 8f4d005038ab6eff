"""Regulator acts about British companies: the datasets, and the register names they are matched against.

Does not belong here: reading them (`connectors.regulators`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.gleif.level1.schema import lei_table
from connectors.regulators import headline_datasets
from connectors.regulators.market import CompanyRegister
from connectors.uk.basic_company_data.dataset import COMPANIES


def _company_names(rows: pl.DataFrame) -> pl.Series:
    return rows["CompanyName"]


DATASETS: Final = (headline_datasets.FCA_DATASET, headline_datasets.PRA_DATASET)
REGISTER: Final = CompanyRegister(COMPANIES.name, _company_names, leis=lei_table("UK"))
