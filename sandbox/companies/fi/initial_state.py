"""Generates a Finnish company's state on the first day from seed and position (docs/formats/fi.md 2 and 3).

Does not belong here: later changes (`stories`, `stories_listed`), or the registers' formats.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from random import Random
from typing import Final

from sandbox import numbers
from sandbox.companies import accounts as sandbox_accounts
from sandbox.companies.fi import vocabulary
from sandbox.model.company import Accounts, Company
from sandbox.model.fi import FinnishDetails, LegalSituation, RegisteredNotice, RegisterEntry
from sandbox.random import random_bool, seeded_random

TRADE, EMPLOYER, VAT, PREPAYMENT = "1", "5", "6", "7"  # registers (REK)
TAX_REGISTERS: Final = (EMPLOYER, VAT, PREPAYMENT)
CODE_SETS: Final = ("TOIMI3", "TOIMI4")  # TOL 2008 and TOL 2025
OLD_SETS: Final = ("TOIMI2", "TOIMI3")  # TOL 2002 and TOL 2008: kept by ceased companies
FLAVOURS: Final = ("full", "carrying", "prefixed", "holding")
RECODED: Final = date(2026, 1, 1)  # the day on which every record moved to TOL 2025
SCHEME_BEGAN: Final = date(1978, 3, 15)  # no business id is older
_KINDS: Final = {TRADE: "1", EMPLOYER: "55", VAT: "80", PREPAYMENT: "41"}
_ENDINGS: Final = {  # form -> prefix and suffix of a name
    vocabulary.LIMITED: ("", " Oy"),
    vocabulary.PUBLIC: ("", " Oyj"),
    vocabulary.HOUSING: ("Asunto Oy ", ""),
    vocabulary.REAL_ESTATE: ("Kiinteistö Oy ", ""),
}
DECEMBER: Final = ((12, 31),)
YEAR_ENDS: Final = (*DECEMBER, *DECEMBER, (9, 30), (3, 31), (6, 30))
_TO_FILE: Final = timedelta(days=190)


def finnish_company(seed: int, position: int, first_day: date, industry_code_set: int) -> Company:
    """Generates a Finnish company. `industry_code_set`: 0 for TOL 2008 codes, 1 for TOL 2025."""
    rng = seeded_random(seed, "FI", position)
    form = rng.choices(
        (vocabulary.LIMITED, vocabulary.PUBLIC, vocabulary.HOUSING, vocabulary.REAL_ESTATE), (82, 3, 10, 5)
    )[0]
    line = rng.choice(vocabulary.LINES)
    name = f"{rng.choice(vocabulary.FIRST)} {rng.choice(vocabulary.SECOND)} {position + 1}"
    company = Company(
        market="FI",
        position=position,
        number=numbers.finnish_number(position),
        name=name_with_form(name, form),
        form=form,
        industry=line.industry(industry_code_set) if random_bool(rng, 0.95) else None,
        place=rng.choice(vocabulary.PLACES) if random_bool(rng, 0.97) else None,
        street=f"{rng.choice(vocabulary.STREETS)} {rng.randint(1, 180)}",
        registered=date(1965, 1, 4) + timedelta(days=rng.randint(0, 21_000)),
        website=f"www.example{position}.fi" if random_bool(rng, 0.2) else None,
    )
    company.finnish = _initial_finnish_details(rng, company)
    company.finnish.code_set = CODE_SETS[industry_code_set]
    if form in {vocabulary.LIMITED, vocabulary.HOUSING} and random_bool(rng, 0.6):
        newest, count = first_day.year - rng.choice((1, 2)), rng.choice((1, 2))
        company.accounts = finnish_accounts(rng, company, newest, rng.choice(FLAVOURS), count)
    company.finnish.notices = [accounts_notice(company, item, serial) for serial, item in enumerate(company.accounts)]
    if not company.accounts and random_bool(rng, 0.5):  # most file on paper, which only a notice reports
        day = first_day - timedelta(days=rng.randint(20, 400))
        company.finnish.notices = [RegisteredNotice(day, "TA", ("TILTAR",), record_number(company, 0))]
    _apply_initial_status(rng, company, first_day, line.industry(0))
    return company


def name_with_form(name: str, form: str) -> str:
    """The name with its legal form; housing companies have it in front."""
    front, end = _ENDINGS[form]
    return f"{front}{name}{end}"


def name_without_form(company: Company) -> str:
    """The name without its legal form."""
    front, end = _ENDINGS[company.form]
    return company.name.removeprefix(front).removesuffix(end)


def _initial_finnish_details(rng: Random, company: Company) -> FinnishDetails:
    """Enters the company in the Trade Register, and mostly in some of the Tax Administration's registers."""
    found = FinnishDetails(modified=company.registered, parallel=_parallel_name(rng, company))
    found.entries = [RegisterEntry(TRADE, _KINDS[TRADE], company.registered)]
    if random_bool(rng, 0.7):
        for register in TAX_REGISTERS:
            if random_bool(rng, 0.7):
                since = company.registered + timedelta(days=rng.randint(0, 300))
                found.entries.append(RegisterEntry(register, _KINDS[register], since))
    if random_bool(rng, 0.2):  # the only case in which the current name has the higher version
        found.auxiliary = f"{vocabulary.FIRST[company.position % len(vocabulary.FIRST)]} Palvelut"
    return found


