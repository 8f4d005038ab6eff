"""Findings as they are told between processes, and where they lie: `found/<target>/<what it is>/<name as it came>`.

Does not belong here: finding them (`child`), or judging them again (`test_fuzz_found`).
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from tests.fuzz.case import Case, Finding

FOUND: Final = Path(__file__).parent / "found"
_SIGNS: Final = re.compile(r"[^a-z0-9]+")
_LONGEST: Final = 48


def saved(finding: Finding, folder: Path = FOUND) -> Path:
    """Writes a finding's case; its file."""
    what = _SIGNS.sub("-", f"{finding.kind} {finding.place}".lower()).strip("-")[:_LONGEST].strip("-")
    place = folder / finding.target / f"{what}-{sha256(finding.case.body).hexdigest()[:6]}"
    path = place / _safe(finding.case.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(finding.case.body)
    return path


def _safe(name: str) -> str:
    """The name as a path that stays where it is put."""
    parts = [re.sub(r"[^\w.,=&-]", "_", part, flags=re.ASCII)[-80:] for part in name.split("/")]
    return "/".join(part for part in parts if part.strip(".")) or "x"


def cases(folder: Path = FOUND) -> Iterator[tuple[str, str, Case]]:
    """Target, what it was, and case of every finding that is kept."""
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        target, what, *name = path.relative_to(folder).parts
        yield target, what, Case("/".join(name), path.read_bytes())


def as_json(found: Finding) -> dict[str, Any]:
    """A finding as a line."""
    return {
        "target": found.target, "kind": found.kind, "told": found.told, "place": found.place, "name": found.case.name,
        "body": base64.b64encode(found.case.body).decode(),
    }  # fmt: skip


def as_finding(told: dict[str, Any]) -> Finding:
    """A finding from its line."""
    case = Case(told["name"], base64.b64decode(told["body"]))
    return Finding(told["target"], told["kind"], told["told"], told["place"], case)
