"""Maps notices of accounts filed on paper to filings without figures (docs/formats/fi.md 4).

The register reports that accounts were registered and when, but not their year: the period stays null. Accounts
filed digitally have their own document, registered on the same day, and only that one becomes a filing.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.fi.notices.schema import ACCOUNTS, DAY, KEY, NUMBER, RECORD, TYPE
from connectors.fi.register import company_ids
from connectors.kit.staging import complete_columns
from warehouse.schema.ids import filing_id
from warehouse.schema.tables import FILINGS

FILING_TYPE: Final = "annual_report"


def map_filings(notices: pl.LazyFrame, digital: pl.LazyFrame) -> pl.DataFrame:
    """`map_filings` of paper accounts; `digital`: companies and days on which statements were registered."""
    rows = notices.filter(pl.col(TYPE) == ACCOUNTS).join(
        digital, left_on=[NUMBER, DAY], right_on=[NUMBER, "registrationDate"], how="anti"
    )
    found = rows.sort(NUMBER, DAY, RECORD).collect()
    native = found.select(pl.concat_str(NUMBER, pl.col(DAY).dt.to_string(), pl.col(RECORD), separator=":")).to_series()
    filings = found.select(
        filing_id=pl.Series([filing_id(KEY, one) for one in native], dtype=pl.String),
        company_id=company_ids(pl.col(NUMBER)),
        filing_type=pl.lit(FILING_TYPE),
        native_id=native,
        filed_at=pl.col(DAY),
        is_amendment=pl.lit(value=False),
        register=pl.lit(KEY),
        raw="_raw",
        observed_at="_observed_at",
    )
    return complete_columns(filings, FILINGS)
