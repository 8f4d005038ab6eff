"""Stories of Swedish companies: one function per step, one `Story` per kind, in casting order.

A step that returns nothing is a change that must make no event. Does not belong here: holders of listed
companies (`stories_listed_se`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Final

from connectors.sandbox import births_se, figures, names_se
from connectors.sandbox.model import Accounts, Company, FilingChange
from connectors.sandbox.model_se import ACTIVE, NEVER_ACTIVE, NO_LONGER_ACTIVE, Swedish
from connectors.sandbox.names import Industry
from connectors.sandbox.stories import Change, Scene, Step, Story, nothing, turn

_ONE_DAY: Final = timedelta(days=1)


def _filer(flavour: str, count: int = 1) -> Callable[[Scene, Company], None]:
    """A limited company in good standing at a Swedish address, with reports of one flavour."""

    def prepare(scene: Scene, company: Company) -> None:
        company.form = "AB"
        company.name = names_se.FORMS["AB"][2].format(
            first=scene.rng.choice(names_se.FIRST), second="Drift", number=company.position + 1
        )
        company.status, company.status_detail, company.status_date = "active", None, None
        company.registered = min(company.registered, scene.first_day - 400 * _ONE_DAY)
        company.swedish = Swedish(named=company.registered)
        company.place = company.place or names_se.PLACES[0]
        company.industry = _industry(scene)
        company.accounts = births_se.swedish_accounts(scene.rng, company, scene.first_day, flavour, count)

    return prepare


def _industry(scene: Scene) -> Industry:
    """A company that is not looked up has a code without a label."""
    return Industry(scene.rng.choice(names_se.INDUSTRIES)[scene.edition].code, "")


in_good_standing: Final = _filer("k2")


def _never_active(scene: Scene, company: Company) -> None:
    in_good_standing(scene, company)
    company.swedish.activity = NEVER_ACTIVE
    company.status, company.status_detail = "dormant", "no_trading"


def _leaving(scene: Scene, company: Company) -> None:
    """Inactive, and outside SCB's population for half a year: the row is removed next."""
    in_good_standing(scene, company)
    company.swedish.activity, company.swedish.in_population = NO_LONGER_ACTIVE, False
    company.status, company.status_detail = "dormant", "no_trading"


def _serial(company: Company) -> int:
    return company.position * 10 + len(company.accounts)


def _files(scene: Scene, company: Company) -> list[Change]:
    accounts = births_se.next_report(scene.rng, company.accounts[-1], scene.day, _serial(company))
    company.publish(accounts)
    return [FilingChange(accounts, None)]


def _again(scene: Scene, company: Company, changed: Accounts) -> Accounts:
    """A report of the same period, registered again."""
    return replace(changed, published=scene.day, document=_serial(company))


def _corrects(scene: Scene, company: Company) -> list[Change]:
    last = company.accounts[-1]
    accounts = _again(scene, company, replace(last, figures=figures.restated(last.figures), amended=True))
    company.publish(accounts)
    return [FilingChange(accounts, last)]


def _rounds(scene: Scene, company: Company) -> list[Change]:
    """The same figures in thousands, without the previous years."""
    last = company.accounts[-1]
    coarse = replace(last, figures=figures.in_thousands(last.figures), prior=None, overview=(), coarse=True)
    company.publish(_again(scene, company, coarse))
    return []


def _repeats(scene: Scene, company: Company) -> list[Change]:
    """Signed again: another document with the same figures."""
    company.publish(_again(scene, company, company.accounts[-1]))
    return []


def _comes_again(_scene: Scene, company: Company) -> list[Change]:
    """The same document in a later archive."""
    company.fresh_accounts.append(company.accounts[-1])
    return []


def _files_old_year(scene: Scene, company: Company) -> list[Change]:
    """The report of a year that ended long before the first day: filled in silently."""
    newest = company.accounts[-1]
    start, end = (day.replace(year=day.year - 5) for day in (newest.start, newest.end))
    old = replace(
        newest, start=start, end=end, published=scene.day, document=_serial(company), prior=None, overview=()
    )
    company.accounts.insert(0, old)
    company.fresh_accounts.append(old)
    return []


def _proceeds(code: str, status: str, detail: str | None, days_ago: int) -> Step:
    """Proceedings begin, or replace others."""

    def step(scene: Scene, company: Company) -> list[Change]:
        since = scene.day - days_ago * _ONE_DAY
        company.swedish.proceedings = ((code, since),)
        return turn(company, status, detail, since, scene.day)

    return step


