"""EDGAR data of a filer beyond the shared model: filings, symbols, quarters, holders.

Belongs here: the classes that stories change and writers render. Does not belong here: rendering (`sandbox.us`), or
the expected results (`expected`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class OwnershipParty:
    """A holder who files ownership reports: a person, company or manager. Not all have a CIK."""

    name: str
    cik: str | None
    kind: str  # type of reporting person: IN, IA, PN, CO, EP
    place: str  # EDGAR place code
    country: str  # the same as ISO 3166


@dataclass(frozen=True, slots=True)
class Schedule13Filing:
    """A Schedule 13D or 13G: its joint filers, and the percentage they report for one day.

    `is_exit`: item 5 states that five percent or less are left. The first of `persons` files.
    """

    persons: tuple[OwnershipParty, ...]
    percent: Decimal
    event: date
    amendment: int = 0
    previous: str | None = None
    is_exit: bool = False
    is_active: bool = False  # 13D, else 13G


@dataclass(frozen=True, slots=True)
class InsiderReport:
    """A Form 3 or 4: one person, and the directly owned shares afterwards."""

    person: OwnershipParty
    event: date
    shares: int
    change: int = 0
    relation: str = "isOfficer"


@dataclass(frozen=True, slots=True)
class ManagerReport:
    """A manager's 13F with one position: shares at quarter end. `amends`: RESTATEMENT, NEW HOLDINGS."""

    manager: OwnershipParty
    period: date
    shares: int
    amends: str | None = None


Ownership = Schedule13Filing | InsiderReport | ManagerReport


@dataclass(frozen=True, slots=True)
class FiledDocument:
    """One filing. `security`: class stated in a Form 25 or 15; `ownership`: content of an ownership report."""

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
class QuarterlyReport:
    """One 10-Q: results of the quarter, results since the start of the fiscal year, and the balance at its end."""

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
class RegisterHolding:
    """Current holding of one holder in one register, as the contract serves it."""

    register: str
    native: str
    party: OwnershipParty
    as_of: date | None  # None: the day the service observed it
    percent: Decimal | None
    is_lead: bool = True
    basis: str | None = "exact"


@dataclass(frozen=True, slots=True)
class NewsFiled:
    """Expected: a current report with a press release, published as news."""

    filing: FiledDocument


@dataclass(frozen=True, slots=True)
class NoticeFiled:
    """Expected: a filing that notifies the regulator of late filing, delisting or deregistration."""

    filing: FiledDocument


@dataclass(frozen=True, slots=True)
class FourthQuarterRestatement:
    """Restated accounts of a year with known quarters: the derived last quarter gets the same balance."""

    before: tuple[int, int]  # equity and total assets
    after: tuple[int, int]
    fiscal_year: int
    end: date
    accession: str


@dataclass(slots=True)
class AmericanDetails:
    """EDGAR data of one company. `has_false_utc_times`: times are served in Eastern time with a false Z.

    `holdings`: by register and native key, as of the newest documents.
    """

    filings: list[FiledDocument] = field(default_factory=list)
    tickers: list[tuple[str, str | None]] = field(default_factory=list)
    has_false_utc_times: bool = False
    quarterly_reports: list[QuarterlyReport] = field(default_factory=list)
    holdings: dict[tuple[str, str], RegisterHolding] = field(default_factory=dict)
