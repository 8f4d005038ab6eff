"""What the Swedish registers know of a company beyond the shapes all markets share.

Belongs here: deregistration, proceedings and SCB's view, notices of holdings, as stories change them and
writers write them. Does not belong here: how they are written (`bulk_se`, `answers_se`, `flagging_se`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Final, Literal

ACTIVE: Final = "1"
NEVER_ACTIVE: Final = "0"
NO_LONGER_ACTIVE: Final = "9"


Door = Literal["mfn", "nasdaq"]
# of a notice, how it says what is held; of what is none, what it is instead
Wording = Literal["prose", "from_to", "bound", "table", "form", "comment", "elsewhere"]


@dataclass(frozen=True, slots=True)
class Stake:
    """What one holder has, in percent of shares and of votes; or a limit that both lie above or below."""

    shares: Decimal | None = None
    votes: Decimal | None = None
    above: Decimal | None = None
    below: Decimal | None = None

    @property
    def least(self) -> Decimal:
        """The share of capital as far as it is known."""
        return self.shares if self.shares is not None else self.above or Decimal(0)


@dataclass(frozen=True, slots=True)
class Notice:
    """One release about a holding, over one or more doors. `corrects`: the serial of the one it replaces."""

    serial: int
    holder: str
    crossed_on: date
    at: datetime  # UTC
    now: Stake
    before: Stake | None
    wording: Wording
    languages: tuple[str, ...]
    doors: tuple[Door, ...]
    corrects: int | None = None


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
    notices: list[Notice] = field(default_factory=list)
    stakes: dict[str, Notice] = field(default_factory=dict)  # holder -> the notice that counts


@dataclass(frozen=True, slots=True)
class Overview:
    """One earlier year of a report's multi-year overview: revenue alone, rounded to thousands."""

    start: date
    end: date
    revenue: int
