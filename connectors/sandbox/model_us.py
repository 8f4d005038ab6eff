"""What EDGAR knows of a filer beyond the shapes all markets share: filings, symbols, quarters, and who holds it.

Belongs here: the shapes that stories change and writers write. Does not belong here: how they are written
(`writers_us`, `papers_us`), or what the service must make of them (`truth_us`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Party:
    """Who holds shares and files about it: a person, a company, a manager. Not all of them have a CIK."""

    name: str
    cik: str | None
    kind: str  # type of reporting person: IN, IA, PN, CO, EP
    place: str  # EDGAR place code
    country: str  # the same as ISO 3166


@dataclass(frozen=True, slots=True)
class Stake:
    """A Schedule 13D or 13G: who files together, and what percentage all of them report on one day.

    `is_exit`: item 5 says that five percent or less are left. The first of `persons` files.
    """

    persons: tuple[Party, ...]
    percent: Decimal
    event: date
    amendment: int = 0
    previous: str | None = None
    is_exit: bool = False
    is_active: bool = False  # 13D, else 13G


@dataclass(frozen=True, slots=True)
class Insider:
    """A Form 3 or 4: one person, and the shares owned directly afterwards."""

    person: Party
    event: date
    shares: int
    change: int = 0
    relation: str = "isOfficer"


@dataclass(frozen=True, slots=True)
class Managed:
    """A 13F of a manager of one position: shares at the end of a quarter. `amends`: RESTATEMENT, NEW HOLDINGS."""

    manager: Party
    period: date
    shares: int
    amends: str | None = None


Ownership = Stake | Insider | Managed


@dataclass(frozen=True, slots=True)
class Paper:
    """One filing. `security`: what a Form 25 or 15 says of its class; `ownership`: who tells of holding shares."""

    accession: str
    form: str
    filed: date
    accepted: datetime
    period: date | None = None
    items: tuple[str, ...] = ()
    exhibits: tuple[str, ...] = ()
    security: str | None = None
    rule: str | None = None
    is_xbrl: bool = False
    ownership: Ownership | None = None


@dataclass(frozen=True, slots=True)
class Interim:
    """One 10-Q: a quarter's own results, those since the fiscal year began, and the balance at its end."""

    start: date
    end: date
    year_start: date
    fiscal_year: int
    quarter: int
    published: date
    accession: str
    results: tuple[int, int, int]  # revenue, operating result, net result
    so_far: tuple[int, int, int]
    equity: int
    total_assets: int


@dataclass(frozen=True, slots=True)
class Holding:
    """What one register says of one holder now, as the contract serves it."""

    register: str
    native: str
    party: Party
    as_of: date | None  # None: the day on which the service saw it
    percent: Decimal | None
    is_lead: bool = True
    basis: str | None = "exact"


@dataclass(frozen=True, slots=True)
class NewsTold:
    """A current report with a press release."""

    paper: Paper


@dataclass(frozen=True, slots=True)
class NoticeTold:
    """A filing that tells a supervisor of trouble, of a removal, or of an end."""

    paper: Paper


@dataclass(frozen=True, slots=True)
class StakeMoved:
    """A holder's percentage crossed thresholds."""

    register: str
    native: str
    party: Party
    as_of: date
    previous: Decimal
    current: Decimal
    basis: str


@dataclass(frozen=True, slots=True)
class InterimFiled:
    """The first report of a quarter."""

    interim: Interim


@dataclass(frozen=True, slots=True)
class FourthRestated:
    """Restated accounts of a year whose quarters are known: the last quarter, which nobody files, ends alike."""

    before: tuple[int, int]  # equity and total assets
    after: tuple[int, int]
    fiscal_year: int
    end: date
    accession: str


@dataclass(slots=True)
class American:
    """EDGAR's view of one company. `is_washed`: clocks are served in Eastern time with a false Z.

    `holdings`: by register and native key, as the newest documents leave them.
    """

    papers: list[Paper] = field(default_factory=list)
    tickers: list[tuple[str, str | None]] = field(default_factory=list)
    is_washed: bool = False
    interims: list[Interim] = field(default_factory=list)
    holdings: dict[tuple[str, str], Holding] = field(default_factory=dict)
