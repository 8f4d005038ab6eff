"""Data model of the sandbox world: companies, sets of accounts, holders, planned events.

Belongs here: the classes that stories change, writers render and the expected results state. Does not belong here:
registry terms beyond those a story must set (`sandbox.<cc>`), or expected results of the service (`expected`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, time, timedelta
from decimal import Decimal

from sandbox.model.dk import DanishDetails, DanishHolder
from sandbox.model.fi import DocumentFiled, ExchangeRelease, FinnishDetails
from sandbox.model.news import PressRelease, SupervisorAct
from sandbox.model.no import NorwegianDetails, RoleOwner
from sandbox.model.se import OverviewYear, SwedishDetails
from sandbox.model.us import (
    AmericanDetails,
    FourthQuarterRestatement,
    NewsFiled,
    NoticeFiled,
    QuarterlyReport,
    RegisterHolding,
)
from sandbox.vocabulary import Industry, Place
from warehouse.schema import codes, identifiers


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of one period and scope; they balance: assets = equity + both kinds of creditors."""

    revenue: int | None
    operating_result: int | None
    net_result: int | None
    equity: int
    total_assets: int
    fixed_assets: int
    short_creditors: int
    long_creditors: int
    employees: int | None


@dataclass(frozen=True, slots=True)
class Accounts:
    """One document: the accounts of one period, with group figures where the company is a parent.

    `document` is the register's own filing number (Norway) or only distinguishes re-filings (United Kingdom).
    `is_rounded_to_thousands` accounts repeat earlier figures in a coarser unit; `is_amended` ones replace an
    earlier document.
    """

    start: date
    end: date
    published: date
    figures: Figures
    group: Figures | None
    prior: Figures | None
    currency: str
    document: int
    document_style: str
    is_rounded_to_thousands: bool = False
    is_amended: bool = False
    is_dormant: bool = False
    overview_years: tuple[OverviewYear, ...] = ()  # Sweden: years before the previous one, rounded

    @property
    def prior_end(self) -> date:
        return self.start - timedelta(days=1)

    @property
    def prior_start(self) -> date:
        """First day of the comparative year: the same day one year earlier."""
        return self.start.replace(year=self.start.year - 1)


@dataclass(slots=True)
class Holder:
    """One person or company with significant control, as a band of shares and votes (British registers)."""

    key: str
    name: str
    kind: str  # individual, corporate, legal, super_secure
    country: str  # as the register spells it
    shares: str | None  # "25-to-50", "50-to-75", "75-to-100", "more-than-25"
    votes: str | None
    notified: date
    ceased: date | None = None
    number: str | None = None
    is_trust: bool = False
    extras: tuple[str, ...] = ()
    born: tuple[int, int] = (1970, 1)
    revision: int = 0  # part of the etag; incremented when the record changes or reappears
    verified: date | None = None

    @property
    def lower(self) -> int:
        return BANDS[self.shares][0] if self.shares else 0


BANDS = {"25-to-50": (25, 50), "50-to-75": (50, 75), "75-to-100": (75, 100), "more-than-25": (25, 100)}


@dataclass(slots=True)
class Company:
    """One company on one day of the world."""

    market: str
    position: int
    number: str
    name: str
    form: str
    industry: Industry | None
    place: Place | None  # None: the business address is abroad
    street: str
    registered: date
    status: str = "active"
    status_detail: str | None = None
    status_date: date | None = None  # start of the status, if the register states it
    registry_status: str | None = None  # the British register's term
    reason_field: str | None = None  # Norwegian field that carries the date of a forced dissolution
    employees: int | None = None
    employees_counted: date | None = None
    website: str | None = None
    former_names: list[tuple[date, str]] = field(default_factory=list)  # (changed on, former name), newest first
    accounts: list[Accounts] = field(default_factory=list)
    holders: list[Holder] = field(default_factory=list)
    is_listed: bool = False
    extended: bool = True  # Norway: six-row answers; False: one row, short set of fields
    new_accounts: list[Accounts] = field(default_factory=list)  # to be published today
    norwegian: NorwegianDetails = field(default_factory=NorwegianDetails)  # Norway only
    finnish: FinnishDetails = field(default_factory=FinnishDetails)  # Finland only
    swedish: SwedishDetails = field(default_factory=SwedishDetails)  # Sweden only
    american: AmericanDetails = field(default_factory=AmericanDetails)  # United States only
    danish: DanishDetails = field(default_factory=DanishDetails)  # Denmark only

    @property
    def company_id(self) -> str:
        return identifiers.company_id(self.market, self.number)

    @property
    def is_in_register(self) -> bool:
        """False for dissolved companies, which are absent from the registers' full files."""
        return self.status != "dissolved"

    def current_accounts(self) -> list[Accounts]:
        """Newest document of each period, oldest period first."""
        newest = {(accounts.start, accounts.end): accounts for accounts in self.accounts}
        return [newest[key] for key in sorted(newest)]

    def publish(self, accounts: Accounts) -> None:
        """Adds a document that appears today."""
        self.accounts.append(accounts)
        self.new_accounts.append(accounts)


@dataclass(frozen=True, slots=True)
class ThresholdCrossing:
    """A threshold crossing of a holding: percent before and after, of bands the lower bounds.

    `holder`: the holder as the register has it; a notice has only a name.
    """

    holder: Holder | RoleOwner | RegisterHolding | DanishHolder | str
    as_of: date
    previous: Decimal
    current: Decimal
    basis: str


def crossed_thresholds(previous: Decimal, current: Decimal) -> list[int]:
    """Thresholds T crossed, ascending: up if previous < T <= current, down if previous >= T > current."""
    low, high = sorted((previous, current))
    return [limit for limit in codes.THRESHOLDS if low < limit <= high]


@dataclass(frozen=True, slots=True)
class StatusChange:
    """A status change; `effective` is the register's own date if any, else the day.

    file_time: stated by the file that shows it, if that differs from its market's files.
    """

    previous: str
    current: str
    effective: date
    reason: str | None
    file_time: time | None = None


@dataclass(frozen=True, slots=True)
class FilingChange:
    """A first (`earlier` None) or later document of one period."""

    accounts: Accounts
    earlier: Accounts | None


@dataclass(frozen=True, slots=True)
class ProfileChange:
    """Other values of some fields of a profile, in the contract's order; `effective`: the day that the register gives.

    former: the company as it was before.
    """

    fields: tuple[str, ...]
    former: Company
    effective: date | None


# What a planned event reports; releases, acts and quarterly reports are reported as they are.
Change = (
    ThresholdCrossing
    | StatusChange
    | FilingChange
    | ProfileChange
    | DocumentFiled
    | ExchangeRelease
    | NewsFiled
    | NoticeFiled
    | QuarterlyReport
    | FourthQuarterRestatement
    | PressRelease
    | SupervisorAct
)


@dataclass(frozen=True, slots=True)
class PlannedEvent:
    """One planned event; `expected` assigns its id."""

    day: date
    company: Company
    change: Change
    story: str
