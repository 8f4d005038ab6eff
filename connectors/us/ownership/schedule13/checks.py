"""Checks percentages against the shares outstanding in the same document; emits a signal if they are far apart.

Nothing is changed: the percentage stays as stated (docs/formats/us.md 7.1, 12.5). Does not belong here: shares
outstanding from other sources (`ownership.shares_outstanding`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from connectors.kit.staging import SignalCounter
from connectors.us.ownership import parse_values as values
from connectors.us.ownership.schedule13.rows import ReportingPerson

_APART: Final = Decimal(1)  # percentage points (docs/formats/us.md 7.1)
_COUNT: Final = r"(?<![\d.,$])(\d{1,3}(?:,\d{3})+)(?![\d,]|\.\d{3})"
_WORDS: Final = r"(?:[^\s\d;]+\s+){0,12}?"
_BEFORE: Final = re.compile(rf"{_COUNT}\s+{_WORDS}outstanding\b", re.IGNORECASE)
_BEHIND: Final = re.compile(rf"\boutstanding\s+{_WORDS}{_COUNT}", re.IGNORECASE)
_REACH: Final = 400_000  # characters: agreements follow after them


def signal_differing_percentages(
    persons: Iterable[ReportingPerson], text: str, tally: SignalCounter, example: str
) -> None:
    """Emits signals for persons with a percentage that fits none of the shares outstanding named in the text."""
    named = {
        number
        for pattern in (_BEFORE, _BEHIND)
        for found in pattern.findall(text[:_REACH])
        if (number := values.parse_number(found)) is not None
    }
    for person in persons:
        totals = [total for total in named if person.shares is not None and total * 10 > person.shares]
        if person.percent is None or person.shares is None or not totals:
            continue
        if not any(_is_within_tolerance(person.percent, person.shares, total) for total in totals):
            tally.add("percent_differs", "shares of those outstanding", example)


def _is_within_tolerance(percent: Decimal, shares: Decimal, total: Decimal) -> bool:
    """Whether a percentage fits, with rights within sixty days counted in both numerator and denominator."""
    lowest, highest = shares * 100 / (total + shares), shares * 100 / total
    return lowest - _APART <= percent <= highest + _APART
