"""Splits that no cover states yet: what current reports and managers' own reports tell of them.

A cover counts the shares of a day in its quarter, and the next one comes months later. Between them a split makes the
count another basis than the shares held, so no percentage is derived until the next cover, which decides (docs/formats/
us.md 7.3, 7.4). Does not belong here: comparing counts that covers state (`shares_outstanding`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Final

import polars as pl

from connectors.us.ownership.form13f.schema import MANAGER
from connectors.us.ownership.share_evidence import DISPROVED
from connectors.us.ownership.shares_outstanding import Outstanding, are_one_basis

_ITEMS: Final = ("3.03", "5.03")  # of an 8-K: rights of holders changed, articles amended
_ISSUED: Final = ("1.01", "3.02")  # with them a new preferred stock or a plan of rights, which splits nothing
_QUARTER: Final = timedelta(days=92)
_TWO: Final = 2

Reported = tuple[Decimal, Decimal]  # shares and dollars of one manager and quarter


def with_splits(outstanding: Outstanding, filed: pl.LazyFrame, positions: pl.LazyFrame) -> Outstanding:
    """The counts of each company, with `DISPROVED` on the day of a split that no cover follows.

    filed: the filings of the companies' lists. positions: what managers reported of the companies.
    """
    found = dict(outstanding)
    for company, day in sorted((*_noticed_days(filed), *_reported_days(positions)), key=lambda one: one[1]):
        counts = found.get(company, ())
        if counts and counts[-1][1] < day and counts[-1][0] != DISPROVED:
            found[company] = [*counts, (DISPROVED, day)]
    return found


def _noticed_days(filed: pl.LazyFrame) -> Iterator[tuple[str, date]]:
    """Company and day of current reports as of a split: rights of the holders and articles are changed."""
    has = pl.col("items").list.contains
    is_split = pl.col("form").str.starts_with("8-K") & pl.all_horizontal(has(item) for item in _ITEMS)
    is_issue = pl.any_horizontal(has(item) for item in _ISSUED)
    noticed = filed.filter(pl.col("_retired_at").is_null(), is_split, ~is_issue)
    yield from noticed.select("_company_id", pl.coalesce("period", "filed")).drop_nulls().collect().iter_rows()


def _reported_days(positions: pl.LazyFrame) -> Iterator[tuple[str, date]]:
    """Company and last day of a quarter in which most managers' shares doubled or halved, and their value did not."""
    is_held = (pl.col("kind") == "SH") & pl.col("option").is_null()
    numbers = [pl.col(name).cast(pl.Decimal(38, 4), strict=False).sum() for name in ("shares", "dollars")]
    held = positions.filter(is_held, pl.col("dollars").is_not_null(), pl.col("shares").is_not_null())
    rows = held.group_by("_company_id", MANAGER, "period").agg(numbers).drop_nulls().sort("period").collect()
    quarters: dict[str, dict[str, dict[date, Reported]]] = defaultdict(lambda: defaultdict(dict))
    for company, manager, period, shares, dollars in rows.iter_rows():
        if shares > 0 and dollars > 0:
            quarters[company][manager][period] = (shares, dollars)
    for company, managers in quarters.items():
        yield from ((company, day) for day in _split_quarters(managers.values()))


def _split_quarters(managers: Iterable[Mapping[date, Reported]]) -> Iterator[date]:
    told: dict[date, list[bool]] = defaultdict(list)
    for quarters in managers:
        for (before, held), (day, then) in pairwise(quarters.items()):
            if day - before <= _QUARTER:
                told[day].append(_is_split(held, then))
    yield from (day for day, splits in told.items() if sum(splits) * _TWO > len(splits))


def _is_split(held: Reported, then: Reported) -> bool:
    """Whether a number of shares changed as by a split: the price of one took the value along."""
    factor = then[0] / held[0]
    return not 1 / Decimal(_TWO) < factor < _TWO and are_one_basis(held[1], then[1])
