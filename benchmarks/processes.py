"""What the kernel says of processes: who belongs together, what they hold and have worked.

Does not belong here: starting them, or what is measured by it (`bench_*`).
"""

from __future__ import annotations

import os
import re
import resource
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_SAMPLE_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True)
class Memory:
    """Mebibytes a process holds: its own, and pages of files that it shares with all who map them."""

    own: int
    files: int


def family(process: int) -> list[int]:
    """A process and its children."""
    path = Path(f"/proc/{process}/task/{process}/children")
    children = [int(one) for one in path.read_text().split()] if path.exists() else []
    return [process, *(further for child in children for further in family(child))]


def memory(process: int) -> Memory:
    """As the kernel counts it; nothing where there is no /proc."""
    path = Path(f"/proc/{process}/status")
    found = dict(re.findall(r"^(Rss\w+):\s+(\d+) kB", path.read_text(), re.MULTILINE)) if path.exists() else {}
    return Memory(
        int(found.get("RssAnon", 0)) // 1024, (int(found.get("RssFile", 0)) + int(found.get("RssShmem", 0))) // 1024
    )


def worked(process: int) -> float:
    """Seconds of processor time that it has used."""
    path = Path(f"/proc/{process}/stat")
    if not path.exists():
        return 0.0
    fields = path.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ended_worked() -> float:
    """Seconds of processor time of all that this process has started and that have ended, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Peak:
    """The most that a process and its children have held at one time, in MiB.

    together: their own and the pages of files, which are counted once; own: without those.
    """

    def __init__(self, process: int) -> None:
        self._process = process
        self.together = 0
        self.own = 0

    def look(self) -> None:
        found = [memory(one) for one in family(self._process)]
        own = sum(one.own for one in found)
        self.own = max(self.own, own)
        self.together = max(self.together, own + max((one.files for one in found), default=0))


@contextmanager
def watched(process: int) -> Iterator[Peak]:
    """Looks at a running process and its children again and again until the block ends."""
    peak, ended = Peak(process), threading.Event()

    def look() -> None:
        while not ended.is_set():
            peak.look()
            time.sleep(_SAMPLE_SECONDS)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        ended.set()
        thread.join()
