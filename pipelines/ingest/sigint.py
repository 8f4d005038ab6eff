"""Re-raises Ctrl-C that was swallowed by a Python destructor or weak reference callback, a DuckDB query, or Dagster.

Belongs here: the first is sent again, the second is recognised by its message, the third by the number of the signal,
which the interpreter writes to a pipe whoever handles it. Does not belong here: what an interrupt ends
(`market_workers`, `market_run`).
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

QUERY_INTERRUPTED: Final = "Query interrupted"
"""What DuckDB says, with a RuntimeError in place of what the interrupt raised."""

_SOON: Final = 0.02
"""Seconds: by then the callback is over."""

_MANY_SIGNALS: Final = 1 << 16
"""Bytes, one for each signal: as many as a pipe holds."""


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


@contextmanager
def raise_dropped_interrupt() -> Iterator[None]:
    """Raises KeyboardInterrupt at the end of a block during which a SIGINT came without ending it.

    For runs of Dagster, which only notes a SIGINT that comes while it writes its records, and drops the note when a run
    ends. Dagster also gives SIGTERM the handler of SIGINT: where that is ignored, as in what a shell starts in the
    background, SIGTERM would be ignored from then on, so that its former handler is put back.
    """
    if threading.current_thread() is not threading.main_thread():  # no other one receives signals
        yield
        return
    reader, writer = os.pipe()
    on_termination = signal.getsignal(signal.SIGTERM)
    try:
        os.set_blocking(reader, False)
        os.set_blocking(writer, False)
        former = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(former)
            if signal.getsignal(signal.SIGTERM) is signal.SIG_IGN:
                signal.signal(signal.SIGTERM, on_termination)
        if signal.SIGINT in _read_signals(reader):
            raise KeyboardInterrupt
    finally:
        os.close(reader)
        os.close(writer)


def _read_signals(reader: int) -> bytes:
    try:
        return os.read(reader, _MANY_SIGNALS)
    except BlockingIOError:
        return b""
