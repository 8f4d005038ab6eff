"""Names of ingests: when one began, in UTC, to the millisecond. Sorting names is sorting ingests.

Does not belong here: the day that an ingest is about; two days can be ingested in one.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

_FORMAT: Final = "%Y%m%dT%H%M%S"
_TICK: Final = timedelta(milliseconds=1)
CLOCK_SLACK: Final = timedelta(minutes=1)  # further behind an earlier run, a clock has been set back


def batch_name(instant: datetime) -> str:
    """`20261121T080455123Z`."""
    instant = instant.astimezone(UTC)
    return f"{instant:{_FORMAT}}{instant.microsecond // 1000:03d}Z"


def batch_instant(batch: str) -> datetime:
    """When a batch began."""
    return datetime.strptime(f"{batch[:-4]}{batch[-4:-1]}000+0000", f"{_FORMAT}%f%z").astimezone(UTC)


def run_instant(batch: str, now: datetime) -> datetime:
    """When a run takes place: now; where the clock has been set back behind an earlier run, just after that.

    What it brings would else count as late: it would fill gaps, make no event and not be what is served.
    """
    return max(now, batch_instant(batch))


def next_batch(now: datetime, taken: Iterable[str]) -> str:
    """The name of an ingest that begins now: after every name taken, whatever the clock says."""
    last = max(taken, default="")
    batch = batch_name(now)
    return batch if batch > last else batch_name(batch_instant(last) + _TICK)
