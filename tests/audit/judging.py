"""What each tool of the audit found, made of what it printed: pure.

A tool that could not ask its advisory service has found nothing and says so: silence would be taken for health.
Does not belong here: running the tools (`__main__`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

State = Literal["ok", "bad", "out of reach"]
_SHOWN = 20


@dataclass(frozen=True)
class Finding:
    """One thing looked at; `told` says what was found, or why it could not be looked at."""

    state: State
    what: str
    told: tuple[str, ...] = ()


def exit_code(findings: Iterable[Finding]) -> int:
    """0 all is well, 1 something was found, 3 nothing was found but something could not be looked at."""
    states = {finding.state for finding in findings}
    return 1 if "bad" in states else 3 if "out of reach" in states else 0


def python_packages(printed: str, said: str) -> Finding:
    """Of pip-audit's JSON: one that it could not ask about counts as not looked at, though it exits with 0."""
    what = "advisories of Python packages"
    try:
        packages: list[dict[str, Any]] = json.loads(printed)["dependencies"]
    except (ValueError, KeyError):
        return Finding("out of reach", what, (_last(said),))
    found = [
        f"{package['name']} {package['version']}: {advisory['id']}, mended in {_or(advisory['fix_versions'])}"
        for package in packages
        for advisory in package.get("vulns", ())
    ]
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    if found:
        return Finding("bad", what, tuple(found))
    if skipped or not packages:
        told = f"{len(skipped)} of {len(packages)} could not be asked about: {', '.join(skipped[:5])} …"
        return Finding("out of reach", what, (told,))
    return Finding("ok", f"{what}: {len(packages)} looked up")


def npm_packages(folder: str, printed: str, said: str) -> Finding:
    """Of npm's JSON."""
    what = f"advisories of npm packages, {folder}"
    try:
        told: dict[str, Any] = json.loads(printed)
    except ValueError:
        return Finding("out of reach", what, (_last(said),))
    if "vulnerabilities" not in told:
        return Finding("out of reach", what, (str(told.get("message") or _last(said)),))
    entries: dict[str, dict[str, Any]] = told["vulnerabilities"]
    found = [f"{name}: {entry['severity']}, {entry['range']}" for name, entry in entries.items()]
    return Finding("bad" if found else "ok", what, tuple(found[:_SHOWN]))


Known = Mapping[str, list[str]]
"""By file, hashes of what looks like a secret and is none."""


def secrets(printed: str, known: Known) -> Finding:
    """Of detect-secrets' JSON: what is not known to be none."""
    what = "secrets in what is tracked"
    found = [
        f"{path}:{one['line_number']}: {one['type']}"
        for path, entries in json.loads(printed)["results"].items()
        for one in entries
        if one["hashed_secret"] not in known.get(path, ())
    ]
    return Finding("bad" if found else "ok", what, tuple(found[:_SHOWN]))


def known_of(printed: str) -> dict[str, list[str]]:
    """What a scan found, as the list of what is no secret."""
    results: dict[str, list[dict[str, Any]]] = json.loads(printed)["results"]
    return {path: sorted({one["hashed_secret"] for one in entries}) for path, entries in sorted(results.items())}


def bill_of_materials(printed: str, locked: Iterable[str]) -> Finding:
    """Of a CycloneDX document: it names every locked package once, with its version."""
    what = "bill of materials"
    named = sorted(f"{one['name']}=={one['version']}" for one in json.loads(printed)["components"])
    due = sorted(locked)
    missing = sorted(set(due) ^ set(named))
    if missing or len(named) != len(due):
        return Finding("bad", what, tuple(f"{name}: in one of lock and bill alone" for name in missing))
    return Finding("ok", f"{what}: {len(named)} packages")


def container_file(path: str, printed: str) -> Finding:
    """Of hadolint's JSON."""
    found = [f"{path}:{one['line']}: {one['code']} {one['message']}" for one in json.loads(printed)]
    return Finding("bad" if found else "ok", f"container file {path}", tuple(found))


def missing(what: str, tool: str) -> Finding:
    """A tool that is not there."""
    return Finding("out of reach", what, (f"{tool} is not there: make setup",))


def _or(versions: list[str]) -> str:
    return " or ".join(versions) or "no version yet"


def _last(said: str) -> str:
    lines = [line for line in said.splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""
