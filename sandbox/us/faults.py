"""Named faults of EDGAR's responses: blocks, missing files, and damage to JSON.

Belongs here: error pages, and pure functions of one filer's submissions. Does not belong here: zips and whole
bodies (`faults.files`), or how long a fault lasts (`faults.requests`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from sandbox.us import http
from sandbox.us.http import SandboxResponse

Filer = dict[str, Any]
KEY: Final = "filings"  # a key of a filer's submissions that facts lack
BLOCKED: Final = "blocked"  # whatever the User-Agent
MISSING: Final = "missing"  # as the object store reports a missing file
TROUBLES: Final = (BLOCKED, MISSING)
_STRANGE: Final = "XQZ"
_LATER: Final = "2026-12-24T00:00:00.000Z"


def fault_page(path: str, fault: str | None) -> SandboxResponse | None:
    """EDGAR's response under a fault; None if the fault or the path is not EDGAR's.

    More than ten requests a second get an HTML page with 403, not 429 (docs/formats/us.md 1).
    """
    if fault is None or http.PATHS.fullmatch(path) is None:
        return None
    if fault == MISSING:
        return http.NO_INDEX if path.startswith("/Archives/") else http.MISSING
    return {"rate_limited": http.TOO_OFTEN, BLOCKED: http.UNDECLARED}.get(fault)


def _new_column(filer: Filer) -> Filer:
    """Adds unknown keys to the filer and its filings."""
    recent = filer[KEY]["recent"]
    recent["newColumn"] = ["x"] * len(recent["accessionNumber"])
    return {**filer, "newKey": "x"}


def _missing_column(filer: Filer) -> Filer:
    """Removes a mandatory key."""
    del filer[KEY]["recent"]["accessionNumber"]
    return filer


def _unknown_status(filer: Filer) -> Filer:
    """Sets a kind of filer that is in no list."""
    return {**filer, "entityType": _STRANGE}


def _clock_flicker(filer: Filer) -> Filer:
    """Changes only the timestamps."""
    recent = filer[KEY]["recent"]
    recent["acceptanceDateTime"] = [_LATER] * len(recent["acceptanceDateTime"])
    return filer


OBJECT: Final[Mapping[str, Callable[[Filer], Filer]]] = {
    "new_column": _new_column,
    "missing_column": _missing_column,
    "unknown_status": _unknown_status,
    "clock_flicker": _clock_flicker,
}
