"""What is judged and what came of it: cases, targets, promises broken, limits.

Does not belong here: which targets there are (`targets`), or how a process is held to its limits (`child`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

Features = frozenset[str]  # what was seen of the answer: what is new in it is worth going on from


@dataclass(frozen=True, slots=True)
class Case:
    """One body under the name it came by: its path below the market's folder."""

    name: str
    body: bytes


MILESTONES: Final = ("recognised", "read", "mapped")  # features: how far a body came


@dataclass(frozen=True, slots=True)
class Target:
    """A parser. `judge` gives what was seen; Broken, or any other exception, where a promise is broken.

    quickly: the same without what costs most; a hunt judges wholly what shows something new by it. None: all is quick.
    """

    key: str
    judge: Callable[[Case], Features]
    quickly: Callable[[Case], Features] | None = None


class Broken(Exception):  # noqa: N818 - says what a promise is
    """An answer that breaks a promise: `kind` is one of TOLD."""

    def __init__(self, kind: str, told: str) -> None:
        super().__init__(told)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Limits:
    """What one case may cost: processor seconds, bytes of address space beyond what the process began with.

    clock: seconds by the clock after which a process that no signal ends is killed; more than `seconds`, for others
    work on the machine too.
    """

    seconds: float = 10.0
    space: int = 1 << 30
    clock: float = 90.0


@dataclass(frozen=True, slots=True)
class Finding:
    """A promise broken: how (crash, hang, memory, death, or one of TOLD), by what, where, with which case."""

    target: str
    kind: str
    told: str
    place: str
    case: Case

    @property
    def signature(self) -> tuple[str, str]:
        """Two findings of one signature are one defect; a reader of several markets has it in each."""
        return (self.kind, self.place)


@dataclass(frozen=True, slots=True)
class UnderWay:
    """How far a hunt is: cases before this one, processor seconds, how many came to each milestone, and the case."""

    cases: int
    seconds: float
    reached: tuple[int, ...]
    case: Case


TOLD: Final = ("schema", "privacy", "mapping")  # kinds of which what is told says which defect it is
LIMITS: Final = Limits()
