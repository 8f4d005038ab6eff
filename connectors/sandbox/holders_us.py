"""Invented holders of American shares, and their ownership filings (docs/formats/us.md 7).

Belongs here: filing a document and the holdings after it. The filer is a pure function of the company's position.
Does not belong here: when it happens (`births_us`, `stories_stakes_us`), or rendering (`schedule13_us`,
`insiders_us`, `form13f_us`).
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Final

from connectors.sandbox.filings_us import SHARES, enter
from connectors.sandbox.model import Company
from connectors.sandbox.model_us import Holding, Insider, Managed, Paper, Party, Stake, StakeMoved

STAKES: Final = "us.schedule13"
INSIDERS: Final = "us.insiders"
MANAGERS: Final = "us.form13f"
CLASS: Final = "common stock"  # class of the title below, whatever the par value
_DUTY: Final = Decimal(5)
_NOTHING: Final = Decimal(0)
_LIMITS: Final = (5, 10, 20, 50)

PERSON: Final = Party("SAMPLETON ADA", "8999999999", "IN", "TX", "US")
OFFICER: Final = Party("MOCKRIDGE BASIL", "8999999998", "IN", "X1", "US")
ADVISER: Final = Party("Tidewater Placeholder Advisors LLC", "8900000001", "IA", "DE", "US")
PARTNERS: Final = Party("Meridian Example Partners LP", "8900000002", "PN", "E9", "KY")
GERMAN: Final = Party("Beispiel Holding GmbH", None, "CO", "2M", "DE")
PENSIONS: Final = Party("Placeholder Pension Plan", "8900000003", "EP", "A6", "CA")
MANAGER: Final = Party("Harbor Sample Asset Management Inc", "8900000004", "IA", "NY", "US")
POOL: Final = (PERSON, OFFICER, ADVISER, PARTNERS, GERMAN, PENSIONS, MANAGER)


def holder_of(cik: str) -> Party | None:
    """Holder with the given CIK."""
    return next((party for party in POOL if party.cik == cik), None)


def cusip(company: Company) -> str:
    """Nine characters starting with Z, used by no real security."""
    return f"Z{company.position:05}108"


def native(register: str, party: Party, company: Company) -> str:
    """Native key of a holding: CIK, else name, plus the class or the CUSIP."""
    return f"{party.cik or party.name.casefold()}/{cusip(company) if register == MANAGERS else CLASS}"


def stake(company: Company, filed: date, told: Stake) -> list[StakeMoved]:
    """Files a schedule and returns the changes: each person holds the whole stake, the first is the lead."""
    kind = "SCHEDULE 13D" if told.is_active else "SCHEDULE 13G"
    form = f"{kind}/A" if told.amendment else kind
    enter(company, form, filed, period=told.event, ownership=told)
    ended = told.is_exit or told.percent == 0 or (bool(told.amendment) and told.percent < _DUTY)
    moved: list[StakeMoved] = []
    for place, person in enumerate(told.persons):
        key = native(STAKES, person, company)
        before = company.american.holdings.get((STAKES, key))
        if before is not None and before.as_of is not None and before.as_of > told.event:
            continue  # late-arriving document: a newer one is known
        now = Holding(STAKES, key, person, told.event, told.percent, is_lead=place == 0)
        moved += _held(company, now, told.event, ended=ended)
    return moved


def insider(company: Company, form: str, filed: date, told: Insider) -> list[StakeMoved]:
    """Files a Form 3 or 4. A ten-percent owner's percentage is computed from the shares outstanding."""
    enter(company, form, filed, period=told.event, ownership=told)
    key = native(INSIDERS, told.person, company)
    percent = _share(told.shares) if told.relation == "isTenPercentOwner" else None
    basis = None if percent is None else "derived"
    now = Holding(INSIDERS, key, told.person, told.event, percent, basis=basis)
    return _held(company, now, told.event, ended=not told.shares)


def managed(company: Company, filed: date, seen: date, told: Managed) -> list[StakeMoved]:
    """Files a 13F or its amendment. A change within a quarter is dated with the day it is observed."""
    enter(company, "13F-HR/A" if told.amends else "13F-HR", filed, period=told.period, ownership=told)
    key = native(MANAGERS, told.manager, company)
    before = company.american.holdings.get((MANAGERS, key))
    share = _share(told.shares)
    if told.amends == "NEW HOLDINGS" and before is not None:
        share += before.percent or 0
    now = Holding(
        MANAGERS, key, told.manager, told.period if before is None else None, share, basis="derived"
    )
    return _held(company, now, seen, ended=False)


def paper_before(company: Company) -> Paper:
    """Newest ownership filing, which an amendment refers to."""
    return next(paper for paper in reversed(company.american.papers) if isinstance(paper.ownership, Stake))


def _share(shares: int) -> Decimal:
    return (Decimal(shares) * 100 / SHARES).quantize(Decimal("0.0001"))


def _held(company: Company, now: Holding, day: date, *, ended: bool) -> list[StakeMoved]:
    """Replaces the known holding and returns the threshold crossing, if any."""
    known = company.american.holdings.pop((now.register, now.native), None)
    if not ended:
        company.american.holdings[now.register, now.native] = now
    previous = _NOTHING if known is None else known.percent or _NOTHING
    current = _NOTHING if ended else now.percent or _NOTHING
    low, high = sorted((previous, current))
    if not any(low < limit <= high for limit in _LIMITS):
        return []
    basis = now.basis or "exact"
    return [StakeMoved(now.register, now.native, now.party, day, previous, current, basis)]
