"""Generates a Swedish company's state on the first day: pure functions of seed, position and version of the codes.

Belongs here: random choices. Does not belong here: later changes (`stories`), or the registers' formats
(`sandbox.se`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from random import Random
from typing import Final

from sandbox import numbers
from sandbox.companies import accounts
from sandbox.companies.se import vocabulary
from sandbox.model.company import Accounts, Company, Figures
from sandbox.model.se import NEVER_ACTIVE, NO_LONGER_ACTIVE, OverviewYear, SwedishDetails
from sandbox.random import random_bool, seeded_random
from sandbox.vocabulary import Industry

THOUSANDS: Final = frozenset({"k3", "k3k"})  # flavours printed in thousands
_FLAVOURS: Final = ("k2", "k2_2017", "k2_short", "k3", "k3k")
_FILERS: Final = ("AB", "EK")
_YOUNG_CYCLE, _YOUNG = 15, 4  # one company in so many was registered recently
_GONE_CYCLE, _GONE = 8, 2  # and one was deregistered long ago: the register keeps them all
_UNKNOWN_CYCLE, _UNKNOWN = 60, 33  # and one is unknown to SCB
_PUBLIC_CYCLE: Final = 13
_SEAT_CYCLE, _SEAT = 7, 3  # one in so many has its seat elsewhere than its post
_YEARS: Final = 5  # of figures behind a report: its own, the previous one, two of the overview, one spare
_TROUBLES: Final = {"KK": "bankruptcy", "LI": "liquidation", "FR": "reorganisation", "FUOT": None}


def swedish_company(seed: int, position: int, first_day: date, industry_code_set: int) -> Company:
    """Generates a Swedish company. `industry_code_set`: 0 for SNI 2007 codes, 1 for SNI 2025."""
    rng = seeded_random(seed, "SE", position)
    form = rng.choices(tuple(vocabulary.FORMS), (74, 6, 3, 6, 6, 5))[0]
    registered = date(1951, 3, 1) + timedelta(days=rng.randint(0, 27_000))
    industry = rng.choice(vocabulary.INDUSTRIES)[industry_code_set] if random_bool(rng, 0.95) else Industry("00000", "")
    company = Company(
        market="SE",
        position=position,
        number=numbers.swedish_number(position),
        name=_company_name(rng, form, position),
        form=form,
        industry=industry,
        place=None if random_bool(rng, 0.03) else rng.choice(vocabulary.PLACES),
        street=f"{rng.choice(vocabulary.STREETS)} {rng.randint(1, 180)}",
        registered=registered,
        swedish=SwedishDetails(name_registered_on=registered, declines_advertising=random_bool(rng, 0.3)),
    )
    if form in _FILERS and random_bool(rng, 0.75):
        flavour = rng.choices(_FLAVOURS, (40, 15, 15, 20, 10))[0]
        company.accounts = swedish_accounts(
            rng, company, first_day, flavour, count=1 + (flavour != "k3k" and random_bool(rng, 0.4))
        )
    _apply_initial_status(rng, company, industry)
    if position % _SEAT_CYCLE == _SEAT and company.swedish.activity is not None:
        company.swedish.seat = vocabulary.PLACES[position % len(vocabulary.PLACES)]
    return company


def _company_name(rng: Random, form: str, position: int) -> str:
    words = {"first": rng.choice(vocabulary.FIRST), "second": rng.choice(vocabulary.SECOND)}
    name = vocabulary.FORMS[form][2].format(number=position + 1, **words)
    return f"{name} (publ)" if is_public(form, position) else name


def is_public(form: str, position: int) -> bool:
    """True if the company's shares are traded, so that the registers of issuers list it."""
    return form == "AB" and position % _PUBLIC_CYCLE == 0


def _apply_initial_status(rng: Random, company: Company, industry: Industry) -> None:
    """Makes some recently registered, deregistered, in trouble or idle from the start: states, not events."""
    position = company.position
    if position % _YOUNG_CYCLE == _YOUNG:
        mark_newly_registered(company, date(2026, 10, 5) + timedelta(days=position % 20), industry)
        if position % 2:  # SCB has its row only in some weeks
            remove_statistics(company)
    elif position % _GONE_CYCLE == _GONE:
        mark_deregistered(
            company, date(2009, 1, 7) + timedelta(days=rng.randint(0, 6_000)), rng.choice(tuple(vocabulary.REASONS))
        )
        remove_statistics(company)
    elif position % _UNKNOWN_CYCLE == _UNKNOWN:
        remove_statistics(company)
        company.status = "dormant"
    else:
        _apply_insolvency(rng, company)


