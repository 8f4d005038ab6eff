"""Regulators' acts that concern SEC filers: the datasets, and the filer names they are matched against.

Does not belong here: reading them (`connectors.regulators`), or notices of a filer's own filings
(`filing_headers.news_and_notices`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.regulators import headline_datasets, sec
from connectors.regulators.market import CompanyRegister
from connectors.us.submissions.schema import FILERS, NAME

_PLACE: Final = r"\s*/[A-Za-z]{2,3}/?$"  # «EXAMPLE CORP /DE/»: a conformed name with its state


def _company_names(rows: pl.DataFrame) -> pl.Series:
    """Conformed names of filers that are companies."""
    name = pl.col(NAME).str.replace(_PLACE, "")
    return rows.select(pl.when(~pl.col("is_person")).then(name).alias("name")).to_series()


DATASETS: Final = (sec.DATASET, headline_datasets.CFTC_DATASET)
REGISTER: Final = CompanyRegister(FILERS.name, _company_names)
