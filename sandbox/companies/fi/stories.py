"""Stories of Finnish companies in the registers: one function per step, one `Story` per kind.

A step that returns nothing is a change that must make no event. Does not belong here: exchange releases of
listed companies (`stories_listed`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from sandbox.companies import accounts as sandbox_accounts
from sandbox.companies.fi import initial_state, vocabulary
from sandbox.companies.fi.initial_state import TRADE
from sandbox.companies.stories import (
    Prepare,
    Step,
    Story,
    StoryDay,
    change_form,
    change_profile,
    change_status,
    correct_accounts,
    file_accounts,
    file_old_year,
    move_company,
    no_change,
    publish_first_accounts,
    repeat_accounts,
)
from sandbox.model.company import Accounts, Change, Company
from sandbox.model.fi import DocumentFiled, FinnishDetails, LegalSituation, RegisteredNotice, RegisterEntry

_ONE_DAY: Final = timedelta(days=1)


def prepare_active_company(story_day: StoryDay, company: Company) -> None:
    """A limited company at a Finnish address, only in the Trade Register, without accounts."""
    company.status, company.status_detail, company.status_date = "active", None, None
    company.name = initial_state.name_with_form(initial_state.name_without_form(company), vocabulary.LIMITED)
    company.form = vocabulary.LIMITED
    company.place = company.place or vocabulary.PLACES[0]
    line = story_day.rng.choice(vocabulary.LINES)
    company.industry = line.industry(story_day.industry_code_set)
    company.accounts = []
    company.finnish = FinnishDetails(
        entries=[RegisterEntry(TRADE, "1", company.registered)],
        modified=company.registered,
        code_set=initial_state.CODE_SETS[story_day.industry_code_set],
    )


def _prepare_filer(
    flavour: str, behind: int = 2, count: int = 2, year_ends: tuple[tuple[int, int], ...] = initial_state.YEAR_ENDS
) -> Prepare:
    """A company in good standing, `behind` years late with its accounts, in one of the register's variants."""

    def prepare(scene: StoryDay, company: Company) -> None:
        prepare_active_company(scene, company)
        newest = scene.first_day.year - behind
        company.accounts = initial_state.finnish_accounts(scene.rng, company, newest, flavour, count, year_ends)
        company.finnish.notices = [
            initial_state.accounts_notice(company, item, serial) for serial, item in enumerate(company.accounts)
        ]

    return prepare


def _prepare_taxpayer(scene: StoryDay, company: Company) -> None:
    """Adds the registers of the Tax Administration."""
    prepare_active_company(scene, company)
    initial_state.replace_tax_entries(company, company.registered)


def _prepare_noticed(scene: StoryDay, company: Company) -> None:
    """Adds a registration from the week before the first day."""
    prepare_active_company(scene, company)
    number = initial_state.record_number(company, 0)
    company.finnish.notices = [RegisteredNotice(scene.first_day - 3 * _ONE_DAY, "M", ("HAL",), number)]


def publish_notice(story_day: StoryDay, company: Company, kind: str, *codes: str) -> None:
    """Publishes a notice of today, newest first; the record is modified with it."""
    number = initial_state.record_number(company, 50 + len(company.finnish.notices))
    company.finnish.notices.insert(0, RegisteredNotice(story_day.day, kind, codes, number))
    company.finnish.modified = story_day.day


def _with_notice(step: Step) -> Step:
    """Accounts, and the notice that they are registered."""

    def noticed(scene: StoryDay, company: Company) -> list[Change]:
        changes = step(scene, company)
        publish_notice(scene, company, "TA", "TILTAR")
        return changes

    return noticed


def _next_accounts(scene: StoryDay, company: Company) -> Accounts:
    return initial_state.next_accounts(scene.rng, company.accounts[-1], scene.day)


_file_accounts: Final = _with_notice(file_accounts(_next_accounts))


def _file_two_years(scene: StoryDay, company: Company) -> list[Change]:
    """A late filer: two years are registered on one day."""
    return [*_file_accounts(scene, company), *_file_accounts(scene, company)]


def _file_on_paper(scene: StoryDay, company: Company) -> list[Change]:
    """Accounts known only from a notice: the day is known, but neither the year nor a figure."""
    publish_notice(scene, company, "TA", "TILTAR")
    return [DocumentFiled("annual_report", None, None, scene.day, company.finnish.notices[0])]


def _refiled_accounts(scene: StoryDay, company: Company, changed: Accounts) -> Accounts:
    """Accounts registered under the same key: the register has no document numbers."""
    return replace(changed, published=scene.day, document=company.accounts[-1].document + 1)


def _old_accounts(scene: StoryDay, _company: Company, changed: Accounts) -> Accounts:
    return replace(changed, published=scene.day, document=changed.document + 9)


def _restated_comparatives(scene: StoryDay, company: Company) -> Accounts:
    """The next year repeats this one with other figures: the year's own filing takes precedence."""
    prior = sandbox_accounts.restated_figures(company.accounts[-1].figures)
    return replace(_next_accounts(scene, company), prior=prior)


