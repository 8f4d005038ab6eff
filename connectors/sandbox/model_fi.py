"""What the Finnish registers and the exchange know of a company beyond the shapes all markets share.

Belongs here: entries, situations, notices and releases, as stories change them and writers write them. Does
not belong here: how they are written (`ytj_fi`, `notices_fi`, `releases_fi`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal


@dataclass(slots=True)
class Entry:
    """One entry in one register: `register` 1 is the Trade Register, 5 to 7 are those of the Tax Administration."""

    register: str
    kind: str
    since: date
    ended: date | None = None


@dataclass(slots=True)
class Situation:
    """Bankruptcy (KONK), liquidation (SELTILA) or restructuring (SANE), as long as `ended` is None."""

    kind: str
    since: date
    ended: date | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """One registered notice: `kind` of the list NRT, `codes` of the list EC."""

    day: date
    kind: str
    codes: tuple[str, ...]
    number: str


@dataclass(frozen=True, slots=True)
class Position:
    """What one holder has, in percent: shares and votes held, and both together with financial instruments.

    None: the notification says only «below 5 %».
    """

    shares: Decimal | None
    votes: Decimal | None
    total: Decimal | None
    indirect: bool = False


@dataclass(frozen=True, slots=True)
class Flagging:
    """One notification of a major holding: the position it ends in and the one of the notification before."""

    holder: str
    holder_kind: str
    crossed_on: date
    now: Position
    before: Position | None
    style: str  # table, flat, ascii, finnish


@dataclass(frozen=True, slots=True)
class Release:
    """One release of an issuer; `languages` of one record, or one record for each of them where `apart`."""

    serial: int
    category: int
    at: datetime
    headlines: tuple[tuple[str, str], ...]  # language, headline
    apart: bool = False
    flagging: Flagging | None = None
    attachment: str | None = None

    def number(self, position: int) -> int:
        """Of its first record in the exchange's list, by the company's place. Numbers do not follow the time."""
        return 2_000_000 + (self.serial * 100_000 + position) * 2


@dataclass(frozen=True, slots=True)
class FlaggedChange:
    """A notified holding that crossed thresholds: percent of the shares before and after."""

    holder: str
    as_of: date
    previous: Decimal
    current: Decimal
    basis: str


@dataclass(frozen=True, slots=True)
class DocumentFiled:
    """A document that is known and not read: a report released by its issuer, or accounts filed on paper.

    Of accounts on paper only the notice is known, and not the period.
    """

    filing_type: str
    start: date | None
    end: date | None
    filed: date
    notice: Notice | None = None


@dataclass(frozen=True, slots=True)
class Announced:
    """A release that is news; a notice of a major holding is told as that alone."""

    release: Release


@dataclass(slots=True)
class Finnish:
    """The registers' and the exchange's view of one company."""

    entries: list[Entry] = field(default_factory=list)
    situations: list[Situation] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    releases: list[Release] = field(default_factory=list)
    positions: dict[str, Flagging] = field(default_factory=dict)  # holder -> its newest notification
    ended: date | None = None  # end of registration
    modified: date | None = None  # day of the last modification, which moves for no visible reason too
    code_set: str = "TOIMI4"  # the list that the industry code is of: a ceased company keeps an older one
    parallel: str | None = None  # name in another language
    auxiliary: str | None = None
    first_north: bool = False
