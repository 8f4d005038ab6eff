"""Ingests several markets in parallel, in worker processes that each take one market after the other.

Belongs here: starting and ending these processes, handing them markets, and receiving their messages. A process that
dies fails only the market it has, and another is started for those that wait; none outlives the parent process, which
holds the markets' locks. Does not belong here: what a process does with a market (`market_run`).
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import datetime
from math import inf
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Self

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
    """What a worker needs for a market. at: logical instant of the run. datasets: those to ingest; none means all."""

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


@dataclass(slots=True)
class _Worker:
    """A worker process, the market that it has, and the run of which that is."""

    process: SpawnProcess
    pipe: Any  # a connection; its class depends on the platform
    task: WorkerTask | None = None
    market: str = ""
    since: float = 0.0

    def take(self, task: WorkerTask, market: str) -> None:
        """Hands it a market, with the task where that is another; a dead process shows when it is received from."""
        told = None if task is self.task else task
        self.task, self.market, self.since = task, market, monotonic()
        with suppress(BrokenPipeError):
            self.pipe.send((told, market))


class MarketWorkers:
    """Worker processes, from the start of a `with` block to its end: for one ingest, or for several in a row."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._spare: list[_Worker] = []
        self._busy: dict[Any, _Worker] = {}

    def __enter__(self) -> Self:
        try:
            self._spare += (_start_worker() for _ in range(self._count))
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def run_markets(
        self,
        task: WorkerTask,
        markets: Sequence[Jurisdiction],
        progress: ProgressCallback,
        on_death: Callable[[str], None],
    ) -> Iterator[MarketResult]:
        """Ingests markets in parallel, longest first; yields each result as the market ends.

        on_death: called with the market of a process that died, whose runs hold what those of other markets wait for.
        Raises RunInterruptedError where one of them could not go on. However this ends, no process works on a market.
        """
        opened = task.origin.open(task.at)
        sizes = {made.code: _total_bytes(opened, made) for made in markets}
        waiting = deque(order_longest_first(sizes, last_run_seconds(task.settings.layout)))
        try:
            while waiting or self._busy:
                while waiting and len(self._busy) < self._count:
                    worker = self._unused_worker()
                    self._busy[worker.pipe] = worker
                    worker.take(task, waiting.popleft())
                for pipe in wait(list(self._busy)):
                    match _receive_message(self._busy[pipe]):
                        case _ProgressLine(text):
                            progress(text)
                        case MarketResult() as result:
                            worker = self._busy.pop(pipe)
                            if worker.process.exitcode is None:
                                self._spare.append(worker)
                            else:
                                on_death(worker.market)
                            yield result
        finally:
            if self._busy:
                self._stop()

    def _unused_worker(self) -> _Worker:
        """A process without a market; a new one where none is left alive."""
        while self._spare:
            if (worker := self._spare.pop()).process.is_alive():
                return worker
        return _start_worker()

    def _stop(self) -> None:
        """Ends all processes with SIGINT, so that Dagster records it; a second SIGINT during the wait kills them."""
        left = [*self._busy.values(), *self._spare]
        self._busy, self._spare = {}, []
        try:
            for worker in left:
                with suppress(ProcessLookupError):
                    os.kill(worker.process.pid or 0, signal.SIGINT)
            for worker in left:
                worker.process.join()
        finally:
            for worker in left:
                worker.process.kill()


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


def _start_worker() -> _Worker:
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_worker_main, args=(theirs,), name="firm ingest")
    # The child must not receive Ctrl-C before its handler is installed, so SIGINT stays blocked until then.
    # Python's resource tracker unblocks it when it starts.
    resource_tracker.ensure_running()
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    theirs.close()  # otherwise recv() would never see EOF
    return _Worker(process, ours)


def _receive_message(worker: _Worker) -> _ProgressLine | MarketResult:
    """Receives one message; the failed market if the process is dead."""
    try:
        said = worker.pipe.recv()
    except (EOFError, ConnectionResetError):
        worker.process.join()
        return _dead_worker_result(worker)
    match said:
        case _ProgressLine() | MarketResult():
            return said
        case _InterruptMessage(reason):
            raise RunInterruptedError(reason)
        case _:
            raise TypeError(f"a process of {worker.market} said {said!r}")


def _dead_worker_result(worker: _Worker) -> MarketResult:
    code = worker.process.exitcode or 0
    how = f"its process was killed by signal {-code}" if code < 0 else f"its process exited with code {code}"
    error = ErrorNote(worker.market, f"{how}: {_KILLED}")
    return MarketResult(worker.market, [error], round(monotonic() - worker.since, 3))


def _worker_main(pipe: Connection) -> None:
    """Main function of a worker process: ingests each market that the parent hands it."""
    os.setpgid(0, 0)  # Ctrl-C of a terminal reaches only the parent, which passes it on once
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored by what a shell starts in the background
    sigint.install_sigint_redelivery()
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    with suppress(KeyboardInterrupt):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
        task, market = _next_market(pipe)
        try:
            while task is not None:
                task, market = _run_task(task, market, pipe)
        except RunInterruptedError as error:
            pipe.send(_InterruptMessage(str(error)))
    sys.stdout.flush()
    os._exit(0)  # output is flushed; a normal exit would let libraries warn about leaked objects


def _run_task(task: WorkerTask, market: str, pipe: Connection) -> tuple[WorkerTask, str]:
    """Ingests markets of one run until the parent hands on the first of another, which is returned."""
    workspace = Workspace(
        task.settings, connectors.JURISDICTIONS, report_progress=lambda line: pipe.send(_ProgressLine(line))
    )
    with ExitStack() as stack:
        stack.callback(workspace.close)
        stack.enter_context(resource_errors.explain_resource_errors(task.settings))
        records = stack.enter_context(DagsterRecords(workspace))
        runs = MarketRunner(workspace, task.origin, records, task.datasets)
        opened = task.origin.open(task.at)
        following = None
        while following is None:
            records.take_market(market)
            pipe.send(runs.run_market(workspace.jurisdiction(market), task.batch, opened))
            following, market = _next_market(pipe)
        return following, market


def _next_market(pipe: Connection) -> tuple[WorkerTask | None, str]:
    """What the parent hands on: a market, with the task where that is another. KeyboardInterrupt if it is gone."""
    try:
        return pipe.recv()
    except EOFError:
        raise KeyboardInterrupt from None


def _exit_with_parent() -> None:
    """Exits when the parent dies: the parent holds the locks, so another run may then take them."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
