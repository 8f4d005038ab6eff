"""`firm listen` in processes of their own, forked from one that has imported it: a start in no time, a real kill -9."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.forked import forkserver, write_into

_PATIENCE = 60
_LOOK = 0.05


def _read(data: str, url: str, said: str) -> None:
    """The command line itself; what it says goes into a file."""
    write_into(said)
    os.environ |= {"FIRM_DATA": data, "FIRM_SANDBOX_URL": url, "FIRM_CREDENTIALS": ""}
    from firm.cli import app

    app(["listen", "uk", "--sandbox"])


@dataclass(frozen=True)
class Reader:
    """One running `firm listen uk --sandbox`."""

    process: BaseProcess
    said: Path

    @classmethod
    def start(cls, data: Path, url: str) -> Reader:
        said = data.with_name(f"said-{time.monotonic_ns()}.txt")
        process = forkserver().Process(target=_read, args=(str(data), url, str(said)), daemon=True)
        process.start()
        return cls(process, said)

    def until(self, reached: Callable[[], bool]) -> None:
        """Waits for something to be seen; a reader that has ended says why."""
        patient = time.monotonic() + _PATIENCE
        while not reached():
            assert self.process.is_alive(), self.said.read_text()
            assert time.monotonic() < patient, self.said.read_text()
            time.sleep(_LOOK)

    def kill(self) -> None:
        """As the machine's own `kill -9`."""
        self.process.kill()
        self.process.join(_PATIENCE)
        assert self.process.exitcode == -signal.SIGKILL

    def interrupt(self) -> int | None:
        """Ctrl-C; gives the exit code."""
        assert self.process.pid is not None
        os.kill(self.process.pid, signal.SIGINT)
        return self.ended()

    def ended(self) -> int | None:
        """Its exit code, once it has ended by itself."""
        self.process.join(_PATIENCE)
        return self.process.exitcode
