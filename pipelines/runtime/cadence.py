"""Which datasets are due: those whose cadence had a tick that no run was requested for yet.

Pure functions of declared cron expressions and of the runs requested so far. Does not belong here: reading these
runs, or requesting one (`defs.schedules`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

_LONGEST: Final = 366 * 5  # days between two ticks: 29 February
_FIELDS: Final = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))  # minute, hour, day, month, day of the week
_NEVER: Final = datetime.min.replace(tzinfo=UTC)
LOST_RUNS: Final = 3  # after as many lost runs since a tick, a dataset waits for its next one


@dataclass(frozen=True, slots=True)
class RequestedRun:
    """A run that a schedule requested of some datasets.

    due_until: its tick. fetched: what a run fetched that was lost (its process was killed, or another process held the
    market); None of a run that was not lost.
    """

    datasets: frozenset[str]
    due_until: datetime
    is_waiting: bool = False
    fetched: frozenset[str] | None = None

    @property
    def is_lost(self) -> bool:
        return self.fetched is not None


def due_datasets(crons: Mapping[str, str], runs: Iterable[RequestedRun], until: datetime) -> list[str]:
    """The datasets to fetch at an instant, of those whose cadences are given; all of them if there was no run yet.

    A dataset is not due if a run was requested at its last tick or since, or if one that waits will fetch it. What a
    lost run did not fetch is due again.
    """
    runs = list(runs)
    requested_until = max((run.due_until for run in runs if not run.is_lost), default=_NEVER)
    return [key for key, cron in crons.items() if _is_due(key, newest_tick(cron, until), runs, requested_until)]


def _is_due(key: str, tick: datetime, runs: Iterable[RequestedRun], requested_until: datetime) -> bool:
    own = [run for run in runs if key in run.datasets]
    lost = [run for run in own if run.fetched is not None and key not in run.fetched]
    held = [run for run in own if run not in lost]
    if any(run.is_waiting for run in held):
        return False
    last_held = max((run.due_until for run in held), default=_NEVER)
    if any(run.due_until > last_held for run in lost):
        return sum(run.due_until >= tick for run in lost) < LOST_RUNS
    return tick > requested_until


def newest_tick(cron: str, until: datetime) -> datetime:
    """The newest instant, not after `until`, that a cron expression in UTC names. Raises ValueError."""
    minutes, hours, days, months, weekdays = _parse(cron)
    until = until.astimezone(UTC)
    for back in range(_LONGEST):
        day = (until - timedelta(days=back)).replace(hour=0, minute=0, second=0, microsecond=0)
        if day.month not in months or day.day not in days or day.isoweekday() % 7 not in weekdays:
            continue
        for hour in sorted(hours, reverse=True):
            for minute in sorted(minutes, reverse=True):
                tick = day.replace(hour=hour, minute=minute)
                if tick <= until:
                    return tick
    raise ValueError(f"cron expression {cron!r} names no day")


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
