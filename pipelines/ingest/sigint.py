"""Re-raises Ctrl-C that was swallowed by a Python destructor or weak reference callback, or by a DuckDB query.

Belongs here: the former is sent again, the latter is recognised by its message. Does not belong here: what an
interrupt ends (`market_workers`, `market_run`).
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


def install_sigint_redelivery() -> None:
    """Installs the redelivery of swallowed SIGINTs in this process. Uses SIGALRM and the real-time timer."""
    signal.signal(signal.SIGALRM, _raise_sigint)
    sys.unraisablehook = _on_unraisable


def _on_unraisable(unraisable: UnraisableHookArgs) -> None:
    if _is_interrupt(unraisable.exc_type):
        # a signal sent now would be handled within this hook, and its exception swallowed too
        signal.setitimer(signal.ITIMER_REAL, _SOON)
    else:
        sys.__unraisablehook__(unraisable)


def _is_interrupt(kind: type[BaseException]) -> bool:
    """True for interrupts, including Dagster's own class. Dagster is not imported: most commands run without it."""
    dagsters = getattr(sys.modules.get("dagster"), "DagsterExecutionInterruptedError", KeyboardInterrupt)
    return issubclass(kind, (KeyboardInterrupt, dagsters))


def _raise_sigint(_number: int, _frame: FrameType | None) -> None:
    signal.raise_signal(signal.SIGINT)
