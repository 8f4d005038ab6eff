"""Generates a Danish company's state on the first day.

Pure functions of seed, market and position: any company can be regenerated at any time, so a world of a million
companies takes no memory. In every forty companies four form a group, to which no story happens: a parent, its child,
a grandchild, and a company that it shares with a stranger. Does not belong here: later changes (`stories`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Final

from sandbox import numbers
from sandbox.companies import accounts as sandbox_accounts
from sandbox.companies.dk import vocabulary
from sandbox.model.company import Accounts, Company
from sandbox.model.dk import (
    BENEFICIAL_OWNERS,
    LEGAL_OWNERS,
    WHOLE,
    Address,
    DanishHolder,
    DatedValue,
    RegisterName,
    Stake,
)
from sandbox.random import random_bool, seeded_random
from sandbox.vocabulary import Industry

ELSEWHERE: Final = 400_000  # positions with numbers that belong to no company of the world
_FIRST_UNIT: Final = 4_900_000_000  # real internal numbers have reached 4.01 billion
_UNITS: Final = 50  # internal numbers of a company, its holders and bodies
PUBLICATIONS: Final = 20  # numbers of a company's publications
_CYCLE: Final = 40
PARENT, CHILD, GRANDCHILD, JOINT = 7, 11, 13, 17  # places of a group in each cycle, in which no story is cast
_STYLES: Final = ("b", "b_revenue", "c", "c_group", "c_inline", "d_ifrs")
_SIZES: Final = {"b": 5.6, "b_revenue": 5.8}
_TROUBLES: Final = (
    (vocabulary.NORMAL, "active", None),
    (vocabulary.BANKRUPTCY, "dormant", "bankruptcy"),
    (vocabulary.LIQUIDATION, "dormant", "liquidation"),
    (vocabulary.RECONSTRUCTION, "active", "reorganisation"),
)


def danish_company(seed: int, position: int, first_day: date, _industry_code_set: int) -> Company:
    """Generates a Danish company."""
    rng = seeded_random(seed, "DK", position)
    place = position % _CYCLE
    is_member = place in {PARENT, CHILD, GRANDCHILD, JOINT}
    form = vocabulary.PRIVATE if is_member else rng.choices(tuple(vocabulary.FORMS), (30, 52, 8, 5, 5))[0]
    company = Company(
        market="DK",
        position=position,
        number=numbers.danish_number(position),
        name=_company_name(rng, position, form),
        form=form,
        industry=vocabulary.HOLDINGS if place == PARENT else rng.choice(vocabulary.INDUSTRIES),
        place=rng.choice(vocabulary.PLACES),
        street=f"{rng.choice(vocabulary.STREETS)} {rng.randint(1, 180)}",
        registered=date(1995, 2, 20) + timedelta(days=rng.randint(0, 9_500)),
        employees=rng.choice((None, rng.randint(1, 900))),
        employees_counted=date(2026, 9, 30),
        website=f"www.example{position}.dk" if position % 5 == 0 else None,
    )
    if form not in vocabulary.WITHOUT_STATUS and random_bool(rng, 0.8):
        style = "c_group" if place == PARENT else rng.choices(_STYLES, (44, 16, 12, 10, 12, 6))[0]
        company.accounts = [danish_accounts(rng, company, first_day, style)]
    word, company.status, company.status_detail = rng.choices(_TROUBLES, (100 if is_member else 92, 3, 3, 2))[0]
    if is_member or form in vocabulary.WITHOUT_STATUS:
        word, company.status, company.status_detail = vocabulary.NORMAL, "active", None
    if is_member:
        company.danish.holders = _group_holders(seed, company, place)
    elif form in {vocabulary.STOCK, vocabulary.PRIVATE}:
        company.danish.holders = _first_holders(rng, company)
    company.danish.is_protected = random_bool(rng, 0.3)
    company.registry_status = word
    if word != vocabulary.NORMAL:
        company.status_date = date(2026, rng.randint(1, 9), rng.randint(1, 28))
    enter_values(company)
    return company


def _company_name(rng: Random, position: int, form: str) -> str:
    name = f"{rng.choice(vocabulary.FIRST)} {rng.choice(vocabulary.SECOND)} {position + 1}"
    return name + vocabulary.ENDINGS.get(form, "")


def enter_values(company: Company) -> None:
    """Writes the values of a first day into the register, each valid since the company's entry."""
    own, since = company.danish, company.registered
    own.names = [DatedValue(company.name, since, since)]
    own.addresses = [DatedValue(Address(company.place, company.street), since, since)]
    own.industries = _industry_values(company.industry, since) if company.industry else []
    own.forms = [DatedValue(company.form, since, since)]
    own.lives = [DatedValue(None, since, since)]
    own.statuses = []
    if company.form not in vocabulary.WITHOUT_STATUS:
        own.statuses = [DatedValue(vocabulary.NORMAL, since, since)]
        if company.status_date is not None and company.registry_status is not None:
            own.statuses[0].until = company.status_date - timedelta(days=1)
            own.statuses.append(DatedValue(company.registry_status, company.status_date, company.status_date))


