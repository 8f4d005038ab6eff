"""Processes that tests kill or wait for, forked from one that has imported what they need: a start in no time, a real
kill -9.

`start_firm` is the command line: its words, environment, output, signals and exit code are those of `python -m firm`,
which takes one to two processor seconds for its imports alone. Does not belong here: tests of how a command starts and
ends, which start it as a user does (`test_serve`, `test_firm_ctrl_c`).
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing import reduction
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final, TextIO

PATIENCE: Final = 120.0
ROOT: Final = Path(__file__).resolve().parents[1]
_IMPORTED: Final = [
    "firm.cli",
    "firm.commands.ingest",
    "firm.demo.sandbox_origin",
    "pipelines.sources.stream_listener",
    "pipelines.ingest.run",
    "pipelines.ingest.job_runs",
    "pipelines.runtime.run_retention",
    "warehouse.exports.exports",
    "firm.commands.serve",
    "api.app",
    "api.webhooks.runner",
    "api.database.migrate",
    "api.runtime.supervisor",
    "psycopg",
]


@dataclass(frozen=True)
class Ended:
    """How a process ended, negative by a signal, and what it wrote."""

    exit_code: int | None
    said: str


def forkserver() -> ForkServerContext:
    """The context of processes that begin with everything imported; polars has no threads there yet."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_IMPORTED)
    return context


def write_into(said: str) -> None:
    """Redirects what this process writes to a file."""
    with Path(said).open("ab") as file:
        for stream in (sys.stdout, sys.stderr):
            os.dup2(file.fileno(), stream.fileno())


def run_forked(work: Callable[..., object], *arguments: Any) -> Ended:
    """Runs `work` in a process of its own to its end."""
    with tempfile.NamedTemporaryFile("r", suffix=".txt") as said:
        process = forkserver().Process(target=_work, args=(said.name, work, arguments))
        process.start()
        process.join(PATIENCE)
        if process.is_alive():
            process.kill()
            process.join()
            raise AssertionError(f"it did not end within {PATIENCE:g} s: {said.read()}")
        return Ended(process.exitcode, said.read())


class RunningFirm:
    """A started command, in the words of `subprocess.Popen`. `stderr` and `stdout` are read from where nothing else is
    given.
    """

    def __init__(self, process: BaseProcess, stdout: TextIO | None, stderr: TextIO | None) -> None:
        assert process.pid is not None
        self.pid, self.stdout, self.stderr = process.pid, stdout, stderr
        self._process = process

    @property
    def returncode(self) -> int | None:
        """None while it runs, negative where a signal ended it."""
        return self._process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if (code := self.returncode) is None:
            raise subprocess.TimeoutExpired("firm", timeout or 0.0)
        return code

    def communicate(self, timeout: float = PATIENCE) -> tuple[str, str]:
        """What it still writes to its pipes until it ends."""
        with ThreadPoolExecutor() as readers:
            written = [readers.submit(_read_all, stream) for stream in (self.stdout, self.stderr)]
            try:
                self.wait(timeout)
            except subprocess.TimeoutExpired:
                self.kill()  # so that the readers end
                raise
            said, complained = (one.result() for one in written)
        return said, complained

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def start_firm(
    arguments: Sequence[str | Path],
    environment: Mapping[str, str],
    *,
    stdout: int | None = None,
    stderr: int | None = None,
    has_own_session: bool = False,
) -> RunningFirm:
    """Starts `firm` in a process of its own; it inherits the file numbers that are given for its output."""
    with ExitStack() as given:
        pipes = [_pipe(given) if one is None else (None, one) for one in (stdout, stderr)]
        writers = [_Inherited(writer) for _, writer in pipes]
        words = [str(one) for one in arguments]
        process = forkserver().Process(target=_run_firm, args=(words, dict(environment), writers, has_own_session))
        process.start()
    return RunningFirm(process, *(reader for reader, _ in pipes))


def _pipe(given: ExitStack) -> tuple[TextIO, int]:
    reader, writer = os.pipe()
    given.callback(os.close, writer)
    return os.fdopen(reader, encoding="utf-8"), writer


def _read_all(stream: TextIO | None) -> str:
    if stream is None or stream.closed:
        return ""
    with stream:
        return stream.read()


@dataclass(frozen=True)
class _Inherited:
    """A file number that a started process has as well, under a number of its own."""

    number: int

    def __reduce__(self) -> tuple[Any, ...]:
        return _inherit, (reduction.DupFd(self.number),)


def _inherit(sent: Any) -> _Inherited:
    return _Inherited(sent.detach())


def _run_firm(words: list[str], environment: dict[str, str], writers: list[_Inherited], has_own_session: bool) -> None:
    if has_own_session:
        os.setsid()
    for writer, place in zip(writers, (1, 2), strict=True):
        os.dup2(writer.number, place)
        os.close(writer.number)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(ROOT)
    sys.path[:0] = environment.get("PYTHONPATH", "").split(os.pathsep)
    sys.argv = ["firm", *words]
    from firm.cli import main  # not at the head: tests of other processes need no command line

    main()


def _work(said: str, work: Callable[..., object], arguments: tuple[Any, ...]) -> None:
    write_into(said)
    work(*arguments)
