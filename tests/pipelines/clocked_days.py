"""Days of the sandbox's registries under Dagster's own schedules, with a clock that jumps from tick to tick.

    python -m tests.pipelines.clocked_days --days 3 --markets FI NO SE UK US --processes 2

Every schedule is evaluated at every one of its ticks, and what it requests is executed in this process, over HTTP.
A run takes no time on this clock, so that no run waits for another: what is due while a run is at work is a matter of
`tests/pipelines/runtime/test_cadence.py`. Prints each dataset's fetches beside its cadence, and how long after the registries had
them news and acts were released. Its files are in shared memory, where there is some: no disk has to confirm what a
day of a machine writes within minutes.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path

import dagster as dg

import connectors
from connectors.contract.dataset import Jurisdiction
from connectors.kit.http.rate_limit import FetchClock
from firm.demo.sandbox_origin import sandbox_source
from pipelines.definitions_builder import build_defs
from pipelines.defs.asset_keys import fetched_datasets
from pipelines.defs.jobs import job_name
from pipelines.defs.schedules import schedule_name
from pipelines.ingest.job_runs import dagster_instance
from pipelines.runtime.cadence import next_tick
from pipelines.settings import IngestSettings
from pipelines.sources.source import LiveSource
from pipelines.workspace import Workspace
from sandbox import FIRST_DAY, MARKETS, SandboxServer, World, serve, sufficient_companies
from warehouse.ledger.ledger import Ledger

START = datetime.combine(FIRST_DAY, time(4), UTC)
NEW_AT = time(12)  # of a day, when the registries have what is new on it: all cadences of news are at work then
NEWS = ("news.published", "event.regulatory")
SHARED_MEMORY = Path("/dev/shm")
_TICK = timedelta(minutes=1)
_MILLISECOND = timedelta(milliseconds=1)


@dataclass
class Clock:
    """A clock that stands at the newest tick; each look at it takes a millisecond."""

    now: datetime

    def __call__(self) -> datetime:
        self.now += _MILLISECOND
        return self.now


@dataclass(frozen=True)
class Delay:
    """A dataset's news or act: how long after the registries had it, it was released; `limit`: twice its cadence."""

    dataset: str
    waited: timedelta
    limit: timedelta


@dataclass
class Played:
    """What happened: instants of each dataset's fetches, delays of news, runs and their failures."""

    fetches: dict[str, list[datetime]] = field(default_factory=lambda: defaultdict(list))
    delays: list[Delay] = field(default_factory=list)
    runs: Counter[str] = field(default_factory=Counter)
    idle: Counter[str] = field(default_factory=Counter)
    log_events: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def add(self, other: Played) -> None:
        """Adds what happened to other markets."""
        self.fetches.update(other.fetches)
        self.delays += other.delays
        self.failures += other.failures
        for own, counted in ((self.runs, other.runs), (self.idle, other.idle), (self.log_events, other.log_events)):
            own.update(counted)


def ticks(cron: str, since: datetime, until: datetime) -> list[datetime]:
    """The instants of a cadence after `since` and up to `until`, oldest first."""
    found: list[datetime] = []
    tick = next_tick(cron, since)
    while tick <= until:
        found.append(tick)
        tick = next_tick(cron, tick)
    return found


def twice_cadence(cron: str, since: datetime) -> timedelta:
    """Twice the time between the first two ticks after an instant."""
    first, second, *_ = ticks(cron, since, since + timedelta(days=9))
    return 2 * (second - first)


class ClockedDays:
    """The schedules of some markets, evaluated tick by tick."""

    def __init__(
        self, folder: Path, registry: SandboxServer, source: LiveSource, markets: Sequence[str], clock: Clock
    ) -> None:
        self.clock, self.registry, self.start = clock, registry, clock.now
        self.served = [made for made in connectors.JURISDICTIONS if made.code in markets]
        self.workspace = Workspace(IngestSettings(data=folder, workers=1), connectors.JURISDICTIONS, self.clock)
        self.definitions = build_defs(self.workspace.settings, workspace=self.workspace, resources={"origin": source})
        self.repository = self.definitions.get_repository_def()
        self.played = Played()
        self.sequence = 0
        self.new_since = clock.now

    def play(self, instance: dg.DagsterInstance, until: datetime) -> Played:
        """Plays up to an instant."""
        for instant, markets in self._steps(until):
            self.clock.now = max(self.clock.now, instant)
            if not markets:
                self.registry.advance()
                self.new_since = instant
            for made in markets:
                self._tick(instance, made, instant)
        self.workspace.close()
        return self.played

    def _steps(self, until: datetime) -> Iterator[tuple[datetime, list[Jurisdiction]]]:
        """Instants in order with the markets that tick; without markets where a day's news are there."""
        at: dict[datetime, list[Jurisdiction]] = defaultdict(list)
        for made in self.served:
            crons = self.definitions.resolve_schedule_def(schedule_name(made)).cron_schedule
            crons = [crons] if isinstance(crons, str) else crons
            for instant in sorted({tick for cron in crons for tick in ticks(cron, self.start - _TICK, until)}):
                at[instant].append(made)
        day = self.start.date() + timedelta(days=1)
        while (instant := datetime.combine(day, NEW_AT, UTC)) <= until:
            yield from ((tick, at.pop(tick)) for tick in sorted(one for one in at if one < instant))
            yield instant, []
            day += timedelta(days=1)
        yield from sorted(at.items(), key=lambda item: item[0])

    def _tick(self, instance: dg.DagsterInstance, made: Jurisdiction, instant: datetime) -> None:
        with dg.build_schedule_context(
            instance=instance, scheduled_execution_time=instant, repository_def=self.repository
        ) as context:
            data = self.definitions.resolve_schedule_def(schedule_name(made)).evaluate_tick(context)
        for request in data.run_requests or ():
            result = self.definitions.resolve_job_def(job_name(made)).execute_in_process(
                instance=instance,
                partition_key=request.partition_key,
                asset_selection=list(request.asset_selection or ()),
                tags=dict(request.tags),
                raise_on_error=False,
                run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
            )
            self._note(made, instant, request, result)

    def _note(
        self, made: Jurisdiction, instant: datetime, request: dg.RunRequest, result: dg.ExecuteInProcessResult
    ) -> None:
        played, code = self.played, made.code
        played.runs[code] += 1
        for key in fetched_datasets(made, request.asset_selection or ()):
            played.fetches[key].append(instant)
        if not result.success:
            failed = [str(event.step_key) for event in result.all_events if event.is_step_failure]
            played.failures.append(f"{code} {instant:%d %H:%M} {', '.join(failed) or 'before its first step'}")
        if any(event.event_type_value == "STEP_SKIPPED" for event in result.all_events):
            played.idle[code] += 1
            played.log_events[code] += len(result.all_events)
        if instant >= self.new_since > self.start:
            crons = {dataset.key: dataset.cadence.cron for dataset in made.datasets}
            played.delays.extend(
                Delay(key, instant - self.new_since, twice_cadence(crons[key], self.new_since - _TICK))
                for key in self._released_news()
                if key in crons
            )
        else:
            list(self._released_news())

    def _released_news(self) -> Iterator[str]:
        """The datasets of news and acts in the ledger since the last look."""
        ledger = Ledger(self.workspace.layout)
        while events := ledger.after(self.sequence, 1000):
            for event in events:
                if event.event_type in NEWS:
                    yield str(json.loads(event.data)["source"]["register"])
            self.sequence = events[-1].sequence


