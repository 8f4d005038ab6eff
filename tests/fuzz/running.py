"""One target hunted for its time, in processes that are watched and started again where they die.

Does not belong here: what is judged in there (`child`), how targets share the time, and what is told (`session`).
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from tests.fuzz import found
from tests.fuzz.case import LIMITS, MILESTONES, Case, Finding, Limits, UnderWay
from tests.fuzz.hunting import UNDER_WAY
from tests.fuzz.reducing import halves

ROOT: Final = Path(__file__).resolve().parents[2]
_STARTING: Final = 60.0  # seconds until a process has begun, at worst
_LOOK: Final = 0.25  # seconds between two looks at a process
_STARTS: Final = 8  # of processes for one target; then it has shown what it is worth
_TRIES: Final = 20  # to make a case smaller of which each try may take the whole limit
_COSTLY: Final = frozenset({"hang", "death"})


@dataclass(slots=True)
class Account:
    """What was done of one target, in seconds of processor time. `trouble`: why it was not hunted to the end.

    reached: how many cases came to each of MILESTONES.
    """

    target: str
    cases: int = 0
    seconds: float = 0.0
    steps: int = 0
    reached: list[int] = field(default_factory=lambda: [0] * len(MILESTONES))
    findings: list[Finding] = field(default_factory=list)
    trouble: str = ""

    def add(self, cases: int, seconds: float, reached: Sequence[int]) -> None:
        """What one process did."""
        self.cases += cases
        self.seconds += seconds
        self.reached = [one + more for one, more in zip(self.reached, reached, strict=True)]


@dataclass(slots=True)
class Hunt:
    """Where files go, what a case may cost, and the processes under way."""

    folder: Path
    limits: Limits = LIMITS
    running: set[subprocess.Popen[bytes]] = field(default_factory=set)
    stopped: bool = False

    def of(self, target: str, seeds: list[Case], seconds: float, chance: int) -> Account:
        """Hunts one target for so much processor time, through as many processes as it takes."""
        account = Account(target)
        place = self.folder / target
        place.mkdir(parents=True, exist_ok=True)
        (place / "seeds").write_bytes(pickle.dumps(seeds))
        for start in range(_STARTS):
            left = max(seconds - account.seconds, 0.1)
            if self.stopped or (start and left < 1) or self._once(account, place, left, chance + start):
                return account
        account.trouble = account.trouble or f"{_STARTS} processes ended before their time"
        return account

    def stop(self) -> None:
        """Ends every process under way; no other hunt is started, questions still are."""
        self.stopped = True
        for process in list(self.running):
            process.kill()

    def judged(self, finding: Finding) -> Finding | None:
        """What a case is judged as in a process of its own, untraced."""
        place = self.folder / finding.target
        place.mkdir(parents=True, exist_ok=True)
        return self._asked("judge", finding, place)

    def small(self, finding: Finding) -> Finding:
        """The finding with as little of its case as shows it."""
        if finding.kind not in _COSTLY:
            return self._asked("reduce", finding, self.folder / finding.target) or finding
        left, smaller = _TRIES, iter(halves(finding.case.body))
        while left and (body := next(smaller, None)) is not None:
            left -= 1
            candidate = replace(finding, case=Case(finding.case.name, body))
            again = self.judged(candidate)
            if again is not None and again.kind == finding.kind:
                finding, smaller = candidate, iter(halves(body))
        return finding

    def _once(self, account: Account, place: Path, seconds: float, chance: int) -> bool:
        """One process to its end: whether it came to that by itself."""
        (place / UNDER_WAY).unlink(missing_ok=True)
        process = self._start(
            ["hunt", account.target, str(place / "seeds"), str(place), str(seconds), str(chance)], place
        )
        if self.stopped:  # meanwhile
            process.kill()
        hung, summary = self._watched(process, place / UNDER_WAY, self.limits.clock), dict[str, Any]()
        with process:
            for told in _lines(process):
                if "cases" in told:
                    summary = told
                else:
                    account.findings.append(found.as_finding(told))
        self.running.discard(process)
        if not summary:
            self._died(account, place, process.returncode, hung.is_set())
            return self.stopped or bool(account.trouble)
        account.add(summary["cases"], summary["seconds"], summary["reached"])
        account.steps = max(account.steps, summary["steps"])
        return not summary["is_spent"]

    def _start(self, words: list[str], place: Path) -> subprocess.Popen[bytes]:
        environment = {
            **os.environ,
            "FUZZ_LIMITS": f"{self.limits.seconds} {self.limits.space}",
            "POLARS_MAX_THREADS": "1",  # each thread reserves addresses, which are what is bounded
            "MALLOC_ARENA_MAX": "2",
        }
        with (place / "errors").open("wb") as errors:
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.fuzz.child", *words],
                cwd=ROOT,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,  # Ctrl-C is this process's business
            )
        self.running.add(process)
        return process

    def _watched(self, process: subprocess.Popen[bytes], path: Path, most: float) -> threading.Event:
        """Kills a process whose file has not moved for so long, which no signal of its own could end; set where it did.

        Counted in looks: a machine that was asleep, or a hunt that was stopped for a while, is not held against it.
        """
        hung = threading.Event()

        def watch() -> None:
            still, before = 0, None
            while process.poll() is None and not hung.is_set():
                time.sleep(_LOOK)
                moved = _moved(path)
                still, before = (still + 1 if moved == before else 0), moved
                if still * _LOOK > (_STARTING if moved is None else most):
                    hung.set()
                    process.kill()

        threading.Thread(target=watch, daemon=True).start()
        return hung

    def _died(self, account: Account, place: Path, code: int, hung: bool) -> None:
        """What a process without a last word had done and was at."""
        at = under_way(place)
        if at is not None:
            account.add(at.cases, at.seconds, at.reached)
        if self.stopped:
            return
        if code >= 0:  # it ended by itself without a word: a defect of the harness, or an import that fails
            account.trouble = (place / "errors").read_text(errors="replace")[-300:] or f"exit code {code}"
        elif at is None:
            account.trouble = f"it died before its first case: exit code {code}"
        else:
            kind, told = ("hang", "no end, and no signal ended it") if hung else ("death", f"exit code {code}")
            account.findings.append(Finding(account.target, kind, told, account.target, at.case))

    def _asked(self, how: str, finding: Finding, place: Path) -> Finding | None:
        """One question to a process about one case."""
        path = place / "case"
        path.write_bytes(finding.case.body)
        process = self._start([how, finding.target, finding.case.name, str(path)], place)
        hung = self._watched(process, path, _STARTING + self.limits.clock)
        try:
            told, _ = process.communicate()
        finally:
            process.kill()
            self.running.discard(process)
        if told.strip():
            answer = json.loads(told)
            return found.as_finding(answer) if answer else None
        if hung.is_set():
            return replace(finding, kind="hang", told="no end, and no signal ended it", place=finding.target)
        return replace(finding, kind="death", told=f"exit code {process.returncode}", place=finding.target)


def _moved(path: Path) -> int | None:
    """When a file was written; None where it is not there."""
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return None


def under_way(place: Path) -> UnderWay | None:
    """How far a hunt was; None where it had not begun, or died as it wrote it."""
    try:
        at: UnderWay = pickle.loads((place / UNDER_WAY).read_bytes())
    except (FileNotFoundError, EOFError, pickle.UnpicklingError):
        return None
    return at


def _lines(process: subprocess.Popen[bytes]) -> Iterator[dict[str, Any]]:
    """What a process tells, line by line; a line that its death cut off is none."""
    for line in process.stdout or ():
        if line.endswith(b"\n"):
            yield json.loads(line)
