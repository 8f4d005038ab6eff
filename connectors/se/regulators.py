"""Regulator acts about Swedish companies: the datasets, and the register names they are matched against.

Does not belong here: reading them (`connectors.regulators`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.gleif.level1.schema import lei_table
from connectors.regulators import headline_datasets
from connectors.regulators.esma import dataset as esma_dataset
from connectors.regulators.market import CompanyRegister
from connectors.se.bulk.bolagsverket_schema import NAMES, ORGANISATIONS
from connectors.se.bulk.statements import with_names
from connectors.se.register import MARKET


def _company_names(rows: pl.DataFrame) -> pl.Series:
    """Current names of organisations that are not deregistered."""
    is_there = rows["avregistreringsdatum"].is_null()
    names = pl.Series("name", [None], pl.String).new_from_index(0, rows.height)
    some = with_names(rows.select(NAMES).filter(is_there))["_name"]
    return names if some.is_empty() else names.scatter(is_there.arg_true(), some)


DATASETS: Final = (headline_datasets.SWEDISH_DATASET, esma_dataset.esma_dataset(MARKET))
REGISTER: Final = CompanyRegister(ORGANISATIONS.name, _company_names, cores=_company_names, leis=lei_table(MARKET))