def play(
    folder: Path, markets: Sequence[str], until: datetime, start: datetime = START, companies: int | None = None
) -> Played:
    """Plays some markets from one instant to another."""
    days = (until.date() - FIRST_DAY).days + 2
    companies = companies or sufficient_companies(days, tuple(markets))
    world = World(seed=9, companies=companies, days=days, markets=tuple(markets))
    settings, clock = IngestSettings(data=folder), Clock(start)
    with (
        serve(world) as registry,
        dagster_instance(settings) as instance,
        sandbox_source(registry.url, settings, FetchClock(clock)) as source,
    ):
        return ClockedDays(folder, registry, source, markets, clock).play(instance, until)


def split_markets(markets: Sequence[str], until: datetime, processes: int) -> list[list[str]]:
    """Markets by process: the one with the most ticks goes where there are the fewest."""
    counts = {
        made.code: len({tick for one in made.datasets for tick in ticks(one.cadence.cron, START, until)})
        for made in connectors.JURISDICTIONS
        if made.code in markets
    }
    groups: list[list[str]] = [[] for _ in range(min(processes, len(counts)))]
    for code in sorted(counts, key=lambda one: -counts[one]):
        min(groups, key=lambda group: sum(counts[one] for one in group)).append(code)
    return groups


def play_group(markets: Sequence[str], until: datetime, companies: int | None) -> Played:
    """Plays some markets over stores and registries of their own."""
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY if SHARED_MEMORY.is_dir() else None) as folder:
        return play(Path(folder), markets, until, companies=companies)


def table(played: Played, markets: Iterable[str], until: datetime, start: datetime = START) -> Iterator[str]:
    """Lines of the table, as Markdown."""
    delays: Mapping[str, list[Delay]] = defaultdict(list)
    for delay in played.delays:
        delays[delay.dataset].append(delay)
    yield "| dataset | cadence | ticks | fetches | news and acts | longest delay | twice its cadence |"
    yield "|---|---|--:|--:|--:|--:|--:|"
    for made in (made for made in connectors.JURISDICTIONS if made.code in set(markets)):
        for dataset in made.datasets:
            cron, own = dataset.cadence.cron, delays[dataset.key]
            longest = max((delay.waited for delay in own), default=None)
            limit = max((delay.limit for delay in own), default=None)
            yield (
                f"| `{dataset.key}` | `{cron}` | {len(ticks(cron, start - _TICK, until))} | {len(played.fetches[dataset.key])} | "
                f"{len(own)} | {'' if longest is None else longest} | {'' if limit is None else limit} |"
            )


def main() -> None:
    """Plays what the command line says and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=3)
    parser.add_argument("--hours", type=int)
    parser.add_argument("--companies", type=int)
    parser.add_argument("--markets", nargs="+", default=list(MARKETS))
    parser.add_argument("--processes", type=int, default=1, help="each plays some of the markets, in stores of its own")
    given = parser.parse_args()
    until = START + (timedelta(days=given.days) if given.hours is None else timedelta(hours=given.hours))
    played = Played()
    groups = split_markets(given.markets, until, given.processes)
    with ProcessPoolExecutor(len(groups), get_context("spawn")) as pool:
        for part in pool.map(play_group, groups, repeat(until), repeat(given.companies)):
            played.add(part)
    late = [delay for delay in played.delays if delay.waited > delay.limit]
    events = {code: round(count / played.idle[code]) for code, count in played.log_events.items()}
    lines = [
        *table(played, given.markets, until),
        f"runs: {dict(played.runs)}; without news: {dict(played.idle)}; late: {len(late)}",
        f"events in Dagster's log of a run without news: {events}",
        json.dumps(played.failures, indent=1),
    ]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
