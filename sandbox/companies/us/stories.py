"""Stories of US filers: one function per step, one `Story` per kind (docs/formats/us.md 9, 12.2, 12.6).

A step that returns nothing is a change that must make no event. Filings of a day were accepted on the evening
before, in Washington time. Does not belong here: stakes (`stories_ownership`), or file formats (`sandbox.us`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from sandbox.companies import accounts as sandbox_accounts
from sandbox.companies.stories import (
    Step,
    Story,
    StoryDay,
    change_profile,
    change_status,
    file_accounts,
    move_company,
    no_change,
)
from sandbox.companies.us import filings, initial_state
from sandbox.companies.us.filings import add_filing
from sandbox.model.company import Accounts, Change, Company, FilingChange
from sandbox.model.us import AmericanDetails, NewsFiled, NoticeFiled

_ONE_DAY: Final = timedelta(days=1)
_JUNE: Final = (6, 30)


def prepare_active_company(story_day: StoryDay, company: Company) -> None:
    """Listed, with accounts of two years to June; the next ones follow."""
    company.american = AmericanDetails()
    initial_state.set_listing(company, "Nasdaq")
    add_filing(company, "S-1", company.registered)
    initial_state.add_accounts(story_day.rng, company, story_day.first_day.year - 1, _JUNE)


def prepare_with_quarters(story_day: StoryDay, company: Company) -> None:
    """The same, with the quarters of both years and of the one that ended in June."""
    company.american = AmericanDetails()
    initial_state.set_listing(company, "NYSE")
    add_filing(company, "S-1", company.registered)
    initial_state.add_accounts(story_day.rng, company, story_day.first_day.year - 1, _JUNE, quarterly=True)


def _prepare_unlisted(scene: StoryDay, company: Company) -> None:
    prepare_active_company(scene, company)
    initial_state.set_listing(company, None)


def _next_accounts(scene: StoryDay, company: Company) -> Accounts:
    made = initial_state.next_accounts(scene.rng, company.accounts[-1], scene.day - _ONE_DAY)
    return filings.add_annual_report(company, made)


_file_accounts: Final = file_accounts(_next_accounts)


def _file_quarterly_report(scene: StoryDay, company: Company) -> list[Change]:
    return [filings.add_next_quarterly_report(company, scene.day - _ONE_DAY)]


def _amend_without_figures(scene: StoryDay, company: Company) -> list[Change]:
    """An amendment with only part III: no facts, and no new version.

    See docs/formats/us.md 13, pitfall 19.
    """
    return [NoticeFiled(add_filing(company, "10-K/A", scene.day - _ONE_DAY, period=company.accounts[-1].end))]


def _restate_accounts(scene: StoryDay, company: Company) -> list[Change]:
    last = company.accounts[-1]
    own = sandbox_accounts.restated_figures(last.figures)
    day = scene.day - _ONE_DAY
    changed = replace(last, figures=own, group=own, published=day, is_amended=True)
    accounts = filings.add_annual_report(company, changed)
    company.publish(accounts)
    told: list[Change] = [FilingChange(accounts, last), NoticeFiled(company.american.filings[-1])]
    if any(interim.fiscal_year == last.end.year for interim in company.american.quarterly_reports):
        told.append(filings.fourth_quarter_restatement(company, last, accounts))
    return told


def _file_current_report(*items: str, release: bool = True) -> Step:
    """A current report, with a press release or without."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        day = scene.day - _ONE_DAY
        exhibits = ("EX-99.1",) if release else ("EX-10.1",)
        paper = add_filing(company, "8-K", day, period=day, items=(*items, "9.01"), exhibits=exhibits)
        told: list[Change] = []
        if release and {"2.02", "7.01", "8.01"} & set(items):
            told.append(NewsFiled(paper))
        if {"1.03", "3.01", "4.02", "5.01"} & set(items):
            told.append(NoticeFiled(paper))
        return told

    return step


def _notify_late_filing(scene: StoryDay, company: Company) -> list[Change]:
    return [NoticeFiled(add_filing(company, "NT 10-K", scene.day - _ONE_DAY))]


