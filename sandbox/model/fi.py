"""Finnish data of a company beyond the shared model: registers and exchange.

Belongs here: entries, situations, notices and releases, which stories change and writers render. Does not belong
here: rendering (`sandbox.fi`, `sandbox.nasdaq`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal


@dataclass(slots=True)
class RegisterEntry:
    """One entry in one register: `register` 1 is the Trade Register, 5 to 7 are those of the Tax Administration."""

    register: str
    kind: str
    since: date
    ended: date | None = None


@dataclass(slots=True)
class LegalSituation:
    """Bankruptcy (KONK), liquidation (SELTILA) or restructuring (SANE); ongoing while `ended` is None."""

    kind: str
    since: date
    ended: date | None = None


@dataclass(frozen=True, slots=True)
class RegisteredNotice:
    """One registered notice: `kind` of the list NRT, `codes` of the list EC."""

    day: date
    kind: str
    codes: tuple[str, ...]
    number: str


@dataclass(frozen=True, slots=True)
class HoldingPosition:
    """Position of one holder in percent: shares and votes, and both including financial instruments.

    None: the notification states only «below 5 %».
    """

    shares: Decimal | None
    votes: Decimal | None
    total: Decimal | None
    indirect: bool = False


@dataclass(frozen=True, slots=True)
class PlannedFlagging:
    """One major holding notification: the new position and that of the previous notification."""

    holder: str
    holder_kind: str
    crossed_on: date
    now: HoldingPosition
    before: HoldingPosition | None
    style: str  # table, flat, ascii, finnish


@dataclass(frozen=True, slots=True)
class ExchangeRelease:
    """One release of an issuer; its languages share one record, or have one each if `apart`."""

    serial: int
    category: int
    at: datetime
    headlines: tuple[tuple[str, str], ...]  # language, headline
    apart: bool = False
    flagging: PlannedFlagging | None = None
    attachment: str | None = None

    def number(self, position: int) -> int:
        """Id of its first record in the exchange's list, by company position. Ids are not in order of time."""
        return 2_000_000 + (self.serial * 100_000 + position) * 2


@dataclass(frozen=True, slots=True)
class DocumentFiled:
    """A document known but not parsed: a report released by its issuer, or accounts filed on paper.

    For paper accounts only the notice is known, not the period.
    """

    filing_type: str
    start: date | None
    end: date | None
    filed: date
    notice: RegisteredNotice | None = None


@dataclass(slots=True)
class FinnishDetails:
    """Register and exchange data of one company."""

    entries: list[RegisterEntry] = field(default_factory=list)
    situations: list[LegalSituation] = field(default_factory=list)
    notices: list[RegisteredNotice] = field(default_factory=list)
    releases: list[ExchangeRelease] = field(default_factory=list)
    positions: dict[str, PlannedFlagging] = field(default_factory=dict)  # holder -> its newest notification
    ended: date | None = None  # end of registration
    modified: date | None = None  # day of the last modification, which may change without visible reason
    code_set: str = "TOIMI4"  # code list of the industry code; a ceased company keeps an older one
    parallel: str | None = None  # name in another language
    auxiliary: str | None = None
    is_first_north: bool = False