def _enter_situation(kind: str) -> Step:
    """Bankruptcy, liquidation or restructuring begins, by yesterday's entry."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        since = scene.day - _ONE_DAY
        company.finnish.situations.append(LegalSituation(kind, since))
        publish_notice(scene, company, "M", kind)
        status, detail = initial_state.SITUATIONS[kind]
        return change_status(company, status, detail, since, scene.day)

    return step


def _end_situation(scene: StoryDay, company: Company) -> list[Change]:
    for situation in company.finnish.situations:
        situation.ended = situation.ended or scene.day - _ONE_DAY
    company.finnish.modified = scene.day
    return change_status(company, "active", None, company.finnish.situations[-1].ended, scene.day)


def _cease_company(scene: StoryDay, company: Company) -> list[Change]:
    since = scene.day - _ONE_DAY
    initial_state.end_registration(company, since)
    company.finnish.modified = scene.day
    return change_status(company, "dissolved", None, since, scene.day)


def _restore_registration(scene: StoryDay, company: Company) -> list[Change]:
    """Re-registration: the end date of the registration is gone, and the entry «ceased» has ended."""
    company.finnish.ended = None
    for entry in company.finnish.entries:
        entry.ended = entry.ended or scene.day - _ONE_DAY
    company.finnish.entries.append(RegisterEntry(TRADE, "1", scene.day))
    publish_notice(scene, company, "M", "OIK")
    return change_status(company, "active", None, scene.day, scene.day)


def _suspend_business(scene: StoryDay, company: Company) -> list[Change]:
    """Removed from every register of the Tax Administration: the company is dormant."""
    for entry in company.finnish.entries:
        if entry.register != TRADE:
            entry.ended = entry.ended or scene.day - _ONE_DAY
    company.finnish.modified = scene.day
    return change_status(company, "dormant", initial_state.IDLE_DETAIL, scene.day - _ONE_DAY, scene.day)


def _resume_business(scene: StoryDay, company: Company) -> list[Change]:
    company.finnish.entries.append(RegisterEntry(initial_state.VAT, "80", scene.day))
    company.finnish.modified = scene.day
    return change_status(company, "active", None, scene.day, scene.day)


def _leave_one_register(scene: StoryDay, company: Company) -> list[Change]:
    """No longer an employer, but liable for VAT: the company stays active."""
    for entry in company.finnish.entries:
        if entry.register == initial_state.EMPLOYER:
            entry.ended = scene.day - _ONE_DAY
    company.finnish.modified = scene.day
    return []


def _rename_company(scene: StoryDay, company: Company) -> list[Change]:
    company.former_names.insert(0, (scene.day, company.name))
    company.name = f"Uusi {company.name}"
    publish_notice(scene, company, "M", "NIMP")
    return []


def _move_company(scene: StoryDay, company: Company) -> list[Change]:
    company.finnish.modified = scene.day
    return move_company(vocabulary.PLACES, f"{vocabulary.STREETS[0]} {{}}")(scene, company)


def _reclassify_company(scene: StoryDay, company: Company) -> list[Change]:
    choice = [line.industry(scene.industry_code_set) for line in vocabulary.LINES]
    company.industry = scene.rng.choice([item for item in choice if item != company.industry])
    company.finnish.modified = scene.day
    return []


def _change_form(scene: StoryDay, company: Company) -> list[Change]:
    company.finnish.modified = scene.day
    return change_form(vocabulary.PUBLIC)(scene, company)


def _flicker_timestamp(scene: StoryDay, company: Company) -> list[Change]:
    """The record's modification date changes, but nothing else."""
    company.finnish.modified = scene.day
    return []


def _prepare_founded(scene: StoryDay, company: Company) -> None:
    company.registered = scene.day - _ONE_DAY
    _prepare_filer("full")(scene, company)
    company.accounts = [replace(company.accounts[-1], published=scene.day)]
    company.finnish.notices = []
    publish_notice(scene, company, "U")


_correct_accounts: Final = _with_notice(correct_accounts(_refiled_accounts))
_repeat_accounts: Final = _with_notice(repeat_accounts(_refiled_accounts))
# two years late, and neither so old that it makes no event
_LATE: Final = _prepare_filer("full", behind=3, count=1, year_ends=initial_state.DECEMBER)
STORIES: Final[tuple[Story, ...]] = (
    Story("files_full", _prepare_filer("full"), (_file_accounts,)),
    Story("files_then_repeats", _prepare_filer("carrying"), (_file_accounts, _repeat_accounts)),
    Story("files_prefixed", _prepare_filer("prefixed"), (_file_accounts,)),
    Story("files_holding", _prepare_filer("holding"), (_file_accounts,)),
    Story("files_two_years", _LATE, (_file_two_years,)),
    Story("files_on_paper", _prepare_noticed, (_file_on_paper,)),
    Story("corrects", _prepare_filer("full", behind=1), (_correct_accounts, _correct_accounts)),
    Story("restates_comparatives", _prepare_filer("full"), (_with_notice(file_accounts(_restated_comparatives)),)),
    Story("files_old_year", _prepare_filer("full"), (_with_notice(file_old_year(_old_accounts, 5)),)),
    Story("bankrupt_then_recovers", _prepare_taxpayer, (_enter_situation("KONK"), no_change, _end_situation)),
    Story("winds_up_then_bankrupt", prepare_active_company, (_enter_situation("SELTILA"), _enter_situation("KONK"))),
    Story("restructured", _prepare_taxpayer, (_enter_situation("SANE"), _end_situation)),
    Story("ceased_then_restored", prepare_active_company, (_cease_company, _restore_registration)),
    Story("leaves_registers_one_by_one", _prepare_taxpayer, (_leave_one_register, _suspend_business, _resume_business)),
    Story("renamed_then_moves", prepare_active_company, (change_profile(_rename_company, "name", 0), _move_company)),
    Story(
        "reclassified_then_flickers",
        prepare_active_company,
        (change_profile(_reclassify_company, "sni_code"), _change_form, _flicker_timestamp),
    ),
    Story("founded", _prepare_founded, (publish_first_accounts, _file_accounts), founded=True),
)
