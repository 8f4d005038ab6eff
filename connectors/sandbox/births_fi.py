"""Generates a Finnish company's state on the first day from seed and position (docs/formats/fi.md 2 and 3).

Does not belong here: later changes (`stories_fi`, `stories_listed_fi`), or the registers' formats.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from random import Random
from typing import Final

from connectors.sandbox import figures, names_fi
from connectors.sandbox.chance import dice, happens
from connectors.sandbox.model import Accounts, Company
from connectors.sandbox.model_fi import Entry, Finnish, Notice, Situation
from connectors.sandbox.numbers_fi import finnish as business_id

TRADE, EMPLOYER, VAT, PREPAYMENT = "1", "5", "6", "7"  # registers (REK)
TAX_REGISTERS: Final = (EMPLOYER, VAT, PREPAYMENT)
CODE_SETS: Final = ("TOIMI3", "TOIMI4")  # TOL 2008 and TOL 2025
OLD_SETS: Final = ("TOIMI2", "TOIMI3")  # TOL 2002 and TOL 2008: kept by ceased companies
FLAVOURS: Final = ("full", "carrying", "prefixed", "holding")
RECODED: Final = date(2026, 1, 1)  # the day on which every record moved to TOL 2025
SCHEME_BEGAN: Final = date(1978, 3, 15)  # no business id is older
_KINDS: Final = {TRADE: "1", EMPLOYER: "55", VAT: "80", PREPAYMENT: "41"}
_ENDINGS: Final = {  # form -> prefix and suffix of a name
    names_fi.LIMITED: ("", " Oy"),
    names_fi.PUBLIC: ("", " Oyj"),
    names_fi.HOUSING: ("Asunto Oy ", ""),
    names_fi.REAL_ESTATE: ("Kiinteistö Oy ", ""),
}
DECEMBER: Final = ((12, 31),)
YEAR_ENDS: Final = (*DECEMBER, *DECEMBER, (9, 30), (3, 31), (6, 30))
_TO_FILE: Final = timedelta(days=190)


def finnish(seed: int, position: int, first_day: date, edition: int) -> Company:
    """Generates a Finnish company. `edition`: 0 for TOL 2008 codes, 1 for TOL 2025."""
    rng = dice(seed, "FI", position)
    form = rng.choices(
        (names_fi.LIMITED, names_fi.PUBLIC, names_fi.HOUSING, names_fi.REAL_ESTATE), (82, 3, 10, 5)
    )[0]
    line = rng.choice(names_fi.LINES)
    name = f"{rng.choice(names_fi.FIRST)} {rng.choice(names_fi.SECOND)} {position + 1}"
    company = Company(
        market="FI",
        position=position,
        number=business_id(position),
        name=named(name, form),
        form=form,
        industry=line.industry(edition) if happens(rng, 0.95) else None,
        place=rng.choice(names_fi.PLACES) if happens(rng, 0.97) else None,
        street=f"{rng.choice(names_fi.STREETS)} {rng.randint(1, 180)}",
        registered=date(1965, 1, 4) + timedelta(days=rng.randint(0, 21_000)),
        website=f"www.example{position}.fi" if happens(rng, 0.2) else None,
    )
    company.finnish = _registered(rng, company)
    company.finnish.code_set = CODE_SETS[edition]
    if form in {names_fi.LIMITED, names_fi.HOUSING} and happens(rng, 0.6):
        newest, count = first_day.year - rng.choice((1, 2)), rng.choice((1, 2))
        company.accounts = accounts(rng, company, newest, rng.choice(FLAVOURS), count)
    company.finnish.notices = [filed(company, item, serial) for serial, item in enumerate(company.accounts)]
    if not company.accounts and happens(rng, 0.5):  # most file on paper, which only a notice reports
        day = first_day - timedelta(days=rng.randint(20, 400))
        company.finnish.notices = [Notice(day, "TA", ("TILTAR",), record_number(company, 0))]
    _fate(rng, company, first_day, line.industry(0))
    return company


def named(name: str, form: str) -> str:
    """The name with its legal form; housing companies have it in front."""
    front, end = _ENDINGS[form]
    return f"{front}{name}{end}"


def stem(company: Company) -> str:
    """The name without its legal form."""
    front, end = _ENDINGS[company.form]
    return company.name.removeprefix(front).removesuffix(end)


def _registered(rng: Random, company: Company) -> Finnish:
    """Enters the company in the Trade Register, and mostly in some of the Tax Administration's registers."""
    found = Finnish(modified=company.registered, parallel=_parallel(rng, company))
    found.entries = [Entry(TRADE, _KINDS[TRADE], company.registered)]
    if happens(rng, 0.7):
        for register in TAX_REGISTERS:
            if happens(rng, 0.7):
                since = company.registered + timedelta(days=rng.randint(0, 300))
                found.entries.append(Entry(register, _KINDS[register], since))
    if happens(rng, 0.2):  # the only case in which the current name has the higher version
        found.auxiliary = f"{names_fi.FIRST[company.position % len(names_fi.FIRST)]} Palvelut"
    return found


