"""What the Swedish registers know of a company beyond the shapes all markets share.

Belongs here: deregistration, proceedings and SCB's view, as stories change them and writers write them. Does
not belong here: how they are written (`bulk_se`, `answers_se`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

ACTIVE: Final = "1"
NEVER_ACTIVE: Final = "0"
NO_LONGER_ACTIVE: Final = "9"


@dataclass(slots=True)
class Swedish:
    """The registers' view of one company.

    `activity` is SCB's FtgStat; None: SCB has no row of the company. `asked`: young enough that the API is
    asked about it, which is the only source of an industry's label.
    """

    deregistered: date | None = None
    reason: str | None = None  # of the deregistration
    proceedings: tuple[tuple[str, date | None], ...] = ()  # code, since when
    activity: str | None = ACTIVE
    in_population: bool = True  # SCB's JEStat
    declines_advertising: bool = False
    asked: bool = False
    named: date | None = None  # the day its present name was registered


@dataclass(frozen=True, slots=True)
class Overview:
    """One earlier year of a report's multi-year overview: revenue alone, rounded to thousands."""

    start: date
    end: date
    revenue: int
