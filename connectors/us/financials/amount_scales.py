"""Tells an amount in another scale from a restated one: filers tag thousands or millions as dollars, or twice.

Does not belong here: rounding of one amount (`latest_values`), or which report is the later one (`versions`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import log
from statistics import median
from typing import Final, TypeVar

_SCALES: Final = (10**3, 10**6)
_LEAST: Final = 100  # with fewer digits a thousandfold is no sign of the same amount
_APART: Final = 100  # below this ratio no two amounts are in different scales, whatever is allowed besides
_ALIKE: Final = 2  # factor within which amounts of other periods lie
_SUM_ALIKE: Final = 4
_SEVERAL: Final = 2
_T = TypeVar("_T")


def is_other_scale(one: int, other: int) -> bool:
    """Whether two amounts have the same digits in different scales, rounding allowed."""
    small, large = (one, other) if abs(one) < abs(other) else (other, one)
    if abs(small) < _LEAST or abs(large) < abs(small) * _APART:
        return False
    return any(abs(large - small * scale) <= scale for scale in _SCALES)


def nearer_amount(one: int, other: int, usual: Sequence[int]) -> int:
    """Of two amounts the one in the scale of the filer's other amounts; without any the larger.

    A scale that was forgotten is far more frequent than one that was applied twice.
    """
    sizes = [abs(amount) for amount in usual if amount]
    if not sizes:
        return max(one, other, key=abs)
    middle = log(median(sizes))
    return min(one, other, key=lambda amount: abs(log(abs(amount)) - middle))


def is_out_of_scale(amount: int, usual: Sequence[int]) -> bool:
    """Whether an amount lies a thousand or a million times above or below all of several others."""
    others = [other for other in usual if other]
    if len(others) < _SEVERAL:
        return False
    return (
        all(are_scales_apart(amount, other, _ALIKE) for other in others)
        and len({abs(amount) < abs(one) for one in others}) == 1
    )


def may_be_scales_apart(amounts: Iterable[int]) -> bool:
    """Whether any two of several amounts differ enough to be in different scales; of few filers they do."""
    sizes = [abs(amount) for amount in amounts if amount]
    return max(sizes, default=0) >= min(sizes, default=0) * _APART


def are_scales_apart(one: int, other: int, alike: int = _SUM_ALIKE) -> bool:
    """Whether two amounts differ by about a thousand or a million times.

    alike: the factor by which they may differ besides; a sum to a quarter's end is up to four times the one before.
    """
    small, large = abs(one), abs(other)
    if small > large:
        small, large = large, small
    if small < _LEAST or large < small * _APART:
        return False
    return any(scale * small <= alike * large and large <= alike * scale * small for scale in _SCALES)


def neighbours(items: Sequence[_T], count: int) -> Iterator[tuple[_T, list[_T]]]:
    """Each item with those around it, at most `count` on each side."""
    for place, item in enumerate(items):
        yield item, [*items[max(0, place - count) : place], *items[place + 1 : place + 1 + count]]
