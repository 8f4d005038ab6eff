"""The status of a company on the register (docs/formats/uk.md 11, docs/contract/contract.md «Status»).

A company missing from a whole register file is dissolved; liquidation is dormant; a reorganisation or a proposal
to strike off leaves the company active. An active company is dormant if its newest accounts state so.

A status term missing from the code list decides nothing: the company keeps its last known status. Without one it
is active or dormant by its accounts alone, because the file lists only companies on the register; its
`status_source` is null and `registry_status` shows the term.
"""

from __future__ import annotations

from datetime import date
from typing import Final

import polars as pl

from connectors.uk.accounts.schema import KEY as ACCOUNTS
from connectors.uk.basic_company_data.dataset import parse_day
from connectors.uk.code_lists import code_list_field
from connectors.uk.live_schema import INSOLVENCY_KEY

_DORMANT_SIC: Final = "99999"
_CATEGORY: Final = "Accounts.AccountCategory"
_LONG_AGO: Final = date.min


def with_status(rows: pl.DataFrame) -> pl.DataFrame:
    """Adds status, status_detail, status_source, registry_status and dissolved_date to register rows.

    Also needs the columns known_status (`companies`), _door (the row's dataset), _case (`insolvency`), and dormant
    and balance_date of the newest accounts.
    """
    words = rows.with_columns(
        _now=code_list_field(rows, "CompanyStatus", "statuses", "status"),
        _now_detail=code_list_field(rows, "CompanyStatus", "statuses", "status_detail"),
        _of_case=code_list_field(rows, "_case", "statuses", "status"),
        _case_detail=code_list_field(rows, "_case", "statuses", "status_detail"),
        _before=code_list_field(rows, "known_status", "statuses", "status"),
        _before_detail=code_list_field(rows, "known_status", "statuses", "status_detail"),
        _dormant_category=code_list_field(rows, _CATEGORY, "account_categories", "dormant") == "true",
        _unfiled_category=code_list_field(rows, _CATEGORY, "account_categories", "filed") == "false",
        _made_up=parse_day("Accounts.LastMadeUpDate"),
    )
    return words.with_columns(**_status_inputs()).with_columns(**_status_columns())


def _status_inputs() -> dict[str, pl.Expr]:
    newer = pl.col("balance_date") > pl.col("_made_up").fill_null(_LONG_AGO)
    by_document = pl.col("dormant") & (newer | (pl.col("balance_date") == pl.col("_made_up")))
    by_register = pl.col("_dormant_category").fill_null(value=False) | _is_dormant_since_registration()
    return {
        "_known": pl.coalesce("_of_case", "_now", "_before"),
        "_detail": pl.when(pl.col("_of_case").is_not_null())
        .then("_case_detail")
        .when(pl.col("_now").is_null())
        .then("_before_detail")
        .otherwise("_now_detail"),
        "_removed": pl.coalesce(pl.col("_retired_at").dt.date(), parse_day("DissolutionDate")),
        "_by_document": by_document.fill_null(value=False),
        # Later non-dormant accounts overrule the register's older category.
        "_by_register": by_register & ~(newer & ~pl.col("dormant")).fill_null(value=False),
    }


def _is_dormant_since_registration() -> pl.Expr:
    """True if registered as a dormant company and without accounts that could state otherwise."""
    unfiled = pl.col("_unfiled_category").fill_null(value=False) | pl.col(_CATEGORY).is_null()
    by_code = pl.col("SICCode.SicText_1").str.starts_with(_DORMANT_SIC).fill_null(value=False)
    return by_code & unfiled & pl.col("_made_up").is_null()


def _status_columns() -> dict[str, pl.Expr]:
    removed = pl.col("_removed").is_not_null() | (pl.col("_known") == "dissolved").fill_null(value=False)
    gone = pl.col("_retired_at").is_not_null()  # the register does not state it: this is the company's last row
    dormant = pl.col("_by_document") | pl.col("_by_register")
    awake = pl.coalesce("_known", pl.lit("active"))
    status = pl.when(removed).then(pl.lit("dissolved")).when(dormant).then(pl.lit("dormant")).otherwise(awake)
    detail = pl.coalesce("_detail", pl.when(dormant).then(pl.lit("no_trading")))
    decided_by_document = (pl.col("_known") == "active") & pl.col("_by_document") & ~pl.col("_by_register")
    return {
        "status": status,
        "status_detail": pl.when(~removed).then(detail),
        "status_source": pl.when(removed)
        .then(pl.col("_door"))
        .when(pl.col("_of_case").is_not_null())
        .then(pl.lit(INSOLVENCY_KEY))
        .when(decided_by_document)
        .then(pl.lit(ACCOUNTS))
        .when(pl.col("_known").is_not_null())
        .then(pl.col("_door")),
        "registry_status": pl.when(~gone).then(pl.col("CompanyStatus")),
        "dissolved_date": pl.col("_removed"),
    }