def _parallel_name(rng: Random, company: Company) -> str | None:
    if not random_bool(rng, 0.15):
        return None
    return f"{name_without_form(company)} {rng.choice(('Ab', 'Ltd'))}"


def replace_tax_entries(company: Company, since: date) -> None:
    """Registers as an employer, for VAT and for prepayment; replaces earlier entries of these registers."""
    kept = [entry for entry in company.finnish.entries if entry.register == TRADE]
    company.finnish.entries = [
        *kept, *(RegisterEntry(register, _KINDS[register], since) for register in TAX_REGISTERS)
    ]  # fmt: skip


def finnish_accounts(
    rng: Random,
    company: Company,
    newest: int,
    flavour: str,
    count: int = 2,
    year_ends: tuple[tuple[int, int], ...] = YEAR_ENDS,
) -> list[Accounts]:
    """Generates `count` years filed digitally, oldest first, the newest ending in `newest`."""
    month, day = rng.choice(year_ends)
    end = date(newest - count + 1, month, day)
    own = _initial_figures(rng, flavour)
    first = Accounts(
        start=sandbox_accounts.financial_year_start(end),
        end=end,
        published=end + _TO_FILE,
        figures=sandbox_accounts.grown_figures(rng, own),
        group=None,
        prior=own,
        currency="EUR",
        document=company.position * 10,
        document_style=flavour,
    )
    years = [first]
    while len(years) < count:
        years.append(next_accounts(rng, years[-1], sandbox_accounts.next_year_end(years[-1].end) + _TO_FILE))
    return years


def next_accounts(rng: Random, last: Accounts, published: date) -> Accounts:
    """Generates the next year's accounts."""
    return sandbox_accounts.following_accounts(rng, last, published, last.document + 1)


def _initial_figures(rng: Random, flavour: str) -> sandbox_accounts.Figures:
    """Figures without a headcount, which the served facts lack; a holding company has no revenue.

    See docs/formats/fi.md 3.3.
    """
    made = replace(sandbox_accounts.balanced_figures(rng, rng.uniform(4.5, 7.0)), employees=None)
    return replace(made, revenue=None) if flavour == "holding" else made


def accounts_notice(company: Company, item: Accounts, serial: int) -> RegisteredNotice:
    """Adds the notice that annual accounts were registered."""
    return RegisteredNotice(item.published, "TA", ("TILTAR",), record_number(company, serial))


def record_number(company: Company, serial: int) -> str:
    return f"{100_000 + company.position * 100 + serial}"


def _apply_initial_status(rng: Random, company: Company, first_day: date, old: vocabulary.Industry) -> None:
    """Makes some ceased, in trouble, idle, or not yet registered: states from the start, not events."""
    since = first_day - timedelta(days=rng.randint(40, 900))
    kind = rng.choices(("alive", "ceased", "KONK", "SELTILA", "SANE", "idle", "pending"), (80, 8, 2, 2, 2, 4, 2))[0]
    if kind == "ceased":
        end_registration(company, since)
        company.status, company.status_date = "dissolved", since
        # ceased companies keep their last industry code
        company.finnish.code_set = OLD_SETS[company.position % 2]
        company.industry = company.industry and old
    elif kind in SITUATIONS:
        company.finnish.situations = [LegalSituation(kind, since)]
        company.status, company.status_detail = SITUATIONS[kind]
        company.status_date = since
    elif kind == "idle":
        _mark_idle(company, since)
    elif kind == "pending":
        company.finnish.entries = [RegisterEntry(TRADE, "0", company.registered)]
        company.accounts, company.finnish.notices = [], []


def _mark_idle(company: Company, since: date) -> None:
    """Removes the company from all tax registers; for a housing company that means nothing."""
    replace_tax_entries(company, company.registered)
    for entry in company.finnish.entries:
        if entry.register != TRADE:
            entry.ended = since
    if company.form in {vocabulary.LIMITED, vocabulary.PUBLIC}:
        company.status, company.status_detail, company.status_date = "dormant", IDLE_DETAIL, since


def end_registration(company: Company, day: date) -> None:
    """Ends the company's names and entries; it stays in the file."""
    company.finnish.ended = day
    for entry in company.finnish.entries:
        entry.ended = entry.ended or day - timedelta(days=1)
    company.finnish.entries.append(RegisterEntry(TRADE, "4", day))
    for situation in company.finnish.situations:
        situation.ended = situation.ended or day


IDLE_DETAIL: Final = "business_suspended"
SITUATIONS: Final = {
    "KONK": ("dormant", "bankruptcy"),
    "SELTILA": ("dormant", "liquidation"),
    "SANE": ("active", "reorganisation"),
}
