"""Generates accounts: figures that balance, periods, and their documents.

Belongs here: random generation and arithmetic of accounts. Does not belong here: which company files when
(`companies.<cc>`), or the registers' formats (`sandbox.<cc>`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from random import Random
from typing import Final

from sandbox.model.company import Accounts, Figures
from sandbox.random import random_bool

_PARTIAL: Final = ("xml", "dormant")  # flavours without profit and loss


def balanced_figures(rng: Random, size: float, *, trading: bool = True) -> Figures:
    """Generates balanced figures of a company with assets of about 10 ** size."""
    total = int(10 ** rng.uniform(size - 0.4, size + 0.4))
    fixed = int(total * rng.uniform(0.05, 0.7))
    short = int(total * rng.uniform(0.1, 0.6))
    # equity may be negative, as in real accounts
    long = int(total * rng.uniform(0.01, 0.5)) if random_bool(rng, 0.8) else 0
    revenue = int(total * rng.uniform(0.3, 2.5))
    operating = int(revenue * rng.uniform(-0.1, 0.25))
    return Figures(
        revenue=revenue if trading else None,
        operating_result=operating if trading else None,
        net_result=int(operating * rng.uniform(0.6, 0.9)) if trading else None,
        equity=total - short - long,
        total_assets=total,
        fixed_assets=fixed,
        short_creditors=short,
        long_creditors=long,
        employees=rng.randint(1, 60) if trading else None,
    )


def grown_figures(rng: Random, before: Figures) -> Figures:
    """Generates the next year of the same company: every stated figure changes, the balance holds."""
    factor = rng.uniform(1.05, 1.3)
    short, long = int(before.short_creditors * factor) + 1, int(before.long_creditors * factor)
    total = int(before.total_assets * factor) + 7
    return replace(
        before,
        revenue=_scale_figure(before.revenue, factor),
        operating_result=_scale_figure(before.operating_result, factor),
        net_result=_scale_figure(before.net_result, factor),
        equity=total - short - long,
        total_assets=total,
        fixed_assets=int(before.fixed_assets * factor),
        short_creditors=short,
        long_creditors=long,
        employees=None if before.employees is None else before.employees + 1,
    )


def _scale_figure(figure: int | None, factor: float) -> int | None:
    return None if figure is None else int(figure * factor)


def restated_figures(figures: Figures) -> Figures:
    """A correction: creditors were too low, so equity, and the result if stated, decrease by as much."""
    error = _round_thousands(max(figures.total_assets // 50, 2_000))
    return replace(
        figures,
        equity=figures.equity - error,
        short_creditors=figures.short_creditors + error,
        net_result=None if figures.net_result is None else figures.net_result - error,
    )


def figures_in_thousands(figures: Figures) -> Figures:
    """The figures rounded to thousands, half to even as in the contract."""
    total, short, long = (
        _round_thousands(figures.total_assets),
        _round_thousands(figures.short_creditors),
        _round_thousands(figures.long_creditors),
    )
    return replace(
        figures,
        revenue=None if figures.revenue is None else _round_thousands(figures.revenue),
        operating_result=None if figures.operating_result is None else _round_thousands(figures.operating_result),
        net_result=None if figures.net_result is None else _round_thousands(figures.net_result),
        equity=_round_thousands(figures.equity),
        total_assets=total,
        fixed_assets=_round_thousands(figures.fixed_assets),
        short_creditors=short,
        long_creditors=long,
    )


def balanced_thousands(figures: Figures) -> Figures:
    """Whole thousands that still balance, as in a large company's printed accounts."""
    coarse = figures_in_thousands(figures)
    return replace(coarse, equity=coarse.total_assets - coarse.short_creditors - coarse.long_creditors)


def _round_thousands(figure: int) -> int:
    return round(figure, -3)


def financial_year_start(end: date) -> date:
    """First day of the twelve months that end on `end`, a last day of a month."""
    following = end + timedelta(days=1)
    return following.replace(year=following.year - 1)


def newest_year_end(rng: Random, first_day: date, age: int) -> date:
    """A month end, `age` whole years before the newest financial year that could have been filed by now."""
    month, day = rng.choice(((12, 31), (12, 31), (3, 31), (6, 30)))
    newest = date(first_day.year - (month > 6), month, day)  # noqa: PLR2004 - half a year to file
    return newest.replace(year=newest.year - age)


def next_year_end(end: date) -> date:
    """The year end after `end`, also a month end, with leap years respected."""
    following = end + timedelta(days=1)
    return following.replace(year=following.year + 1) - timedelta(days=1)


def following_accounts(rng: Random, last: Accounts, published: date, document: int) -> Accounts:
    """Generates accounts of the year after `last`."""
    own, group = (grown_figures(rng, last.figures), None if last.group is None else grown_figures(rng, last.group))
    if last.document_style == "group":
        own, group = balanced_thousands(own), None if group is None else balanced_thousands(group)
    return replace(
        last,
        start=last.end + timedelta(days=1),
        end=next_year_end(last.end),
        published=published,
        figures=own,
        group=group,
        prior=None if last.prior is None else last.figures,
        document=document,
        is_rounded_to_thousands=False,
        is_amended=False,
    )


def without_profit_and_loss(figures: Figures, flavour: str) -> Figures:
    """Figures without profit and loss, which small companies may omit (docs/formats/uk.md 8): absent, never 0."""
    employees = None if flavour in _PARTIAL else figures.employees
    return replace(figures, revenue=None, operating_result=None, net_result=None, employees=employees)
