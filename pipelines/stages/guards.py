"""Guards (docs/architecture.md 5): whether what was read of a dataset may go on.

Belongs here: comparing counts with what the declaration allows and with the last edition that was let
through. Does not belong here: the limits (`connectors`), or what a hold means for a market (`held`).
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

# below this many rejects a share says little: one bad record of a small folder is no drift
FEW_REJECTS: Final = 10
MOST: Final = 0.5  # unless most of it cannot be read


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read of one dataset in one batch.

    `excluded`: rejects that are simply no companies. `full_rows`: rows of each full edition, oldest first;
    `unreadable`: how many files of full editions could not be read at all. `repeated`: rows, at most, of
    records that are as they were and were not read again: they are sound.
    """

    rows: int
    rejects: int
    full_rows: Sequence[int] = ()
    unreadable: int = 0
    excluded: int = 0
    repeated: int = 0


def judge(guard: Guard, reading: Reading, last_full: int | None) -> Held | None:
    """The first guard that refuses, or None. `last_full`: rows of the last full edition let through."""
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
        shrink = round(1 - rows / last_full, 6) if last_full else 0.0  # a fall of just the limit is allowed
        if shrink > guard.max_shrink:
            yield Held("max_shrink", shrink, guard.max_shrink)
        last_full = rows


def warnings(guard: Guard, reading: Reading) -> list[str]:
    """What a person should know, though it goes on."""
    most = guard.max_rows
    if most is None:
        return []
    return [f"{rows} rows, more than {most}" for rows in reading.full_rows if rows > most]


def full_rows(editions: Iterable[Mapping[str, Any]], kept: Iterable[Kept] = ()) -> list[int]:
    """Records of each full edition of a staged batch, oldest first, with the bodies it repeats unchanged.

    What a file says twice counts once: it would make the next sound edition look shrunk.
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
    """Rows of the newest full edition that was let through."""
    counts = [
        rows
        for index in indexes
        if index.held is None
        for rows in full_rows(index.editions, kept_of(index.figures))
    ]
    return counts[-1] if counts else None
