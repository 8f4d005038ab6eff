"""Ingests several markets in parallel, each in its own worker process; no two processes write the same market.

Belongs here: starting and ending these processes, and receiving their messages. A process that dies fails
only its own market; none outlives the parent process, which holds the markets' locks. Does not belong here:
what a process does (`market_run`).
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
from typing import TYPE_CHECKING, Any, Final

import connectors
from connectors.contract.dataset import Jurisdiction
from pipelines.ingest import resource_errors, sigint
from pipelines.ingest.dagster_records import DagsterRecords
from pipelines.ingest.market_run import MarketResult, MarketRunner
from pipelines.ingest.resource_errors import RunInterruptedError
from pipelines.sources.source import IngestSource, OpenedSource
from pipelines.workspace import ProgressCallback, Workspace
from warehouse.release import run_log
from warehouse.release.run_log import ErrorNote
from warehouse.storage.layout import Layout

if TYPE_CHECKING:
    from pipelines.settings import IngestSettings

_SPAWN: Final = multiprocessing.get_context("spawn")  # fork would copy the locked threads of polars
_ENDING: Final = (signal.SIGINT,)
_KILLED: Final = (
    "if the machine was short of memory, ingest fewer markets in parallel, then run this again; "
    "the published release and ingested data are unchanged"
)


@dataclass(frozen=True, slots=True)
class WorkerTask:
    """Input of each worker process. at: logical instant of the run. datasets: those to ingest; none means all."""

    settings: IngestSettings
    origin: IngestSource
    batch: str
    at: datetime
    datasets: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _ProgressLine:
    """A line of progress."""

    text: str


@dataclass(frozen=True, slots=True)
class _InterruptMessage:
    """Why a process could not go on; the reason stops the other processes too."""

    reason: str


@dataclass(frozen=True, slots=True)
class _RunningWorker:
    made: Jurisdiction
    process: SpawnProcess
    pipe: Any  # a connection; its class depends on the platform
    since: float


def run_markets(
    work: WorkerTask, markets: Sequence[Jurisdiction], at_once: int, progress: ProgressCallback
) -> Iterator[MarketResult]:
    """Ingests markets, up to `at_once` in parallel, longest first; yields each result as the market ends.

    Raises RunInterruptedError where one of them could not go on. No process is left running, however it ends.
    """
    opened = work.origin.open(work.at)
    by_code = {made.code: made for made in markets}
    sizes = {code: _total_bytes(opened, made) for code, made in by_code.items()}
    waiting = [by_code[code] for code in order_longest_first(sizes, last_run_seconds(work.settings.layout))]
    under_way: dict[Any, _RunningWorker] = {}
    try:
        while waiting or under_way:
            while waiting and len(under_way) < at_once:
                running = _start_worker(work, waiting.pop(0))
                under_way[running.pipe] = running
            for pipe in wait(list(under_way)):
                if ended := _receive_message(under_way[pipe], progress):
                    del under_way[pipe]
                    yield ended
    finally:
        _stop_workers(list(under_way.values()))


def last_run_seconds(layout: Layout) -> dict[str, float]:
    """Seconds that each market took in its last run."""
    notes = reversed(run_log.read_run_log(layout))  # newest last, so it wins
    return {market: seconds for note in notes for market, seconds in note.seconds.items()}


def order_longest_first(sizes: Mapping[str, int], seconds: Mapping[str, float]) -> list[str]:
    """Market codes by seconds of their last run, longest first; markets without a run come first, by input size.

    Input size is a poor estimate for markets with a known duration: some registries compress their files,
    others do not.
    """
    return sorted(sizes, key=lambda code: (seconds.get(code, inf), sizes[code]), reverse=True)


def _total_bytes(opened: OpenedSource, made: Jurisdiction) -> int:
    return sum(entry.path.stat().st_size for entry in opened.files(made))


def _start_worker(work: WorkerTask, made: Jurisdiction) -> _RunningWorker:
    ours, theirs = _SPAWN.Pipe(duplex=False)
    process = _SPAWN.Process(target=_worker_main, args=(work, made.code, theirs), name=f"firm ingest {made.code}")
    # The child must not receive Ctrl-C before its handler is installed, so SIGINT stays blocked until then.
    # Python's resource tracker unblocks it when it starts.
    resource_tracker.ensure_running()
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    theirs.close()  # otherwise recv() would never see EOF
    return _RunningWorker(made, process, ours, monotonic())


def _receive_message(running: _RunningWorker, tell: ProgressCallback) -> MarketResult | None:
    """Handles one message; returns the market's result if it was the last message."""
    try:
        said = running.pipe.recv()
    except EOFError:
        running.process.join()
        return _dead_worker_result(running)
    match said:
        case _ProgressLine(text):
            tell(text)
            return None
        case MarketResult():
            running.process.join()
            return said
        case _InterruptMessage(reason):
            raise RunInterruptedError(reason)
        case _:
            raise TypeError(f"a process of {running.made.code} said {said!r}")


def _dead_worker_result(running: _RunningWorker) -> MarketResult:
    code = running.process.exitcode or 0
    how = f"its process was killed by signal {-code}" if code < 0 else f"its process exited with code {code}"
    error = ErrorNote(running.made.code, f"{how}: {_KILLED}")
    return MarketResult(running.made.code, [error], round(monotonic() - running.since, 3))


def _stop_workers(left: Sequence[_RunningWorker]) -> None:
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


def _worker_main(work: WorkerTask, code: str, pipe: Connection) -> None:
    """Main function of a worker process."""
    os.setpgid(0, 0)  # Ctrl-C of a terminal reaches only the parent, which passes it on once
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored by what a shell starts in the background
    sigint.install_sigint_redelivery()
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    workspace = Workspace(
        work.settings, connectors.JURISDICTIONS, report_progress=lambda line: pipe.send(_ProgressLine(line))
    )
    with suppress(KeyboardInterrupt), ExitStack() as stack:
        stack.callback(workspace.close)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
        try:
            with resource_errors.explain_resource_errors(work.settings):
                records = stack.enter_context(DagsterRecords(workspace, [code]))
                runs = MarketRunner(workspace, work.origin, records, work.datasets)
                opened = work.origin.open(work.at)
                pipe.send(runs.run_market(workspace.jurisdiction(code), work.batch, opened))
        except RunInterruptedError as error:
            pipe.send(_InterruptMessage(str(error)))
    sys.stdout.flush()
    os._exit(0)  # output is flushed; a normal exit would let libraries warn about leaked objects


def _exit_with_parent() -> None:
    """Exits when the parent dies: the parent holds the locks, so another run may then take them."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
