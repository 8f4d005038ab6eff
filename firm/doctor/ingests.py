"""`firm doctor` checks of what was ingested: data dated in the future, late-arriving files, retracted batches.

Both cost events without an error: what is older than the newest data of its dataset fills gaps and is not published as
a change. Does not belong here: keeping such files out (`pipelines.steps.future_instants`), or taking them out again
(`pipelines.maintenance.retract`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

import duckdb

from connectors import JURISDICTIONS
from firm.doctor import DoctorFinding
from pipelines.runtime.counted_words import counted
from pipelines.steps.future_instants import FUTURE_SLACK
from warehouse.history import database
from warehouse.publish.validation import truncated_files
from warehouse.release import manifest, run_log
from warehouse.release.manifest import InvalidReleaseError
from warehouse.schema.retractions import RETRACTED_MARK
from warehouse.staged.store import StagedStore
from warehouse.storage.layout import Layout


def ingest_findings(layout: Layout, now: datetime) -> Iterator[DoctorFinding]:
    """Checks the served release and the dates of its data, and the log of the last runs."""
    found = [*_served_findings(layout, now), *_late_findings(layout)]
    yield from _retraction_findings(layout)
    yield from found or [DoctorFinding("ok", "ingested data: none dated in the future, no late-arriving files")]


def _served_findings(layout: Layout, now: datetime) -> Iterator[DoctorFinding]:
    """What is wrong with the files of the served release, and with the dates of its data."""
    try:
        served = manifest.served_manifest(layout)
    except InvalidReleaseError as error:
        yield DoctorFinding("bad", "served release", f"{error}: see firm release verify")
        return
    if served is None:
        return
    for name in truncated_files(layout, served):
        what = f"release {served.release}: {layout.release_folder(served.release) / name} is missing or truncated"
        yield DoctorFinding("bad", "served release", f"{what}: see firm release verify")
    for market in served.markets.values():
        for key, state in market.datasets.items():
            if state.observed_at is not None and state.observed_at > now + FUTURE_SLACK:
                yield DoctorFinding(
                    "bad",
                    f"{key}: its newest data is dated {state.observed_at:%Y-%m-%d}, in the future",
                    "until then all genuine data is late-arriving and announces nothing new; run: firm retract "
                    f"{_batch_dated(layout, key, now + FUTURE_SLACK) or 'BATCH (firm retract --list shows it)'} "
                    f"--only {key}",
                )


def _batch_dated(layout: Layout, dataset: str, after: datetime) -> str:
    """Batches with data of a dataset that is dated after an instant."""
    found = [
        index.batch
        for index in StagedStore(layout).indexes(dataset)
        if any(datetime.fromisoformat(edition["observed_at"]) > after for edition in index.editions)
    ]
    return " ".join(found)


def _retraction_findings(layout: Layout) -> Iterator[DoctorFinding]:
    """Retracted batches, and whether anything has come since of their datasets."""
    staged = StagedStore(layout)
    for made in JURISDICTIONS:
        done = _completed_retractions(layout, made.code)
        for dataset in made.datasets:
            for one in staged.retractions(dataset.key):
                batches = ", ".join(batch for batch in one.batches if batch in staged.all_batches(dataset.key))
                what = (
                    f"{dataset.key}: batch {batches} was retracted on {one.at:%Y-%m-%d %H:%M} UTC by {one.by}: "
                    f"{one.reason}"
                )
                if done is not None and one.mark not in done:
                    yield DoctorFinding(
                        "warn", f"{what}; interrupted", f"the next ingest of {made.code.lower()} completes it"
                    )
                elif staged.newest_batch_in_use(dataset.key) > one.newest:
                    yield DoctorFinding("ok", what)
                else:
                    advice = f"nothing of it has come since: ingest {made.code.lower()} to get what the batch had"
                    yield DoctorFinding("warn", what, advice)


def _completed_retractions(layout: Layout, market: str) -> frozenset[str] | None:
    """Retractions that a history has; None while it is being written."""
    path = layout.history_file(market)
    try:
        return database.recorded_marks(path, RETRACTED_MARK) if path.exists() else frozenset()
    except duckdb.Error:  # reported with the histories
        return None


def _late_findings(layout: Layout) -> Iterator[DoctorFinding]:
    files: Counter[str] = Counter()
    newest: dict[str, datetime] = {}
    for note in reversed(run_log.read_run_log(layout)[: run_log.KEPT]):
        files.update(note.late)
        newest |= dict.fromkeys(note.late, note.began_at)
    for dataset, count in sorted(files.items()):
        yield DoctorFinding(
            "warn",
            f"{dataset}: {counted(count, 'late-arriving file')} in the last {run_log.KEPT} runs, the newest in that of "
            f"{newest[dataset]:%Y-%m-%d %H:%M} UTC",
            "they made no event: ingest files in the order of their dates, and check the date of the newest one",
        )
