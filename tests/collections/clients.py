"""The command lines of Postman and Bruno, and what their reports say in the same words.

Does not belong here: which service they are sent to (`live`), what must come of it (the tests).
"""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COLLECTIONS = Path(__file__).resolve().parents[2] / "collections"


@dataclass(frozen=True)
class Outcome:
    """One request of a run: the status it was answered with, the checks that held, and those that did not."""

    name: str
    status: int | None
    """None: it was skipped."""
    passed: frozenset[str]
    failed: frozenset[str]


@dataclass(frozen=True)
class Run:
    exit_code: int
    requests: list[Outcome]

    @property
    def failed(self) -> set[tuple[str, str]]:
        return {(one.name, check) for one in self.requests for check in one.failed}

    @property
    def sent(self) -> list[Outcome]:
        return [one for one in self.requests if one.status is not None]


@dataclass(frozen=True)
class Client:
    """One of the two, by its name; `report` is the file that it writes."""

    name: str
    command: Path
    report: Path

    def run(self, *, is_quick: bool = False, **variables: str) -> Run:
        """The whole collection, from top to bottom.

        Quick is Bruno without the sandbox that it puts every script into by itself, in a third of the time.
        """
        given = [part for name, value in variables.items() for part in ("--env-var", f"{name}={value}")]
        arguments, folder, read = {"newman": _newman, "bru": _bruno}[self.name](self.report, is_quick=is_quick)
        done = subprocess.run(
            [str(self.command), "run", *arguments, *given],
            cwd=folder,
            env=os.environ | {"NO_COLOR": "1", "NO_UPDATE_NOTIFIER": "1", "NO_PROXY": "*"},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert self.report.exists(), done.stdout + done.stderr
        return Run(done.returncode, list(read(json.loads(self.report.read_text(encoding="utf-8")))))


def _newman(report: Path, *, is_quick: bool) -> tuple[list[str], Path, Any]:
    file = str(COLLECTIONS / "firmdata.postman_collection.json")
    return [file, "--reporters", "json", "--reporter-json-export", str(report)], COLLECTIONS, _of_newman


def _bruno(report: Path, *, is_quick: bool) -> tuple[list[str], Path, Any]:
    sandbox = "developer" if is_quick else "safe"
    arguments = ["-r", "--env", "local", "--sandbox", sandbox, "--reporter-json", str(report)]
    return arguments, COLLECTIONS / "bruno", _of_bruno


def _of_newman(report: dict[str, Any]) -> Iterator[Outcome]:
    for one in report["run"]["executions"]:
        checks = one.get("assertions") or []
        failed = frozenset(check["assertion"] for check in checks if check.get("error"))
        passed = frozenset(check["assertion"] for check in checks) - failed
        stopped = {f"{script} ended" for script in ("prerequestScript", "testScript") if one.get(script)}
        failed |= stopped
        yield Outcome(one["item"]["name"], one.get("response", {}).get("code"), passed, failed)


def _of_bruno(report: list[dict[str, Any]]) -> Iterator[Outcome]:
    for one in report[0]["results"]:
        checks = one["testResults"]
        failed = frozenset(check["description"] for check in checks if check["status"] != "pass")
        passed = frozenset(check["description"] for check in checks) - failed
        status = one["response"]["status"]
        name = Path(one["test"]["filename"]).stem
        yield Outcome(name, status if isinstance(status, int) else None, passed, failed)
