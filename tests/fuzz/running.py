"""One target hunted for its time, in processes that are watched and started again where they die.

Does not belong here: what is judged in there (`child`), how targets share the time, and what is told (`__main__`).
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from tests.fuzz import child
from tests.fuzz.case import LIMITS, Case, Finding, Limits
from tests.fuzz.reducing import halves

ROOT: Final = Path(__file__).resolve().parents[2]
PATIENCE: Final = 9  # times the limit of processor time that a case may take by the clock
_STARTING: Final = 60.0  # seconds until a process has begun, at worst
_LOOK: Final = 0.25  # seconds between two looks at a process
_STARTS: Final = 8  # of processes for one target; then it has shown what it is worth
_TRIES: Final = 10  # to make a case smaller of which each try may take the whole limit
_COSTLY: Final = frozenset({"hang", "death"})


@dataclass(slots=True)
class Account:
    """What was done of one target. `trouble`: why it was not hunted to the end."""

    target: str
    cases: int = 0
    seconds: float = 0.0
    steps: int = 0
    findings: list[Finding] = field(default_factory=list)
    trouble: str = ""


@dataclass(slots=True)
class Hunt:
    """Where files go, what a case may cost, and the processes under way."""

    folder: Path
    limits: Limits = LIMITS
    running: set[subprocess.Popen[bytes]] = field(default_factory=set)
    stopped: bool = False

    def of(self, target: str, seeds: list[Case], seconds: float, chance: int) -> Account:
        """Hunts one target for so long, through as many processes as it takes."""
        account, ends = Account(target), time.monotonic() + seconds
        place = self.folder / target
        place.mkdir(parents=True, exist_ok=True)
        (place / "seeds").write_bytes(pickle.dumps(seeds))
        for start in range(_STARTS):
            left = ends - time.monotonic()
            if (
                self.stopped
                or (start and left < 1)
                or self._once(account, place, max(left, 0.1), chance + start)
            ):
                break
        return account

    def stop(self) -> None:
        """Ends every process under way; no other is started."""
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
        for body in islice(halves(finding.case.body), _TRIES):
            candidate = replace(finding, case=Case(finding.case.name, body))
            again = self.judged(candidate)
            if again is not None and again.kind == finding.kind:
                return self.small(candidate)
        return finding

    def _once(self, account: Account, place: Path, seconds: float, chance: int) -> bool:
        """One process to its end: whether it came to that by itself."""
        (place / child.UNDER_WAY).unlink(missing_ok=True)
        process = self._start(
            ["hunt", account.target, str(place / "seeds"), str(place), str(seconds), str(chance)], place
        )
        hung = threading.Event()
        threading.Thread(target=self._watch, args=(process, place, hung), daemon=True).start()
        summary: dict[str, Any] = {}
        with process:
            for told in _lines(process):
                if "cases" in told:
                    summary = told
                else:
                    account.findings.append(child.as_finding(told))
        self.running.discard(process)
        if self.stopped:
            return True
        if not summary:
            self._died(account, place, process.returncode, hung.is_set())
            return bool(account.trouble)
        account.cases += summary["cases"]
        account.seconds += summary["seconds"]
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

    def _watch(self, process: subprocess.Popen[bytes], place: Path, hung: threading.Event) -> None:
        """Kills a process that is at one case for too long by the clock: what no signal of its own could end."""
        while process.poll() is None:
            time.sleep(_LOOK)
            try:
                since = time.time() - (place / child.UNDER_WAY).stat().st_mtime
            except FileNotFoundError:
                continue
            if since > self.limits.seconds * PATIENCE:
                hung.set()
                process.kill()

    def _died(self, account: Account, place: Path, code: int, hung: bool) -> None:
        if code >= 0:  # it ended by itself without a word: a defect of the harness, or an import that fails
            account.trouble = (place / "errors").read_text(errors="replace")[-300:] or f"exit code {code}"
            return
        try:
            case: Case = pickle.loads((place / child.UNDER_WAY).read_bytes())
        except (FileNotFoundError, EOFError, pickle.UnpicklingError):
            account.trouble = f"it died before its first case: exit code {code}"
            return
        kind, told = ("hang", "no end, and no signal ended it") if hung else ("death", f"exit code {code}")
        account.findings.append(Finding(account.target, kind, told, account.target, case))

    def _asked(self, how: str, finding: Finding, place: Path) -> Finding | None:
        """One question to a process about one case."""
        path = place / "case"
        path.write_bytes(finding.case.body)
        process = self._start([how, finding.target, finding.case.name, str(path)], place)
        try:
            told, _ = process.communicate(timeout=_STARTING + self.limits.seconds * PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return replace(finding, kind="hang")
        finally:
            self.running.discard(process)
        if not told.strip():
            return replace(
                finding, kind="death", told=f"exit code {process.returncode}", place=finding.target
            )
        answer = json.loads(told)
        return child.as_finding(answer) if answer else None


def _lines(process: subprocess.Popen[bytes]) -> Iterator[dict[str, Any]]:
    """What a process tells, line by line; a line that its death cut off is none."""
    for line in process.stdout or ():
        if line.endswith(b"\n"):
            yield json.loads(line)
