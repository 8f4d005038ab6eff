"""How an American filer looks on the first day: a pure function of seed and position (FORMAT us 2 to 5).

CIKs stand far above all real ones. Does not belong here: what happens later (`stories_us`), or how EDGAR writes it.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from random import Random
from typing import Final

from connectors.sandbox import figures
from connectors.sandbox.chance import dice, happens
from connectors.sandbox.model import Accounts, Company
from connectors.sandbox.model_us import Paper
from connectors.sandbox.names import Industry, Place

_FIRST_CIK: Final = 9_000_000_000
_PREFIX: Final = "US"
FIRST: Final = (
    "Acorn",
    "Bluff",
    "Cinder",
    "Dovetail",
    "Ember",
    "Fallow",
    "Gable",
    "Harrow",
    "Ivory",
    "Juniper",
)
SECOND: Final = (
    "Analytics",
    "Bancshares",
    "Energy",
    "Foods",
    "Robotics",
    "Therapeutics",
    "Logistics",
    "Paper",
)
ENDINGS: Final = ("Inc.", "Corp", "Holdings, Inc.", "CORP /DE/")
_PLACES: Final = (
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
OWNER: Final = "8999999999"  # CIK of the one person who files
_EVENING: Final = time(21, 30, 11, tzinfo=UTC)


def american(seed: int, position: int, first_day: date, _edition: int) -> Company:
    """The SIC has no editions."""
    rng = dice(seed, "US", position)
    name = f"{rng.choice(FIRST)} {rng.choice(SECOND)} {position + 1} {rng.choice(ENDINGS)}"
    company = Company(
        market="US",
        position=position,
        number=number_of(position),
        name=name.removesuffix(" /DE/"),
        form=" /DE/" if name.endswith(" /DE/") else "",
        industry=rng.choice(INDUSTRIES),
        place=rng.choice(_PLACES),
        street=f"{rng.randint(1, 900)} PLACEHOLDER WAY",
        registered=date(1996, 5, 6) + timedelta(days=rng.randint(0, 9_000)),
    )
    listed(company, rng.choice(EXCHANGES) if happens(rng, 0.8) else "OTC")
    enter(company, "S-1", company.registered)
    with_accounts(rng, company, first_day.year - 1, rng.choice(YEAR_ENDS))
    if position % 3 == 0:  # of the week before the first day: the feeds still name it
        day = date(2026, 10, 30)
        enter(company, "8-K", day, period=day, items=("2.02", "9.01"), exhibits=("EX-99.1",))
    return company


def number_of(position: int) -> str:
    return f"{_PREFIX}{_FIRST_CIK + position}"


def american_position(number: str) -> int | None:
    """Position of a number that `number_of` may have made."""
    digits = number.removeprefix(_PREFIX)
    if len(digits) != len(str(_FIRST_CIK)) or not digits.isdecimal() or int(digits) < _FIRST_CIK:
        return None
    return int(digits) - _FIRST_CIK


def cik(company: Company) -> str:
    """Ten digits."""
    return company.number.removeprefix(_PREFIX)


def listed(company: Company, exchange: str | None) -> None:
    """Its shares under one symbol; None: under none."""
    company.american.tickers = [] if exchange is None else [(f"Z{company.position:03}", exchange)]
    company.listed = exchange in EXCHANGES


def enter(company: Company, form: str, filed: date, **values: object) -> Paper:
    """A filing of some day, accepted in its evening."""
    serial = len(company.american.papers) + 1
    accession = f"{cik(company)}-{filed:%y}-{serial:06}"
    accepted = datetime.combine(filed, _EVENING)
    paper = replace(Paper(accession, form, filed, accepted), **values)
    company.american.papers.append(paper)
    return paper


def annual_report(company: Company, accounts: Accounts) -> Accounts:
    """Files accounts: the report becomes a paper, and its serial the number of the document."""
    form = "10-K/A" if accounts.amended else "10-K"
    paper = enter(company, form, accounts.published, period=accounts.end, is_xbrl=True)
    return replace(accounts, document=int(paper.accession.rsplit("-", 1)[1]))


def accession_of(company: Company, accounts: Accounts) -> str:
    return next(
        paper.accession
        for paper in company.american.papers
        if int(paper.accession.rsplit("-", 1)[1]) == accounts.document
    )


def with_accounts(rng: Random, company: Company, newest: int, year_end: tuple[int, int]) -> None:
    """Two years of group accounts, the newest of which ended in `newest`."""
    end = date(newest - 1, *year_end)
    before = replace(figures.balance(rng, rng.uniform(6.5, 9.0)), employees=None)
    own = figures.grown(rng, before)
    first = Accounts(
        start=figures.year_ending(end),
        end=end,
        published=end + TO_FILE,
        figures=own,
        group=own,
        prior=before,
        currency="USD",
        document=0,
        flavour=FLAVOUR,
    )
    first = annual_report(company, first)
    second = annual_report(company, following(rng, first, figures.next_year(end) + TO_FILE))
    company.accounts = [first, second]


def following(rng: Random, last: Accounts, published: date) -> Accounts:
    """The next year's accounts: they are the group's alone."""
    made = figures.following_accounts(rng, last, published, 0)
    return replace(made, group=made.figures)