def _apply_insolvency(rng: Random, company: Company) -> None:
    code = rng.choices((None, "KK", "LI", "FR", "FUOT", "idle", "never"), (82, 3, 3, 2, 2, 6, 2))[0]
    if code in {"idle", "never"}:
        company.swedish.activity = NO_LONGER_ACTIVE if code == "idle" else NEVER_ACTIVE
        company.status, company.status_detail = "dormant", "no_trading"
    elif code:
        start_proceedings(company, code, date(2026, rng.randint(1, 9), rng.randint(1, 28)))


def mark_newly_registered(company: Company, day: date, industry: Industry) -> None:
    """Makes it recently registered: no accounts yet, and so young that the API is queried."""
    company.registered = company.swedish.name_registered_on = day
    company.swedish.is_looked_up = True
    company.industry = industry
    company.accounts = []


def mark_deregistered(company: Company, day: date, reason: str) -> None:
    """Deregisters the company on a day; the register's row stays permanently."""
    company.swedish.deregistered, company.swedish.reason = day, reason
    company.status, company.status_detail, company.status_date = "dissolved", None, day


def start_proceedings(company: Company, code: str, since: date) -> None:
    """Puts the company in proceedings; the contract defines the resulting status."""
    company.swedish.proceedings = ((code, since),)
    detail = _TROUBLES[code]
    company.status = "dormant" if detail in {"bankruptcy", "liquidation"} else "active"
    company.status_detail, company.status_date = detail, since


def remove_statistics(company: Company) -> None:
    """Removes SCB's row, so that the industry is unknown."""
    company.swedish.activity, company.industry = None, None


def swedish_accounts(rng: Random, company: Company, first_day: date, flavour: str, count: int = 1) -> list[Accounts]:
    """Generates `count` reports up to the second newest that could have been filed, oldest first."""
    month, day = rng.choice(((12, 31), (12, 31), (4, 30), (6, 30)))
    newest = date(first_day.year - (month == 12) - 1, month, day)  # noqa: PLR2004 - December
    size = rng.uniform(7.0, 8.5) if flavour in THOUSANDS else rng.uniform(5.2, 7.0)
    own = _printed_figures(accounts.balanced_figures(rng, size), flavour)
    series = [replace(own, revenue=None) if flavour == "k2_short" else own]
    for _ in range(_YEARS):
        series.append(_printed_figures(accounts.grown_figures(rng, series[-1]), flavour))
    group = _printed_figures(accounts.balanced_figures(rng, size + 1), flavour) if flavour == "k3k" else None
    currency = "EUR" if company.position % 17 == 3 else "SEK"  # noqa: PLR2004 - allowed, and rare
    reports = [
        _annual_report(series[:place], newest.replace(year=newest.year + place - len(series)), group, currency, flavour)
        for place in range(len(series) - count + 1, len(series) + 1)
    ]
    numbered = enumerate(reports, company.position * 10)
    return [replace(report, published=first_day, document=number) for number, report in numbered]


def _annual_report(series: list[Figures], end: date, group: Figures | None, currency: str, flavour: str) -> Accounts:
    """Builds the report of the last year of a series."""
    start = accounts.financial_year_start(end)
    return Accounts(
        start=start,
        end=end,
        published=end,
        figures=series[-1],
        group=group,
        prior=series[-2],
        currency=currency,
        document=0,
        document_style=flavour,
        overview_years=tuple(
            overview
            for back, said in ((2, series[-3]), (3, series[-4]))
            if (overview := _overview_year(start, end, back, said)) is not None
        ),
    )


def _overview_year(start: date, end: date, back: int, said: Figures) -> OverviewYear | None:
    if said.revenue is None:
        return None
    began = start.replace(year=start.year - back)
    return OverviewYear(began, end.replace(year=end.year - back), round(said.revenue, -3))


def _printed_figures(said: Figures, flavour: str) -> Figures:
    return accounts.balanced_thousands(said) if flavour in THOUSANDS else said


def next_report(rng: Random, last: Accounts, published: date, document: int) -> Accounts:
    """Generates the report of the year after `last`."""
    following = accounts.following_accounts(rng, last, published, document)
    group = None if following.group is None else _printed_figures(following.group, last.document_style)
    prior = None if last.prior is None else _overview_year(last.start, last.end, 1, last.prior)
    overview = () if prior is None else (prior, *last.overview_years[:1])
    return replace(
        following,
        figures=_printed_figures(following.figures, last.document_style),
        group=group,
        overview_years=overview,
    )
