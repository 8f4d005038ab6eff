"""Processes that tests kill, forked from one that has imported what they need: a start in no time, a real kill -9.

Does not belong here: the command as a user starts it (`tests.firm.conftest.Firm`).
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any, Final

PATIENCE: Final = 120.0
_IMPORTED: Final = [
    "firm.cli",
    "firm.commands.ingest",
    "firm.demo.sandbox_origin",
    "pipelines.sources.stream_listener",
    "pipelines.ingest.run",
    "warehouse.exports.exports",
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


def _work(said: str, work: Callable[..., object], arguments: tuple[Any, ...]) -> None:
    write_into(said)
    work(*arguments)
