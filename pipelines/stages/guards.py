"""Guards (docs/architecture.md 5): whether the parsed data of a dataset may be applied.

Belongs here: comparing counts with the declared limits and with the last accepted snapshot. Does not belong
here: the limits (`connectors`), or what a quarantine means for a market (`held`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from connectors.declare import Guard, Scope
from pipelines.stages.editions import Kept, kept_of
from warehouse.lake import StagedIndex
from warehouse.reading import Held

# below this many rejects the share is not significant: one bad record of a small folder is no drift
FEW_REJECTS: Final = 10
MOST: Final = 0.5  # unless more than this share is rejected


@dataclass(frozen=True, slots=True)
class Reading:
    """Counts of one dataset in one batch.

    `excluded`: rejects that are simply not companies. `full_rows`: rows of each full snapshot, oldest first;
    `unreadable`: number of files of full snapshots that could not be read at all. `repeated`: maximum number
    of rows that are unchanged and were not parsed again; they are valid.
    """

    rows: int
    rejects: int
    full_rows: Sequence[int] = ()
    unreadable: int = 0
    excluded: int = 0
    repeated: int = 0


def judge(guard: Guard, reading: Reading, last_full: int | None) -> Held | None:
    """The first guard that refuses, or None. `last_full`: rows of the last accepted full snapshot."""
    return next(_refusals(guard, reading, last_full), None)


def _refusals(guard: Guard, reading: Reading, last_full: int | None) -> Iterator[Held]:
    total = reading.rows + reading.rejects + reading.repeated
    failed = reading.rejects - reading.excluded
    share = failed / total if total else 0.0
    if share > guard.max_rejected and (failed > FEW_REJECTS or share > MOST):
        yield Held("max_rejected", round(share, 6), guard.max_rejected)
    if reading.unreadable:
        yield Held("unreadable", reading.unreadable, 0)
    for rows in reading.full_rows:
        if rows < guard.min_rows:
            yield Held("min_rows", rows, guard.min_rows)
        shrink = round(1 - rows / last_full, 6) if last_full else 0.0  # exactly the limit is allowed
        if shrink > guard.max_shrink:
            yield Held("max_shrink", shrink, guard.max_shrink)
        last_full = rows


def warnings(guard: Guard, reading: Reading) -> list[str]:
    """Warnings that do not stop the dataset."""
    most = guard.max_rows
    if most is None:
        return []
    return [f"{rows} rows, more than {most}" for rows in reading.full_rows if rows > most]


def full_rows(editions: Iterable[Mapping[str, Any]], kept: Iterable[Kept] = ()) -> list[int]:
    """Records of each full snapshot of a staged batch, oldest first, including unchanged bodies.

    Duplicate records count once, or the next valid snapshot would appear to shrink.
    """
    repeated: Counter[datetime] = Counter()
    for body in kept:
        repeated[body.observed_at] += body.rows
    return [
        sum(edition["records"].values()) + repeated[datetime.fromisoformat(edition["observed_at"])]
        for edition in editions
        if edition["scope"] == Scope.FULL
    ]


def last_full(indexes: Iterable[StagedIndex]) -> int | None:
    """Rows of the newest accepted full snapshot."""
    counts = [
        rows
        for index in indexes
        if index.held is None
        for rows in full_rows(index.editions, kept_of(index.figures))
    ]
    return counts[-1] if counts else None
