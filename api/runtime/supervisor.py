"""Pre-fork supervisor: several processes serve one socket, and one process supervises them.

The socket is opened once and inherited, so its accept queue belongs to no worker: a worker that dies only loses the
requests it was handling. Workers are forked from a process that has loaded everything and opened nothing, so they
share its memory and start at once. uvicorn's own supervisor starts each worker from scratch, notices a death after
half a second, waits forever on shutdown, and leaves workers running when it is killed itself. Does not belong here:
what a worker does (see the composition root), or signals within one (`api.runtime.uvicorn_server`).
"""

import logging
import multiprocessing
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import connection
from multiprocessing.context import ForkProcess
from types import FrameType
from typing import Final

_LOGGER: Final = logging.getLogger("firm.api")
_ENDING: Final = (signal.SIGINT, signal.SIGTERM)
_GRACE_SECONDS: Final = 5.0  # in addition to the time requests get: to store counts and write logs
_LEAST_SECONDS: Final = 1.0  # between two starts of one worker

Work = Callable[[int], None]
"""The work of the worker in a slot, until it receives SIGTERM."""


@dataclass(slots=True)
class _WorkerProcess:
    place: int
    process: ForkProcess
    started: float


class Supervisor:
    """Keeps `count` workers running until this process gets SIGINT or SIGTERM; then shuts them down gracefully."""

    def __init__(self, work: Work, count: int, listener: socket.socket, stop_seconds: float) -> None:
        self._work = work
        self._count = count
        self._listener = listener
        self._patience = stop_seconds + _GRACE_SECONDS
        self._workers: list[_WorkerProcess] = []
        self._life, self._alive = (
            os.pipe()
        )  # never written to: reading ends when the supervisor's end is closed, so workers notice its death
        self._asked = False

    def run(self) -> None:
        """Returns when all workers have ended after SIGINT or SIGTERM."""
        with self._signal_descriptor() as ear:
            self._workers = [self._start(place) for place in range(self._count)]
            while not self._asked:
                connection.wait([*[worker.process.sentinel for worker in self._workers], ear], None)
                self._replace()
            self._stop()

    @contextmanager
    def _signal_descriptor(self) -> Iterator[int]:
        """A file descriptor that becomes readable when a signal arrives."""
        ear, mouth = os.pipe()
        os.set_blocking(mouth, False)
        former_mouth = signal.set_wakeup_fd(mouth)
        former = {number: signal.signal(number, self._end) for number in _ENDING}
        try:
            yield ear
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(former_mouth)
            os.close(ear)
            os.close(mouth)

    def _end(self, _number: int, _frame: FrameType | None) -> None:
        self._asked = True

    def _start(self, place: int) -> _WorkerProcess:
        process = multiprocessing.get_context("fork").Process(
            target=self._run_worker, args=(place,), name=f"firm-worker-{place}"
        )
        # a signal between fork and the worker's own handlers would run ours and be lost
        signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
        return _WorkerProcess(place, process, time.monotonic())

    def _run_worker(self, place: int) -> None:
        """Runs in the worker."""
        signal.set_wakeup_fd(-1)
        for number in _ENDING:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
        os.close(self._alive)
        threading.Thread(target=_exit_with_supervisor, args=(self._life,), daemon=True).start()
        self._work(place)

    def _replace(self) -> None:
        for worker in [one for one in self._workers if one.process.exitcode is not None]:
            if self._asked:
                return
            _LOGGER.error(
                "worker %d (process %d) ended %s; a new one is started",
                worker.place,
                worker.process.pid,
                _exit_description(worker.process.exitcode),
            )
            worker.process.close()
            time.sleep(max(0.0, worker.started + _LEAST_SECONDS - time.monotonic()))
            self._workers[worker.place] = self._start(worker.place)

    def _stop(self) -> None:
        """Refuses new connections and lets running requests finish."""
        self._listener.close()
        for worker in self._workers:
            worker.process.terminate()
        until = time.monotonic() + self._patience
        for worker in self._workers:
            worker.process.join(max(0.0, until - time.monotonic()))
            if worker.process.exitcode is None:
                _LOGGER.error("worker %d does not stop; it is killed", worker.place)
                worker.process.kill()
                worker.process.join()


def _exit_with_supervisor(life: int) -> None:
    """Ends the worker with SIGTERM when its supervisor is gone, since no other process would."""
    os.read(life, 1)
    os.kill(os.getpid(), signal.SIGTERM)


def _exit_description(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        return f"by {signal.Signals(-exitcode).name}"
    return f"with exit code {exitcode}"
