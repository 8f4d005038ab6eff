"""Shares outstanding, to derive a percentage from a number of shares (FORMAT us 7.3, 7.4).

The cover of a report states them, as `dei:EntityCommonStockSharesOutstanding`; of several classes each by itself,
which the facts without dimensions do not hold. So they count only for companies of which forms name one class. Does
not belong here: reading facts (`companyfacts`), or who holds what.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

import polars as pl

from connectors.us.companyfacts_schema import FACTS

COLUMN: Final = "dei_EntityCommonStockSharesOutstanding"
Outstanding = Mapping[str, tuple[Decimal, date]]  # company -> its shares, and the day they are of

_NEAR: Final = timedelta(days=400)  # an annual report's distance: what lies further apart is of other times
_ALL: Final = Decimal(100)
_PLACES: Final = Decimal("0.0001")


def outstanding(present: Mapping[str, pl.LazyFrame], classes: Iterable[pl.LazyFrame]) -> Outstanding:
    """The newest number of each company with one class. `classes`: _company_id and classKey, as forms name them."""
    facts = present.get(FACTS.name)
    if facts is None or COLUMN not in facts.collect_schema().names():
        return {}
    several = pl.concat(classes).unique().drop_nulls().group_by("_company_id").len().filter(pl.col("len") > 1)
    stated = facts.filter(pl.col(COLUMN) > 0, pl.col("_company_id").is_not_null()).sort("period_end", "filed")
    newest = stated.group_by("_company_id").agg(pl.col(COLUMN).last(), pl.col("period_end").last())
    rows = newest.join(several, on="_company_id", how="anti").collect()
    return {company: (Decimal(shares), on) for company, shares, on in rows.iter_rows()}


def derived(shares: Decimal | None, company: str, at: date | None, known: Outstanding) -> Decimal | None:
    """Percent of a company's shares; null where either number is unknown, or they are of different times."""
    if shares is None or company not in known:
        return None
    total, day = known[company]
    if at is None or abs(at - day) > _NEAR:
        return None
    return min((shares * 100 / total).quantize(_PLACES), _ALL)
