"""Stories of Norwegian companies: one function per step, one `Story` per kind, in casting order.

A step that returns nothing is a change that must make no event.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from sandbox import vocabulary
from sandbox.companies import accounts as sandbox_accounts
from sandbox.companies.no import initial_owners, initial_state
from sandbox.companies.stories import Change, Story, StoryDay, change_status, no_change
from sandbox.model.company import Accounts, Company, FilingChange
from sandbox.model.no import PartnerChange

_SHARES: Final = (Decimal(60), Decimal(40))
_NO_ACCOUNTS_REASON: Final = "tvangsopplostPgaManglendeRegnskapDato"


def prepare_active_company(story_day: StoryDay, company: Company) -> None:
    """A limited company in good standing at a Norwegian address, with accounts."""
    company.form, company.status, company.status_detail, company.status_date = "AS", "active", None, None
    company.reason_field = None
    company.norwegian.owners = []
    company.name = f"{company.name.rsplit(' ', 1)[0]} AS" if not company.name.endswith(" AS") else company.name
    company.place = company.place or vocabulary.NORWEGIAN_PLACES[0]
    company.industry = company.industry if company.industry != vocabulary.BANK else vocabulary.UNSTATED_INDUSTRY
    count = 3 if company.extended else 1
    company.accounts = initial_state.norwegian_accounts(
        story_day.rng, company.position, story_day.first_day, group=False, count=count
    )


def _prepare_six_rows(scene: StoryDay, company: Company) -> None:
    company.extended = True
    prepare_active_company(scene, company)


def _prepare_one_row(scene: StoryDay, company: Company) -> None:
    company.extended = False
    prepare_active_company(scene, company)


def _prepare_parent(scene: StoryDay, company: Company) -> None:
    _prepare_six_rows(scene, company)
    company.accounts = initial_state.norwegian_accounts(scene.rng, company.position, scene.first_day, group=True)


def _prepare_single_year(scene: StoryDay, company: Company) -> None:
    """Only the newest year is known, so that an older one can arrive late."""
    _prepare_six_rows(scene, company)
    company.accounts = company.accounts[-1:]


def _prepare_partnership(scene: StoryDay, company: Company) -> None:
    prepare_active_company(scene, company)
    company.form = "DA"
    company.norwegian.owners = initial_owners.partner_owners(company, *_SHARES)


def _next_accounts(scene: StoryDay, company: Company, day: date) -> Accounts:
    number = initial_state.filing_number(day, company.position, len(company.accounts))
    return sandbox_accounts.following_accounts(scene.rng, company.accounts[-1], day, number)


def _file_accounts(scene: StoryDay, company: Company) -> list[Change]:
    accounts = _next_accounts(scene, company, scene.day)
    company.publish(accounts)
    return [FilingChange(accounts, None)]


def _refiled_accounts(scene: StoryDay, company: Company, changed: Accounts) -> Accounts:
    """A later document of the same period."""
    number = initial_state.filing_number(scene.day, company.position, len(company.accounts))
    return replace(changed, published=scene.day, document=number)


def _correct_accounts(scene: StoryDay, company: Company) -> list[Change]:
    last = company.accounts[-1]
    accounts = _refiled_accounts(
        scene, company, replace(last, figures=sandbox_accounts.restated_figures(last.figures), is_amended=True)
    )
    company.publish(accounts)
    return [FilingChange(accounts, last)]


def _round_accounts(scene: StoryDay, company: Company) -> list[Change]:
    last = company.accounts[-1]
    company.publish(
        _refiled_accounts(
            scene,
            company,
            replace(last, figures=sandbox_accounts.figures_in_thousands(last.figures), is_rounded_to_thousands=True),
        )
    )
    return []


def _repeat_accounts(_scene: StoryDay, company: Company) -> list[Change]:
    """The same response with numbers in another spelling: nothing is new."""
    company.new_accounts.append(replace(company.accounts[-1], is_rounded_to_thousands=True))
    return []


def _file_old_year(scene: StoryDay, company: Company) -> list[Change]:
    """Accounts of a year that ended long before the first day: filled in silently."""
    newest = company.accounts[-1]
    start, end = (newest.start.replace(year=newest.start.year - 5), newest.end.replace(year=newest.end.year - 5))
    number = initial_state.filing_number(scene.day, company.position, 9)
    old = replace(newest, start=start, end=end, published=scene.day, document=number)
    company.accounts.insert(0, old)
    company.new_accounts.append(old)
    return []


def _declare_bankrupt(scene: StoryDay, company: Company) -> list[Change]:
    return change_status(company, "dormant", "bankruptcy", scene.day - timedelta(days=2), scene.day)


def _start_liquidation(scene: StoryDay, company: Company) -> list[Change]:
    return change_status(company, "dormant", "liquidation", scene.day - timedelta(days=3), scene.day)


def _force_dissolution(scene: StoryDay, company: Company) -> list[Change]:
    company.reason_field = _NO_ACCOUNTS_REASON
    return change_status(company, "dormant", "forced_dissolution", scene.day - timedelta(days=1), scene.day)


def _restore_active(scene: StoryDay, company: Company) -> list[Change]:
    company.reason_field = None
    return change_status(company, "active", None, None, scene.day)


def _start_reorganisation(scene: StoryDay, company: Company) -> list[Change]:
    return change_status(company, "active", "reorganisation", scene.day - timedelta(days=1), scene.day)


def _dissolve_company(scene: StoryDay, company: Company) -> list[Change]:
    return change_status(company, "dissolved", None, scene.day, scene.day)


def _rename_company(scene: StoryDay, company: Company) -> list[Change]:
    company.former_names.insert(0, (scene.day - timedelta(days=1), company.name))
    first, rest = scene.rng.choice(vocabulary.NORWEGIAN_FIRST), company.name.split(" ", 1)[1]
    company.name = f"NYE {first} {rest}"
    return []


def _move_company(scene: StoryDay, company: Company) -> list[Change]:
    company.place = scene.rng.choice([place for place in vocabulary.NORWEGIAN_PLACES if place != company.place])
    company.street = f"{vocabulary.NORWEGIAN_STREETS[0]} {scene.rng.randint(200, 300)}"
    return []


def _reclassify_company(scene: StoryDay, company: Company) -> list[Change]:
    choice = [
        pair[scene.industry_code_set]
        for pair in vocabulary.NORWEGIAN_INDUSTRIES
        if pair[scene.industry_code_set] != company.industry
    ]
    company.industry = scene.rng.choice(choice)
    return []


def _set_employees(scene: StoryDay, company: Company) -> list[Change]:
    """From a withheld count to a stated one; elsewhere only the date of the count changes."""
    company.employees, company.employees_counted = 12, scene.day
    return []


def _recount_employees(scene: StoryDay, company: Company) -> list[Change]:
    company.employees_counted = scene.day
    return []


def _swap_partners(scene: StoryDay, company: Company) -> list[Change]:
    """Two partners change places: one falls below half, the other rises above."""
    before = company.norwegian.owners
    company.norwegian.owners = initial_owners.partner_owners(company, *reversed(_SHARES))
    company.norwegian.since = scene.day
    return [
        PartnerChange(owner, scene.day, was.percent, owner.percent)
        for was, owner in zip(before, company.norwegian.owners, strict=True)
        if was.percent is not None and owner.percent is not None
    ]


def _prepare_founded(scene: StoryDay, company: Company) -> None:
    prepare_active_company(scene, company)
    company.registered = scene.day - timedelta(days=1)
    company.accounts = [replace(company.accounts[-1], published=scene.day)]


def _publish_first_accounts(_scene: StoryDay, company: Company) -> list[Change]:
    company.new_accounts.extend(company.accounts)
    return []


STORIES: Final[tuple[Story, ...]] = (
    Story("files_six_rows", _prepare_six_rows, (_file_accounts,)),
    Story("files_one_row", _prepare_one_row, (_file_accounts,)),
    Story("files_group", _prepare_parent, (_file_accounts,)),
    Story("corrects", _prepare_six_rows, (_correct_accounts, _correct_accounts)),
    Story("rounds", _prepare_six_rows, (_round_accounts,)),
    Story("repeats", _prepare_six_rows, (_repeat_accounts,)),
    Story("files_old_year", _prepare_single_year, (_file_old_year,)),
    Story("bankrupt", prepare_active_company, (_declare_bankrupt,)),
    Story("winds_up_then_bankrupt", prepare_active_company, (_start_liquidation, _declare_bankrupt)),
    Story("forced_then_recovers", prepare_active_company, (_force_dissolution, no_change, _restore_active)),
    Story("dissolved_then_restored", prepare_active_company, (_dissolve_company, _restore_active)),
    Story("reorganises", prepare_active_company, (_start_reorganisation, _restore_active)),
    Story("renamed_then_moves", prepare_active_company, (_rename_company, _move_company)),
    Story("reclassified", prepare_active_company, (_reclassify_company,)),
    Story("hires", prepare_active_company, (_set_employees, _recount_employees)),
    Story("partners_trade", _prepare_partnership, (_swap_partners,)),
    Story("founded", _prepare_founded, (_publish_first_accounts, _file_accounts), founded=True),
)
