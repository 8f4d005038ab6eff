"""Batch ids: the start of an ingest in UTC, to the millisecond. Ids sort in the order of the ingests.

Does not belong here: the day an ingest is about; one batch can cover two days.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

_FORMAT: Final = "%Y%m%dT%H%M%S"
_TICK: Final = timedelta(milliseconds=1)
CLOCK_SLACK: Final = timedelta(minutes=1)  # if further behind an earlier run, the clock was set back


def batch_name(instant: datetime) -> str:
    """Batch id of an instant: `20261121T080455123Z`."""
    instant = instant.astimezone(UTC)
    return f"{instant:{_FORMAT}}{instant.microsecond // 1000:03d}Z"


def batch_instant(batch: str) -> datetime:
    """The start instant encoded in a batch id."""
    return datetime.strptime(f"{batch[:-4]}{batch[-4:-1]}000+0000", f"{_FORMAT}%f%z").astimezone(UTC)


def run_instant(batch: str, now: datetime) -> datetime:
    """The logical instant of a run: now, or just after the previous run if the clock was set back.

    Otherwise its data would count as late-arriving: it would only fill gaps, create no events and not be
    served.
    """
    return max(now, batch_instant(batch))


def next_batch(now: datetime, existing: Iterable[str]) -> str:
    """The id of a batch that begins now; always greater than every id taken, whatever the clock says."""
    last = max(existing, default="")
    batch = batch_name(now)
    return batch if batch > last else batch_name(batch_instant(last) + _TICK)
