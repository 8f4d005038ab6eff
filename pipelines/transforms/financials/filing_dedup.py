"""De-duplicates documents of one filing from different sources: one event (docs/contract/contract.md 4.6).

Belongs here: which documents are of one filing though their periods differ in spelling or are missing. Does
not belong here: documents of the same period, versions, and documents too old for events (`events.filing`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from pipelines.transforms.financials.periods import period_type

# Our own choice: announcements and notices of accounts lie within days of the accounts' filing date, and the
# next period of the same kind is never filed so soon.
APART_DAYS: Final = 7
_SPAN: Final = ("company_id", "filing_type", "period_start", "period_end")
_NAMES: Final = (*_SPAN, "filing_id", "filed_at", "register")
_KIND: Final = ["company_id", "filing_type"]


def without_known_filings(fresh: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """The fresh documents, one per period and in order of precedence, without those already announced by another.

    Args:
        fresh: rows with the columns of FILINGS, no two of one known period.
        published: FILINGS rows known before.
    """
    concerned = published.join(fresh.select(_KIND).unique(), on=_KIND, how="semi")
    dated = pl.col("period_end").is_not_null()
    once = concerned.filter(dated).unique(_SPAN, keep="first", maintain_order=True)
    documents = pl.concat(
        [
            frame.select(_NAMES).with_columns(_fresh=pl.lit(value=mark))
            for frame, mark in ((concerned.filter(~dated), False), (once, False), (fresh, True))
        ]
    ).with_row_index("_place")
    known = [*_announced_duplicates(documents), *_same_end_duplicates(documents)]
    return fresh.filter(~pl.col("filing_id").is_in(known))


def _announced_duplicates(documents: pl.DataFrame) -> Iterator[str]:
    """Documents already covered by an announcement without a period, and announcements of known documents.

    Each announcement covers one document.
    """
    filed = documents.filter(pl.col("filed_at").is_not_null())
    dated = filed.filter(pl.col("period_end").is_not_null())
    pairs = filed.filter(pl.col("period_end").is_null()).join(dated, on=_KIND, suffix="_dated")
    apart = (pl.col("filed_at") - pl.col("filed_at_dated")).dt.total_days().abs()
    near = pairs.with_columns(_apart=apart).filter(pl.col("_apart") <= APART_DAYS)
    # pairs of known documents are matched first: only the rest can cover a new one
    order = near.sort(pl.col("_fresh") | pl.col("_fresh_dated"), "_apart", "_place", "_place_dated")
    taken: set[str] = set()
    for row in order.iter_rows(named=True):
        pair = row["filing_id"], row["filing_id_dated"]
        if taken.isdisjoint(pair):
            taken.update(pair)
            yield pair[0] if row["_fresh"] else pair[1]


def _same_end_duplicates(documents: pl.DataFrame) -> Iterator[str]:
    """Full-year documents with the period end of another register's document, but another start or none."""
    # only one register may know that a first year is shorter than a year
    full = (period_type() == "annual") | pl.col("period_start").is_null()
    ending = documents.filter(pl.col("period_end").is_not_null()).with_columns(_full=full)
    pairs = ending.filter("_fresh").join(ending, on=[*_KIND, "period_end"], suffix="_other")
    first = ~pl.col("_fresh_other") | (pl.col("_place_other") < pl.col("_place"))
    elsewhere = pl.col("register") != pl.col("register_other")
    same = pairs.filter(first, elsewhere, pl.col("_full") | pl.col("_full_other"))
    yield from same["filing_id"].unique().sort()
