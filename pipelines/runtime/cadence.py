"""Which datasets are due: those whose cadence had a tick that no run was requested for yet, or whose fetch failed.

Pure functions of declared cron expressions, of the runs requested so far, and of the last fetches that failed. Does not
belong here: reading these, or requesting a run (`defs.schedules`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import cache
from types import MappingProxyType
from typing import Final

_LONGEST: Final = 366 * 5  # days between two ticks: 29 February
_FIELDS: Final = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))  # minute, hour, day, month, day of the week
_NEVER: Final = datetime.min.replace(tzinfo=UTC)
_NO_FAILURES: Final[Mapping[str, datetime]] = MappingProxyType({})
LOST_RUNS: Final = 3  # after as many lost runs since a tick, a dataset waits for its next one
RETRY_SHARE: Final = 4  # a failed fetch is due again after this part of its cadence
SHORTEST_WAIT: Final = timedelta(minutes=15)
LONGEST_WAIT: Final = timedelta(hours=6)


@dataclass(frozen=True, slots=True)
class RequestedRun:
    """A run that a schedule requested of some datasets.

    due_until: its tick. fetched: what a run fetched that was lost (its process was killed, another process held the
    market, or a later batch overtook it); None of a run that was not lost. unfetched: what a run with a failed step did
    not fetch.
    """

    datasets: frozenset[str]
    due_until: datetime
    is_waiting: bool = False
    fetched: frozenset[str] | None = None
    unfetched: frozenset[str] = frozenset()

    @property
    def is_lost(self) -> bool:
        return self.fetched is not None


def due_datasets(
    crons: Mapping[str, str],
    runs: Iterable[RequestedRun],
    until: datetime,
    failures: Mapping[str, datetime] = _NO_FAILURES,
) -> list[str]:
    """The datasets to fetch at an instant, of those whose cadences are given; all of them if there was no run yet.

    A dataset is not due if a run was requested at its last tick or since, or if one that waits will fetch it. What a
    lost run did not fetch is due again, and so is, after a wait, what could not be fetched.

    Args:
        crons: cadence of each dataset.
        runs: requested so far.
        until: the instant.
        failures: when the last fetch of a dataset failed; datasets whose last fetch did not fail are absent.
    """
    runs = list(runs)
    requested_until = max((run.due_until for run in runs if not run.is_lost), default=_NEVER)
    return [key for key, cron in crons.items() if _is_due(key, cron, runs, requested_until, until, failures.get(key))]


def _is_due(
    key: str,
    cron: str,
    runs: Iterable[RequestedRun],
    requested_until: datetime,
    until: datetime,
    failed_at: datetime | None,
) -> bool:
    tick = newest_tick(cron, until)
    own = [run for run in runs if key in run.datasets]
    lost = [run for run in own if run.fetched is not None and key not in run.fetched]
    held = [run for run in own if run not in lost]
    if any(run.is_waiting for run in held):
        return False
    last_held = max((run.due_until for run in held), default=_NEVER)
    if any(run.due_until == last_held and key in run.unfetched for run in held):
        failed_at = max(last_held, failed_at or _NEVER)
    if any(run.due_until > last_held for run in lost):
        return sum(run.due_until >= tick for run in lost) < LOST_RUNS
    if failed_at is not None and last_held <= failed_at and until >= failed_at + retry_wait(cron, failed_at):
        return True
    return tick > requested_until


def retry_wait(cron: str, failed_at: datetime) -> timedelta:
    """How long a dataset waits after a fetch that failed: a part of the time between the ticks around it, bounded."""
    between = next_tick(cron, failed_at) - newest_tick(cron, failed_at)
    return min(max(between / RETRY_SHARE, SHORTEST_WAIT), LONGEST_WAIT)


def newest_tick(cron: str, until: datetime) -> datetime:
    """The newest instant, not after `until`, that a cron expression in UTC names. Raises ValueError."""
    until = until.astimezone(UTC)
    for back in range(_LONGEST):
        for tick in _ticks_of_day(cron, until - timedelta(days=back), is_newest_first=True):
            if tick <= until:
                return tick
    raise ValueError(f"cron expression {cron!r} names no day")


def next_tick(cron: str, after: datetime) -> datetime:
    """The first instant after another that a cron expression in UTC names. Raises ValueError."""
    after = after.astimezone(UTC)
    for ahead in range(_LONGEST):
        for tick in _ticks_of_day(cron, after + timedelta(days=ahead)):
            if tick > after:
                return tick
    raise ValueError(f"cron expression {cron!r} names no day")


def _ticks_of_day(cron: str, day: datetime, *, is_newest_first: bool = False) -> Iterator[datetime]:
    minutes, hours, days, months, weekdays = _parse(cron)
    if day.month in months and day.day in days and day.isoweekday() % 7 in weekdays:
        for hour in sorted(hours, reverse=is_newest_first):
            for minute in sorted(minutes, reverse=is_newest_first):
                yield datetime.combine(day, time(hour, minute), UTC)


@cache  # few expressions are declared, and every tick of a schedule reads those of its market
def _parse(cron: str) -> list[frozenset[int]]:
    fields = cron.split()
    if len(fields) != len(_FIELDS) or (fields[2] != "*" and fields[4] != "*"):
        raise ValueError(f"cron expression {cron!r}: five fields, and either a day of the month or of the week")
    return [_parse_field(text, *limits) for text, limits in zip(fields, _FIELDS, strict=True)]


def _parse_field(text: str, least: int, most: int) -> frozenset[int]:
    found: set[int] = set()
    for part in text.split(","):
        span, _, step = part.partition("/")
        first, _, last = (f"{least}-{most}" if span == "*" else span).partition("-")
        values = range(int(first), int(last or first) + 1, int(step or 1))
        if not values or values[0] < least or values[-1] > most:
            raise ValueError(f"{part!r} is not within {least}-{most}")
        found.update(values)
    return frozenset(found)
