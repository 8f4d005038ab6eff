"""How a Finnish company looks on the first day: a pure function of seed and position (docs/formats/fi.md 2 and 3).

Does not belong here: what happens later (`stories_fi`, `stories_listed_fi`), or how registers write it.
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
OLD_SETS: Final = ("TOIMI2", "TOIMI3")  # TOL 2002 and TOL 2008: what ceased companies were left with
FLAVOURS: Final = ("full", "carrying", "prefixed", "holding")
RECODED: Final = date(2026, 1, 1)  # the day on which every record moved to TOL 2025
SCHEME_BEGAN: Final = date(1978, 3, 15)  # no business id is older
_KINDS: Final = {TRADE: "1", EMPLOYER: "55", VAT: "80", PREPAYMENT: "41"}
_ENDINGS: Final = {  # form -> what stands before and after a name
    names_fi.LIMITED: ("", " Oy"),
    names_fi.PUBLIC: ("", " Oyj"),
    names_fi.HOUSING: ("Asunto Oy ", ""),
    names_fi.REAL_ESTATE: ("Kiinteistö Oy ", ""),
}
DECEMBER: Final = ((12, 31),)
YEAR_ENDS: Final = (*DECEMBER, *DECEMBER, (9, 30), (3, 31), (6, 30))
_TO_FILE: Final = timedelta(days=190)


def finnish(seed: int, position: int, first_day: date, edition: int) -> Company:
    """`edition`: 0 for TOL 2008 codes, 1 for TOL 2025."""
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
    if not company.accounts and happens(rng, 0.5):  # most file on paper, and only a notice tells of it
        day = first_day - timedelta(days=rng.randint(20, 400))
        company.finnish.notices = [Notice(day, "TA", ("TILTAR",), record_number(company, 0))]
    _fate(rng, company, first_day, line.industry(0))
    return company


def named(name: str, form: str) -> str:
    """The name with its ending; housing companies carry theirs in front."""
    front, end = _ENDINGS[form]
    return f"{front}{name}{end}"


def stem(company: Company) -> str:
    """The name without what its form adds."""
    front, end = _ENDINGS[company.form]
    return company.name.removeprefix(front).removesuffix(end)


def _registered(rng: Random, company: Company) -> Finnish:
    """In the Trade Register, and mostly in some of the Tax Administration's."""
    found = Finnish(modified=company.registered, parallel=_parallel(rng, company))
    found.entries = [Entry(TRADE, _KINDS[TRADE], company.registered)]
    if happens(rng, 0.7):
        for register in TAX_REGISTERS:
            if happens(rng, 0.7):
                since = company.registered + timedelta(days=rng.randint(0, 300))
                found.entries.append(Entry(register, _KINDS[register], since))
    if happens(rng, 0.2):  # the living name has the higher version nowhere but here
        found.auxiliary = f"{names_fi.FIRST[company.position % len(names_fi.FIRST)]} Palvelut"
    return found


def _parallel(rng: Random, company: Company) -> str | None:
    if not happens(rng, 0.15):
        return None
    return f"{stem(company)} {rng.choice(('Ab', 'Ltd'))}"


def tax_entries(company: Company, since: date) -> None:
    """Registered as an employer, for VAT and for prepayment; earlier entries of these registers go."""
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
    """`count` years that were filed digitally, the newest of which ended in `newest`, oldest first."""
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
    """The next year's accounts."""
    return figures.following_accounts(rng, last, published, last.document + 1)


def _figures(rng: Random, flavour: str) -> figures.Figures:
    """No head count is in the served facts; a company of the holding kind shows no revenue.

    See docs/formats/fi.md 3.3.
    """
    made = replace(figures.balance(rng, rng.uniform(4.5, 7.0)), employees=None)
    return replace(made, revenue=None) if flavour == "holding" else made


def filed(company: Company, item: Accounts, serial: int) -> Notice:
    """The notice that annual accounts were registered."""
    return Notice(item.published, "TA", ("TILTAR",), record_number(company, serial))


def record_number(company: Company, serial: int) -> str:
    return f"{100_000 + company.position * 100 + serial}"


def _fate(rng: Random, company: Company, first_day: date, old: names_fi.Industry) -> None:
    """Some have ceased, are in trouble, idle, or not yet registered: states from the start, not events."""
    since = first_day - timedelta(days=rng.randint(40, 900))
    kind = rng.choices(
        ("alive", "ceased", "KONK", "SELTILA", "SANE", "idle", "pending"), (80, 8, 2, 2, 2, 4, 2)
    )[0]
    if kind == "ceased":
        end_registration(company, since)
        company.status, company.status_date = "dissolved", since
        # ceased companies keep the code of their last day
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
    """Gone from every register of the Tax Administration; that says nothing of a housing company."""
    tax_entries(company, company.registered)
    for entry in company.finnish.entries:
        if entry.register != TRADE:
            entry.ended = since
    if company.form in {names_fi.LIMITED, names_fi.PUBLIC}:
        company.status, company.status_detail, company.status_date = "dormant", IDLE_DETAIL, since


def end_registration(company: Company, day: date) -> None:
    """The company stays in the file; its names and entries end."""
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
