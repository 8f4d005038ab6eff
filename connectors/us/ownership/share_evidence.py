"""What ownership filings themselves prove about a share count, or about the class of a CUSIP.

A count is disproved where holders report more shares than it, or where schedules that state shares and a percentage
were counted from another total: a slip of scale on every cover, receipts against ordinary shares, a split that no
cover states yet. Then nobody's percentage is derived from it (docs/formats/us.md 7.3, 7.4). Does not belong here:
comparing the counts of covers with each other (`shares_outstanding`), splits that other filings tell of
(`split_evidence`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

import polars as pl

from connectors.us.ownership.form13f.schema import CUSIP, MANAGER
from connectors.us.ownership.forms345.schema import OWNER_KEY
from connectors.us.ownership.parse_values import padded_cusip
from connectors.us.ownership.schedule13.contradicted_percentages import implied_totals
from connectors.us.ownership.schedule13.latest_statements import StakeHistory
from connectors.us.ownership.shares_outstanding import (
    Count,
    Outstanding,
    Receipts,
    are_one_basis,
    class_letter,
    count_near,
    is_not_common,
    is_receipt,
)

DISPROVED: Final = Decimal(0)  # in place of a count: no percentage is derived from it
_SLIPS: Final = 10  # one of so many holders may report too many shares by a slip of its own
_SIGNS: Final = 8  # characters of a CUSIP, without its check digit


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
    totals = implied_totals(row for line in stake_histories for row in line.statements)
    for company, day, total in ((company, day, total) for company, told in totals.items() for _, day, total in told):
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


def lettered_classes(positions: pl.LazyFrame) -> pl.LazyFrame:
    """Companies and classes of those of whom managers hold two classes at once: CL A beside CL B, or beside COM.

    Of each CUSIP and quarter the letter counts that most of its rows have.
    """
    signs = pl.col(CUSIP).str.slice(0, _SIGNS)
    is_held = (pl.col("kind") == "SH") & pl.col("option").is_null()
    rows = positions.filter(is_held).select("_company_id", "period", signs, "classTitle").drop_nulls()
    titled: dict[tuple[str, date], dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for company, day, cusip, title, count in rows.group_by(pl.all()).len().sort(pl.all()).collect().iter_rows():
        if not is_not_common(title) and not is_receipt(title):
            titled[company, day][cusip][f"class {class_letter(title) or ''}".strip()] += count
    classes: dict[str, set[str]] = defaultdict(set)
    for (company, _), told in titled.items():
        usual = {counter.most_common(1)[0][0] for counter in told.values()}
        classes[company] |= usual if len(usual) > 1 else set()
    several = [(company, one) for company, found in sorted(classes.items()) for one in sorted(found)]
    return pl.LazyFrame(several, schema={"_company_id": pl.String, "classKey": pl.String}, orient="row")


def receipt_cusips(schedules: Iterable[pl.LazyFrame], positions: pl.LazyFrame) -> Receipts:
    """CUSIPs of receipts: so titled by a schedule, or by half of the managers that hold them.

    Many managers title every row COM.
    """
    signs = pl.col(CUSIP).str.slice(0, _SIGNS)
    titled = pl.concat([frame.select("_company_id", CUSIP, "classTitle") for frame in schedules]).unique().collect()
    found = {
        (company, one[:_SIGNS])
        for company, cusip, title in titled.drop_nulls().iter_rows()
        if is_receipt(title)
        for one in (cusip, padded_cusip(cusip) or cusip)
    }
    rows = positions.select("_company_id", signs, MANAGER, "classTitle").unique().drop_nulls().collect()
    managers: dict[tuple[str, str], dict[str, bool]] = defaultdict(dict)
    for company, cusip, manager, title in rows.iter_rows():
        said = managers[company, cusip]
        said[manager] = said.get(manager, False) or is_receipt(title)
    found |= {key for key, said in managers.items() if any(said.values()) and sum(said.values()) * 2 >= len(said)}
    return frozenset(found)