def _deregistered(reason: str) -> Step:
    """Deregistered; SCB is weeks late with the change."""

    def step(scene: Scene, company: Company) -> list[Change]:
        company.swedish.deregistered, company.swedish.reason = scene.day, reason
        return turn(company, "dissolved", None, scene.day, scene.day)

    return step


def _recovers(scene: Scene, company: Company) -> list[Change]:
    """The proceedings or the deregistration are revoked."""
    company.swedish = Swedish(named=company.swedish.named)
    return turn(company, "active", None, None, scene.day)


def _trades(activity: str) -> Step:
    """SCB's trading status, which has no date."""

    def step(scene: Scene, company: Company) -> list[Change]:
        company.swedish.activity = activity
        is_active = activity == ACTIVE
        return turn(
            company,
            "active" if is_active else "dormant",
            None if is_active else "no_trading",
            None,
            scene.day,
        )

    return step


def _leaves_statistics(_scene: Scene, company: Company) -> list[Change]:
    """SCB removes the row; its last statement stays in effect (docs/formats/se.md 12)."""
    company.swedish.activity = None
    return []


def _renames(scene: Scene, company: Company) -> list[Change]:
    company.former_names.insert(0, (company.swedish.named or company.registered, company.name))
    company.swedish.named = scene.day - _ONE_DAY
    company.name = f"Nya {company.name}"
    return []


def _moves(scene: Scene, company: Company) -> list[Change]:
    company.place = scene.rng.choice([place for place in names_se.PLACES if place != company.place])
    company.street = f"{names_se.STREETS[0]} {scene.rng.randint(200, 300)}"
    return []


def _reclassified(scene: Scene, company: Company) -> list[Change]:
    codes = [pair[scene.edition].code for pair in names_se.INDUSTRIES]
    present = company.industry.code if company.industry else None
    company.industry = Industry(scene.rng.choice([code for code in codes if code != present]), "")
    return []


def _flickers(_scene: Scene, company: Company) -> list[Change]:
    """Only the advertising preference changes."""
    company.swedish.declines_advertising = not company.swedish.declines_advertising
    return []


def _founded(scene: Scene, company: Company) -> None:
    """Registered the day before; SCB does not have it yet."""
    in_good_standing(scene, company)
    accounts = company.accounts
    births_se.founded(company, scene.day - _ONE_DAY, names_se.INDUSTRIES[0][scene.edition])
    births_se.without_statistics(company)
    company.accounts = [replace(accounts[-1], published=scene.day)]


def _appears(_scene: Scene, company: Company) -> list[Change]:
    company.fresh_accounts.extend(company.accounts)
    return []


def _counted(scene: Scene, company: Company) -> list[Change]:
    """SCB's first row of the company, and the year's report."""
    company.swedish.activity = ACTIVE
    company.industry = names_se.INDUSTRIES[0][scene.edition]
    return _files(scene, company)


_bankrupt: Final = _proceeds("KK", "dormant", "bankruptcy", 2)
_winds_up: Final = _proceeds("LI", "dormant", "liquidation", 3)

STORIES: Final[tuple[Story, ...]] = (
    Story("files_k2", _filer("k2", 2), (_files,)),
    Story("files_k2_2017", _filer("k2_2017"), (_files,)),
    Story("files_thousands", _filer("k3"), (_files,)),
    Story("files_group", _filer("k3k"), (_files,)),
    Story("corrects", in_good_standing, (_corrects, _corrects)),
    Story("rounds", _filer("k2", 2), (_rounds,)),
    Story("repeats", in_good_standing, (_repeats, _comes_again)),
    Story("files_old_year", in_good_standing, (_files_old_year,)),
    Story("bankrupt", in_good_standing, (_bankrupt,)),
    Story("winds_up_then_bankrupt", in_good_standing, (_winds_up, _bankrupt)),
    Story("winds_up_then_dissolved", in_good_standing, (_winds_up, _deregistered("LIAV"))),
    Story("dissolved_then_restored", in_good_standing, (_deregistered("FUAV"), _recovers)),
    Story("stops_trading", in_good_standing, (_trades(NO_LONGER_ACTIVE), nothing, _trades(ACTIVE))),
    Story("starts_trading", _never_active, (_trades(ACTIVE),)),
    Story("reorganises", in_good_standing, (_proceeds("FR", "active", "reorganisation", 1), _recovers)),
    Story("merges", in_good_standing, (_proceeds("FUOT", "active", None, 4),)),
    Story("leaves_statistics", _leaving, (_leaves_statistics,)),
    Story("renamed_then_moves", in_good_standing, (_renames, _moves)),
    Story("reclassified", in_good_standing, (_reclassified,)),
    Story("flickers", in_good_standing, (_flickers, _flickers)),
    Story("founded", _founded, (_appears, _counted), founded=True),
)
