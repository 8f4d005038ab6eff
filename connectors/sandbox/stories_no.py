"""Stories of Norwegian companies: one function per step, one `Story` per kind, in casting order.

A step that returns nothing is a change that must make no event.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from connectors.sandbox import births, figures, names, owners_no
from connectors.sandbox.model import Accounts, Company, FilingChange
from connectors.sandbox.model_no import PartnerChange
from connectors.sandbox.stories import Change, Scene, Story, nothing, turn

_SHARES: Final = (Decimal(60), Decimal(40))
_NO_ACCOUNTS_REASON: Final = "tvangsopplostPgaManglendeRegnskapDato"


def in_good_standing(scene: Scene, company: Company) -> None:
    """A limited company in good standing at a Norwegian address, with accounts."""
    company.form, company.status, company.status_detail, company.status_date = "AS", "active", None, None
    company.reason_field = None
    company.norwegian.owners = []
    company.name = (
        f"{company.name.rsplit(' ', 1)[0]} AS" if not company.name.endswith(" AS") else company.name
    )
    company.place = company.place or names.NORWEGIAN_PLACES[0]
    company.industry = company.industry if company.industry != names.BANK else names.UNSTATED_INDUSTRY
    count = 3 if company.extended else 1
    company.accounts = births.norwegian_accounts(
        scene.rng, company.position, scene.first_day, group=False, count=count
    )


def _six_rows(scene: Scene, company: Company) -> None:
    company.extended = True
    in_good_standing(scene, company)


def _one_row(scene: Scene, company: Company) -> None:
    company.extended = False
    in_good_standing(scene, company)


def _parent(scene: Scene, company: Company) -> None:
    _six_rows(scene, company)
    company.accounts = births.norwegian_accounts(scene.rng, company.position, scene.first_day, group=True)


def _young(scene: Scene, company: Company) -> None:
    """Only the newest year is known, so that an older one can arrive late."""
    _six_rows(scene, company)
    company.accounts = company.accounts[-1:]


def _partnership(scene: Scene, company: Company) -> None:
    in_good_standing(scene, company)
    company.form = "DA"
    company.norwegian.owners = owners_no.partners(company, *_SHARES)


def _next(scene: Scene, company: Company, day: date) -> Accounts:
    number = births.filing_number(day, company.position, len(company.accounts))
    return figures.following_accounts(scene.rng, company.accounts[-1], day, number)


def _files(scene: Scene, company: Company) -> list[Change]:
    accounts = _next(scene, company, scene.day)
    company.publish(accounts)
    return [FilingChange(accounts, None)]


def _again(scene: Scene, company: Company, changed: Accounts) -> Accounts:
    """A later document of the same period."""
    number = births.filing_number(scene.day, company.position, len(company.accounts))
    return replace(changed, published=scene.day, document=number)


def _corrects(scene: Scene, company: Company) -> list[Change]:
    last = company.accounts[-1]
    accounts = _again(scene, company, replace(last, figures=figures.restated(last.figures), amended=True))
    company.publish(accounts)
    return [FilingChange(accounts, last)]


def _rounds(scene: Scene, company: Company) -> list[Change]:
    last = company.accounts[-1]
    company.publish(
        _again(scene, company, replace(last, figures=figures.in_thousands(last.figures), coarse=True))
    )
    return []


def _repeats(_scene: Scene, company: Company) -> list[Change]:
    """The same response with numbers in another spelling: nothing is new."""
    company.fresh_accounts.append(replace(company.accounts[-1], coarse=True))
    return []


def _files_old_year(scene: Scene, company: Company) -> list[Change]:
    """Accounts of a year that ended long before the first day: filled in silently."""
    newest = company.accounts[-1]
    start, end = (
        newest.start.replace(year=newest.start.year - 5),
        newest.end.replace(year=newest.end.year - 5),
    )
    number = births.filing_number(scene.day, company.position, 9)
    old = replace(newest, start=start, end=end, published=scene.day, document=number)
    company.accounts.insert(0, old)
    company.fresh_accounts.append(old)
    return []


def _bankrupt(scene: Scene, company: Company) -> list[Change]:
    return turn(company, "dormant", "bankruptcy", scene.day - timedelta(days=2), scene.day)


def _winds_up(scene: Scene, company: Company) -> list[Change]:
    return turn(company, "dormant", "liquidation", scene.day - timedelta(days=3), scene.day)


def _forced(scene: Scene, company: Company) -> list[Change]:
    company.reason_field = _NO_ACCOUNTS_REASON
    return turn(company, "dormant", "forced_dissolution", scene.day - timedelta(days=1), scene.day)


def _recovers(scene: Scene, company: Company) -> list[Change]:
    company.reason_field = None
    return turn(company, "active", None, None, scene.day)


def _reorganises(scene: Scene, company: Company) -> list[Change]:
    return turn(company, "active", "reorganisation", scene.day - timedelta(days=1), scene.day)


def _dissolves(scene: Scene, company: Company) -> list[Change]:
    return turn(company, "dissolved", None, scene.day, scene.day)


def _renames(scene: Scene, company: Company) -> list[Change]:
    company.former_names.insert(0, (scene.day - timedelta(days=1), company.name))
    first, rest = scene.rng.choice(names.NORWEGIAN_FIRST), company.name.split(" ", 1)[1]
    company.name = f"NYE {first} {rest}"
    return []


def _moves(scene: Scene, company: Company) -> list[Change]:
    company.place = scene.rng.choice([place for place in names.NORWEGIAN_PLACES if place != company.place])
    company.street = f"{names.NORWEGIAN_STREETS[0]} {scene.rng.randint(200, 300)}"
    return []


def _reclassified(scene: Scene, company: Company) -> list[Change]:
    choice = [
        pair[scene.edition] for pair in names.NORWEGIAN_INDUSTRIES if pair[scene.edition] != company.industry
    ]
    company.industry = scene.rng.choice(choice)
    return []


def _hires(scene: Scene, company: Company) -> list[Change]:
    """From a withheld count to a stated one; elsewhere only the date of the count changes."""
    company.employees, company.employees_counted = 12, scene.day
    return []


def _counted_again(scene: Scene, company: Company) -> list[Change]:
    company.employees_counted = scene.day
    return []


def _partners_trade(scene: Scene, company: Company) -> list[Change]:
    """Two partners change places: one falls below half, the other rises above."""
    before = company.norwegian.owners
    company.norwegian.owners = owners_no.partners(company, *reversed(_SHARES))
    company.norwegian.since = scene.day
    return [
        PartnerChange(owner, scene.day, was.percent, owner.percent)
        for was, owner in zip(before, company.norwegian.owners, strict=True)
        if was.percent is not None and owner.percent is not None
    ]


def _founded(scene: Scene, company: Company) -> None:
    in_good_standing(scene, company)
    company.registered = scene.day - timedelta(days=1)
    company.accounts = [replace(company.accounts[-1], published=scene.day)]


def _appears(_scene: Scene, company: Company) -> list[Change]:
    company.fresh_accounts.extend(company.accounts)
    return []


STORIES: Final[tuple[Story, ...]] = (
    Story("files_six_rows", _six_rows, (_files,)),
    Story("files_one_row", _one_row, (_files,)),
    Story("files_group", _parent, (_files,)),
    Story("corrects", _six_rows, (_corrects, _corrects)),
    Story("rounds", _six_rows, (_rounds,)),
    Story("repeats", _six_rows, (_repeats,)),
    Story("files_old_year", _young, (_files_old_year,)),
    Story("bankrupt", in_good_standing, (_bankrupt,)),
    Story("winds_up_then_bankrupt", in_good_standing, (_winds_up, _bankrupt)),
    Story("forced_then_recovers", in_good_standing, (_forced, nothing, _recovers)),
    Story("dissolved_then_restored", in_good_standing, (_dissolves, _recovers)),
    Story("reorganises", in_good_standing, (_reorganises, _recovers)),
    Story("renamed_then_moves", in_good_standing, (_renames, _moves)),
    Story("reclassified", in_good_standing, (_reclassified,)),
    Story("hires", in_good_standing, (_hires, _counted_again)),
    Story("partners_trade", _partnership, (_partners_trade,)),
    Story("founded", _founded, (_appears, _files), founded=True),
)
