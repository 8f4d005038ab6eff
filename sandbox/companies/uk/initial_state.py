"""Generates a British company's state on the first day.

Pure functions of seed, market and position: any company can be regenerated at any time, so a world of a million
companies takes no memory. Does not belong here: later changes (`stories`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from random import Random
from typing import Final

from sandbox import numbers, vocabulary
from sandbox.companies import accounts as sandbox_accounts
from sandbox.model.company import Accounts, Company, Holder
from sandbox.random import random_bool, seeded_random

_BANDS: Final = ("25-to-50", "50-to-75", "75-to-100")
_FLAVOURS: Final = ("micro", "small", "full", "group", "cic", "xml", "dormant")
_CONTROLS: Final = ("", "right-to-appoint-and-remove-directors", "significant-influence-or-control")


def british_company(seed: int, position: int, first_day: date, _industry_code_set: int) -> Company:
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
    company.is_listed = company.form == "Public Limited Company" and random_bool(rng, 0.5)
    _apply_british_status(rng, company)
    return company


def _british_form(rng: Random, number: str) -> str:
    fixed = {"OC": "Limited Liability Partnership", "OE": "Overseas Entity"}.get(number[:2])
    return fixed or rng.choice(("Private Limited Company",) * 9 + ("Public Limited Company",))


def british_accounts(rng: Random, company: Company, first_day: date, flavour: str | None = None) -> Accounts:
    """Generates the newest accounts, with the previous year as comparatives."""
    flavour = flavour or rng.choices(_FLAVOURS, (38, 28, 12, 6, 2, 8, 6))[0]
    size = {"micro": 4.6, "small": 5.6, "full": 7.0, "group": 8.0}.get(flavour, 5.0)
    end = sandbox_accounts.newest_year_end(rng, first_day, age=1)
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
        document_style=flavour,
        is_dormant=flavour == "dormant",
    )


def controlling_holder(rng: Random, company: Company, serial: int, shares: str | None, first_day: date) -> Holder:
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
        country="England And Wales" if corporate else rng.choice(("England", "United Kingdom", "Scotland", "France")),
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
    found = [controlling_holder(rng, company, serial, band, first_day) for serial, band in enumerate(bands[:count])]
    if found and random_bool(rng, 0.1):  # a former holder stays in the snapshot with its last day
        found[-1].ceased = max(first_day - timedelta(days=40), found[-1].notified)
    if random_bool(rng, 0.04):  # control without shares
        control = controlling_holder(rng, company, 8, None, first_day)
        control.votes, control.extras = None, ("significant-influence-or-control",)
        found.append(control)
    if random_bool(rng, 0.01):  # protected by law: neither name nor share is published
        found.append(
            replace(controlling_holder(rng, company, 9, None, first_day), kind="super_secure", extras=(), votes=None)
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
    if company.accounts and company.accounts[-1].is_dormant and status == "active":
        company.status = "dormant"
