"""Markets taken in at one time, each in a process of its own: none writes what another does.

Belongs here: starting and ending these processes, and hearing from them. A process that dies takes its own market
along and no other; none outlives the one that started it, which holds the markets' locks. Does not belong here:
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

_SPAWN: Final = multiprocessing.get_context("spawn")  # a fork would copy the threads of polars, locked
_ENDING: Final = (signal.SIGINT,)
_KILLED: Final = (
    "where the machine was short of memory, take in fewer markets at one time, then run this again; "
    "what is served and what was taken in stays"
)


@dataclass(frozen=True, slots=True)
class Work:
    """What each process is given; `at` is the instant of the run."""

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
    """Why a process could not go on, nor can another."""

    reason: str


@dataclass(frozen=True, slots=True)
class _Running:
    made: Jurisdiction
    process: SpawnProcess
    pipe: Any  # a connection, of a class that depends on the platform
    since: float


def taken_in(work: Work, markets: Sequence[Jurisdiction], at_once: int, tell: Tell) -> Iterator[TakenIn]:
    """Takes markets in, some at one time, those that take longest first; each as it ends.

    Raises Interrupted where one of them could not go on. However it ends, no process is left.
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
    """Seconds that each market took the last time."""
    notes = reversed(run_notes.read(layout))  # the newest last, which counts
    return {market: seconds for note in notes for market, seconds in note.seconds.items()}


def longest_first(sizes: Mapping[str, int], seconds: Mapping[str, float]) -> list[str]:
    """Markets by their seconds, longest first; those that no run tells of before all others, by bytes to read.

    Bytes tell little of markets that have been read before: one register packs its files, another does not.
    """
    return sorted(sizes, key=lambda code: (seconds.get(code, inf), sizes[code]), reverse=True)


def _bytes(opened: Opened, made: Jurisdiction) -> int:
    return sum(entry.path.stat().st_size for entry in opened.files(made))


def _start(work: Work, made: Jurisdiction) -> _Running:
    ours, theirs = _SPAWN.Pipe(duplex=False)
    process = _SPAWN.Process(target=_work, args=(work, made.code, theirs), name=f"firm ingest {made.code}")
    # It has no answer to Ctrl-C until it works: what comes before waits. Python's tracker, as it starts, unmasks
    resource_tracker.ensure_running()
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    theirs.close()  # or its end would not be heard
    return _Running(made, process, ours, monotonic())


def _heard(running: _Running, tell: Tell) -> TakenIn | None:
    """Takes one message; gives how the market ended when it was the last."""
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
    how = f"signal {-code} ended its process" if code < 0 else f"its process ended with code {code}"
    error = ErrorReport(running.made.code, f"{how}: {_KILLED}")
    return TakenIn(running.made.code, [error], round(monotonic() - running.since, 3))


def _end(left: Sequence[_Running]) -> None:
    """Ends processes as Ctrl-C does, so that Dagster notes it; a second one of these while it waits kills them."""
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
    """What a process does."""
    os.setpgid(0, 0)  # Ctrl-C of a terminal reaches the one that started this, which passes it on once
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
    os._exit(0)  # all is said and closed: taking the interpreter down, libraries count aloud what they leave


def _end_with_parent() -> None:
    """The locks are the parent's: when it dies another may take them."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
