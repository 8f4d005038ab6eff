"""Assigns faults to requests, and limits how long they last.

Belongs here: the names of all faults, and their counters. Does not belong here: the effect of a fault on
contents (`files`) or on a connection (`http.server`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from sandbox.faults.files import FILE_FAULTS
from sandbox.us import faults

CONNECTION_FAULTS: Final = ("rate_limited", "unavailable", "cut_off", "slow_drip", "hang", *faults.TROUBLES)
FAULTS: Final = (*CONNECTION_FAULTS, *FILE_FAULTS)
# Default path, or part of one, for a fault given by name only.
_USUAL: Final = {
    "rate_limited": "/enheter/lastned",
    "unavailable": "/en_output.html",
    "cut_off": "/Accounts_Bulk_Data",
    "slow_drip": "/en_pscdata.html",
    "hang": "/en_pscdata.html",
    faults.BLOCKED: "/cgi-bin/browse-edgar",
    faults.MISSING: "/Archives/edgar/daily-index",
}
_USUAL_FILE: Final = "/BasicCompanyData"


def parse_faults(texts: Iterable[str]) -> dict[str, str]:
    """Path -> fault, from texts like `html` or `/en_output.html=html`; ValueError for an unknown fault."""
    found: dict[str, str] = {}
    for text in texts:
        path, _, fault = text.rpartition("=")
        if fault not in FAULTS:
            raise ValueError(f"unknown fault {fault!r}; known: {', '.join(FAULTS)}")
        found[path or _USUAL.get(fault, _USUAL_FILE)] = fault
    return found


@dataclass(slots=True)
class FaultPlan:
    """Faults by request. Keys are paths, or parts of paths; the first that matches counts.

    429 and 503 occur `repeat_count` times per path and then let the request through, so that a patient client
    succeeds; the others last until they are removed.
    """

    by_path: dict[str, str] = field(default_factory=dict)
    repeat_count: int = 2
    retry_after: int = 1  # seconds that 429 and 503 ask a client to wait
    pause: float = 0.02  # seconds between the bytes of a slow response
    _struck: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, path: str) -> str | None:
        fault = next((fault for part, fault in self.by_path.items() if part in path), None)
        if fault not in {"rate_limited", "unavailable"}:
            return fault
        with self._lock:
            self._struck[path] = self._struck.get(path, 0) + 1
            return fault if self._struck[path] <= self.repeat_count else None
