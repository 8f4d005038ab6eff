"""Shares outstanding, used to derive a percentage from a number of shares (docs/formats/us.md 7.3, 7.4).

The cover of a report states them as `dei:EntityCommonStockSharesOutstanding`; with several classes it states
each separately, which the facts without dimensions do not hold. So they count only for companies for which
forms name one class. A percentage applies to its own day: shares of a day are divided by the count of that day,
whatever was issued since. Shares and count must be on one basis: between two covers that differ by more than half
lies a split, a merger or a slip of scale, and nothing says on which side the shares were counted. Does not belong
here: reading facts (`companyfacts.dataset`), or the holdings.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Final, NamedTuple

import polars as pl

from connectors.contract.dataset import MAPPING_SIGNALS_SCHEMA
from connectors.kit.columns.percentages import round_percentage
from connectors.us.companyfacts.schema import FACTS

COLUMN: Final = "dei_EntityCommonStockSharesOutstanding"
Count = tuple[Decimal, date]  # shares outstanding, and their date
Outstanding = Mapping[str, Sequence[Count]]  # by company, oldest first
Receipts = frozenset[tuple[str, str]]  # company and CUSIP of a receipt, without its check digit

COUNTS_DIFFER: Final = "share_counts_differ"  # signal: covers around the day are not on one basis
ABOVE_ALL: Final = "above_100"  # signal: more shares than the company has
NOT_COMMON: Final = "not_common_stock"  # signal: covers count common stock alone
RECEIPTS: Final = "depositary_receipts"  # signal: a receipt stands for a number of shares that no form states

NEAR: Final = timedelta(days=400)  # the interval of annual reports: counts further apart are not comparable
_AGREE: Final = Decimal("1.45")  # factor between two counts of one basis: a split of three for two is none
_ALL: Final = Decimal(100)
_RECEIPT: Final = re.compile(
    r"\b(?:(?:spo?n?s?)?[agb]d[rs]s?|[ag]\.\s?d\.\s?[rs]|[ag] d [rs]"  # ADS, SPONADR, GDRs, A.D.R.
    r"|deposi?t[ao]ry|deposit\s+(?:sh|rec)\w*|am(?:er)?n?\s+dep"
    r"|dep\s+(?:s(?:h|hs|hares?)|r(?:cpt|cpts|ct|cts|ec|eceipts?)))\b",
    re.IGNORECASE,
)


# rights to shares, debts and preferred stock, unless common stock is named before them
_OTHER: Final = re.compile(
    r"\b(?:prefer\w*|pref|pfd|warrants?|wts?|w\s+exp|notes?|debentures?|bonds?|rights?|rts|options?"
    r"|units?\s+\d\d/\d\d/\d{4})\b",
    re.IGNORECASE,
)
_COMMON: Final = re.compile(r"\b(?:common|com|ordinary|ord)\b", re.IGNORECASE)
_LETTER: Final = re.compile(r"\b(?:cl|class|ser|series)\s+([a-z])\b", re.IGNORECASE)


class OwnedPercentage(NamedTuple):
    """A derived percentage; null with the code of a signal where numbers are known and give none."""

    level: Decimal | None = None
    doubt: str | None = None


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
    shares: Decimal | None, company: str, at: date | None, title: str | None, shares_outstanding: Outstanding
) -> OwnedPercentage:
    """Percentage of a company's shares; null if a number is unknown or below zero, their dates or bases are apart.

    title: of the class held; receipts and preferred stock are not counted like the shares of a cover.
    """
    if shares is None or shares < 0 or at is None or company not in shares_outstanding:
        return OwnedPercentage()
    if is_receipt(title):
        return OwnedPercentage(doubt=RECEIPTS)
    if is_not_common(title):
        return OwnedPercentage(doubt=NOT_COMMON)
    count = count_near(shares_outstanding[company], at)
    if count is None:
        return OwnedPercentage()
    total = count[0]
    if not total or not has_one_basis(shares_outstanding, company, at, at):
        return OwnedPercentage(doubt=COUNTS_DIFFER)
    level = round_percentage(shares * 100 / total)
    return OwnedPercentage(doubt=ABOVE_ALL) if level > _ALL else OwnedPercentage(level)


def has_one_basis(shares_outstanding: Outstanding, company: str, first: date, last: date) -> bool:
    """Whether shares of these days can be compared: all covers from the one before to the one after agree.

    Where no cover follows within reach, or none precedes, the two nearest must agree. True where nothing is known.
    """
    counts = shares_outstanding.get(company, ())
    start = bisect_right(counts, first, key=lambda count: count[1]) - 1
    end = bisect_right(counts, last, key=lambda count: count[1])
    if start < 0 or first - counts[start][1] > NEAR:
        start, end = start + 1, end + 1
    elif end >= len(counts) or counts[end][1] - last > NEAR:
        start, end = start - 1, end - 1
    around = counts[max(start, 0) : end + 1]
    return all(
        are_one_basis(one, other) for (one, day), (other, next_day) in pairwise(around) if next_day - day <= NEAR
    )


def are_one_basis(one: Decimal, other: Decimal) -> bool:
    """Whether two counts differ by no more than what is issued or bought back."""
    return max(one, other) <= min(one, other) * _AGREE


def is_receipt(title: str | None) -> bool:
    """Whether a class is a receipt for shares (ADS, ADR, depositary), whose ratio to them no form states."""
    return _RECEIPT.search(title or "") is not None


def is_not_common(title: str | None) -> bool:
    """Whether a class is another one than common stock, which alone the covers count."""
    other, common = _OTHER.search(title or ""), _COMMON.search(title or "")
    return other is not None and (common is None or other.start() < common.start())


def class_letter(title: str | None) -> str | None:
    """The letter of a class of common stock: b of «CL B»; None of a title without one, and of other classes."""
    found = _LETTER.search(title or "")
    return found[1].casefold() if found and not is_not_common(title) else None


def doubt_rows(dataset: str, doubts: Iterable[tuple[str, str]]) -> pl.DataFrame:
    """Signals of a mapping from pairs of company and code (`connectors.contract.dataset.MAPPING_SIGNALS`)."""
    rows = [(dataset, code, "percentage", company) for company, code in doubts]
    return pl.DataFrame(rows, schema=MAPPING_SIGNALS_SCHEMA, orient="row")


def count_near(counts: Sequence[Count], at: date) -> Count | None:
    """The newest count on or before the day, since later counts do not change earlier shares; else the oldest.

    None if it is more than 400 days off.
    """
    if not counts:
        return None
    count = counts[max(bisect_right(counts, at, key=lambda one: one[1]) - 1, 0)]
    return count if abs(at - count[1]) <= NEAR else None
