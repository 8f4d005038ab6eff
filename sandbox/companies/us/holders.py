"""Invented holders of American shares, and their ownership filings (docs/formats/us.md 7).

Belongs here: filing a document and the holdings after it. The filer is a pure function of the company's position.
Does not belong here: when it happens (`initial_state`, `stories_ownership`), or rendering (`sandbox.us`).
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Final

from sandbox.companies.stories import crossing_changes
from sandbox.companies.us.filings import SHARES, add_filing
from sandbox.model.company import Change, Company, ThresholdCrossing
from sandbox.model.us import (
    FiledDocument,
    InsiderReport,
    ManagerReport,
    OwnershipParty,
    RegisterHolding,
    Schedule13Filing,
)

STAKES: Final = "us.schedule13"
INSIDERS: Final = "us.insiders"
MANAGERS: Final = "us.form13f"
CLASS: Final = "common stock"  # class of the title below, whatever the par value
_DUTY: Final = Decimal(5)
_NOTHING: Final = Decimal(0)

PERSON: Final = OwnershipParty("SAMPLETON ADA", "8999999999", "IN", "TX", "US")
OFFICER: Final = OwnershipParty("MOCKRIDGE BASIL", "8999999998", "IN", "X1", "US")
ADVISER: Final = OwnershipParty("Tidewater Placeholder Advisors LLC", "8900000001", "IA", "DE", "US")
PARTNERS: Final = OwnershipParty("Meridian Example Partners LP", "8900000002", "PN", "E9", "KY")
GERMAN: Final = OwnershipParty("Beispiel Holding GmbH", None, "CO", "2M", "DE")
PENSIONS: Final = OwnershipParty("Placeholder Pension Plan", "8900000003", "EP", "A6", "CA")
POOL: Final = (PERSON, OFFICER, ADVISER, PARTNERS, GERMAN, PENSIONS)
_FIRST_MANAGER: Final = 8910000000  # CIK, before the position of the manager's company
_MANAGERS_END: Final = 8920000000


def holder_by_cik(cik: str) -> OwnershipParty | None:
    """Holder with the given CIK."""
    if cik.isdecimal() and _FIRST_MANAGER <= int(cik) < _MANAGERS_END:
        return _manager(int(cik) - _FIRST_MANAGER)
    return next((party for party in POOL if party.cik == cik), None)


def company_manager(company: Company) -> OwnershipParty:
    """The one manager that reports of a company, and of no other: a restatement replaces all that it reported."""
    return _manager(company.position)


def _manager(position: int) -> OwnershipParty:
    return OwnershipParty(
        f"Harbor Sample Asset Management {position + 1} Inc", f"{_FIRST_MANAGER + position:010}", "IA", "NY", "US"
    )


def company_cusip(company: Company) -> str:
    """Nine characters starting with Z, used by no real security."""
    return f"Z{company.position:05}108"


def native_key(register: str, party: OwnershipParty, company: Company) -> str:
    """Native key of a holding: CIK, else name, plus the class or the CUSIP."""
    return f"{party.cik or party.name.casefold()}/{company_cusip(company) if register == MANAGERS else CLASS}"


def add_schedule13(company: Company, filed: date, filing: Schedule13Filing) -> list[Change]:
    """Files a schedule and returns the changes: each person holds the whole stake, the first is the lead."""
    kind = "SCHEDULE 13D" if filing.is_active else "SCHEDULE 13G"
    form = f"{kind}/A" if filing.amendment else kind
    add_filing(company, form, filed, period=filing.event, ownership=filing)
    ended = filing.is_exit or filing.percent == 0 or (bool(filing.amendment) and filing.percent < _DUTY)
    moved: list[Change] = []
    for place, person in enumerate(filing.persons):
        key = native_key(STAKES, person, company)
        before = company.american.holdings.get((STAKES, key))
        if before is not None and before.as_of is not None and before.as_of > filing.event:
            continue  # late-arriving document: a newer one is known
        now = RegisterHolding(STAKES, key, person, filing.event, filing.percent, is_lead=place == 0)
        moved += _update_holding(company, now, filing.event, ended=ended)
    return moved


def add_insider_form(company: Company, form: str, filed: date, report: InsiderReport) -> list[Change]:
    """Files a Form 3 or 4. A ten-percent owner's percentage is computed from the shares outstanding."""
    add_filing(company, form, filed, period=report.event, ownership=report)
    key = native_key(INSIDERS, report.person, company)
    percent = _share_pct(report.shares) if report.relation == "isTenPercentOwner" else None
    basis = None if percent is None else "derived"
    now = RegisterHolding(INSIDERS, key, report.person, report.event, percent, basis=basis)
    return _update_holding(company, now, report.event, ended=not report.shares)


def add_form13f(company: Company, filed: date, first_seen: date, report: ManagerReport) -> list[Change]:
    """Files a 13F or its amendment. A change within a quarter is dated with the day it is observed."""
    add_filing(company, "13F-HR/A" if report.amends else "13F-HR", filed, period=report.period, ownership=report)
    key = native_key(MANAGERS, report.manager, company)
    before = company.american.holdings.get((MANAGERS, key))
    share = _share_pct(report.shares)
    if report.amends == "NEW HOLDINGS" and before is not None:
        share += before.percent or 0
    now = RegisterHolding(
        MANAGERS, key, report.manager, report.period if before is None else None, share, basis="derived"
    )
    return _update_holding(company, now, first_seen, ended=False)


def latest_schedule13(company: Company) -> FiledDocument:
    """Newest ownership filing, which an amendment refers to."""
    return next(paper for paper in reversed(company.american.filings) if isinstance(paper.ownership, Schedule13Filing))


def _share_pct(shares: int) -> Decimal:
    return (Decimal(shares) * 100 / SHARES).quantize(Decimal("0.0001"))


def _update_holding(company: Company, now: RegisterHolding, day: date, *, ended: bool) -> list[Change]:
    """Replaces the known holding and returns the threshold crossing, if any."""
    known = company.american.holdings.pop((now.register, now.native), None)
    if not ended:
        company.american.holdings[now.register, now.native] = now
    previous = _NOTHING if known is None else known.percent or _NOTHING
    current = _NOTHING if ended else now.percent or _NOTHING
    return crossing_changes(ThresholdCrossing(now, day, previous, current, now.basis or "exact"))
