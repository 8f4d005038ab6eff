"""Stories of Swedish companies: one function per step, one `Story` per kind, in casting order.

A step that returns nothing is a change that must make no event. Does not belong here: holders of listed
companies (`stories_listed`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Final

from sandbox.companies import accounts as sandbox_accounts
from sandbox.companies.se import initial_state, vocabulary
from sandbox.companies.stories import Change, Step, Story, StoryDay, change_status, no_change
from sandbox.model.company import Accounts, Company, FilingChange
from sandbox.model.se import ACTIVE, NEVER_ACTIVE, NO_LONGER_ACTIVE, SwedishDetails
from sandbox.vocabulary import Industry

_ONE_DAY: Final = timedelta(days=1)


def _prepare_filer(flavour: str, count: int = 1) -> Callable[[StoryDay, Company], None]:
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
        company.industry = _unlabelled_industry(scene)
        company.accounts = initial_state.swedish_accounts(scene.rng, company, scene.first_day, flavour, count)

    return prepare


def _unlabelled_industry(scene: StoryDay) -> Industry:
    """A company that is not looked up has a code without a label."""
    return Industry(scene.rng.choice(vocabulary.INDUSTRIES)[scene.industry_code_set].code, "")


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


def _file_accounts(scene: StoryDay, company: Company) -> list[Change]:
    accounts = initial_state.next_report(scene.rng, company.accounts[-1], scene.day, _next_serial(company))
    company.publish(accounts)
    return [FilingChange(accounts, None)]


def _refiled_accounts(scene: StoryDay, company: Company, changed: Accounts) -> Accounts:
    """A report of the same period, registered again."""
    return replace(changed, published=scene.day, document=_next_serial(company))


def _correct_accounts(scene: StoryDay, company: Company) -> list[Change]:
    last = company.accounts[-1]
    accounts = _refiled_accounts(
        scene, company, replace(last, figures=sandbox_accounts.restated_figures(last.figures), is_amended=True)
    )
    company.publish(accounts)
    return [FilingChange(accounts, last)]


def _round_accounts(scene: StoryDay, company: Company) -> list[Change]:
    """The same figures in thousands, without the previous years."""
    last = company.accounts[-1]
    coarse = replace(
        last,
        figures=sandbox_accounts.figures_in_thousands(last.figures),
        prior=None,
        overview_years=(),
        is_rounded_to_thousands=True,
    )
    company.publish(_refiled_accounts(scene, company, coarse))
    return []


def _repeat_accounts(scene: StoryDay, company: Company) -> list[Change]:
    """Signed again: another document with the same figures."""
    company.publish(_refiled_accounts(scene, company, company.accounts[-1]))
    return []


def _republish_report(_scene: StoryDay, company: Company) -> list[Change]:
    """The same document in a later archive."""
    company.new_accounts.append(company.accounts[-1])
    return []


def _file_old_year(scene: StoryDay, company: Company) -> list[Change]:
    """The report of a year that ended long before the first day: filled in silently."""
    newest = company.accounts[-1]
    start, end = (day.replace(year=day.year - 5) for day in (newest.start, newest.end))
    old = replace(
        newest, start=start, end=end, published=scene.day, document=_next_serial(company), prior=None, overview_years=()
    )
    company.accounts.insert(0, old)
    company.new_accounts.append(old)
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
        return change_status(
            company, "active" if is_active else "dormant", None if is_active else "no_trading", None, scene.day
        )

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


def _move_company(scene: StoryDay, company: Company) -> list[Change]:
    company.place = scene.rng.choice([place for place in vocabulary.PLACES if place != company.place])
    company.street = f"{vocabulary.STREETS[0]} {scene.rng.randint(200, 300)}"
    return []


def _reclassify_company(scene: StoryDay, company: Company) -> list[Change]:
    codes = [pair[scene.industry_code_set].code for pair in vocabulary.INDUSTRIES]
    present = company.industry.code if company.industry else None
    company.industry = Industry(scene.rng.choice([code for code in codes if code != present]), "")
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


def _publish_first_accounts(_scene: StoryDay, company: Company) -> list[Change]:
    company.new_accounts.extend(company.accounts)
    return []


def _add_statistics(scene: StoryDay, company: Company) -> list[Change]:
    """SCB's first row of the company, and the year's report."""
    company.swedish.activity = ACTIVE
    company.industry = vocabulary.INDUSTRIES[0][scene.industry_code_set]
    return _file_accounts(scene, company)


_declare_bankrupt: Final = _start_proceedings("KK", "dormant", "bankruptcy", 2)
_start_liquidation: Final = _start_proceedings("LI", "dormant", "liquidation", 3)

STORIES: Final[tuple[Story, ...]] = (
    Story("files_k2", _prepare_filer("k2", 2), (_file_accounts,)),
    Story("files_k2_2017", _prepare_filer("k2_2017"), (_file_accounts,)),
    Story("files_thousands", _prepare_filer("k3"), (_file_accounts,)),
    Story("files_group", _prepare_filer("k3k"), (_file_accounts,)),
    Story("corrects", prepare_active_company, (_correct_accounts, _correct_accounts)),
    Story("rounds", _prepare_filer("k2", 2), (_round_accounts,)),
    Story("repeats", prepare_active_company, (_repeat_accounts, _republish_report)),
    Story("files_old_year", prepare_active_company, (_file_old_year,)),
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
    Story("renamed_then_moves", prepare_active_company, (_rename_company, _move_company)),
    Story("reclassified", prepare_active_company, (_reclassify_company,)),
    Story("flickers", prepare_active_company, (_flicker_advertising, _flicker_advertising)),
    Story("founded", _prepare_founded, (_publish_first_accounts, _add_statistics), founded=True),
)
