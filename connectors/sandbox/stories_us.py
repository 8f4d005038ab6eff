"""Stories of US filers: one function per step, one `Story` per kind (docs/formats/us.md 9, 12.2, 12.6).

A step that returns nothing is a change that must make no event. Filings of a day were accepted on the evening
before, in Washington time. Does not belong here: stakes (`stories_stakes_us`), or file formats (`writers_us`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Final

from connectors.sandbox import births_us, figures, filings_us
from connectors.sandbox.filings_us import enter
from connectors.sandbox.model import Company, FilingChange
from connectors.sandbox.model_us import American, InterimFiled, NewsTold, NoticeTold
from connectors.sandbox.stories import Change, Scene, Story, nothing, turn

_ONE_DAY: Final = timedelta(days=1)
_JUNE: Final = (6, 30)


def in_good_standing(scene: Scene, company: Company) -> None:
    """Listed, with accounts of two years to June; the next ones follow."""
    company.american = American()
    births_us.listed(company, "Nasdaq")
    enter(company, "S-1", company.registered)
    births_us.with_accounts(scene.rng, company, scene.first_day.year - 1, _JUNE)


def with_quarters(scene: Scene, company: Company) -> None:
    """The same, with the quarters of both years and of the one that ended in June."""
    company.american = American()
    births_us.listed(company, "NYSE")
    enter(company, "S-1", company.registered)
    births_us.with_accounts(scene.rng, company, scene.first_day.year - 1, _JUNE, quarterly=True)


def _unlisted(scene: Scene, company: Company) -> None:
    in_good_standing(scene, company)
    births_us.listed(company, None)


def _files(scene: Scene, company: Company) -> list[Change]:
    made = births_us.following(scene.rng, company.accounts[-1], scene.day - _ONE_DAY)
    accounts = filings_us.annual_report(company, made)
    company.publish(accounts)
    return [FilingChange(accounts, None)]


def _files_quarter(scene: Scene, company: Company) -> list[Change]:
    return [InterimFiled(filings_us.next_quarter(company, scene.day - _ONE_DAY))]


def _amends_without_figures(scene: Scene, company: Company) -> list[Change]:
    """An amendment with only part III: no facts, and no new version.

    See docs/formats/us.md 13, pitfall 19.
    """
    return [NoticeTold(enter(company, "10-K/A", scene.day - _ONE_DAY, period=company.accounts[-1].end))]


def _restates(scene: Scene, company: Company) -> list[Change]:
    last = company.accounts[-1]
    own = figures.restated(last.figures)
    day = scene.day - _ONE_DAY
    changed = replace(last, figures=own, group=own, published=day, amended=True)
    accounts = filings_us.annual_report(company, changed)
    company.publish(accounts)
    told: list[Change] = [FilingChange(accounts, last), NoticeTold(company.american.papers[-1])]
    if any(interim.fiscal_year == last.end.year for interim in company.american.interims):
        told.append(filings_us.fourth_restated(company, last, accounts))
    return told


def _reports(*items: str, release: bool = True) -> Callable[[Scene, Company], list[Change]]:
    """A current report, with a press release or without."""

    def step(scene: Scene, company: Company) -> list[Change]:
        day = scene.day - _ONE_DAY
        exhibits = ("EX-99.1",) if release else ("EX-10.1",)
        paper = enter(company, "8-K", day, period=day, items=(*items, "9.01"), exhibits=exhibits)
        told: list[Change] = []
        if release and {"2.02", "7.01", "8.01"} & set(items):
            told.append(NewsTold(paper))
        if {"1.03", "3.01", "4.02", "5.01"} & set(items):
            told.append(NoticeTold(paper))
        return told

    return step


def _late(scene: Scene, company: Company) -> list[Change]:
    return [NoticeTold(enter(company, "NT 10-K", scene.day - _ONE_DAY))]


def _removed(security: str, rule: str) -> Callable[[Scene, Company], list[Change]]:
    """An exchange removes one class of securities; removed notes do not affect the company."""

    def step(scene: Scene, company: Company) -> list[Change]:
        day = scene.day - _ONE_DAY
        return [NoticeTold(enter(company, "25-NSE", day, security=security, rule=rule))]

    return step


def _merged(scene: Scene, company: Company) -> list[Change]:
    """Bought: control changes, the shares leave the exchange, registration ends."""
    told = _reports("2.01", "5.01", release=False)(scene, company)
    day = scene.day - _ONE_DAY
    removed = enter(company, "25-NSE", day, security="Common Stock", rule="(a)(3)")
    ended = enter(company, "15-12G", day, security="Common Stock, par value $0.01 per share")
    births_us.listed(company, None)
    told += [NoticeTold(removed), NoticeTold(ended)]
    return [*told, *turn(company, "dissolved", "merged", day, scene.day)]


def _deregisters(scene: Scene, company: Company) -> list[Change]:
    """Deregistration without a stated end of the company: it only stops reporting."""
    day = scene.day - _ONE_DAY
    ended = enter(company, "15-12G", day, security="Common Stock, par value $0.01 per share")
    return [NoticeTold(ended), *turn(company, "dormant", "deregistered", day, scene.day)]


def _renames(scene: Scene, company: Company) -> list[Change]:
    company.former_names.insert(0, (scene.day - _ONE_DAY, company.name))
    company.name = f"New {company.name}"
    return []


def _flickers(_scene: Scene, company: Company) -> list[Change]:
    """Every timestamp of the response is served in the other zone."""
    company.american.is_washed = not company.american.is_washed
    return []


def _to_the_counter(_scene: Scene, company: Company) -> list[Change]:
    """Over the counter is not listed; that is no event."""
    births_us.listed(company, "OTC")
    return []


def _founded(scene: Scene, company: Company) -> None:
    company.american = American()
    company.accounts = []
    company.registered = scene.day - _ONE_DAY
    births_us.listed(company, "NYSE")


def _appears(scene: Scene, company: Company) -> list[Change]:
    enter(company, "S-1", scene.day - _ONE_DAY)
    return []


STORIES: Final[tuple[Story, ...]] = (
    Story("files_then_restates", in_good_standing, (_files, _restates)),
    Story("restates", in_good_standing, (_restates,)),
    Story("tells_results", in_good_standing, (_reports("2.02"), _reports("7.01", "8.01"))),
    Story("tells_without_release", in_good_standing, (_reports("5.02", release=False),)),
    Story("bankrupt_and_goes_on", in_good_standing, (_reports("1.03", "3.01"), nothing, _reports("8.01"))),
    Story("late_then_files", in_good_standing, (_late, _files)),
    Story("notes_mature", in_good_standing, (_removed("0.875% Notes due 2026", "(a)(2)"),)),
    Story("warrants_go", in_good_standing, (_removed("Warrants to purchase common stock", "(b)"),)),
    Story("merged", in_good_standing, (_merged,)),
    Story("deregisters", _unlisted, (_deregisters,)),
    Story("renamed_then_flickers", in_good_standing, (_renames, _flickers)),
    Story("to_the_counter", in_good_standing, (_to_the_counter,)),
    Story("files_quarters", with_quarters, (_files, _files_quarter, _restates)),
    Story("amends_without_figures", in_good_standing, (_amends_without_figures,)),
    Story("founded", _founded, (_appears,), founded=True),
)
