"""Stories of Finnish companies in the registers: one function per step, one `Story` per kind.

A step that returns nothing is a change that must make no event. Does not belong here: exchange releases of
listed companies (`stories_listed_fi`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Final

from connectors.sandbox import births_fi, figures, names_fi
from connectors.sandbox.births_fi import TRADE
from connectors.sandbox.model import Accounts, Company, FilingChange
from connectors.sandbox.model_fi import DocumentFiled, Entry, Finnish, Notice, Situation
from connectors.sandbox.stories import Change, Scene, Story, nothing, turn

_ONE_DAY: Final = timedelta(days=1)


def in_good_standing(scene: Scene, company: Company) -> None:
    """A limited company at a Finnish address, only in the Trade Register, without accounts."""
    company.status, company.status_detail, company.status_date = "active", None, None
    company.name = births_fi.named(births_fi.stem(company), names_fi.LIMITED)
    company.form = names_fi.LIMITED
    company.place = company.place or names_fi.PLACES[0]
    line = scene.rng.choice(names_fi.LINES)
    company.industry = line.industry(scene.edition)
    company.accounts = []
    company.finnish = Finnish(
        entries=[Entry(TRADE, "1", company.registered)],
        modified=company.registered,
        code_set=births_fi.CODE_SETS[scene.edition],
    )


def _filer(
    flavour: str,
    behind: int = 2,
    count: int = 2,
    year_ends: tuple[tuple[int, int], ...] = births_fi.YEAR_ENDS,
) -> Callable[[Scene, Company], None]:
    """A company in good standing, `behind` years late with its accounts, in one of the register's variants."""

    def prepare(scene: Scene, company: Company) -> None:
        in_good_standing(scene, company)
        newest = scene.first_day.year - behind
        company.accounts = births_fi.accounts(scene.rng, company, newest, flavour, count, year_ends)
        company.finnish.notices = [
            births_fi.filed(company, item, serial) for serial, item in enumerate(company.accounts)
        ]

    return prepare


def _trader(scene: Scene, company: Company) -> None:
    """Adds the registers of the Tax Administration."""
    in_good_standing(scene, company)
    births_fi.tax_entries(company, company.registered)


def _noticed(scene: Scene, company: Company) -> None:
    """Adds a registration from the week before the first day."""
    in_good_standing(scene, company)
    number = births_fi.record_number(company, 0)
    company.finnish.notices = [Notice(scene.first_day - 3 * _ONE_DAY, "M", ("HAL",), number)]


def notice(scene: Scene, company: Company, kind: str, *codes: str) -> None:
    """Publishes a notice of today, newest first; the record is modified with it."""
    number = births_fi.record_number(company, 50 + len(company.finnish.notices))
    company.finnish.notices.insert(0, Notice(scene.day, kind, codes, number))
    company.finnish.modified = scene.day


def _publish(scene: Scene, company: Company, accounts: Accounts) -> None:
    company.publish(accounts)
    notice(scene, company, "TA", "TILTAR")


def _files(scene: Scene, company: Company) -> list[Change]:
    accounts = births_fi.following(scene.rng, company.accounts[-1], scene.day)
    _publish(scene, company, accounts)
    return [FilingChange(accounts, None)]


def _files_two_years(scene: Scene, company: Company) -> list[Change]:
    """A late filer: two years are registered on one day."""
    return [*_files(scene, company), *_files(scene, company)]


def _files_on_paper(scene: Scene, company: Company) -> list[Change]:
    """Accounts known only from a notice: the day is known, but neither the year nor a figure."""
    notice(scene, company, "TA", "TILTAR")
    return [DocumentFiled("annual_report", None, None, scene.day, company.finnish.notices[0])]


def _again(scene: Scene, company: Company, changed: Accounts) -> Accounts:
    """Accounts registered under the same key: the register has no document numbers."""
    return replace(changed, published=scene.day, document=company.accounts[-1].document + 1)


def _corrects(scene: Scene, company: Company) -> list[Change]:
    last = company.accounts[-1]
    accounts = _again(scene, company, replace(last, figures=figures.restated(last.figures), amended=True))
    _publish(scene, company, accounts)
    return [FilingChange(accounts, last)]


def _repeats(scene: Scene, company: Company) -> list[Change]:
    """The same accounts registered a second time: other bytes, a later day, no other figure."""
    _publish(scene, company, _again(scene, company, company.accounts[-1]))
    return []


def _restates_comparatives(scene: Scene, company: Company) -> list[Change]:
    """The next year repeats this one with other figures: the year's own filing takes precedence."""
    following = births_fi.following(scene.rng, company.accounts[-1], scene.day)
    accounts = replace(following, prior=figures.restated(company.accounts[-1].figures))
    _publish(scene, company, accounts)
    return [FilingChange(accounts, None)]


def _files_old_year(scene: Scene, company: Company) -> list[Change]:
    """Accounts of a year that ended long before the first day: filled in silently."""
    newest = company.accounts[-1]
    start, end = (day.replace(year=day.year - 5) for day in (newest.start, newest.end))
    old = replace(newest, start=start, end=end, published=scene.day, document=newest.document + 9)
    company.accounts.insert(0, old)
    company.fresh_accounts.append(old)
    notice(scene, company, "TA", "TILTAR")
    return []


