"""Regulatory acts that concern Finnish companies: the datasets, and the register names they are matched with.

FIN-FSA has no feed of its own: its sanctions are those of ESMA's register (docs/formats/news.md 1.6). Does not
belong here: reading them (`connectors.regulators`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.fi.register import MARKET
from connectors.fi.ytj_fields import COMPANIES
from connectors.regulators import esma
from connectors.regulators.market import Register


def _names(rows: pl.DataFrame) -> pl.Series:
    return rows["name"]


DATASETS: Final = (esma.dataset(MARKET),)
REGISTER: Final = Register(COMPANIES.name, _names)
