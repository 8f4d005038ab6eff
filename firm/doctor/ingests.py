"""`firm doctor` checks of what was ingested: datasets dated in the future, and late-arriving files of recent runs.

Both cost events without an error: what is older than the newest data of its dataset fills gaps and is not published as
a change. Does not belong here: keeping such files out (`pipelines.steps.future_instants`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from firm.doctor import DoctorFinding
from pipelines.steps.future_instants import FUTURE_SLACK
from warehouse.release import manifest, run_log
from warehouse.release.manifest import InvalidReleaseError
from warehouse.storage.layout import Layout


def ingest_findings(layout: Layout, now: datetime) -> Iterator[DoctorFinding]:
    """Checks the dates of the served data, and the log of the last runs."""
    found = [*_future_findings(layout, now), *_late_findings(layout)]
    yield from found or [DoctorFinding("ok", "ingested data: none dated in the future, no late-arriving files")]


def _future_findings(layout: Layout, now: datetime) -> Iterator[DoctorFinding]:
    try:
        served = manifest.served_manifest(layout)
    except InvalidReleaseError as error:
        yield DoctorFinding("bad", "served release", f"{error}: see firm release verify")
        return
    for market in {} if served is None else served.markets.values():
        for key, state in market.datasets.items():
            if state.observed_at is not None and state.observed_at > now + FUTURE_SLACK:
                yield DoctorFinding(
                    "bad",
                    f"{key}: its newest data is dated {state.observed_at:%Y-%m-%d}, in the future",
                    "until then all genuine data is late-arriving and makes no event: restore a copy of FIRM_DATA from "
                    "before the run that ingested it, or ingest into a new FIRM_DATA",
                )


def _late_findings(layout: Layout) -> Iterator[DoctorFinding]:
    files: Counter[str] = Counter()
    newest: dict[str, datetime] = {}
    for note in reversed(run_log.read_run_log(layout)):
        files.update(note.late)
        newest |= dict.fromkeys(note.late, note.began_at)
    for dataset, count in sorted(files.items()):
        yield DoctorFinding(
            "warn",
            f"{dataset}: {count} late-arriving files in the last {run_log.KEPT} runs, the newest in that of "
            f"{newest[dataset]:%Y-%m-%d %H:%M} UTC",
            "they made no event: ingest files in the order of their dates, and check the date of the newest one",
        )
