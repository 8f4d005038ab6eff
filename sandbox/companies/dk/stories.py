"""Stories of Danish companies: one function per step, one `Story` per kind, in casting order.

A step that returns nothing is a change that must make no event. The register dates every value that it states, so that
changes of a profile have their day. Does not belong here: owners (`stories_owners`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from sandbox.companies import accounts as sandbox_accounts
from sandbox.companies.dk import initial_state, vocabulary
from sandbox.companies.stories import (
    Prepare,
    Step,
    Story,
    StoryDay,
    change_status,
    correct_accounts,
    file_accounts,
    file_old_year,
    no_change,
    publish_first_accounts,
    repeat_accounts,
    round_accounts,
)
from sandbox.model.company import Accounts, Change, Company, ProfileChange
from sandbox.model.dk import Address, DatedValue, end_value, supersede_value
from sandbox.vocabulary import Place

_ONE_DAY: Final = timedelta(days=1)


def record_change(scene: StoryDay, company: Company) -> None:
    """The register writes the company's record anew today."""
    company.danish.updated, company.danish.revision = scene.day, company.danish.revision + 1


def prepare_filer(style: str = "b") -> Prepare:
    """A private company in good standing, without owners, with a report of one style."""

    def prepare(scene: StoryDay, company: Company) -> None:
        stem = company.name.rsplit(" ", 1)[0] if company.form in vocabulary.ENDINGS else company.name
        company.form = vocabulary.PRIVATE
        company.name = stem + vocabulary.ENDINGS[vocabulary.PRIVATE]
        company.status, company.status_detail, company.status_date = "active", None, None
        company.registry_status = vocabulary.NORMAL
        company.danish.holders = []
        company.accounts = [initial_state.danish_accounts(scene.rng, company, scene.first_day, style)]
        initial_state.enter_values(company)

    return prepare


prepare_active_company: Final = prepare_filer()


def _next_accounts(scene: StoryDay, company: Company) -> Accounts:
    serial = len(company.accounts)
    number = initial_state.publication_number(company.position, serial)
    return sandbox_accounts.following_accounts(scene.rng, company.accounts[-1], scene.day, number)


def _refiled_accounts(scene: StoryDay, company: Company, changed: Accounts) -> Accounts:
    number = initial_state.publication_number(company.position, len(company.accounts))
    return replace(changed, published=scene.day, document=number)


def _set_registry_status(word: str, status: str, detail: str | None, days_ago: int) -> Step:
    """The register writes another status, valid since some days ago."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        since = scene.day - timedelta(days=days_ago)
        record_change(scene, company)
        supersede_value(company.danish.statuses, word, since, scene.day)
        company.registry_status = word
        return change_status(company, status, detail, since, scene.day)

    return step


def _end_life(word: str, reason: str) -> Step:
    """The company ended yesterday, its last day, and is removed from the register."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        changes = _set_registry_status(word, "dissolved", reason, 1)(scene, company)
        end_value(company.danish.lives, scene.day - _ONE_DAY, scene.day)
        return changes

    return step


def _restore_company(scene: StoryDay, company: Company) -> list[Change]:
    """The removal is undone: a second life begins today."""
    company.danish.lives.append(DatedValue(None, scene.day, scene.day))
    return _set_registry_status(vocabulary.NORMAL, "active", None, 0)(scene, company)


def _rename_company(scene: StoryDay, company: Company) -> list[Change]:
    former, since = replace(company), scene.day - _ONE_DAY
    company.name = f"Ny {company.name}"
    company.former_names.insert(0, (since, former.name))
    supersede_value(company.danish.names, company.name, since, scene.day)
    record_change(scene, company)
    return [ProfileChange(("name",), former, since)]


def _move_company(scene: StoryDay, company: Company) -> list[Change]:
    """A move into another region."""
    former, since = replace(company), scene.day - 2 * _ONE_DAY
    company.place = scene.rng.choice([place for place in vocabulary.PLACES if _region(place) != _region(former.place)])
    company.street = f"{vocabulary.STREETS[0]} {scene.rng.randint(200, 300)}"
    supersede_value(company.danish.addresses, Address(company.place, company.street), since, scene.day)
    record_change(scene, company)
    return [ProfileChange(("municipality", "county", "address"), former, since)]


def _region(place: Place | None) -> str | None:
    return None if place is None else place.county


