"""`firm doctor` checks of sources: which could not be fetched, which are quarantined, which were not read for too long.

Reads what runs have recorded of each dataset. Does not belong here: what was ingested of them (`ingests`), or whether
a registry can be reached now.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from connectors import JURISDICTIONS
from connectors.contract.dataset import Dataset
from firm.doctor import DoctorFinding
from firm.quarantine_advice import quarantine_advice
from pipelines.runtime.cadence import retry_wait
from pipelines.runtime.counted_words import counted
from pipelines.steps.quarantine import FETCH_GUARD
from warehouse.release import freshness, run_log
from warehouse.release.freshness import DatasetCheck, check_age
from warehouse.staged.store import StagedStore
from warehouse.storage.layout import Layout

_Seen = Sequence[tuple[Dataset, DatasetCheck]]


def source_findings(layout: Layout, now: datetime) -> Iterator[DoctorFinding]:
    """Checks the sources that a run has read or tried to read."""
    datasets = {dataset.key: dataset for made in JURISDICTIONS for dataset in made.datasets}
    checks = freshness.read_freshness(layout).dataset_checks
    seen = [(datasets[key], check) for key, check in sorted(checks.items()) if key in datasets]
    found = [*_held_findings(layout, seen, now), *_stale_findings(seen, now), *_future_findings(seen, now)]
    yield from found or [DoctorFinding("ok", f"sources: none of {len(seen)} failed, quarantined or stale")]


def _held_findings(layout: Layout, seen: _Seen, now: datetime) -> Iterator[DoctorFinding]:
    reasons = _fetch_failures(layout)
    for dataset, check in seen:
        if check.held_since is None:
            continue
        since = f"{check.held_since:%Y-%m-%d %H:%M} UTC"
        if StagedStore(layout).quarantined_indexes(dataset.key):
            advice = quarantine_advice(layout, dataset.key) or ""
            yield DoctorFinding("warn", f"{dataset.key}: quarantined since {since}", advice)
            continue
        reason = reasons.get(dataset.key)
        market = dataset.key.partition(".")[0]
        yield DoctorFinding(
            "warn",
            f"{dataset.key}: could not be fetched since {since}{'' if reason is None else f': {reason}'}",
            f"its schedule requests it again {_format_wait(retry_wait(dataset.cadence.cron, now))} after a failure; "
            f"at once: firm ingest {market} --live --dataset {dataset.key}",
        )


def _fetch_failures(layout: Layout) -> dict[str, str]:
    """The newest reason of each dataset that could not be fetched, as far as the run log goes back."""
    notes = reversed(run_log.read_run_log(layout))
    return {one.dataset: str(one.seen) for note in notes for one in note.held if one.guard == FETCH_GUARD}


def _stale_findings(seen: _Seen, now: datetime) -> Iterator[DoctorFinding]:
    """One finding a market, of sources that have not been read in full for longer than their connector declares."""
    stale: dict[str, list[str]] = defaultdict(list)
    for dataset, check in seen:
        limit = timedelta(hours=dataset.cadence.stale_after_hours)
        if check.checked_at is not None and now - check.checked_at > limit:
            stale[dataset.key.partition(".")[0]].append(f"{dataset.key} ({check.checked_at:%Y-%m-%d})")
    for market, found in stale.items():
        sources = counted(len(found), "stale source")
        yield DoctorFinding(
            "warn",
            f"{market.upper()}: {sources}, with the day each was last read: {', '.join(found)}",
            f"turn on ingest_{market}_schedule in firm dagster, or run: firm ingest {market} --live",
        )


def _future_findings(seen: _Seen, now: datetime) -> Iterator[DoctorFinding]:
    """One finding a market, of sources whose last check is dated in the future: how old it is cannot be told."""
    ahead: dict[str, list[str]] = defaultdict(list)
    for dataset, check in seen:
        if check.checked_at is not None and check_age(check.checked_at, now) is None:
            ahead[dataset.key.partition(".")[0]].append(f"{dataset.key} ({check.checked_at:%Y-%m-%d})")
    for market, found in ahead.items():
        sources = counted(len(found), "source")
        yield DoctorFinding(
            "warn",
            f"{market.upper()}: {sources} last read on a day in the future: {', '.join(found)}",
            f"a clock was ahead: correct it, restart firm dagster, and run: firm ingest {market} --live",
        )


def _format_wait(wait: timedelta) -> str:
    minutes = round(wait.total_seconds() / 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"