def _situation(kind: str) -> Callable[[Scene, Company], list[Change]]:
    """Bankruptcy, liquidation or restructuring begins, by yesterday's entry."""

    def step(scene: Scene, company: Company) -> list[Change]:
        since = scene.day - _ONE_DAY
        company.finnish.situations.append(Situation(kind, since))
        notice(scene, company, "M", kind)
        status, detail = births_fi.SITUATIONS[kind]
        return turn(company, status, detail, since, scene.day)

    return step


def _situation_ends(scene: Scene, company: Company) -> list[Change]:
    for situation in company.finnish.situations:
        situation.ended = situation.ended or scene.day - _ONE_DAY
    company.finnish.modified = scene.day
    return turn(company, "active", None, company.finnish.situations[-1].ended, scene.day)


def _ceases(scene: Scene, company: Company) -> list[Change]:
    since = scene.day - _ONE_DAY
    births_fi.end_registration(company, since)
    company.finnish.modified = scene.day
    return turn(company, "dissolved", None, since, scene.day)


def _restored(scene: Scene, company: Company) -> list[Change]:
    """Re-registration: the end date of the registration is gone, and the entry «ceased» has ended."""
    company.finnish.ended = None
    for entry in company.finnish.entries:
        entry.ended = entry.ended or scene.day - _ONE_DAY
    company.finnish.entries.append(Entry(TRADE, "1", scene.day))
    notice(scene, company, "M", "OIK")
    return turn(company, "active", None, scene.day, scene.day)


def _suspends(scene: Scene, company: Company) -> list[Change]:
    """Removed from every register of the Tax Administration: the company is dormant."""
    for entry in company.finnish.entries:
        if entry.register != TRADE:
            entry.ended = entry.ended or scene.day - _ONE_DAY
    company.finnish.modified = scene.day
    return turn(company, "dormant", births_fi.IDLE_DETAIL, scene.day - _ONE_DAY, scene.day)


def _resumes(scene: Scene, company: Company) -> list[Change]:
    company.finnish.entries.append(Entry(births_fi.VAT, "80", scene.day))
    company.finnish.modified = scene.day
    return turn(company, "active", None, scene.day, scene.day)


def _leaves_one_register(scene: Scene, company: Company) -> list[Change]:
    """No longer an employer, but liable for VAT: the company stays active."""
    for entry in company.finnish.entries:
        if entry.register == births_fi.EMPLOYER:
            entry.ended = scene.day - _ONE_DAY
    company.finnish.modified = scene.day
    return []


def _renames(scene: Scene, company: Company) -> list[Change]:
    company.former_names.insert(0, (scene.day, company.name))
    company.name = f"Uusi {company.name}"
    notice(scene, company, "M", "NIMP")
    return []


def _moves(scene: Scene, company: Company) -> list[Change]:
    company.place = scene.rng.choice([place for place in names_fi.PLACES if place != company.place])
    company.street = f"{names_fi.STREETS[0]} {scene.rng.randint(200, 300)}"
    company.finnish.modified = scene.day
    return []


def _reclassified(scene: Scene, company: Company) -> list[Change]:
    choice = [line.industry(scene.edition) for line in names_fi.LINES]
    company.industry = scene.rng.choice([item for item in choice if item != company.industry])
    company.finnish.modified = scene.day
    return []


def _flickers(scene: Scene, company: Company) -> list[Change]:
    """The record's modification date changes, but nothing else."""
    company.finnish.modified = scene.day
    return []


def _founded(scene: Scene, company: Company) -> None:
    company.registered = scene.day - _ONE_DAY
    _filer("full")(scene, company)
    company.accounts = [replace(company.accounts[-1], published=scene.day)]
    company.finnish.notices = []
    notice(scene, company, "U")


def _appears(_scene: Scene, company: Company) -> list[Change]:
    company.fresh_accounts.extend(company.accounts)
    return []


# two years late, and neither so old that it makes no event
_LATE: Final = _filer("full", behind=3, count=1, year_ends=births_fi.DECEMBER)
STORIES: Final[tuple[Story, ...]] = (
    Story("files_full", _filer("full"), (_files,)),
    Story("files_then_repeats", _filer("carrying"), (_files, _repeats)),
    Story("files_prefixed", _filer("prefixed"), (_files,)),
    Story("files_holding", _filer("holding"), (_files,)),
    Story("files_two_years", _LATE, (_files_two_years,)),
    Story("files_on_paper", _noticed, (_files_on_paper,)),
    Story("corrects", _filer("full", behind=1), (_corrects, _corrects)),
    Story("restates_comparatives", _filer("full"), (_restates_comparatives,)),
    Story("files_old_year", _filer("full"), (_files_old_year,)),
    Story("bankrupt_then_recovers", _trader, (_situation("KONK"), nothing, _situation_ends)),
    Story("winds_up_then_bankrupt", in_good_standing, (_situation("SELTILA"), _situation("KONK"))),
    Story("restructured", _trader, (_situation("SANE"), _situation_ends)),
    Story("ceased_then_restored", in_good_standing, (_ceases, _restored)),
    Story("leaves_registers_one_by_one", _trader, (_leaves_one_register, _suspends, _resumes)),
    Story("renamed_then_moves", in_good_standing, (_renames, _moves)),
    Story("reclassified_then_flickers", in_good_standing, (_reclassified, _flickers)),
    Story("founded", _founded, (_appears, _files), founded=True),
)
