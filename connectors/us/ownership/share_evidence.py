"""What ownership filings themselves prove about a share count, or about the class of a CUSIP.

A count is disproved where holders report more shares than it, or where schedules that state shares and a percentage
were counted from another total: a slip of scale on every cover, receipts against ordinary shares, a split that no
cover states yet. Then nobody's percentage is derived from it (docs/formats/us.md 7.3, 7.4). Does not belong here:
comparing the counts of covers with each other (`shares_outstanding`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

import polars as pl

from connectors.us.ownership.form13f.schema import CUSIP, MANAGER
from connectors.us.ownership.forms345.schema import OWNER_KEY
from connectors.us.ownership.holder_types import Row
from connectors.us.ownership.schedule13.latest_statements import StakeHistory
from connectors.us.ownership.schedule13.schema import SOURCE
from connectors.us.ownership.shares_outstanding import (
    Count,
    Outstanding,
    Receipts,
    are_one_basis,
    count_near,
    is_not_common,
    is_receipt,
)

DISPROVED: Final = Decimal(0)  # in place of a count: no percentage is derived from it
_SLIPS: Final = 10  # one of so many holders may report too many shares by a slip of its own
_SIGNS: Final = 8  # characters of a CUSIP, without its check digit
_LEAST: Final = Decimal(1)  # percent: smaller statements are too rounded to give a total


class HeldShares(NamedTuple):
    """Shares that one holder reports for a day."""

    company: str
    holder: str
    day: date
    shares: Decimal


def held_shares(positions: pl.LazyFrame, lines: pl.LazyFrame) -> Iterator[HeldShares]:
    """The largest number of shares in one row of each manager and quarter, and of each insider and day."""
    shares = pl.col("shares").cast(pl.Decimal(38, 4), strict=False)
    is_held = (pl.col("kind") == "SH") & pl.col("option").is_null()
    managed = positions.filter(is_held).select("_company_id", holder=MANAGER, day="period", shares=shares)
    owner = pl.coalesce("ownerCik", OWNER_KEY)
    owned = lines.select("_company_id", holder=owner, day=pl.coalesce("day", "period"), shares=shares)
    for frame in (managed, owned):
        largest = frame.drop_nulls().group_by("_company_id", "holder", "day").agg(pl.col("shares").max())
        yield from map(HeldShares._make, largest.collect().iter_rows())


def without_disproved(
    outstanding: Outstanding, held: Iterable[HeldShares], stake_histories: Sequence[StakeHistory]
) -> Outstanding:
    """The counts of each company, with `DISPROVED` in place of those that its owners' filings contradict."""
    exceeding: dict[tuple[str, Count], dict[str, bool]] = defaultdict(dict)
    for one in held:
        count = count_near(outstanding.get(one.company, ()), one.day)
        if count is not None:
            holders = exceeding[one.company, count]
            holders[one.holder] = holders.get(one.holder, False) or one.shares > count[0]
    differing: dict[tuple[str, Count], list[bool]] = defaultdict(list)
    for company, day, total in _implied_totals(stake_histories):
        count = count_near(outstanding.get(company, ()), day)
        if count is not None:
            differing[company, count].append(not are_one_basis(count[0], total))
    bad = {key for key, holders in exceeding.items() if sum(holders.values()) * _SLIPS >= max(1, len(holders)) > 0}
    bad = {key for key in bad if any(exceeding[key].values())}
    bad |= {key for key, found in differing.items() if sum(found) * 2 > len(found)}
    return {
        company: [(DISPROVED, count[1]) if (company, count) in bad else count for count in counts]
        for company, counts in outstanding.items()
    }


def _implied_totals(stake_histories: Sequence[StakeHistory]) -> Iterator[tuple[str, date, Decimal]]:
    """Company, day and total shares of each filing that states shares and a percentage of them: of its largest."""
    filings: dict[tuple[str, str], Row] = {}
    for line in stake_histories:
        for row in line.statements:
            is_stated = row["percent"] is not None and row["percent"] >= _LEAST and Decimal(row["shares"] or 0) > 0
            title = row["classTitle"]
            if not is_stated or row["day"] is None or is_receipt(title) or is_not_common(title):
                continue
            largest = filings.setdefault((line.company, row[SOURCE]), row)
            if row["percent"] > largest["percent"]:
                filings[line.company, row[SOURCE]] = row
    for (company, _), row in filings.items():
        yield company, row["day"], Decimal(row["shares"]) * 100 / row["percent"]


def receipt_cusips(schedules: Iterable[pl.LazyFrame], positions: pl.LazyFrame) -> Receipts:
    """CUSIPs of receipts: so titled by a schedule, or by half of the managers that hold them.

    Many managers title every row COM.
    """
    signs = pl.col(CUSIP).str.slice(0, _SIGNS)
    titled = pl.concat([frame.select("_company_id", signs, "classTitle") for frame in schedules]).unique().collect()
    found = {(company, cusip) for company, cusip, title in titled.drop_nulls().iter_rows() if is_receipt(title)}
    rows = positions.select("_company_id", signs, MANAGER, "classTitle").unique().drop_nulls().collect()
    managers: dict[tuple[str, str], dict[str, bool]] = defaultdict(dict)
    for company, cusip, manager, title in rows.iter_rows():
        said = managers[company, cusip]
        said[manager] = said.get(manager, False) or is_receipt(title)
    found |= {key for key, said in managers.items() if any(said.values()) and sum(said.values()) * 2 >= len(said)}
    return frozenset(found)
