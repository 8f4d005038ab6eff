"""A session of fuzzing: its time shared by targets, findings kept as they come, a record to go on from, a table.

Does not belong here: how one target is hunted (`running`), or what the environment asks for (`__main__`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.fuzz import found
from tests.fuzz.case import MILESTONES, Case
from tests.fuzz.running import Account, Hunt

# Seconds between two looks: a signal that the system hands to another thread does not wake one that waits for ever.
_LOOK: Final = 0.5


@dataclass(frozen=True, slots=True)
class Plan:
    """What a session does: processor seconds of each target, the seed of chance, targets in their order."""

    each: float
    chance: int
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A file with the plan and a line for each target that was hunted to its end: what an ended session goes on from."""

    path: Path

    def begin(self, plan: Plan) -> None:
        """A new session: what the file said before is gone."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._write([json.dumps(asdict(plan))])

    def note(self, account: Account, signatures: Sequence[tuple[str, str]]) -> None:
        """A target that is done, and its defects by what they are; their cases lie in files."""
        told = {**asdict(account), "findings": signatures}
        self._write([*self._lines(), json.dumps(told)])

    def plan(self) -> Plan | None:
        """What was to be done; None where there is no record."""
        if not self.path.exists():
            return None
        plan = json.loads(self._lines()[0])
        return Plan(plan["each"], plan["chance"], tuple(plan["targets"]))

    def done(self) -> Iterator[tuple[Account, list[tuple[str, str]]]]:
        """Accounts of targets that are done, and the signatures of what was found."""
        for line in self._lines()[1:]:
            told: dict[str, Any] = json.loads(line)
            signatures = [(kind, place) for kind, place in told.pop("findings")]
            yield Account(**told), signatures

    def _lines(self) -> list[str]:
        return self.path.read_text(encoding="utf-8").splitlines()

    def _write(self, lines: Sequence[str]) -> None:
        """The whole of it, beside and then in its place: a session that is killed leaves whole lines."""
        beside = self.path.with_name(f"{self.path.name}.new")
        beside.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        beside.replace(self.path)


@dataclass(slots=True)
class Session:
    """Accounts so far and the targets of each defect. `place`: where findings are saved."""

    hunt: Hunt
    record: Record
    place: Path = found.FOUND
    accounts: dict[str, Account] = field(default_factory=dict)
    defects: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    is_ended_early: bool = False

    def go_on(self, plan: Plan, seeds: Callable[[str], list[Case]], jobs: int) -> None:
        """Hunts every target of the plan that the record has not; KeyboardInterrupt ends it with what was found.

        A second one leaves what is not kept yet.
        """
        for account, signatures in self.record.done():
            self.accounts[account.target] = account
            for signature in signatures:
                self.defects.setdefault(signature, set()).add(account.target)
        pool = ThreadPoolExecutor(jobs)
        waiting = {
            pool.submit(self.hunt.of, key, seeds(key), plan.each, plan.chance + 1_000 * place)
            for place, key in enumerate(plan.targets)
            if key not in self.accounts
        }
        try:
            while waiting:
                for future in wait(waiting, _LOOK, FIRST_COMPLETED).done:
                    self._take(future)
                    waiting.discard(future)
        except KeyboardInterrupt:
            self._end(pool, waiting)
        pool.shutdown(wait=True)

    def _end(self, pool: ThreadPoolExecutor, waiting: set[Future[Account]]) -> None:
        print("\nended before the time; what was found is made small and kept (Ctrl-C: not even that)", flush=True)
        self.is_ended_early = True
        self.hunt.stop()
        with suppress(KeyboardInterrupt):
            pool.shutdown(wait=True, cancel_futures=True)
            for future in waiting:
                if not future.cancelled():
                    self._take(future)

    def _take(self, future: Future[Account]) -> None:
        """What a process of its own and untraced finds again is saved: of each target, and small of the first."""
        account = future.result()
        print(f"{account.target:<24}{account.cases:>8} cases {len(account.findings):>4} findings", flush=True)
        for finding in account.findings:
            if account.target in self.defects.get(finding.signature, ()):
                continue
            again = self.hunt.judged(finding)
            if again is None:
                print(f"  not again: {finding.kind} at {finding.place}: {finding.told}", flush=True)
            elif account.target not in self.defects.setdefault(again.signature, set()):
                # where another target has shown it, it may still be another defect of the same line
                shown = again if self.defects[again.signature] else self.hunt.small(again)
                path = found.saved(shown, self.place)
                print(f"  {again.kind}: {again.told}\n    at {again.place}, kept as {path}", flush=True)
                self.defects[again.signature].add(account.target)
        self.accounts[account.target] = account
        if not self.is_ended_early:
            of_it = [one for one, targets in self.defects.items() if account.target in targets]
            self.record.note(account, of_it)

    @property
    def code(self) -> int:
        """1: something was found, or could not be hunted; 130: ended before its time; 0: the whole time and nothing."""
        if self.defects or any(account.trouble for account in self.accounts.values()):
            return 1
        return 130 if self.is_ended_early else 0

    def table(self) -> str:
        """What was done, by target."""
        columns = "".join(f"{name:>11}" for name in MILESTONES)
        rows = [f"\n{'target':<24}{'seconds':>8}{'cases':>9}{'a second':>10}{'steps':>8}{columns}{'findings':>10}"]
        for account in sorted(self.accounts.values(), key=lambda one: one.target):
            defects = sum(account.target in targets for targets in self.defects.values())
            speed = account.cases / account.seconds if account.seconds else 0.0
            reached = "".join(f"{count:>11}" for count in account.reached)
            rows.append(
                f"{account.target:<24}{account.seconds:>8.0f}{account.cases:>9}{speed:>10.0f}{account.steps:>8}"
                f"{reached}{defects:>10}{'  ' * bool(account.trouble)}{account.trouble}"
            )
        return "\n".join([*rows, self._sum()])

    def _sum(self) -> str:
        done = self.accounts.values()
        cases, spent = sum(one.cases for one in done), sum(one.seconds for one in done)
        return f"{len(done)} targets, {spent:.0f} s of processor time, {cases} cases, {len(self.defects)} defects"


def chosen(keys: Sequence[str], words: Sequence[str]) -> tuple[str, ...]:
    """Targets whose key holds one of the words, in the order of the words; all where there is none."""
    if not words:
        return tuple(keys)
    return tuple(dict.fromkeys(key for word in words for key in keys if word in key))
