"""What goes wrong with EDGAR's answers: blocks, files that are missing, and damage of JSON, in named ways.

Belongs here: pages that stand for trouble, and pure functions of one filer's submissions. Does not belong here:
zips and whole bodies (`faults`), or how long a trouble lasts (`troubles`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from connectors.sandbox import desk_us
from connectors.sandbox.desk_us import Reply

Filer = dict[str, Any]
KEY: Final = "filings"  # what submissions of a filer have, and facts have not
BLOCKED: Final = "blocked"  # by whatever name the caller goes
MISSING: Final = "missing"  # as the store says it of a file that is not there
TROUBLES: Final = (BLOCKED, MISSING)
_STRANGE: Final = "XQZ"
_LATER: Final = "2026-12-24T00:00:00.000Z"


def page(path: str, fault: str | None) -> Reply | None:
    """What EDGAR answers in a trouble; None where the trouble is not of its kind, or the path not its own.

    More than ten requests in a second are answered with a page and 403, not with 429 (docs/formats/us.md 1).
    """
    if fault is None or desk_us.PATHS.fullmatch(path) is None:
        return None
    if fault == MISSING:
        return desk_us.NO_INDEX if path.startswith("/Archives/") else desk_us.MISSING
    return {"rate_limited": desk_us.TOO_OFTEN, BLOCKED: desk_us.UNDECLARED}.get(fault)


def _new_column(filer: Filer) -> Filer:
    """Keys that nobody knows, of the filer and of its filings."""
    recent = filer[KEY]["recent"]
    recent["newColumn"] = ["x"] * len(recent["accessionNumber"])
    return {**filer, "newKey": "x"}


def _missing_column(filer: Filer) -> Filer:
    """What is mandatory is gone."""
    del filer[KEY]["recent"]["accessionNumber"]
    return filer


def _unknown_status(filer: Filer) -> Filer:
    """A kind of filer that no list knows."""
    return {**filer, "entityType": _STRANGE}


def _clock_flicker(filer: Filer) -> Filer:
    """Only the clocks move."""
    recent = filer[KEY]["recent"]
    recent["acceptanceDateTime"] = [_LATER] * len(recent["acceptanceDateTime"])
    return filer


OBJECT: Final[Mapping[str, Callable[[Filer], Filer]]] = {
    "new_column": _new_column,
    "missing_column": _missing_column,
    "unknown_status": _unknown_status,
    "clock_flicker": _clock_flicker,
}
