"""Swedish data of a company beyond the shared model.

Belongs here: deregistration, proceedings, SCB's data and major holding notices, which stories change and writers
render. Does not belong here: rendering (`sandbox.se`, `sandbox.nasdaq`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from typing import Final, Literal

from sandbox.vocabulary import Place

ACTIVE: Final = "1"
NEVER_ACTIVE: Final = "0"
NO_LONGER_ACTIVE: Final = "9"
STATISTICS_AT: Final = time(5, 52, 45)  # in the name of SCB's file, as UTC


ReleaseChannel = Literal["mfn", "nasdaq"]
# how a notice states the holding, or what a release is that is no notice
Wording = Literal["prose", "from_to", "bound", "table", "form", "comment", "elsewhere"]


@dataclass(frozen=True, slots=True)
class VotingStake:
    """Stake of one holder in percent of shares and votes, or a bound above or below which both lie."""

    shares: Decimal | None = None
    votes: Decimal | None = None
    above: Decimal | None = None
    below: Decimal | None = None

    @property
    def least(self) -> Decimal:
        """Known minimum share of capital."""
        return self.shares if self.shares is not None else self.above or Decimal(0)


@dataclass(frozen=True, slots=True)
class HoldingNotice:
    """One release about a holding, in one or more channels. `corrects`: serial of the release it replaces."""

    serial: int
    holder: str
    crossed_on: date
    at: datetime  # UTC
    now: VotingStake
    before: VotingStake | None
    wording: Wording
    languages: tuple[str, ...]
    release_channels: tuple[ReleaseChannel, ...]
    corrects: int | None = None


@dataclass(slots=True)
class SwedishDetails:
    """Register data of one company.

    `activity` is SCB's FtgStat; None if SCB has no row of the company. `is_looked_up`: new enough to be requested
    from the API, the only source of industry labels.
    """

    deregistered: date | None = None
    reason: str | None = None  # deregistration reason
    proceedings: tuple[tuple[str, date | None], ...] = ()  # code, start
    activity: str | None = ACTIVE
    in_population: bool = True  # SCB's JEStat
    declines_advertising: bool = False
    is_looked_up: bool = False
    name_registered_on: date | None = None  # registration day of the current name
    seat: Place | None = None  # in SCB's register of enterprises, where it differs from the postal address
    notices: list[HoldingNotice] = field(default_factory=list)
    stakes: dict[str, HoldingNotice] = field(default_factory=dict)  # holder -> the notice that counts


@dataclass(frozen=True, slots=True)
class OverviewYear:
    """One earlier year in a report's multi-year overview: only revenue, rounded to thousands."""

    start: date
    end: date
    revenue: int
