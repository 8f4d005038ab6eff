"""The order in which the statements of one period were filed, which numbers their versions.

Filing days decide. A document without one was filed by the day it was first seen, and before every document of its
period that shows to be later: one that amends an earlier one, or a filed one with a later number of the same register
or known as a later version. Where nothing tells, documents follow as they became known, then by the register's numbers.
Does not belong here: which statements differ enough to be versions (`versions`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

PERIOD: Final = ("company_id", "period_start", "period_end", "is_consolidated")
UNKNOWN_VERSION: Final = pl.lit(1 << 40, dtype=pl.Int64)  # in place of a version of a statement not known before
_DOCUMENT: Final = (*PERIOD, "filing_id")
_ORDER: Final = (
    *(*PERIOD, "_filed", "is_amendment", "_has_filing_day", "_prior", "_seen"),
    *("native_id", "filing_id", "_known"),
)
_COMPARED: Final = ("filing_id", "register", "_number", "is_amendment", "_prior", "_has_filing_day", "_filed")
# Only numbers tell which of two came later (Norwegian journals, docs/formats/no.md 4), not the letters of an id
_NUMBER: Final = r"^([0-9]{1,18})(?::|$)"


def sort_by_filing(statements: pl.DataFrame) -> pl.DataFrame:
    """The statements by period, each period's in the order of filing; all statements of its documents are present.

    Needs `_known`, the version a statement had before, `_prior`, the first one of its document (both else
    UNKNOWN_VERSION), and `_first`, when the document was first seen.
    """
    seen = pl.min_horizontal("observed_at", "_first").min().over(_DOCUMENT)
    rows = statements.with_columns(pl.col("is_amendment").fill_null(value=False), _seen=seen)
    # no statement was filed after a later one of the same document, whose day may have become known since
    filed = (
        pl.coalesce("filed_at", pl.col("_seen").dt.date()).cum_min().over(_DOCUMENT, order_by="_known", descending=True)
    )
    has_day = pl.col("filed_at").is_not_null().any().over(_DOCUMENT)
    ordered = _before_later_documents(rows.with_columns(_filed=filed, _has_filing_day=has_day)).sort(_ORDER)
    return ordered.select(statements.columns)


def _before_later_documents(rows: pl.DataFrame) -> pl.DataFrame:
    """`_filed` of documents without a filing day no later than that of a document that shows to be later."""
    undated = rows.filter(~pl.col("_has_filing_day"))
    if undated.is_empty():
        return rows
    number = pl.col("native_id").str.extract(_NUMBER).cast(pl.Int64)
    before, later = (some.with_columns(_number=number).select(*PERIOD, *_COMPARED) for some in (undated, rows))
    others = before.join(later, on=PERIOD, suffix="_later")
    amends = pl.col("is_amendment_later") & ~pl.col("is_amendment")
    has_later_number = (pl.col("register_later") == pl.col("register")) & (pl.col("_number_later") > pl.col("_number"))
    was_later = (pl.col("_prior_later") > pl.col("_prior")) & (pl.col("_prior_later") < UNKNOWN_VERSION)
    is_later = amends | (pl.col("_has_filing_day_later") & (has_later_number.fill_null(value=False) | was_later))
    bounds = others.filter(is_later).group_by(_DOCUMENT).agg(_bound=pl.col("_filed_later").min())
    bounded = rows.join(bounds, on=_DOCUMENT, how="left", maintain_order="left")
    return bounded.with_columns(_filed=pl.min_horizontal("_filed", "_bound")).drop("_bound")
