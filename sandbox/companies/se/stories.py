"""Stories of Swedish companies: one function per step, one `Story` per kind, in casting order.

A step that returns nothing is a change that must make no event. Does not belong here: holders of listed
companies (`stories_listed`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from sandbox.companies.se import initial_state, vocabulary
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
    round_accounts,
)
from sandbox.model.company import Accounts, Change, Company, StatusChange
from sandbox.model.se import ACTIVE, NEVER_ACTIVE, NO_LONGER_ACTIVE, STATISTICS_AT, SwedishDetails

_ONE_DAY: Final = timedelta(days=1)


def _prepare_filer(flavour: str, count: int = 1) -> Prepare:
    """A limited company in good standing at a Swedish address, with reports of one flavour."""

    def prepare(scene: StoryDay, company: Company) -> None:
        company.form = "AB"
        company.name = vocabulary.FORMS["AB"][2].format(
            first=scene.rng.choice(vocabulary.FIRST), second="Drift", number=company.position + 1
        )
        company.status, company.status_detail, company.status_date = "active", None, None
        company.registered = min(company.registered, scene.first_day - 400 * _ONE_DAY)
        company.swedish = SwedishDetails(name_registered_on=company.registered)
        company.place = company.place or vocabulary.PLACES[0]
        company.industry = scene.rng.choice(vocabulary.INDUSTRIES)[scene.industry_code_set]
        company.accounts = initial_state.swedish_accounts(scene.rng, company, scene.first_day, flavour, count)

    return prepare


prepare_active_company: Final = _prepare_filer("k2")


def _prepare_never_active(scene: StoryDay, company: Company) -> None:
    prepare_active_company(scene, company)
    company.swedish.activity = NEVER_ACTIVE
    company.status, company.status_detail = "dormant", "no_trading"


def _prepare_leaving(scene: StoryDay, company: Company) -> None:
    """Inactive, and outside SCB's population for half a year: the row is removed next."""
    prepare_active_company(scene, company)
    company.swedish.activity, company.swedish.in_population = NO_LONGER_ACTIVE, False
    company.status, company.status_detail = "dormant", "no_trading"


def _next_serial(company: Company) -> int:
    return company.position * 10 + len(company.accounts)


def _next_accounts(scene: StoryDay, company: Company) -> Accounts:
    return initial_state.next_report(scene.rng, company.accounts[-1], scene.day, _next_serial(company))


def _refiled_accounts(scene: StoryDay, company: Company, changed: Accounts) -> Accounts:
    return replace(changed, published=scene.day, document=_next_serial(company))


def _old_accounts(scene: StoryDay, company: Company, changed: Accounts) -> Accounts:
    return replace(_refiled_accounts(scene, company, changed), prior=None, overview_years=())


def _republish_report(_scene: StoryDay, company: Company) -> list[Change]:
    """The same document in a later archive."""
    company.new_accounts.append(company.accounts[-1])
    return []


def _start_proceedings(code: str, status: str, detail: str | None, days_ago: int) -> Step:
    """Proceedings begin, or replace others."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        since = scene.day - days_ago * _ONE_DAY
        company.swedish.proceedings = ((code, since),)
        return change_status(company, status, detail, since, scene.day)

    return step


def _deregister_company(reason: str) -> Step:
    """Deregistered; SCB is weeks late with the change."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        company.swedish.deregistered, company.swedish.reason = scene.day, reason
        return change_status(company, "dissolved", None, scene.day, scene.day)

    return step


def _restore_active(scene: StoryDay, company: Company) -> list[Change]:
    """The proceedings or the deregistration are revoked."""
    company.swedish = SwedishDetails(name_registered_on=company.swedish.name_registered_on)
    return change_status(company, "active", None, None, scene.day)


