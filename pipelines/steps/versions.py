"""When two statements of one period differ, and in which fields (docs/contract/contract.md 4.3 and 4.6).

Belongs here: the rule of one pair. Does not belong here: which pairs there are (`financials`), or events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from warehouse.schema.codes import CHANGE_FIELDS

MONEY: Final = ("revenue", "operating_result", "net_result", "equity", "total_assets")
UNITS: Final = (10**9, 10**6, 10**3)  # in which filers round; tens and hundreds are no unit of accounts

Statement = Mapping[str, Any]


def unit(statement: Statement) -> int:
    """The coarsest unit that all amounts of a statement are whole multiples of; 1 where nothing tells."""
    amounts = [statement[field] for field in MONEY if statement[field]]
    for candidate in UNITS if amounts else ():
        if all(amount % candidate == 0 for amount in amounts):
            return candidate
    return 1


def changed_fields(before: Statement, after: Statement) -> tuple[str, ...]:
    """Fields in which the later statement differs, in the contract's order.

    An amount that is merely the earlier one, rounded to a coarser unit, is no difference.
    """
    return tuple(_changed(before, after))


def _changed(before: Statement, after: Statement) -> Iterator[str]:
    coarser = unit(after)
    rounds = coarser > unit(before) and before["currency"] == after["currency"]
    for field in CHANGE_FIELDS:
        was, now = before[field], after[field]
        if was == now:
            continue
        if (
            rounds
            and field in MONEY
            and was is not None
            and now is not None
            and abs(was - now) * 2 <= coarser
        ):
            continue
        yield field


def is_new_version(before: Statement, after: Statement) -> bool:
    """Whether a later statement gives another value. Leaving a figure out gives none."""
    return any(after[field] is not None for field in _changed(before, after))


def is_told_anew(before: Statement, after: Statement) -> bool:
    """Whether a later statement gives another value for one that was stated before."""
    return any(before[field] is not None and after[field] is not None for field in _changed(before, after))
