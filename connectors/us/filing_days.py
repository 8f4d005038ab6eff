"""Days on which something may have been filed: none before the Exchange Act, none far ahead of the reading.

EDGAR dates a filing at most some days ahead (docs/formats/us.md 1); 9999-12-31 and 0001-01-01 are no days of filing.
Does not belong here: parsing a day.
"""

from __future__ import annotations

from datetime import date
from typing import Final

from connectors.kit.columns.text import AHEAD

OLDEST: Final = date(1934, 6, 6)  # the Exchange Act: an earlier date is a typing error (0026, 0202)


def newest_filing_day(today: date) -> date:
    """The last day that a filing read today may have."""
    return today + AHEAD


def is_filing_day(day: date, today: date) -> bool:
    """Whether a filing that was read today may be of a day."""
    return OLDEST <= day <= newest_filing_day(today)
