"""Files of what earlier releases served (docs/architecture.md 7, «Past states»): which of them a publish keeps.

Immutable, named by their SHA-256, linked from release to release, as segments are. Does not belong here: their content
(`serving.past_db`), or what a publish writes (`publish.past_build`). Imports no engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

GROWTH: Final = 8  # a file is merged into the next one unless it has more than so many times its rows


@dataclass(frozen=True, slots=True)
class PastFile:
    """One file; rows: its states and releases."""

    file: str
    rows: int


def kept_files(files: Sequence[PastFile], rows: int) -> Sequence[PastFile]:
    """The files, oldest first, that a publish of so many rows keeps; it replaces those after them.

    Sizes fall by a factor from one to the next, so that a thousand million rows are in ten files at most, and a row is
    written again few times.
    """
    kept = len(files)
    while kept and files[kept - 1].rows <= GROWTH * rows:
        kept -= 1
        rows += files[kept].rows
    return files[:kept]