def _remove_security(security: str, rule: str) -> Step:
    """An exchange removes one class of securities; removed notes do not affect the company."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        day = scene.day - _ONE_DAY
        return [NoticeFiled(add_filing(company, "25-NSE", day, security=security, rule=rule))]

    return step


def _merge_company(scene: StoryDay, company: Company) -> list[Change]:
    """Bought: control changes, the shares leave the exchange, registration ends."""
    told = _file_current_report("2.01", "5.01", release=False)(scene, company)
    day = scene.day - _ONE_DAY
    removed = add_filing(company, "25-NSE", day, security="Common Stock", rule="(a)(3)")
    ended = add_filing(company, "15-12G", day, security="Common Stock, par value $0.01 per share")
    initial_state.set_listing(company, None)
    told += [NoticeFiled(removed), NoticeFiled(ended)]
    return [*told, *change_status(company, "dissolved", "merged", day, scene.day)]


def _deregister_company(scene: StoryDay, company: Company) -> list[Change]:
    """Deregistration without a stated end of the company: it only stops reporting."""
    day = scene.day - _ONE_DAY
    ended = add_filing(company, "15-12G", day, security="Common Stock, par value $0.01 per share")
    return [NoticeFiled(ended), *change_status(company, "dormant", "deregistered", day, scene.day)]


def _rename_company(scene: StoryDay, company: Company) -> list[Change]:
    company.former_names.insert(0, (scene.day - _ONE_DAY, company.name))
    company.name = f"New {company.name}"
    return []


def _flicker_clock(_scene: StoryDay, company: Company) -> list[Change]:
    """Every timestamp of the response is served in the other zone."""
    company.american.has_false_utc_times = not company.american.has_false_utc_times
    return []


def _move_to_otc(_scene: StoryDay, company: Company) -> list[Change]:
    """Over the counter is not listed."""
    initial_state.set_listing(company, "OTC")
    return []


def _reclassify_company(scene: StoryDay, company: Company) -> list[Change]:
    company.industry = scene.rng.choice([item for item in initial_state.INDUSTRIES if item != company.industry])
    return []


def _respell_name(_scene: StoryDay, company: Company) -> list[Change]:
    """The name in other capitals, and with a comma: no other name."""
    company.name = f"{company.name.upper() if company.name != company.name.upper() else company.name.title()},"
    return []


_move_company: Final = move_company(initial_state.PLACES, "{} EXAMPLE STREET")


def _prepare_founded(scene: StoryDay, company: Company) -> None:
    company.american = AmericanDetails()
    company.accounts = []
    company.registered = scene.day - _ONE_DAY
    initial_state.set_listing(company, "NYSE")


def _file_registration(scene: StoryDay, company: Company) -> list[Change]:
    add_filing(company, "S-1", scene.day - _ONE_DAY)
    return []


STORIES: Final[tuple[Story, ...]] = (
    Story("files_then_restates", prepare_active_company, (_file_accounts, _restate_accounts)),
    Story("restates", prepare_active_company, (_restate_accounts,)),
    Story(
        "tells_results", prepare_active_company, (_file_current_report("2.02"), _file_current_report("7.01", "8.01"))
    ),
    Story("tells_without_release", prepare_active_company, (_file_current_report("5.02", release=False),)),
    Story(
        "bankrupt_and_goes_on",
        prepare_active_company,
        (_file_current_report("1.03", "3.01"), no_change, _file_current_report("8.01")),
    ),
    Story("late_then_files", prepare_active_company, (_notify_late_filing, _file_accounts)),
    Story(
        "notes_mature_then_moves",
        prepare_active_company,
        (_remove_security("0.875% Notes due 2026", "(a)(2)"), _move_company),
    ),
    Story(
        "warrants_go_then_reclassified",
        prepare_active_company,
        (_remove_security("Warrants to purchase common stock", "(b)"), change_profile(_reclassify_company, "sni_code")),
    ),
    Story("merged", prepare_active_company, (_merge_company,)),
    Story("deregisters", _prepare_unlisted, (_deregister_company,)),
    Story("renamed_then_flickers", prepare_active_company, (change_profile(_rename_company, "name"), _flicker_clock)),
    Story("to_the_counter", prepare_active_company, (change_profile(_move_to_otc, "is_listed"), _respell_name)),
    Story("files_quarters", prepare_with_quarters, (_file_accounts, _file_quarterly_report, _restate_accounts)),
    Story("amends_without_figures", prepare_active_company, (_amend_without_figures,)),
    Story("founded", _prepare_founded, (_file_registration,), founded=True),
)
