"""Ctrl-C that others drop: Python in a destructor or the callback of a weak reference, DuckDB within a query.

Belongs here: the first comes again, the second is known by its words. Does not belong here: what an interrupt ends
(`apart`, `market_runs`).
"""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

QUERY_INTERRUPTED: Final = "Query interrupted"
"""What DuckDB says, with a RuntimeError in place of what the interrupt raised."""

_SOON: Final = 0.02
"""Seconds: by then the callback is over."""


def come_again() -> None:
    """From now on no SIGINT of this process is lost, whatever it met. Takes SIGALRM and the timer of real time."""
    signal.signal(signal.SIGALRM, _once_more)
    sys.unraisablehook = _dropped


def _dropped(unraisable: UnraisableHookArgs) -> None:
    if _is_interrupt(unraisable.exc_type):
        # a signal sent now would be handled within this hook, and what it raises dropped as well
        signal.setitimer(signal.ITIMER_REAL, _SOON)
    else:
        sys.__unraisablehook__(unraisable)


def _is_interrupt(kind: type[BaseException]) -> bool:
    """Dagster has a class of its own while a step runs; most commands go without, so it is not loaded here."""
    dagsters = getattr(sys.modules.get("dagster"), "DagsterExecutionInterruptedError", KeyboardInterrupt)
    return issubclass(kind, (KeyboardInterrupt, dagsters))


def _once_more(_number: int, _frame: FrameType | None) -> None:
    signal.raise_signal(signal.SIGINT)
