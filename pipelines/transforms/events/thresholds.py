"""Thresholds crossed by a holding. Exact decimals only: 5.0 reached is 5 reached.

See docs/contract/contract.md 4.6.
Does not belong here: which holdings changed (`ownership`).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from warehouse.schema.codes import THRESHOLDS

NOTHING: Final = Decimal(0)
ALL: Final = Decimal(100)


@dataclass(frozen=True, slots=True)
class ShareRange:
    """A share as far as it is known: more than `low`, at most `high`; an exact one has both equal."""

    low: Decimal
    high: Decimal

    def overlaps(self, other: ShareRange) -> bool:
        """True if both may be the same share. Bands are half-open: touching is not overlapping."""
        if other.low == other.high:
            return self.contains(other.low)
        if self.low == self.high:
            return other.contains(self.low)
        return max(self.low, other.low) < min(self.high, other.high)

    def contains(self, share: Decimal) -> bool:
        """True if an exact share is possible for this level."""
        return share == self.low == self.high or self.low < share <= self.high


ABSENT: Final = ShareRange(NOTHING, NOTHING)


def crossed_thresholds(previous: Decimal, current: Decimal) -> tuple[int, ...]:
    """Thresholds between two shares, ascending; reaching one from below counts, staying on it does not."""
    if previous < current:
        return tuple(limit for limit in THRESHOLDS if previous < limit <= current)
    return tuple(limit for limit in THRESHOLDS if previous >= limit > current)