def _set_activity(activity: str) -> Step:
    """SCB's trading status, which has no date."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        company.swedish.activity = activity
        is_active = activity == ACTIVE
        changes = change_status(
            company, "active" if is_active else "dormant", None if is_active else "no_trading", None, scene.day
        )
        return [replace(one, file_time=STATISTICS_AT) for one in changes if isinstance(one, StatusChange)]

    return step


def _drop_statistics(_scene: StoryDay, company: Company) -> list[Change]:
    """SCB removes the row; its last statement stays in effect (docs/formats/se.md 12)."""
    company.swedish.activity = None
    return []


def _rename_company(scene: StoryDay, company: Company) -> list[Change]:
    company.former_names.insert(0, (company.swedish.name_registered_on or company.registered, company.name))
    company.swedish.name_registered_on = scene.day - _ONE_DAY
    company.name = f"Nya {company.name}"
    return []


def _reclassify_company(scene: StoryDay, company: Company) -> list[Change]:
    industries = [pair[scene.industry_code_set] for pair in vocabulary.INDUSTRIES]
    company.industry = scene.rng.choice([industry for industry in industries if industry != company.industry])
    return []


def _flicker_advertising(_scene: StoryDay, company: Company) -> list[Change]:
    """Only the advertising preference changes."""
    company.swedish.declines_advertising = not company.swedish.declines_advertising
    return []


def _prepare_founded(scene: StoryDay, company: Company) -> None:
    """Registered the day before; SCB does not have it yet."""
    prepare_active_company(scene, company)
    accounts = company.accounts
    initial_state.mark_newly_registered(
        company, scene.day - _ONE_DAY, vocabulary.INDUSTRIES[0][scene.industry_code_set]
    )
    initial_state.remove_statistics(company)
    company.accounts = [replace(accounts[-1], published=scene.day)]


_file_accounts: Final = file_accounts(_next_accounts)


def _add_statistics(scene: StoryDay, company: Company) -> list[Change]:
    """SCB's first row of the company, and the year's report."""
    company.swedish.activity = ACTIVE
    company.industry = vocabulary.INDUSTRIES[0][scene.industry_code_set]
    return _file_accounts(scene, company)


_correct_accounts: Final = correct_accounts(_refiled_accounts)
_move_company: Final = move_company(vocabulary.PLACES, f"{vocabulary.STREETS[0]} {{}}")
_declare_bankrupt: Final = _start_proceedings("KK", "dormant", "bankruptcy", 2)
_start_liquidation: Final = _start_proceedings("LI", "dormant", "liquidation", 3)

STORIES: Final[tuple[Story, ...]] = (
    Story("files_k2", _prepare_filer("k2", 2), (_file_accounts,)),
    Story("files_k2_2017", _prepare_filer("k2_2017"), (_file_accounts,)),
    Story("files_thousands", _prepare_filer("k3"), (_file_accounts,)),
    Story("files_group", _prepare_filer("k3k"), (_file_accounts,)),
    Story("corrects", prepare_active_company, (_correct_accounts, _correct_accounts)),
    Story("rounds", _prepare_filer("k2", 2), (round_accounts(_refiled_accounts),)),
    Story("repeats", prepare_active_company, (repeat_accounts(_refiled_accounts), _republish_report)),
    Story("files_old_year", prepare_active_company, (file_old_year(_old_accounts, 5),)),
    Story("bankrupt", prepare_active_company, (_declare_bankrupt,)),
    Story("winds_up_then_bankrupt", prepare_active_company, (_start_liquidation, _declare_bankrupt)),
    Story("winds_up_then_dissolved", prepare_active_company, (_start_liquidation, _deregister_company("LIAV"))),
    Story("dissolved_then_restored", prepare_active_company, (_deregister_company("FUAV"), _restore_active)),
    Story("stops_trading", prepare_active_company, (_set_activity(NO_LONGER_ACTIVE), no_change, _set_activity(ACTIVE))),
    Story("starts_trading", _prepare_never_active, (_set_activity(ACTIVE),)),
    Story(
        "reorganises",
        prepare_active_company,
        (_start_proceedings("FR", "active", "reorganisation", 1), _restore_active),
    ),
    Story("merges", prepare_active_company, (_start_proceedings("FUOT", "active", None, 4),)),
    Story("leaves_statistics", _prepare_leaving, (_drop_statistics,)),
    Story("renamed_then_moves", prepare_active_company, (change_profile(_rename_company, "name", 1), _move_company)),
    Story("reclassified", prepare_active_company, (change_profile(_reclassify_company, "sni_code"), change_form("EK"))),
    Story("flickers", prepare_active_company, (_flicker_advertising, _flicker_advertising)),
    Story("founded", _prepare_founded, (publish_first_accounts, _add_statistics), founded=True),
)