def _parallel(rng: Random, company: Company) -> str | None:
    if not happens(rng, 0.15):
        return None
    return f"{stem(company)} {rng.choice(('Ab', 'Ltd'))}"


def tax_entries(company: Company, since: date) -> None:
    """Registers as an employer, for VAT and for prepayment; replaces earlier entries of these registers."""
    kept = [entry for entry in company.finnish.entries if entry.register == TRADE]
    company.finnish.entries = [
        *kept, *(Entry(register, _KINDS[register], since) for register in TAX_REGISTERS)
    ]  # fmt: skip


def accounts(
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
    own = _figures(rng, flavour)
    first = Accounts(
        start=figures.year_ending(end),
        end=end,
        published=end + _TO_FILE,
        figures=figures.grown(rng, own),
        group=None,
        prior=own,
        currency="EUR",
        document=company.position * 10,
        flavour=flavour,
    )
    years = [first]
    while len(years) < count:
        years.append(following(rng, years[-1], figures.next_year(years[-1].end) + _TO_FILE))
    return years


def following(rng: Random, last: Accounts, published: date) -> Accounts:
    """Generates the next year's accounts."""
    return figures.following_accounts(rng, last, published, last.document + 1)


def _figures(rng: Random, flavour: str) -> figures.Figures:
    """Figures without a headcount, which the served facts lack; a holding company has no revenue.

    See docs/formats/fi.md 3.3.
    """
    made = replace(figures.balance(rng, rng.uniform(4.5, 7.0)), employees=None)
    return replace(made, revenue=None) if flavour == "holding" else made


def filed(company: Company, item: Accounts, serial: int) -> Notice:
    """Adds the notice that annual accounts were registered."""
    return Notice(item.published, "TA", ("TILTAR",), record_number(company, serial))


def record_number(company: Company, serial: int) -> str:
    return f"{100_000 + company.position * 100 + serial}"


def _fate(rng: Random, company: Company, first_day: date, old: names_fi.Industry) -> None:
    """Makes some ceased, in trouble, idle, or not yet registered: states from the start, not events."""
    since = first_day - timedelta(days=rng.randint(40, 900))
    kind = rng.choices(
        ("alive", "ceased", "KONK", "SELTILA", "SANE", "idle", "pending"), (80, 8, 2, 2, 2, 4, 2)
    )[0]
    if kind == "ceased":
        end_registration(company, since)
        company.status, company.status_date = "dissolved", since
        # ceased companies keep their last industry code
        company.finnish.code_set = OLD_SETS[company.position % 2]
        company.industry = company.industry and old
    elif kind in SITUATIONS:
        company.finnish.situations = [Situation(kind, since)]
        company.status, company.status_detail = SITUATIONS[kind]
        company.status_date = since
    elif kind == "idle":
        _idle(company, since)
    elif kind == "pending":
        company.finnish.entries = [Entry(TRADE, "0", company.registered)]
        company.accounts, company.finnish.notices = [], []


def _idle(company: Company, since: date) -> None:
    """Removes the company from all tax registers; for a housing company that means nothing."""
    tax_entries(company, company.registered)
    for entry in company.finnish.entries:
        if entry.register != TRADE:
            entry.ended = since
    if company.form in {names_fi.LIMITED, names_fi.PUBLIC}:
        company.status, company.status_detail, company.status_date = "dormant", IDLE_DETAIL, since


def end_registration(company: Company, day: date) -> None:
    """Ends the company's names and entries; it stays in the file."""
    company.finnish.ended = day
    for entry in company.finnish.entries:
        entry.ended = entry.ended or day - timedelta(days=1)
    company.finnish.entries.append(Entry(TRADE, "4", day))
    for situation in company.finnish.situations:
        situation.ended = situation.ended or day


IDLE_DETAIL: Final = "business_suspended"
SITUATIONS: Final = {
    "KONK": ("dormant", "bankruptcy"),
    "SELTILA": ("dormant", "liquidation"),
    "SANE": ("active", "reorganisation"),
}
