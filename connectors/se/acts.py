"""Regulator acts about Swedish companies: the datasets, and the register names they are matched against.

Does not belong here: reading them (`connectors.regulators`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.regulators import esma, nordic
from connectors.regulators.market import Register
from connectors.se.bolagsverket_fields import NAMES, ORGANISATIONS
from connectors.se.register import MARKET
from connectors.se.registered import with_names


def _names(rows: pl.DataFrame) -> pl.Series:
    """Current names of organisations that are not deregistered."""
    is_there = rows["avregistreringsdatum"].is_null()
    names = pl.Series("name", [None], pl.String).new_from_index(0, rows.height)
    some = with_names(rows.select(NAMES).filter(is_there))["_name"]
    return names if some.is_empty() else names.scatter(is_there.arg_true(), some)


DATASETS: Final = (nordic.SWEDISH_DATASET, esma.dataset(MARKET))
REGISTER: Final = Register(ORGANISATIONS.name, _names, cores=_names)
