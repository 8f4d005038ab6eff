"""Generates an American filer's state on the first day from seed and position (docs/formats/us.md 2 to 5).

CIKs are far above all real ones. Does not belong here: later changes (`stories`), or EDGAR's formats.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Final

from sandbox.companies import accounts as sandbox_accounts
from sandbox.companies.us import holders
from sandbox.companies.us.filings import (
    FIRST_CIK,
    PREFIX,
    SHARES,
    add_annual_report,
    add_filing,
    add_next_quarterly_report,
    add_quarterly_reports,
    month_after,
)
from sandbox.model.company import Accounts, Company
from sandbox.model.us import InsiderReport, ManagerReport, OwnershipParty, Schedule13Filing
from sandbox.random import random_bool, seeded_random
from sandbox.vocabulary import Industry, Place

FIRST: Final = ("Acorn", "Bluff", "Cinder", "Dovetail", "Ember", "Fallow", "Gable", "Harrow", "Ivory", "Juniper")
SECOND: Final = ("Analytics", "Bancshares", "Energy", "Foods", "Robotics", "Therapeutics", "Logistics", "Paper")
ENDINGS: Final = ("Inc.", "Corp", "Holdings, Inc.", "CORP /DE/")
PLACES: Final = (
    Place("AUSTIN", "78701", "AUSTIN", "TX", "Texas"),
    Place("SAN JOSE", "95113", "SAN JOSE", "CA", "California"),
    Place("BOSTON", "02110", "BOSTON", "MA", "Massachusetts"),
    Place("CHICAGO", "60601", "CHICAGO", "IL", "Illinois"),
)
INDUSTRIES: Final = (
    Industry("3571", "Electronic Computers"),
    Industry("2834", "Pharmaceutical Preparations"),
    Industry("7372", "Services-Prepackaged Software"),
    Industry("4911", "Electric Services"),
)
EXCHANGES: Final = ("Nasdaq", "NYSE")
YEAR_ENDS: Final = ((12, 31), (6, 30))
TO_FILE: Final = timedelta(days=58)
FLAVOUR: Final = "usgaap"
LAST_WEEK: Final = date(2026, 10, 30)  # a Friday: the feeds of the first day still list its filings
QUARTER: Final = date(2026, 9, 30)  # the last quarter that managers reported


def american_company(seed: int, position: int, first_day: date, _industry_code_set: int) -> Company:
    """Generates an American filer; the SIC has no versions, so the edition is ignored."""
    rng = seeded_random(seed, "US", position)
    name = f"{rng.choice(FIRST)} {rng.choice(SECOND)} {position + 1} {rng.choice(ENDINGS)}"
    company = Company(
        market="US",
        position=position,
        number=american_number(position),
        name=name.removesuffix(" /DE/"),
        form=" /DE/" if name.endswith(" /DE/") else "",
        industry=rng.choice(INDUSTRIES),
        place=rng.choice(PLACES),
        street=f"{rng.randint(1, 900)} PLACEHOLDER WAY",
        registered=date(1996, 5, 6) + timedelta(days=rng.randint(0, 9_000)),
    )
    set_listing(company, rng.choice(EXCHANGES) if random_bool(rng, 0.8) else "OTC")
    add_filing(company, "S-1", company.registered)
    year_end = rng.choice(YEAR_ENDS)
    add_accounts(rng, company, first_day.year - 1, year_end, quarterly=position % 3 == 1)
    _add_recent_filings(company)
    return company


def _add_recent_filings(company: Company) -> None:
    """Adds filings of the week before the first day, which the feeds still list."""
    position = company.position
    if position % 3 == 0:
        add_filing(company, "8-K", LAST_WEEK, period=LAST_WEEK, items=("2.02", "9.01"), exhibits=("EX-99.1",))
    if position % 4 == 1:
        add_recent_schedule13(company, "7.48", (holders.ADVISER,))
    if position % 5 == 2:  # noqa: PLR2004 - every fifth
        told = InsiderReport(holders.OFFICER, LAST_WEEK - timedelta(days=1), 20_000 + position)
        holders.add_insider_form(company, "3", LAST_WEEK, told)
    if position % 12 == 1:  # with quarters, so that the shares outstanding are known
        add_recent_form13f(company, "1.5")


def add_recent_schedule13(
    company: Company, percent: str, persons: tuple[OwnershipParty, ...], *, is_active: bool = False
) -> None:
    """Adds a Schedule 13D or 13G of last week."""
    told = Schedule13Filing(persons, Decimal(percent), LAST_WEEK - timedelta(days=3), is_active=is_active)
    holders.add_schedule13(company, LAST_WEEK, told)


def add_recent_form13f(company: Company, percent: str) -> None:
    """Adds a manager's report of last week; only a schedule links its CUSIP to the company."""
    shares = int(SHARES * Decimal(percent) / 100)
    report = ManagerReport(holders.company_manager(company), QUARTER, shares)
    holders.add_form13f(company, LAST_WEEK, LAST_WEEK, report)


def american_number(position: int) -> str:
    return f"{PREFIX}{FIRST_CIK + position}"


def american_position(number: str) -> int | None:
    """The position encoded in a number made by `american_number`; None for other numbers."""
    digits = number.removeprefix(PREFIX)
    if len(digits) != len(str(FIRST_CIK)) or not digits.isdecimal() or int(digits) < FIRST_CIK:
        return None
    return int(digits) - FIRST_CIK


def set_listing(company: Company, exchange: str | None) -> None:
    """Lists the company's shares under one symbol; with None, under none."""
    company.american.tickers = [] if exchange is None else [(f"Z{company.position:03}", exchange)]
    company.is_listed = exchange in EXCHANGES


def add_accounts(
    rng: Random, company: Company, newest: int, year_end: tuple[int, int], *, quarterly: bool = False
) -> None:
    """Adds two years of group accounts, the newest ending in `newest`, with their quarters and those since."""
    end = date(newest - 1, *year_end)
    before = replace(sandbox_accounts.balanced_figures(rng, rng.uniform(6.5, 9.0)), employees=None)
    own = sandbox_accounts.grown_figures(rng, before)
    first = Accounts(
        start=sandbox_accounts.financial_year_start(end),
        end=end,
        published=end + TO_FILE,
        figures=own,
        group=own,
        prior=before,
        currency="USD",
        document=0,
        document_style=FLAVOUR,
    )
    second = next_accounts(rng, first, sandbox_accounts.next_year_end(end) + TO_FILE)
    company.accounts = []
    for accounts in (first, second):
        if quarterly:
            add_quarterly_reports(company, accounts)
        company.accounts.append(add_annual_report(company, accounts))
    while quarterly and _has_unreported_quarter(company):
        add_next_quarterly_report(company)


def _has_unreported_quarter(company: Company) -> bool:
    """True if the next quarter was reported before the first day."""
    ended = [company.accounts[-1].end, *(interim.end for interim in company.american.quarterly_reports)]
    return month_after(max(ended) + timedelta(days=1), 3) + timedelta(days=45) < LAST_WEEK and (
        max(ended) - company.accounts[-1].end
    ) < timedelta(days=270)


def next_accounts(rng: Random, last: Accounts, published: date) -> Accounts:
    """Generates the next year's accounts, of the group only."""
    made = sandbox_accounts.following_accounts(rng, last, published, 0)
    return replace(made, group=made.figures)
