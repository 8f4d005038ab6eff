"""Generates a company's state on the first day: pure functions of seed, market and position.

Nothing is stored: any company can be regenerated at any time, so a world of a million companies takes no memory.
Does not belong here: later changes (`stories`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from random import Random
from typing import Final

from sandbox import accounts as sandbox_accounts
from sandbox import numbers, vocabulary
from sandbox.fi import initial_state as fi_initial_state
from sandbox.model import Accounts, Company, Holder
from sandbox.no import initial_owners
from sandbox.random import random_bool, seeded_random
from sandbox.se import initial_state as se_initial_state
from sandbox.us import initial_state as us_initial_state

_SMALLEST_STATED: Final = 5  # Norway: counts from 1 to 4 are withheld
_BANDS: Final = ("25-to-50", "50-to-75", "75-to-100")
_FLAVOURS: Final = ("micro", "small", "full", "group", "cic", "xml", "dormant")
_CONTROLS: Final = ("", "right-to-appoint-and-remove-directors", "significant-influence-or-control")


def _year_end(rng: Random, first_day: date, age: int) -> date:
    """A month end, `age` whole years before the newest financial year that could have been filed by now."""
    month, day = rng.choice(((12, 31), (12, 31), (3, 31), (6, 30)))
    newest = date(first_day.year - (month > 6), month, day)  # noqa: PLR2004 - half a year to file
    return newest.replace(year=newest.year - age)


def norwegian_company(seed: int, position: int, first_day: date, edition: int) -> Company:
    """Generates a Norwegian company. `edition`: 0 for SN2007 codes, 1 for SN2025."""
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
        industry=rng.choice(vocabulary.NORWEGIAN_INDUSTRIES)[edition]
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
    company.norwegian.owners = initial_owners.role_owners(seed, company)
    return company


def norwegian_accounts(
    rng: Random, position: int, first_day: date, *, group: bool, count: int = 3
) -> list[Accounts]:
    """Generates `count` years up to the second newest that could have been filed, oldest first."""
    end = _year_end(rng, first_day, age=1)
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
        flavour="ifrs" if group else "small",
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
        company.reason_field = (
            "tvangsopplostPgaManglendeRegnskapDato" if trouble == "forced_dissolution" else None
        )


def british_company(seed: int, position: int, first_day: date, _edition: int) -> Company:
    rng = seeded_random(seed, "UK", position)
    number = numbers.british_number(position)
    ending = {"OC": "LLP", "OE": "S.A."}.get(number[:2], rng.choice(("LIMITED", "LTD")))
    name = f"{rng.choice(vocabulary.BRITISH_FIRST)} {rng.choice(vocabulary.BRITISH_SECOND)} {position + 1} {ending}"
    if random_bool(rng, 0.03):
        name = rng.choice(vocabulary.ODD_NAMES).format(name=name)
    company = Company(
        market="UK",
        position=position,
        number=number,
        name=name,
        form=_british_form(rng, number),
        industry=rng.choice(vocabulary.BRITISH_INDUSTRIES) if random_bool(rng, 0.97) else None,
        place=rng.choice(vocabulary.BRITISH_PLACES),
        street=f"{rng.randint(1, 180)} {rng.choice(vocabulary.BRITISH_STREETS)}",
        registered=date(1985, 1, 2) + timedelta(days=rng.randint(0, 13_800)),
        registry_status="Active",
    )
    if number[:2] != "OE" and random_bool(rng, 0.75):
        company.accounts = [british_accounts(rng, company, first_day)]
    company.holders = _initial_holders(rng, company, first_day)
    company.listed = company.form == "Public Limited Company" and random_bool(rng, 0.5)
    _apply_british_status(rng, company)
    return company


def _british_form(rng: Random, number: str) -> str:
    fixed = {"OC": "Limited Liability Partnership", "OE": "Overseas Entity"}.get(number[:2])
    return fixed or rng.choice(("Private Limited Company",) * 9 + ("Public Limited Company",))


def british_accounts(rng: Random, company: Company, first_day: date, flavour: str | None = None) -> Accounts:
    """Generates the newest accounts, with the previous year as comparatives."""
    flavour = flavour or rng.choices(_FLAVOURS, (38, 28, 12, 6, 2, 8, 6))[0]
    size = {"micro": 4.6, "small": 5.6, "full": 7.0, "group": 8.0}.get(flavour, 5.0)
    end = _year_end(rng, first_day, age=1)
    before = sandbox_accounts.balanced_figures(rng, size)
    now = sandbox_accounts.grown_figures(rng, before)
    group = (
        sandbox_accounts.balanced_thousands(sandbox_accounts.balanced_figures(rng, size + 1))
        if flavour == "group"
        else None
    )
    if flavour not in {"full", "group"}:
        before, now = (sandbox_accounts.without_profit_and_loss(item, flavour) for item in (before, now))
    if flavour == "group":
        before, now = sandbox_accounts.balanced_thousands(before), sandbox_accounts.balanced_thousands(now)
    return Accounts(
        start=sandbox_accounts.financial_year_start(end),
        end=end,
        published=first_day,
        figures=now,
        group=group,
        prior=before,
        currency="GBP",
        document=company.position * 10,
        flavour=flavour,
        dormant=flavour == "dormant",
    )


def controlling_holder(
    rng: Random, company: Company, serial: int, shares: str | None, first_day: date
) -> Holder:
    """Generates a person or company with control, notified before the first day."""
    kind = rng.choices(("individual", "corporate"), (85, 15))[0]
    person = f"{rng.choice(vocabulary.TITLES)} {rng.choice(vocabulary.FORENAMES)} {rng.choice(vocabulary.SURNAMES)}"
    other = numbers.british_number(company.position + 1_000_000 + serial)
    firm = f"{rng.choice(vocabulary.BRITISH_FIRST).title()} Group {company.position + 1} Limited"
    corporate = kind == "corporate"
    return Holder(
        key=f"{company.number.lower()}-{serial}-{rng.getrandbits(64):016x}",
        name=firm if corporate else person,
        kind=kind,
        country="England And Wales"
        if corporate
        else rng.choice(("England", "United Kingdom", "Scotland", "France")),
        shares=shares,
        votes=shares if random_bool(rng, 0.7) else None,
        notified=first_day - timedelta(days=rng.randint(60, 3_800)),
        number=other if corporate else None,
        extras=tuple(filter(None, (rng.choice(_CONTROLS),))),
        born=(rng.randint(1940, 2000), rng.randint(1, 12)),
    )


def _initial_holders(rng: Random, company: Company, first_day: date) -> list[Holder]:
    if company.number[:2] == "OE":
        return [controlling_holder(rng, company, 0, "more-than-25", first_day)]
    count = rng.choices((0, 1, 2, 3), (10, 60, 25, 5))[0]
    bands = (rng.choice(_BANDS),) if count == 1 else ("25-to-50",) * count
    found = [
        controlling_holder(rng, company, serial, band, first_day) for serial, band in enumerate(bands[:count])
    ]
    if found and random_bool(rng, 0.1):  # a former holder stays in the snapshot with its last day
        found[-1].ceased = max(first_day - timedelta(days=40), found[-1].notified)
    if random_bool(rng, 0.04):  # control without shares
        control = controlling_holder(rng, company, 8, None, first_day)
        control.votes, control.extras = None, ("significant-influence-or-control",)
        found.append(control)
    if random_bool(rng, 0.01):  # protected by law: neither name nor share is published
        found.append(
            replace(
                controlling_holder(rng, company, 9, None, first_day),
                kind="super_secure",
                extras=(),
                votes=None,
            )
        )
    return found


def _apply_british_status(rng: Random, company: Company) -> None:
    word, status, detail = rng.choices(
        (
            ("Active", "active", None),
            ("Active - Proposal to Strike off", "active", "struck_off_pending"),
            ("Liquidation", "dormant", "liquidation"),
            ("In Administration", "active", "reorganisation"),
            ("Voluntary Arrangement", "active", "reorganisation"),
        ),
        (92, 4, 2, 1, 1),
    )[0]
    company.registry_status, company.status, company.status_detail = word, status, detail
    if company.accounts and company.accounts[-1].dormant and status == "active":
        company.status = "dormant"


BIRTHS: Final[Mapping[str, Callable[[int, int, date, int], Company]]] = {
    "NO": norwegian_company,
    "UK": british_company,
    "FI": fi_initial_state.finnish_company,
    "SE": se_initial_state.swedish_company,
    "US": us_initial_state.american_company,
}
