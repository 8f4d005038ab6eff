"""Shares outstanding, used to derive a percentage from a number of shares (docs/formats/us.md 7.3, 7.4).

The cover of a report states them as `dei:EntityCommonStockSharesOutstanding`; with several classes it states
each separately, which the facts without dimensions do not hold. So they count only for companies for which
forms name one class. A percentage applies to its own day: shares of a day are divided by the count of that day,
whatever was issued since. Does not belong here: reading facts (`companyfacts.dataset`), or the holdings.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

import polars as pl

from connectors.us.companyfacts.schema import FACTS

COLUMN: Final = "dei_EntityCommonStockSharesOutstanding"
Count = tuple[Decimal, date]  # shares outstanding, and their date
Outstanding = Mapping[str, Sequence[Count]]  # by company, oldest first

_NEAR: Final = timedelta(days=400)  # the interval of annual reports: counts further apart are not comparable
_ALL: Final = Decimal(100)
_PLACES: Final = Decimal("0.0001")


def outstanding_by_company(present: Mapping[str, pl.LazyFrame], classes: Iterable[pl.LazyFrame]) -> Outstanding:
    """Share counts of each company with one class. `classes`: _company_id and classKey, as named in the forms."""
    facts = present.get(FACTS.name)
    if facts is None or COLUMN not in facts.collect_schema().names():
        return {}
    several = pl.concat(classes).unique().drop_nulls().group_by("_company_id").len().filter(pl.col("len") > 1)
    facts = facts.filter(pl.col("_retired_at").is_null())
    stated = facts.filter(pl.col(COLUMN) > 0, pl.col("_company_id").is_not_null(), pl.col("period_end").is_not_null())
    # for one day the last filing wins
    counts = stated.sort("filed").group_by("_company_id", "period_end").agg(pl.col(COLUMN).last())
    rows = counts.join(several, on="_company_id", how="anti").sort("_company_id", "period_end").collect()
    found: dict[str, list[Count]] = defaultdict(list)
    for company, day, shares in rows.iter_rows():
        found[company].append((Decimal(shares), day))
    return dict(found)


def derived_percentage(
    shares: Decimal | None, company: str, at: date | None, shares_outstanding: Outstanding
) -> Decimal | None:
    """Percentage of a company's shares; null if either number is unknown or their dates are too far apart."""
    if shares is None or at is None or company not in shares_outstanding:
        return None
    total, day = _count_on_day(shares_outstanding[company], at)
    if abs(at - day) > _NEAR:
        return None
    return min((shares * 100 / total).quantize(_PLACES), _ALL)


def _count_on_day(counts: Sequence[Count], at: date) -> Count:
    """The newest count on or before the day, since later counts do not change earlier shares; else the oldest."""
    return counts[max(bisect_right(counts, at, key=lambda count: count[1]) - 1, 0)]