def _reclassify_company(scene: StoryDay, company: Company) -> list[Change]:
    former, since = replace(company), scene.day - _ONE_DAY
    industry = scene.rng.choice([item for item in vocabulary.INDUSTRIES if item != former.industry])
    company.industry = industry
    supersede_value(company.danish.industries, industry, since, scene.day)
    record_change(scene, company)
    return [ProfileChange(("sni_code",), former, since)]


def _convert_company(scene: StoryDay, company: Company) -> list[Change]:
    """A private company becomes a stock company, and its name is written in capitals, which is no other name."""
    former, since = replace(company), scene.day
    company.form, company.name = vocabulary.STOCK, company.name.upper()
    supersede_value(company.danish.forms, company.form, since, scene.day)
    supersede_value(company.danish.names, company.name, since, scene.day)
    record_change(scene, company)
    return [ProfileChange(("legal_form_code",), former, since)]


def _count_employees(employees: int | None) -> Step:
    """Another monthly count; None: the same one for the next month."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        company.employees = company.employees if employees is None else employees
        company.employees_counted = date(2026, 10, 31)
        record_change(scene, company)
        return []

    return step


def _rewrite_record(scene: StoryDay, company: Company) -> list[Change]:
    """A new version of the record in which nothing is new."""
    record_change(scene, company)
    return []


def _prepare_founded(scene: StoryDay, company: Company) -> None:
    prepare_active_company(scene, company)
    company.registered = scene.day - _ONE_DAY
    initial_state.enter_values(company)
    company.accounts = [replace(company.accounts[-1], published=scene.day)]
    record_change(scene, company)


_file_accounts: Final = file_accounts(_next_accounts)
_correct_accounts: Final = correct_accounts(_refiled_accounts)
_declare_bankrupt: Final = _set_registry_status(vocabulary.BANKRUPTCY, "dormant", "bankruptcy", 2)
_start_liquidation: Final = _set_registry_status(vocabulary.LIQUIDATION, "dormant", "liquidation", 3)
_force_dissolution: Final = _set_registry_status(vocabulary.FORCED_DISSOLUTION, "dormant", "forced_dissolution", 1)
_start_reconstruction: Final = _set_registry_status(vocabulary.RECONSTRUCTION, "active", "reorganisation", 1)
_restore_active: Final = _set_registry_status(vocabulary.NORMAL, "active", None, 0)
STORIES: Final[tuple[Story, ...]] = (
    Story("files_without_revenue", prepare_filer("b"), (_file_accounts,)),
    Story("files_with_revenue", prepare_filer("b_revenue"), (_file_accounts, _correct_accounts)),
    Story("files_several_documents", prepare_filer("c"), (_file_accounts,)),
    Story("files_group", prepare_filer("c_group"), (_file_accounts,)),
    Story("files_inline", prepare_filer("c_inline"), (_file_accounts,)),
    Story("files_ifrs", prepare_filer("d_ifrs"), (_file_accounts,)),
    Story("corrects", prepare_filer("c"), (_correct_accounts, _correct_accounts)),
    Story("rounds", prepare_filer("c"), (round_accounts(_refiled_accounts),)),
    Story("repeats", prepare_filer("b"), (repeat_accounts(_refiled_accounts),)),
    Story("files_old_year", prepare_filer("b"), (file_old_year(_refiled_accounts, 5),)),
    Story(
        "bankrupt_then_dissolved",
        prepare_active_company,
        (_declare_bankrupt, _end_life(vocabulary.ENDED_BY_BANKRUPTCY, "bankruptcy")),
    ),
    Story("winds_up_then_bankrupt", prepare_active_company, (_start_liquidation, _declare_bankrupt)),
    Story("forced_then_recovers", prepare_active_company, (_force_dissolution, no_change, _restore_active)),
    Story(
        "dissolved_then_restored",
        prepare_active_company,
        (_end_life(vocabulary.ENDED_BY_FORCE, "forced_dissolution"), _restore_company),
    ),
    Story("reorganises", prepare_active_company, (_start_reconstruction, _restore_active)),
    Story("renamed_then_moves", prepare_active_company, (_rename_company, _move_company)),
    Story("reclassified_then_converted", prepare_active_company, (_reclassify_company, _convert_company)),
    Story("hires", prepare_active_company, (_count_employees(12), _count_employees(None))),
    Story("rewritten", prepare_active_company, (_rewrite_record,)),
    Story("founded", _prepare_founded, (publish_first_accounts, _file_accounts), founded=True),
)
