"""Stories of Norwegian companies: one function per step, one `Story` per kind, in casting order.

A step that returns nothing is a change that must make no event.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Final

from sandbox import vocabulary
from sandbox.companies import accounts as sandbox_accounts
from sandbox.companies.no import initial_state
from sandbox.companies.stories import (
    Step,
    Story,
    StoryDay,
    change_form,
    change_profile,
    change_status,
    correct_accounts,
    dissolve_company,
    file_accounts,
    file_old_year,
    move_company,
    no_change,
    publish_first_accounts,
    round_accounts,
)
from sandbox.model.company import Accounts, Change, Company, ThresholdCrossing

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
    company.norwegian.owners = initial_state.partner_owners(company, *_SHARES)


def _next_accounts(scene: StoryDay, company: Company) -> Accounts:
    number = initial_state.filing_number(scene.day, company.position, len(company.accounts))
    return sandbox_accounts.following_accounts(scene.rng, company.accounts[-1], scene.day, number)


def _refiled_accounts(scene: StoryDay, company: Company, changed: Accounts) -> Accounts:
    number = initial_state.filing_number(scene.day, company.position, len(company.accounts))
    return replace(changed, published=scene.day, document=number)


def _old_accounts(scene: StoryDay, company: Company, changed: Accounts) -> Accounts:
    number = initial_state.filing_number(scene.day, company.position, 9)
    return replace(changed, published=scene.day, document=number)


def _repeat_accounts(_scene: StoryDay, company: Company) -> list[Change]:
    """The same response with numbers in another spelling: nothing is new."""
    company.new_accounts.append(replace(company.accounts[-1], is_rounded_to_thousands=True))
    return []


def _enter_status(status: str, detail: str, days_ago: int) -> Step:
    """Insolvency proceedings, entered some days later."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        return change_status(company, status, detail, scene.day - timedelta(days=days_ago), scene.day)

    return step


def _force_dissolution(scene: StoryDay, company: Company) -> list[Change]:
    company.reason_field = _NO_ACCOUNTS_REASON
    return change_status(company, "dormant", "forced_dissolution", scene.day - timedelta(days=1), scene.day)


def _restore_active(scene: StoryDay, company: Company) -> list[Change]:
    company.reason_field = None
    return change_status(company, "active", None, None, scene.day)


def _rename_company(scene: StoryDay, company: Company) -> list[Change]:
    company.former_names.insert(0, (scene.day - timedelta(days=1), company.name))
    first, rest = scene.rng.choice(vocabulary.NORWEGIAN_FIRST), company.name.split(" ", 1)[1]
    company.name = f"NYE {first} {rest}"
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
    company.norwegian.owners = initial_state.partner_owners(company, *reversed(_SHARES))
    company.norwegian.since = scene.day
    return [
        ThresholdCrossing(owner, scene.day, was.percent, owner.percent, "exact")
        for was, owner in zip(before, company.norwegian.owners, strict=True)
        if was.percent is not None and owner.percent is not None
    ]


def _prepare_founded(scene: StoryDay, company: Company) -> None:
    prepare_active_company(scene, company)
    company.registered = scene.day - timedelta(days=1)
    company.accounts = [replace(company.accounts[-1], published=scene.day)]


_file_accounts: Final = file_accounts(_next_accounts)
_correct_accounts: Final = correct_accounts(_refiled_accounts)
_declare_bankrupt: Final = _enter_status("dormant", "bankruptcy", 2)
_start_liquidation: Final = _enter_status("dormant", "liquidation", 3)
_start_reorganisation: Final = _enter_status("active", "reorganisation", 1)
_move_company: Final = move_company(vocabulary.NORWEGIAN_PLACES, f"{vocabulary.NORWEGIAN_STREETS[0]} {{}}")
STORIES: Final[tuple[Story, ...]] = (
    Story("files_six_rows", _prepare_six_rows, (_file_accounts,)),
    Story("files_one_row", _prepare_one_row, (_file_accounts,)),
    Story("files_group", _prepare_parent, (_file_accounts,)),
    Story("corrects", _prepare_six_rows, (_correct_accounts, _correct_accounts)),
    Story("rounds", _prepare_six_rows, (round_accounts(_refiled_accounts),)),
    Story("repeats", _prepare_six_rows, (_repeat_accounts,)),
    Story("files_old_year", _prepare_single_year, (file_old_year(_old_accounts, 5),)),
    Story("bankrupt", prepare_active_company, (_declare_bankrupt,)),
    Story("winds_up_then_bankrupt", prepare_active_company, (_start_liquidation, _declare_bankrupt)),
    Story("forced_then_recovers", prepare_active_company, (_force_dissolution, no_change, _restore_active)),
    Story("dissolved_then_restored", prepare_active_company, (dissolve_company, _restore_active)),
    Story("reorganises", prepare_active_company, (_start_reorganisation, _restore_active)),
    Story("renamed_then_moves", prepare_active_company, (change_profile(_rename_company, "name"), _move_company)),
    Story(
        "reclassified", prepare_active_company, (change_profile(_reclassify_company, "sni_code"), change_form("ASA"))
    ),
    Story("hires", prepare_active_company, (_set_employees, _recount_employees)),
    Story("partners_trade", _prepare_partnership, (_swap_partners,)),
    Story("founded", _prepare_founded, (publish_first_accounts, _file_accounts), founded=True),
)
