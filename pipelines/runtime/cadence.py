"""Which datasets are due: those whose cadence had a tick that no run was requested for yet, or whose fetch failed.

Pure functions of declared cron expressions, of the runs requested so far, and of the last fetches that failed. Does not
belong here: reading these, or requesting a run (`defs.schedules`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Final

from cronsim import CronSim, CronSimError

_INSTANT: Final = timedelta(microseconds=1)
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
    lost run did not fetch is due again, and so is, after a wait, what could not be fetched. Runs of later ticks, which
    a clock that was ahead has requested, do not count, or nothing would be due until then.

    Args:
        crons: cadence of each dataset.
        runs: requested so far.
        until: the instant.
        failures: when the last fetch of a dataset failed; datasets whose last fetch did not fail are absent.
    """
    runs = [run if run.due_until <= until else replace(run, due_until=_NEVER) for run in runs]
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
    return _first_tick(cron, until.astimezone(UTC) + _INSTANT, is_backwards=True)


def next_tick(cron: str, after: datetime) -> datetime:
    """The first instant after another that a cron expression in UTC names. Raises ValueError."""
    return _first_tick(cron, after.astimezone(UTC), is_backwards=False)


def _first_tick(cron: str, start: datetime, *, is_backwards: bool) -> datetime:
    try:
        return next(CronSim(cron, start, reverse=is_backwards))
    except (CronSimError, StopIteration) as error:
        raise ValueError(f"cron expression {cron!r}: {error or 'names no day'}") from None
