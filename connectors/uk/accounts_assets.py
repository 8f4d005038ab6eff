"""Computes total assets, which UK balance sheets do not show, where the balance sheet confirms the sum.

docs/formats/uk.md 9.5: fixed and current assets plus two rare lines; confirmed by total assets less current
liabilities, or by net assets and all liabilities; else null. Never 0 for absent, never negative.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from connectors.uk import tags
from connectors.uk.accounts_parts import AFTER, WITHIN

Look = Mapping[str, Decimal]  # balances of one scope and day by concept
_TOLERANCE: Final = Decimal(1)  # one unit of rounding


def _first(look: Look, names: Sequence[str]) -> Decimal | None:
    for name in names:
        found = look.get(name)
        if found is not None:
            return found
    return None


def _sum(look: Look, parts: Sequence[Sequence[str]]) -> Decimal | None:
    found = [value for value in (_first(look, part) for part in parts) if value is not None]
    return sum(found, Decimal(0)) if found else None


def _absolute(value: Decimal | None) -> Decimal:
    return Decimal(0) if value is None else abs(value)


def _candidate(look: Look) -> Decimal | None:
    fixed = look.get(tags.FIXED_ASSETS)
    current = look.get(tags.CURRENT_ASSETS)
    fixed = _sum(look, tags.FIXED_PARTS) if fixed is None else fixed
    current = _sum(look, tags.CURRENT_PARTS) if current is None else current
    found = [value for value in (fixed, current, _sum(look, tags.OTHER_ASSETS)) if value is not None]
    return sum(found, Decimal(0)) if found else None


def _claims(look: Look) -> Iterator[Decimal]:
    """Candidate totals implied by the rest of the balance sheet, most likely first."""
    within = _absolute(_first(look, (WITHIN, *tags.CREDITORS_WITHIN)))
    less_current = look.get(tags.LESS_CURRENT_LIABILITIES)
    if less_current is not None:
        yield less_current + within
    accruals = _absolute(_first(look, tags.ACCRUALS))
    undivided = _absolute(look.get(tags.CREDITORS))  # creditors not split by maturity
    if less_current is not None:
        yield less_current + within + accruals
        yield less_current + undivided
    net = _first(look, (*tags.NET_ASSETS, *tags.EQUITY))
    if net is None:
        return
    after = _absolute(_first(look, (AFTER, *tags.CREDITORS_AFTER)))
    provisions = _absolute(_first(look, tags.PROVISIONS))
    pension = _absolute(_first(look, tags.PENSION))
    for owed in (within + after, undivided):
        for extra in (Decimal(0), accruals, pension, accruals + pension):
            yield net + owed + provisions + extra


def total_assets(look: Look) -> tuple[Decimal | None, bool]:
    """Returns (total assets, whether computed). `look`: the balances of one scope and day."""
    stated = _first(look, tags.TOTAL_ASSETS)
    if stated is not None and stated >= 0:
        return stated, False
    total = _candidate(look)
    if total is None or total <= 0 or all(abs(total - claim) > _TOLERANCE for claim in _claims(look)):
        return None, False
    return total, True
