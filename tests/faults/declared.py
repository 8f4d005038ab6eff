"""What one cell of the table of faults says: a fault, the step it meets, and what must come of it.

Belongs here: the shape of a cell. Does not belong here: the cells (`of_*`), which steps there are (`steps`), or
playing them (`test_fault_*`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

GAP: Final = "…"  # stands in what is said for what differs from run to run


class Fault(StrEnum):
    """What goes wrong, in the order of the table."""

    RATE_LIMITED = "registry answers 429"
    UNAVAILABLE = "registry answers 503"
    PAGE = "registry answers with a page of HTML"
    CUT_OFF = "registry truncates a body"
    SLOW = "registry sends slowly"
    HANG = "registry hangs"
    NAMELESS = "registry host not found"
    FULL = "disk full"
    READ_ONLY = "disk read-only"
    CLOCK = "clock jumps"
    MEMORY = "out of memory"
    KILLED = "kill -9"
    DATABASE = "database down for a minute"
    TWO = "two processes at once"
    CORRUPT = "corrupt RAW object"
    HALF_WRITTEN = "half-written release"


@dataclass(frozen=True)
class Cell:
    """One fault at one step.

    provoked: how, for real. exit_code: of the command that meets it; None where a service goes on running.
    says: what the operator reads, word for word but for `GAP`; the tests of `shown_by` assert it. stays: what is not
    lost meanwhile. heals: what the next run does without the fault. shown_by: `file::test` of each test that shows it.
    """

    fault: Fault
    step: str
    provoked: str
    exit_code: int | None
    says: str
    stays: str
    heals: str
    shown_by: tuple[str, ...]

    def is_said_in(self, text: str) -> bool:
        """Whether a line of what was written begins with these words."""
        pattern = ".*?".join(map(re.escape, self.says.split(GAP)))
        return re.search(rf"^{pattern}", text, re.MULTILINE) is not None


@dataclass(frozen=True)
class Untouched:
    """Steps that a fault cannot meet, and why not."""

    fault: Fault
    steps: tuple[str, ...]
    because: str


def cells_of(fault: Fault, cells: Iterable[Cell]) -> Iterator[Cell]:
    """The cells of one fault, in the order they are declared in."""
    return (cell for cell in cells if cell.fault is fault)


def played_by(test: str, cells: Iterable[Cell]) -> list[Cell]:
    """The cells that one test plays, for its parameters."""
    return [cell for cell in cells if test in cell.shown_by]
