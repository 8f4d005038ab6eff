"""The generated world: which companies exist on which day, and what happens to them.

Everything is a pure function of the seed: a company is generated on demand and not kept, so a world of a
million companies costs no memory. Its first day is Monday 2 November 2026; no clock is read. Does not belong
here: the expected output of the service (`expected`), or the registers' formats (`sandbox.<cc>`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Final

from sandbox import numbers
from sandbox.companies import releases
from sandbox.companies.dk import initial_state as dk_initial_state
from sandbox.companies.dk import stories as dk_stories
from sandbox.companies.dk import stories_owners as dk_stories_owners
from sandbox.companies.fi import initial_state as fi_initial_state
from sandbox.companies.fi import stories as fi_stories
from sandbox.companies.fi import stories_listed as fi_stories_listed
from sandbox.companies.no import initial_state as no_initial_state
from sandbox.companies.no import stories as no_stories
from sandbox.companies.se import initial_state as se_initial_state
from sandbox.companies.se import stories as se_stories
from sandbox.companies.se import stories_listed as se_stories_listed
from sandbox.companies.stories import Story, StoryDay, states_other_industry
from sandbox.companies.uk import initial_state as uk_initial_state
from sandbox.companies.uk import stories as uk_stories
from sandbox.companies.us import initial_state as us_initial_state
from sandbox.companies.us import stories as us_stories
from sandbox.companies.us import stories_ownership
from sandbox.model.company import Accounts, Company, PlannedEvent
from sandbox.random import seeded_random

FIRST_DAY: Final = date(2026, 11, 2)
_STORIES: Final[Mapping[str, tuple[Story, ...]]] = {
    "NO": no_stories.STORIES,
    "UK": uk_stories.STORIES,
    "FI": (*fi_stories.STORIES, *fi_stories_listed.STORIES),
    "SE": (*se_stories.STORIES, *se_stories_listed.STORIES),
    "US": (*us_stories.STORIES, *stories_ownership.STORIES),
    "DK": (*dk_stories.STORIES, *dk_stories_owners.STORIES),
}
_BIRTHS: Final[Mapping[str, Callable[[int, int, date, int], Company]]] = {
    "NO": no_initial_state.norwegian_company,
    "UK": uk_initial_state.british_company,
    "FI": fi_initial_state.finnish_company,
    "SE": se_initial_state.swedish_company,
    "US": us_initial_state.american_company,
    "DK": dk_initial_state.danish_company,
}
MARKETS: Final = ("NO", "UK", "SE", "FI", "US")  # of a world that is not asked for others
PREVIEWS: Final = ("DK",)  # markets in preview, which a world has only if it is asked for them
_RECODED: Final = frozenset({"NO", "FI", "SE"})  # markets with new industry codes from the day of the recode
_CYCLE: Final = 40  # of 40 consecutive British numbers, these positions have no prefix
_PLAIN: Final = tuple(place for place in range(_CYCLE) if place not in {7, 11, 13, 17})
_OVERSEAS: Final = 17
_FEWEST: Final = 60  # per market: one company disappears per day, and guards allow a loss of 2 %


@dataclass(frozen=True, slots=True)
class _StoryAssignment:
    """A story assigned to one company; its first step is on day number `begins`."""

    story: Story
    begins: int

    @property
    def days(self) -> range:
        """Numbers of the days with a step."""
        return range(self.begins, self.begins + len(self.story.steps))


def minimum_companies(market: str, days: int) -> int:
    """Minimum number of companies of a market, so that every story of every day has its own company."""
    stories = sum(not story.founded and not story.is_overseas for story in _STORIES[market])
    return max(_FEWEST, _plain_position(stories * (days - 1)))


def sufficient_companies(days: int, markets: tuple[str, ...] = MARKETS) -> int:
    """Minimum number of companies of a world with these markets, shared evenly."""
    return len(markets) * max(minimum_companies(market, days) for market in markets)


def _plain_position(number: int) -> int:
    """Position of the `number`th company with a plain number, counted from 0."""
    cycle, place = divmod(number, len(_PLAIN))
    return cycle * _CYCLE + _PLAIN[place]


class World:
    """Companies of several markets over some days, the first included.

    `companies`: their number on the first day, shared evenly by `markets`.

    `recode_on`: number of the day on which every Norwegian industry code changes from SN2007 to SN2025, every
    Finnish one from TOL 2008 to TOL 2025 and every Swedish one from SNI 2007 to SNI 2025; by default before the
    first day.

    `press`: markets with news from wires and supervisors; none by default.

    `groups`: companies of Norway and Sweden belong to groups (`groups`).
    """

    def __init__(  # noqa: PLR0913 - options of a world
        self,
        seed: int = 1,
        companies: int = 400,
        days: int = 3,
        markets: tuple[str, ...] = MARKETS,
        recode_on: int = 0,
        press: tuple[str, ...] = (),
        *,
        groups: bool = False,
    ) -> None:
        unknown = set(markets) - set(_STORIES)
        if unknown or not markets or days < 1:
            raise ValueError(
                f"markets {sorted(unknown)} are not of {(*_STORIES,)}" if unknown else "no market or no day"
            )
        self.seed, self.companies, self.days, self.markets = seed, companies, days, tuple(markets)
        self.recode_on, self.press, self.groups = recode_on, press, groups
        share, rest = divmod(companies, len(markets))
        self._born = {market: share + (place < rest) for place, market in enumerate(markets)}
        for market, born in self._born.items():
            if born < minimum_companies(market, days):
                raise ValueError(f"{market}: {days} days need {minimum_companies(market, days)} companies, not {born}")
        self.roles = {market: self._assign_stories(market) for market in markets}

    @property
    def dates(self) -> list[date]:
        """The days of the world, in order."""
        return [self.date(day) for day in range(self.days)]

    def date(self, day: int) -> date:
        """The calendar day of day number `day`, counted from 0."""
        return FIRST_DAY + timedelta(days=day)

    def all(self, market: str, day: int) -> Iterator[Company]:
        """Every company that exists or has existed by `day`, the dissolved ones included."""
        for position in range(self.count(market, day)):
            yield self.company(market, position, day)

    def company(self, market: str, position: int, day: int) -> Company:
        """One company at the end of `day`."""
        return self._company_and_events(market, position, day)[0]

    def find(self, market: str, number: str, day: int) -> Company | None:
        """The company with a number; None if the world has no such company by `day`."""
        position = _POSITIONS[market](number)
        if position is None or position >= self.count(market, day):
            return None
        return self.company(market, position, day)

    def planned(self, day: int) -> Iterator[PlannedEvent]:
        """The events that must result from `day`, of all markets."""
        for market in self.markets:
            for position, role in self.roles[market].items():
                if day in role.days:
                    yield from self._company_and_events(market, position, day)[1]
        yield from releases.planned_events(self, day)

    def quiet(self, market: str) -> Iterator[Company]:
        """Companies of the first day without a story, the last ones first."""
        for position in range(self._born.get(market, 0) - 1, -1, -1):
            if position not in self.roles[market]:
                yield self.company(market, position, 0)

    def filers(self, market: str, day: int) -> Iterator[Company]:
        """Companies with accounts that appear on `day`: all on the first, later by their stories."""
        if day == 0:
            yield from (company for company in self.all(market, 0) if company.accounts)
            return
        for company in self.changing(market, day):
            if company.new_accounts:
                yield company

    def published_accounts(self, market: str, day: int) -> Iterator[tuple[Company, Accounts]]:
        """Accounts that appear on `day`, by company, oldest first: on the first day all, later the new ones."""
        for company in self.filers(market, day):
            for accounts in company.new_accounts if day else company.accounts:
                yield company, accounts

    def changing(self, market: str, day: int) -> Iterator[Company]:
        """Companies with a step of their story on `day`."""
        for position, role in self.roles.get(market, {}).items():
            if day in role.days:
                yield self.company(market, position, day)

    def count(self, market: str, day: int) -> int:
        """Number of companies that exist or have existed by `day`."""
        if market not in self._born:  # market not in this world
            return 0
        return self._born[market] + (day if any(story.founded for story in _STORIES[market]) else 0)

    def change_days(self, market: str, position: int) -> list[int]:
        """Days on which a company may change, and the day it first appears."""
        role = self.roles[market].get(position)
        if role is None:
            return sorted({0, self.recode_on} & set(range(self.days))) if market in _RECODED else [0]
        days = set(role.days) | ({self.recode_on} if market in _RECODED else set())
        first = role.begins if role.story.founded else 0
        return sorted({first} | {day for day in days if first <= day < self.days})

    def _assign_stories(self, market: str) -> dict[int, _StoryAssignment]:
        """Maps positions to roles. New companies follow those of the first day, one per day."""
        roles: dict[int, _StoryAssignment] = {}
        taken = 0
        for day in range(1, self.days):
            for story in _STORIES[market]:
                if story.founded:
                    roles[self._born[market] + day - 1] = _StoryAssignment(story, day)
                elif story.is_overseas:
                    position = (day - 1) * _CYCLE + _OVERSEAS
                    if position < self._born[market]:
                        roles[position] = _StoryAssignment(story, day)
                else:
                    roles[_plain_position(taken)] = _StoryAssignment(story, day)
                    taken += 1
        return roles

    def _company_and_events(self, market: str, position: int, day: int) -> tuple[Company, list[PlannedEvent]]:
        """The company at the end of `day`, and the events of that day only."""
        edition = int(day >= self.recode_on)
        company = _BIRTHS[market](self.seed, position, FIRST_DAY, edition)
        role = self.roles[market].get(position)
        if role is None:
            return company, []
        rng = seeded_random(self.seed, market, position, "story")
        role.story.prepare(self._story_day(rng, role.begins if role.story.founded else 0, edition), company)
        planned: list[PlannedEvent] = []
        for number, step in zip(role.days, role.story.steps, strict=True):
            if number > day:
                break
            company.new_accounts = []
            today = self._story_day(rng, number, edition)
            planned = [PlannedEvent(today.day, company, change, role.story.name) for change in step(today, company)]
        if day == self.recode_on and market in _RECODED:  # nothing tells a new industry from a recoded one
            planned = [one for one in planned if not states_other_industry(one.change)]
        if day >= role.days.stop:
            company.new_accounts, planned = [], []
        return company, planned

    def _story_day(self, rng: Random, day: int, edition: int) -> StoryDay:
        return StoryDay(self.date(day), FIRST_DAY, edition, rng)


_POSITIONS: Final = {
    "NO": numbers.norwegian_position,
    "UK": numbers.british_position,
    "FI": numbers.finnish_position,
    "SE": numbers.swedish_position,
    "US": us_initial_state.american_position,
    "DK": numbers.danish_position,
}
