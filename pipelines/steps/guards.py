"""Guards (docs/architecture.md 5): whether the parsed data of a dataset may be applied.

Belongs here: comparing counts with the declared limits and with the last accepted snapshot. Does not belong
here: the limits (`connectors`), or what a quarantine means for a market (`quarantine`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from connectors.contract.dataset import GuardLimits
from connectors.contract.pieces import Scope
from pipelines.runtime.counted_words import counted
from pipelines.steps.batch_figures import UnchangedBody, unchanged_bodies
from warehouse.schema.market_state import QuarantineReason
from warehouse.staged.store import StagedIndex

# below this many rejects the share is not significant: one bad record of a small folder is no drift
FEW_REJECTS: Final = 10
MOST: Final = 0.5  # unless more than this share is rejected


@dataclass(frozen=True, slots=True)
class BatchCounts:
    """Counts of one dataset in one batch.

    `excluded`: rejects that are simply not companies. `full_snapshot_rows`: rows of each full snapshot, oldest
    first; `unreadable`: number of files of full snapshots that could not be read at all. `repeated`: maximum number
    of rows that are unchanged and were not parsed again; they are valid.
    """

    rows: int
    rejects: int
    full_rows: Sequence[int] = ()
    unreadable: int = 0
    excluded: int = 0
    repeated: int = 0


def first_violation(guard: GuardLimits, reading: BatchCounts, last_full: int | None) -> QuarantineReason | None:
    """The first guard that refuses, or None. `last_full_rows`: rows of the last accepted full snapshot."""
    return next(_guard_violations(guard, reading, last_full), None)


def _guard_violations(guard: GuardLimits, reading: BatchCounts, last_full: int | None) -> Iterator[QuarantineReason]:
    total = reading.rows + reading.rejects + reading.repeated
    failed = reading.rejects - reading.excluded
    share = failed / total if total else 0.0
    if share > guard.max_rejected and (failed > FEW_REJECTS or share > MOST):
        yield QuarantineReason("max_rejected", round(share, 6), guard.max_rejected)
    if reading.unreadable:
        yield QuarantineReason("unreadable", reading.unreadable, 0)
    for rows in reading.full_rows:
        if rows < guard.min_rows:
            yield QuarantineReason("min_rows", rows, guard.min_rows)
        shrink = round(1 - rows / last_full, 6) if last_full else 0.0  # exactly the limit is allowed
        if shrink > guard.max_shrink:
            yield QuarantineReason("max_shrink", shrink, guard.max_shrink)
        last_full = rows


def guard_warnings(guard: GuardLimits, reading: BatchCounts) -> list[str]:
    """Warnings that do not stop the dataset."""
    most = guard.max_rows
    if most is None:
        return []
    return [f"{counted(rows, 'row')}, more than {most}" for rows in reading.full_rows if rows > most]


def full_snapshot_rows(snapshots: Iterable[Mapping[str, Any]], unchanged: Iterable[UnchangedBody] = ()) -> list[int]:
    """Records of each full snapshot of a staged batch, oldest first, including unchanged bodies.

    Duplicate records count once, or the next valid snapshot would appear to shrink.
    """
    repeated: Counter[datetime] = Counter()
    for body in unchanged:
        repeated[body.observed_at] += body.rows
    return [
        sum(snapshot["records"].values()) + repeated[datetime.fromisoformat(snapshot["observed_at"])]
        for snapshot in snapshots
        if snapshot["scope"] == Scope.FULL
    ]


def last_full_rows(indexes: Iterable[StagedIndex]) -> int | None:
    """Rows of the newest accepted full snapshot, by its instant: one that was ingested later may be older."""
    counts = [
        (datetime.fromisoformat(snapshot["observed_at"]), index.batch, rows)
        for index in indexes
        if index.held is None
        for snapshot in index.editions
        for rows in full_snapshot_rows([snapshot], unchanged_bodies(index))
    ]
    return max(counts, key=lambda found: found[:2])[-1] if counts else None
