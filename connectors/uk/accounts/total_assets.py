"""Computes total assets, which UK balance sheets do not show, where the balance sheet confirms the sum.

docs/formats/uk.md 9.5: fixed and current assets plus two rare lines; confirmed by total assets less current
liabilities, or by net assets and all liabilities; else null. Never 0 for absent, never negative.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from connectors.uk.accounts import concepts
from connectors.uk.accounts.figures import AFTER, WITHIN

Look = Mapping[str, Decimal]  # balances of one scope and day by concept
_TOLERANCE: Final = Decimal(1)  # one unit of rounding


def first_stated(look: Look, names: Sequence[str]) -> Decimal | None:
    """The first stated one of several concepts."""
    for name in names:
        found = look.get(name)
        if found is not None:
            return found
    return None


def _sum_stated(look: Look, parts: Sequence[Sequence[str]]) -> Decimal | None:
    found = [value for value in (first_stated(look, part) for part in parts) if value is not None]
    return sum(found, Decimal(0)) if found else None


def _absolute_or_zero(value: Decimal | None) -> Decimal:
    return Decimal(0) if value is None else abs(value)


def _candidate_total(look: Look) -> Decimal | None:
    fixed = look.get(concepts.FIXED_ASSETS)
    current = look.get(concepts.CURRENT_ASSETS)
    fixed = _sum_stated(look, concepts.FIXED_PARTS) if fixed is None else fixed
    current = _sum_stated(look, concepts.CURRENT_PARTS) if current is None else current
    found = [value for value in (fixed, current, _sum_stated(look, concepts.OTHER_ASSETS)) if value is not None]
    return sum(found, Decimal(0)) if found else None


def _balancing_totals(look: Look) -> Iterator[Decimal]:
    """Candidate totals implied by the rest of the balance sheet, most likely first."""
    within = _absolute_or_zero(first_stated(look, (WITHIN, *concepts.CREDITORS_WITHIN)))
    less_current = look.get(concepts.LESS_CURRENT_LIABILITIES)
    if less_current is not None:
        yield less_current + within
    accruals = _absolute_or_zero(first_stated(look, concepts.ACCRUALS))
    undivided = _absolute_or_zero(look.get(concepts.CREDITORS))  # creditors not split by maturity
    if less_current is not None:
        yield less_current + within + accruals
        yield less_current + undivided
    net = first_stated(look, (*concepts.NET_ASSETS, *concepts.EQUITY))
    if net is None:
        return
    after = _absolute_or_zero(first_stated(look, (AFTER, *concepts.CREDITORS_AFTER)))
    provisions = _absolute_or_zero(first_stated(look, concepts.PROVISIONS))
    pension = _absolute_or_zero(first_stated(look, concepts.PENSION))
    for owed in (within + after, undivided):
        for extra in (Decimal(0), accruals, pension, accruals + pension):
            yield net + owed + provisions + extra


def total_assets(lookup_figure: Look) -> tuple[Decimal | None, bool]:
    """Returns (total assets, whether computed). `lookup_figure`: the balances of one scope and day."""
    stated = first_stated(lookup_figure, concepts.TOTAL_ASSETS)
    if stated is not None and stated >= 0:
        return stated, False
    total = _candidate_total(lookup_figure)
    if (
        total is None
        or total <= 0
        or all(abs(total - claim) > _TOLERANCE for claim in _balancing_totals(lookup_figure))
    ):
        return None, False
    return total, True
