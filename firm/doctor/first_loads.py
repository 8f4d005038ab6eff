"""`firm doctor` checks of loads that take many runs: how far they are, when they will be complete, whether they go on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from firm.doctor import DoctorFinding
from warehouse.release.load_progress import read_load_progress
from warehouse.storage.layout import Layout

_STOPPED: Final = timedelta(days=2)


def first_load_findings(layout: Layout, now: datetime) -> Iterator[DoctorFinding]:
    """One finding per load that is not complete; a warning for one that no run has continued for two days."""
    for one in read_load_progress(layout):
        what = f"{one.dataset} is still loading: {one.describe()}"
        if now - one.at > _STOPPED:
            advice = f"no run since {one.at:%Y-%m-%d %H:%M} UTC has continued it: turn on the market's schedule, or ingest"
            yield DoctorFinding("warn", what, advice)
        else:
            yield DoctorFinding("ok", what)
