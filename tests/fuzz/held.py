"""One case judged within limits: what came of it, or which promise it broke and where.

Does not belong here: which cases are judged (`hunting`).
"""

from __future__ import annotations

import resource
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

from polars.exceptions import PanicException

from tests.fuzz.case import LIMITS, TOLD, Broken, Case, Features, Finding, Limits

_OURS: Final = ("/connectors/", "/tests/fuzz/planted")


class Hung(BaseException):
    """A case that takes more processor time than it may: not to be caught by what is judged."""


@contextmanager
def within(limits: Limits) -> Iterator[None]:
    """Lets the block have its seconds of processor time, then raises Hung in it."""

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise Hung

    signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, limits.seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def hold(limits: Limits) -> None:
    """Bounds the address space of this process by what it has and what a case may take."""
    has = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (has + limits.space, has + limits.space))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def judged(judge: Callable[[Case], Features], key: str, case: Case, limits: Limits = LIMITS) -> Finding | Features:
    """What came of one case."""
    try:
        with within(limits):
            return judge(case)
    except Hung as error:
        return _finding(key, case, "hang", f"more than {limits.seconds:g} s of processor time", error)
    except MemoryError as error:
        return _finding(key, case, "memory", f"more than {limits.space >> 20} MiB", error)
    except Broken as error:
        return _finding(key, case, error.kind, str(error), error)
    except (Exception, PanicException) as error:  # noqa: BLE001 - whatever else is raised is what is looked for
        return _finding(key, case, "crash", f"{type(error).__name__}: {error}"[:200], error)


def _finding(key: str, case: Case, kind: str, told: str, error: BaseException) -> Finding:
    frames = [one for one in traceback.extract_tb(error.__traceback__) if any(part in one.filename for part in _OURS)]
    last = frames[-1] if frames else None
    place = (
        "nowhere"
        if last is None
        else f"{last.filename.rpartition('/connectors/')[2].rpartition('/tests/')[2]}:{last.name}"
    )
    name = type(error).__name__ if kind == "crash" else told if kind in TOLD else ""
    return Finding(key, kind, told, f"{place} {name}".strip(), case)
