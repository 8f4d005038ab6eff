"""Regulator acts about British companies: the datasets, and the register names they are matched against.

Does not belong here: reading them (`connectors.regulators`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.regulators import british
from connectors.regulators.market import Register
from connectors.uk.companies import COMPANIES


def _names(rows: pl.DataFrame) -> pl.Series:
    return rows["CompanyName"]


DATASETS: Final = (british.FCA_DATASET, british.PRA_DATASET)
REGISTER: Final = Register(COMPANIES.name, _names)