def _industry_values(industry: Industry, since: date) -> list[DatedValue[Industry]]:
    """The industry in both editions of the classification, or in the newer one if the company is younger than that."""
    new_edition = vocabulary.NEW_EDITION
    values = [DatedValue(industry, max(since, new_edition), max(since, new_edition))]
    if since < new_edition:
        former = vocabulary.FORMER_INDUSTRIES[industry]
        values.insert(0, DatedValue(former, since, new_edition, until=new_edition - timedelta(days=1)))
    return values


def danish_accounts(rng: Random, company: Company, first_day: date, style: str) -> Accounts:
    """Generates the newest report, with the year before as comparatives. Small companies withhold their revenue."""
    size = _SIZES.get(style, 7.6)
    end = sandbox_accounts.newest_year_end(rng, first_day, age=1)
    before = sandbox_accounts.balanced_figures(rng, size)
    group = sandbox_accounts.balanced_figures(rng, size + 1) if style == "c_group" else None
    if style == "b":
        before = replace(before, revenue=None)
    return Accounts(
        start=sandbox_accounts.financial_year_start(end),
        end=end,
        published=end + timedelta(days=rng.randint(160, 200)),
        figures=sandbox_accounts.grown_figures(rng, before),
        group=group,
        prior=before,
        currency="EUR" if style == "d_ifrs" else "DKK",
        document=publication_number(company.position, 0),
        document_style=style,
    )


def publication_number(position: int, serial: int) -> int:
    """Number of a publication; real ones have reached some tens of millions."""
    return 900_000_000 + position * PUBLICATIONS + serial


def unit_number(position: int, serial: int = 0) -> int:
    """Internal number: `serial` 0 of a company, 1 to 29 of its holders, 30 to 49 of its bodies."""
    return _FIRST_UNIT + position * _UNITS + serial


def first_stake(shares: Decimal | None, since: date, votes: Decimal | None = None) -> list[DatedValue[Stake]]:
    """A holding that has begun and not ended; votes as shares unless stated."""
    return [DatedValue(Stake(shares, shares if votes is None else votes), since, since)]


def personal_holder(
    rng: Random, company: Company, serial: int, register: RegisterName, stakes: list[DatedValue[Stake]]
) -> DanishHolder:
    """A person in one of the two registers; a person of one serial is the same in both."""
    name = f"{vocabulary.FORENAMES[(company.position + serial) % len(vocabulary.FORENAMES)]} "
    name += vocabulary.SURNAMES[(company.position * 5 + serial) % len(vocabulary.SURNAMES)]
    country = rng.choice(("DK", "DK", "DK", "SE"))
    is_hidden = random_bool(rng, 0.2)
    return DanishHolder(
        unit_number(company.position, serial), "PERSON", name, country, register, stakes, is_hidden=is_hidden
    )


def corporate_holder(company: Company, serial: int, stakes: list[DatedValue[Stake]]) -> DanishHolder:
    """A Danish company outside the world."""
    elsewhere = ELSEWHERE + company.position * 3 + serial % 3
    name = f"{vocabulary.FIRST[company.position % len(vocabulary.FIRST)]} Invest {company.position + 1}-{serial} ApS"
    return DanishHolder(
        unit_number(elsewhere), "VIRKSOMHED", name, "DK", LEGAL_OWNERS, stakes, numbers.danish_number(elsewhere)
    )


