"""Story framework: the daily changes of one company, and the events they must produce.

Belongs here: the framework shared by all markets' stories. Each story is cast once per day after the first,
each time with another company; its first step falls on that day, further steps on the following days, as far as
the world has days. `prepare` sets the company up on the first day, so that the story can happen to it. Does not
belong here: the stories themselves (`no.stories`, `uk.stories`), ids (`expected`), file formats
(`sandbox.<cc>`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from random import Random

from sandbox.model.company import Company, FilingChange, StatusChange, ThresholdCrossing
from sandbox.model.fi import DocumentFiled, FlaggedChange, ReleaseAnnounced
from sandbox.model.no import PartnerChange
from sandbox.model.us import FourthQuarterRestatement, InterimFiled, NewsFiled, NoticeFiled, StakeChange

Change = (
    ThresholdCrossing
    | StatusChange
    | FilingChange
    | FlaggedChange
    | DocumentFiled
    | ReleaseAnnounced
    | PartnerChange
    | NewsFiled
    | NoticeFiled
    | StakeChange
    | InterimFiled
    | FourthQuarterRestatement
)


@dataclass(frozen=True, slots=True)
class StoryDay:
    """One day of one company. `edition`: 0 before, 1 after the mass recoding of industry codes."""

    day: date
    first_day: date
    industry_code_set: int
    rng: Random


Step = Callable[[StoryDay, Company], list[Change]]


@dataclass(frozen=True, slots=True)
class Story:
    """One kind of story and its steps, one a day."""

    name: str
    prepare: Callable[[StoryDay, Company], None]
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
