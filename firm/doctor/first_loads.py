"""`firm doctor` checks of sources that are not complete: loads of many runs, and sources that are out of reach.

Of a load it shows how far it is, when it will be complete, and whether it goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Final

from connectors.contract.dataset import Jurisdiction
from firm.doctor import DoctorFinding
from warehouse.release.load_progress import read_load_progress
from warehouse.storage.layout import Layout

_STOPPED: Final = timedelta(days=2)


def first_load_findings(layout: Layout, now: datetime) -> Iterator[DoctorFinding]:
    """One finding per load that is not complete; a warning for one that no run has continued for two days."""
    for one in read_load_progress(layout):
        what = f"{one.dataset} is still loading: {one.describe()}"
        if now - one.at > _STOPPED:
            advice = f"no run since {one.at:%Y-%m-%d %H:%M} UTC has continued it: turn on the market's schedule"
            yield DoctorFinding("warn", what, advice)
        else:
            yield DoctorFinding("ok", what)


def out_of_reach_findings(jurisdictions: Iterable[Jurisdiction]) -> Iterator[DoctorFinding]:
    """One warning per dataset whose source cannot be fetched by programs any more."""
    for made in jurisdictions:
        for dataset in made.datasets:
            if dataset.out_of_reach is not None:
                yield DoctorFinding("warn", f"{dataset.key} is out of reach", dataset.out_of_reach)
