"""Compares two statements of one period and lists differing fields (docs/contract/contract.md 4.3 and 4.6).

Belongs here: the rule for one pair. Does not belong here: which pairs there are (`versions`), or events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from warehouse.schema.codes import CHANGE_FIELDS

MONEY: Final = ("revenue", "operating_result", "net_result", "equity", "total_assets")
UNITS: Final = (10**9, 10**6, 10**3)  # units in which filers round; tens and hundreds are not used

Statement = Mapping[str, Any]


def rounding_unit(statement: Statement) -> int:
    """The coarsest unit that all amounts of a statement are whole multiples of; 1 if there are no amounts."""
    amounts = [statement[field] for field in MONEY if statement[field]]
    for candidate in UNITS if amounts else ():
        if all(amount % candidate == 0 for amount in amounts):
            return candidate
    return 1


def changed_fields(before: Statement, after: Statement) -> tuple[str, ...]:
    """Fields in which the later statement differs, in the contract's order.

    An amount that is merely the earlier one rounded to a coarser unit is no difference.
    """
    return tuple(_iter_changed_fields(before, after))


def _iter_changed_fields(before: Statement, after: Statement) -> Iterator[str]:
    coarser = rounding_unit(after)
    rounds = coarser > rounding_unit(before) and before["currency"] == after["currency"]
    for field in CHANGE_FIELDS:
        was, now = before[field], after[field]
        if was == now:
            continue
        if rounds and field in MONEY and was is not None and now is not None and abs(was - now) * 2 <= coarser:
            continue
        yield field


def is_new_version(before: Statement, after: Statement) -> bool:
    """True if a later statement gives another value. Omitting a figure is no change."""
    return any(after[field] is not None for field in _iter_changed_fields(before, after))


def is_restatement(before: Statement, after: Statement) -> bool:
    """True if a later statement changes a value stated before (restatement)."""
    return any(before[field] is not None and after[field] is not None for field in _iter_changed_fields(before, after))
