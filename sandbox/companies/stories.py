"""Story framework: the daily changes of one company, and the events they must produce.

Belongs here: the framework shared by all markets' stories, and the steps that several markets have. Each story is
cast once per day after the first, each time with another company; its first step falls on that day, further steps
on the following days, as far as the world has days. `prepare` sets the company up on the first day, so that the
story can happen to it. Does not belong here: the stories themselves (`no.stories`, `uk.stories`), ids (`expected`),
file formats (`sandbox.<cc>`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from random import Random
from typing import Final

from sandbox.companies.accounts import figures_in_thousands, restated_figures
from sandbox.model.company import (
    Accounts,
    Change,
    Company,
    FilingChange,
    ProfileChange,
    StatusChange,
    ThresholdCrossing,
    crossed_thresholds,
)
from sandbox.vocabulary import Place


@dataclass(frozen=True, slots=True)
class StoryDay:
    """One day of one company. `industry_code_set`: 0 before, 1 after the mass recoding of industry codes."""

    day: date
    first_day: date
    industry_code_set: int
    rng: Random


_UNSTATED: Final = ("00000", "")
Prepare = Callable[[StoryDay, Company], None]
Step = Callable[[StoryDay, Company], list[Change]]
NextAccounts = Callable[[StoryDay, Company], Accounts]
RefiledAccounts = Callable[[StoryDay, Company, Accounts], Accounts]  # as a later document of the same period


@dataclass(frozen=True, slots=True)
class Story:
    """One kind of story and its steps, one a day."""

    name: str
    prepare: Prepare
    steps: tuple[Step, ...]
    founded: bool = False  # the company exists only from the first step on
    is_overseas: bool = False  # for an overseas entity; left out when the world has none left


def no_change(_story_day: StoryDay, _company: Company) -> list[Change]:
    """A day without change."""
    return []


def change_status(company: Company, status: str, detail: str | None, since: date | None, today: date) -> list[Change]:
    """Sets a status; an event only if the status differs. `since`: the register's own date, else None."""
    previous = company.status
    company.status, company.status_detail, company.status_date = status, detail, since
    if previous == status:
        return []
    return [StatusChange(previous, status, since or today, detail)]


def crossing_changes(change: ThresholdCrossing) -> list[Change]:
    """The change of a holding as an event, if it crosses a threshold."""
    return [change] if crossed_thresholds(change.previous, change.current) else []


def dissolve_company(scene: StoryDay, company: Company) -> list[Change]:
    """The company ends today."""
    return change_status(company, "dissolved", None, scene.day, scene.day)


def move_company(places: Sequence[Place], street: str) -> Step:
    """A move to another place; `street`: the new street with room for its number."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        former = replace(company)
        company.place = scene.rng.choice([place for place in places if place != company.place])
        company.street = street.format(scene.rng.randint(200, 300))
        fields = tuple(_moved_fields(former.place, company.place))
        return [ProfileChange((*fields, "address"), former, None)]

    return step


def _moved_fields(former: Place | None, now: Place | None) -> Iterator[str]:
    """Fields with another value after a move inside the country."""
    if former is None or now is None:
        return
    if (former.municipality or former.town) != (now.municipality or now.town):
        yield "municipality"
    if former.county and now.county and former.county != now.county:
        yield "county"


def change_profile(step: Step, field: str, days_ago: int | None = None) -> Step:
    """A step that gives a field of the profile another value; the register dates it so many days ago, or not at all.

    An industry that was or becomes unstated is no other one.
    """

    def changed(scene: StoryDay, company: Company) -> list[Change]:
        former = replace(company)
        told = step(scene, company)
        if field == "sni_code" and not (states_industry(former) and states_industry(company)):
            return told
        effective = None if days_ago is None else scene.day - timedelta(days=days_ago)
        return [*told, ProfileChange((field,), former, effective)]

    return changed


def states_industry(company: Company) -> bool:
    """True if the register states an industry of the company, rather than that it has none."""
    return company.industry is not None and company.industry.bare not in _UNSTATED


def states_other_industry(change: Change) -> bool:
    """True for another industry of a company."""
    return isinstance(change, ProfileChange) and change.fields == ("sni_code",)


def change_form(form: str) -> Step:
    """Another legal form, and the name in other capitals and with another sign, which is no other name."""

    def step(_scene: StoryDay, company: Company) -> list[Change]:
        company.form = form
        company.name = f"{company.name.title() if company.name.isupper() else company.name.upper()}."
        return []

    return change_profile(step, "legal_form_code")


def publish_first_accounts(_scene: StoryDay, company: Company) -> list[Change]:
    """The accounts that a new company has from the start appear."""
    company.new_accounts.extend(company.accounts)
    return []


def file_accounts(next_accounts: NextAccounts) -> Step:
    """The accounts of the next year."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        accounts = next_accounts(scene, company)
        company.publish(accounts)
        return [FilingChange(accounts, None)]

    return step


def correct_accounts(refiled: RefiledAccounts) -> Step:
    """The newest accounts with corrected figures."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        last = company.accounts[-1]
        accounts = refiled(scene, company, replace(last, figures=restated_figures(last.figures), is_amended=True))
        company.publish(accounts)
        return [FilingChange(accounts, last)]

    return step


def round_accounts(refiled: RefiledAccounts) -> Step:
    """The same figures in thousands, without the previous years."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        last = company.accounts[-1]
        figures = figures_in_thousands(last.figures)
        coarse = replace(last, figures=figures, prior=None, overview_years=(), is_rounded_to_thousands=True)
        company.publish(refiled(scene, company, coarse))
        return []

    return step


def repeat_accounts(refiled: RefiledAccounts) -> Step:
    """The same accounts a second time: another document with the same figures."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        company.publish(refiled(scene, company, company.accounts[-1]))
        return []

    return step


def file_old_year(refiled: RefiledAccounts, years: int) -> Step:
    """Accounts of a year that ended long before the first day: filled in silently."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        accounts = refiled(scene, company, company.accounts[-1])
        start, end = (day.replace(year=day.year - years) for day in (accounts.start, accounts.end))
        old = replace(accounts, start=start, end=end)
        company.accounts.insert(0, old)
        company.new_accounts.append(old)
        return []

    return step