def foreign_holder(company: Company, serial: int, stakes: list[DatedValue[Stake]]) -> DanishHolder:
    """A company abroad, which has no Danish number."""
    name = f"Muster Beteiligung {company.position + 1} GmbH"
    unit = unit_number(company.position, serial)
    return DanishHolder(unit, "ANDEN_DELTAGER", name, "DE", LEGAL_OWNERS, stakes)


def _first_holders(rng: Random, company: Company) -> list[DanishHolder]:
    """Legal owners by band, and behind them persons with exact shares or with influence alone."""
    since = company.registered
    person = personal_holder(rng, company, 1, LEGAL_OWNERS, first_stake(WHOLE, since))
    behind = replace(person, register=BENEFICIAL_OWNERS, stakes=first_stake(WHOLE, since))
    match rng.choice(("one", "two", "firm", "foreign", "many", "role")):
        case "one":
            return [person, behind]
        case "two":
            return _two_holders(rng, company, person)
        case "firm":
            return [corporate_holder(company, 3, first_stake(WHOLE, since)), behind]
        case "foreign":
            return [foreign_holder(company, 4, first_stake(Decimal(90), since)), behind]
        case "many":
            return [
                personal_holder(rng, company, serial, LEGAL_OWNERS, first_stake(Decimal(5), since))
                for serial in range(10, 16)
            ]
        case _:
            return [replace(behind, stakes=[DatedValue(Stake(None, None), since, since)], role=_DAILY_MANAGEMENT)]


def _two_holders(rng: Random, company: Company, person: DanishHolder) -> list[DanishHolder]:
    """Two owners, of whom the smaller has more votes than shares: each in both registers."""
    since = company.registered
    other = personal_holder(rng, company, 2, LEGAL_OWNERS, first_stake(Decimal(25), since, Decimal("33.33")))
    stakes = {
        person.unit: first_stake(Decimal("70.25"), since),
        other.unit: first_stake(Decimal("29.75"), since, Decimal("33.4")),
    }
    behind = [replace(one, register=BENEFICIAL_OWNERS, stakes=stakes[one.unit]) for one in (person, other)]
    return [replace(person, stakes=first_stake(Decimal("66.67"), since)), other, *behind]


_DAILY_MANAGEMENT: Final = "Er reel ejer som udpeget daglig ledelse"


def _group_holders(seed: int, company: Company, place: int) -> list[DanishHolder]:
    """Owners of a member of a group: by its parent, by the child, or by the parent and a stranger."""
    rng = seeded_random(seed, "DK", company.position, "group")
    first, since = company.position - place, company.registered
    if place == PARENT:
        person = personal_holder(rng, company, 1, LEGAL_OWNERS, first_stake(WHOLE, since))
        return [person, replace(person, register=BENEFICIAL_OWNERS, stakes=first_stake(WHOLE, since))]
    if place == CHILD:
        return [_member_holder(seed, first + PARENT, first_stake(WHOLE, since))]
    if place == GRANDCHILD:
        minority = personal_holder(rng, company, 1, LEGAL_OWNERS, first_stake(Decimal(10), since))
        return [_member_holder(seed, first + CHILD, first_stake(Decimal("66.67"), since)), minority]
    return [
        _member_holder(seed, first + PARENT, first_stake(Decimal("33.33"), since)),
        foreign_holder(company, 4, first_stake(Decimal(50), since)),
    ]


def _member_holder(seed: int, position: int, stakes: list[DatedValue[Stake]]) -> DanishHolder:
    """A company of the world, to which no story happens, as a holder."""
    name = _company_name(_name_rng(seed, position), position, vocabulary.PRIVATE)
    number = numbers.danish_number(position)
    return DanishHolder(unit_number(position), "VIRKSOMHED", name, "DK", LEGAL_OWNERS, stakes, number)


def _name_rng(seed: int, position: int) -> Random:
    """The generator as `danish_company` has it when a member of a group gets its name."""
    return seeded_random(seed, "DK", position)
