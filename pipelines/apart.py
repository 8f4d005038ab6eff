"""Ingests several markets in parallel, each in its own worker process; no two processes write the same market.

Belongs here: starting and ending these processes, and receiving their messages. A process that dies fails
only its own market; none outlives the parent process, which holds the markets' locks. Does not belong here:
what a process does (`market_runs`).
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import datetime
from math import inf
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from time import monotonic
from typing import Any, Final

import connectors
from connectors.declare import Jurisdiction
from pipelines import dropped_interrupts, interrupted
from pipelines.interrupted import Interrupted
from pipelines.market_runs import MarketRuns, TakenIn, dagster_instance
from pipelines.origins import Opened, Origin
from pipelines.report import ErrorReport
from pipelines.resources import Tell, Workspace
from pipelines.settings import Settings
from warehouse import run_notes
from warehouse.paths import Layout

_SPAWN: Final = multiprocessing.get_context("spawn")  # fork would copy the locked threads of polars
_ENDING: Final = (signal.SIGINT,)
_KILLED: Final = (
    "if the machine was short of memory, ingest fewer markets in parallel, then run this again; "
    "the published release and ingested data are unchanged"
)


@dataclass(frozen=True, slots=True)
class Work:
    """Input of each worker process; `at` is the logical instant of the run."""

    settings: Settings
    origin: Origin
    batch: str
    at: datetime


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of progress."""

    text: str


@dataclass(frozen=True, slots=True)
class _Stopped:
    """Why a process could not go on; the reason stops the other processes too."""

    reason: str


@dataclass(frozen=True, slots=True)
class _Running:
    made: Jurisdiction
    process: SpawnProcess
    pipe: Any  # a connection; its class depends on the platform
    since: float


def taken_in(work: Work, markets: Sequence[Jurisdiction], at_once: int, tell: Tell) -> Iterator[TakenIn]:
    """Ingests markets, up to `at_once` in parallel, longest first; yields each result as the market ends.

    Raises Interrupted where one of them could not go on. No process is left running, however it ends.
    """
    opened = work.origin.open(work.at)
    by_code = {made.code: made for made in markets}
    sizes = {code: _bytes(opened, made) for code, made in by_code.items()}
    waiting = [by_code[code] for code in longest_first(sizes, took(work.settings.layout))]
    under_way: dict[Any, _Running] = {}
    try:
        while waiting or under_way:
            while waiting and len(under_way) < at_once:
                running = _start(work, waiting.pop(0))
                under_way[running.pipe] = running
            for pipe in wait(list(under_way)):
                if ended := _heard(under_way[pipe], tell):
                    del under_way[pipe]
                    yield ended
    finally:
        _end(list(under_way.values()))


def took(layout: Layout) -> dict[str, float]:
    """Seconds that each market took in its last run."""
    notes = reversed(run_notes.read(layout))  # newest last, so it wins
    return {market: seconds for note in notes for market, seconds in note.seconds.items()}


def longest_first(sizes: Mapping[str, int], seconds: Mapping[str, float]) -> list[str]:
    """Market codes by seconds of their last run, longest first; markets without a run come first, by input size.

    Input size is a poor estimate for markets with a known duration: some registries compress their files,
    others do not.
    """
    return sorted(sizes, key=lambda code: (seconds.get(code, inf), sizes[code]), reverse=True)


def _bytes(opened: Opened, made: Jurisdiction) -> int:
    return sum(entry.path.stat().st_size for entry in opened.files(made))


def _start(work: Work, made: Jurisdiction) -> _Running:
    ours, theirs = _SPAWN.Pipe(duplex=False)
    process = _SPAWN.Process(target=_work, args=(work, made.code, theirs), name=f"firm ingest {made.code}")
    # The child must not receive Ctrl-C before its handler is installed, so SIGINT stays blocked until then.
    # Python's resource tracker unblocks it when it starts.
    resource_tracker.ensure_running()
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    theirs.close()  # otherwise recv() would never see EOF
    return _Running(made, process, ours, monotonic())


def _heard(running: _Running, tell: Tell) -> TakenIn | None:
    """Handles one message; returns the market's result if it was the last message."""
    try:
        said = running.pipe.recv()
    except EOFError:
        running.process.join()
        return _died(running)
    match said:
        case _Line(text):
            tell(text)
            return None
        case TakenIn():
            running.process.join()
            return said
        case _Stopped(reason):
            raise Interrupted(reason)
        case _:
            raise TypeError(f"a process of {running.made.code} said {said!r}")


def _died(running: _Running) -> TakenIn:
    code = running.process.exitcode or 0
    how = f"its process was killed by signal {-code}" if code < 0 else f"its process exited with code {code}"
    error = ErrorReport(running.made.code, f"{how}: {_KILLED}")
    return TakenIn(running.made.code, [error], round(monotonic() - running.since, 3))


def _end(left: Sequence[_Running]) -> None:
    """Ends processes with SIGINT, so that Dagster records it; a second SIGINT during the wait kills them."""
    try:
        for running in left:
            with suppress(ProcessLookupError):
                os.kill(running.process.pid or 0, signal.SIGINT)
        for running in left:
            running.process.join()
    finally:
        for running in left:
            running.process.kill()


def _work(work: Work, code: str, pipe: Connection) -> None:
    """Main function of a worker process."""
    os.setpgid(0, 0)  # Ctrl-C of a terminal reaches only the parent, which passes it on once
    dropped_interrupts.come_again()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    workspace = Workspace(work.settings, connectors.JURISDICTIONS, tell=lambda line: pipe.send(_Line(line)))
    with suppress(KeyboardInterrupt), ExitStack() as stack:
        stack.callback(workspace.close)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
        try:
            with interrupted.explained(work.settings):
                instance = stack.enter_context(dagster_instance(work.settings))
                runs = MarketRuns(workspace, work.origin, instance)
                opened = work.origin.open(work.at)
                pipe.send(runs.take_in(workspace.jurisdiction(code), work.batch, opened))
        except Interrupted as error:
            pipe.send(_Stopped(str(error)))
    sys.stdout.flush()
    os._exit(0)  # output is flushed; a normal exit would let libraries warn about leaked objects


def _end_with_parent() -> None:
    """Exits when the parent dies: the parent holds the locks, so another run may then take them."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
