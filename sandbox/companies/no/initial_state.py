"""Generates a Norwegian company's state on the first day.

Pure functions of seed, market and position: any company can be regenerated at any time, so a world of a million
companies takes no memory. Does not belong here: later changes (`stories`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Final

from sandbox import numbers, vocabulary
from sandbox.companies import accounts as sandbox_accounts
from sandbox.model.company import Accounts, Company
from sandbox.model.no import RoleOwner
from sandbox.random import random_bool, seeded_random

_SMALLEST_STATED: Final = 5  # counts from 1 to 4 are withheld
ELSEWHERE: Final = 25_000_000  # positions with numbers that belong to no company of the world


def norwegian_company(seed: int, position: int, first_day: date, industry_code_set: int) -> Company:
    """Generates a Norwegian company. `industry_code_set`: 0 for SN2007 codes, 1 for SN2025."""
    rng = seeded_random(seed, "NO", position)
    form = rng.choices(("AS", "ENK", "NUF", "ASA", "DA", "STI", "FLI"), (70, 10, 6, 3, 4, 3, 4))[0]
    first, second = rng.choice(vocabulary.NORWEGIAN_FIRST), rng.choice(vocabulary.NORWEGIAN_SECOND)
    name = f"{first} {second} {position + 1} {form}"
    employees = rng.choice((None, 0, 2, 3, rng.randint(_SMALLEST_STATED, 900)))
    company = Company(
        market="NO",
        position=position,
        number=numbers.norwegian_number(position),
        name=name if form in {"AS", "ASA", "NUF", "DA"} else name.rsplit(" ", 1)[0],
        form=form,
        industry=rng.choice(vocabulary.NORWEGIAN_INDUSTRIES)[industry_code_set]
        if random_bool(rng, 0.96)
        else vocabulary.UNSTATED_INDUSTRY,
        place=None if form == "NUF" and random_bool(rng, 0.5) else rng.choice(vocabulary.NORWEGIAN_PLACES),
        street=f"{rng.choice(vocabulary.NORWEGIAN_STREETS)} {rng.randint(1, 180)}",
        registered=date(1995, 2, 19) + timedelta(days=rng.randint(0, 9_500)),
        employees=employees,
        employees_counted=date(2026, 10, 14),
        website=f"www.example{position}.no" if random_bool(rng, 0.2) else None,
        extended=random_bool(rng, 0.7),
    )
    if form in {"AS", "ASA", "NUF"} and random_bool(rng, 0.75):
        company.accounts = norwegian_accounts(
            rng, position, first_day, group=random_bool(rng, 0.15), count=rng.choice((1, 3, 3))
        )
    if not company.extended:
        # the older response format has one year and never the group
        company.accounts = [replace(accounts, group=None) for accounts in company.accounts[-1:]]
    if form == "ASA" and random_bool(rng, 0.3):  # the open accounts API does not support banks' layout
        company.industry, company.accounts = vocabulary.BANK, []
    _apply_norwegian_insolvency(rng, company)
    company.norwegian.owners = _role_owners(seed, company)
    return company


def norwegian_accounts(rng: Random, position: int, first_day: date, *, group: bool, count: int = 3) -> list[Accounts]:
    """Generates `count` years up to the second newest that could have been filed, oldest first."""
    end = sandbox_accounts.newest_year_end(rng, first_day, age=1)
    own = sandbox_accounts.balanced_figures(rng, rng.uniform(5.0, 8.5))
    if random_bool(rng, 0.1):
        own = replace(own, revenue=None)
    first = Accounts(
        start=sandbox_accounts.financial_year_start(end.replace(year=end.year - 2)),
        end=end.replace(year=end.year - 2),
        published=first_day,
        figures=replace(own, employees=None),
        group=replace(sandbox_accounts.balanced_figures(rng, 9.2), employees=None) if group else None,
        prior=None,
        currency=rng.choice(("NOK",) * 9 + ("USD",)),
        document=_registered_number(end.replace(year=end.year - 2), position),
        document_style="ifrs" if group else "small",
    )
    years = [first]
    for _ in range(2):
        number = _registered_number(sandbox_accounts.next_year_end(years[-1].end), position)
        years.append(sandbox_accounts.following_accounts(rng, years[-1], first_day, number))
    return years[-count:]


def _registered_number(end: date, position: int) -> int:
    """A journal number: ten digits, the first four the year of registration, half a year after the period."""
    return int(f"{(end + timedelta(days=184)).year}{position:06d}")


def filing_number(day: date, position: int, serial: int) -> int:
    """A journal number assigned on a day of the world; no document of the first day has the same year."""
    return int(f"{day.year}{position * 10 + serial:06d}")


def _apply_norwegian_insolvency(rng: Random, company: Company) -> None:
    """Puts a few companies in trouble from the start: a state, not an event."""
    since = date(2026, rng.randint(1, 9), rng.randint(1, 28))
    trouble = rng.choices((None, "bankruptcy", "liquidation", "forced_dissolution"), (94, 2, 2, 2))[0]
    if trouble and company.form != "ENK":
        company.status, company.status_detail, company.status_date = "dormant", trouble, since
        company.reason_field = "tvangsopplostPgaManglendeRegnskapDato" if trouble == "forced_dissolution" else None


def _role_owners(seed: int, company: Company) -> list[RoleOwner]:
    """Owners of a company on the first day, as far as roles show them: partners, a proprietor, a head office."""
    rng = seeded_random(seed, "NO", company.position, "roles")
    if company.form == "DA":
        return partner_owners(company, Decimal(60), Decimal(40))
    if company.form == "ENK":
        person = (rng.choice(vocabulary.FORENAMES), rng.choice(vocabulary.SURNAMES))
        return [RoleOwner("INNH", (person[0], "", person[1]), None, None, None, Decimal(100))]
    if company.form == "NUF":
        number = numbers.norwegian_number(ELSEWHERE + 3 * company.position)
        name = (f"MUSTER {company.position + 1}", "GMBH")
        return [RoleOwner("HFOR", name, number, "UTLA", None, Decimal(100))]
    return []


def partner_owners(company: Company, first: Decimal, second: Decimal) -> list[RoleOwner]:
    """Two companies that share a partnership; one share is written with a comma, as happens in real data."""
    found: list[RoleOwner] = []
    for place, percent in enumerate((first, second)):
        number = numbers.norwegian_number(ELSEWHERE + 3 * company.position + 1 + place)
        name = (f"DELTAKER {company.position + 1}-{place + 1}", "AS")
        share = f"{percent}%" if place else f"{percent},0 %"
        found.append(RoleOwner("DTPR", name, number, "AS", share, percent))
    return found
