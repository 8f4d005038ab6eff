"""Faults of registries: they meet RAW, which alone asks anybody, and nothing behind it."""

from __future__ import annotations

from typing import Final

from tests.faults.declared import Cell, Fault, Untouched

TEST: Final = "tests/faults/test_fault_registries.py::test_a_registry_that_fails"
_STAYS: Final = "the last release is served; new data of the other datasets is published"
_HEALS: Final = "fetches again and publishes the same release as a run without the fault"
_HELD: Final = "QUARANTINED fi.ytj: fetch: found https://avoindata.prh.fi/…: "
_LATER: Final = "; its last good state is served"


def _cell(fault: Fault, provoked: str, why: str) -> Cell:
    return Cell(fault, "raw", provoked, 3, _HELD + why + _LATER, _STAYS, _HEALS, (TEST,))


CELLS: Final = (
    _cell(Fault.RATE_LIMITED, "429 to every request", "status 429: not now (attempt 5; Retry-After 1 s)"),
    _cell(Fault.UNAVAILABLE, "503 to every request", "status 503: not now (attempt 5; Retry-After 1 s)"),
    _cell(Fault.PAGE, "a page with status 200", "status 200: expected zip, found html (content type text/html)"),
    _cell(
        Fault.CUT_OFF, "half of the body, then the connection is closed", "status …: the body broke off: … (attempt 5)"
    ),
    _cell(Fault.SLOW, "512 bytes at a time", "status 200: slower than … bytes a second for … s (attempt 5)"),
    _cell(
        Fault.HANG,
        "the request is accepted and never answered",
        "no answer: no response in time (ReadTimeout) (attempt 5)",
    ),
    _cell(Fault.NAMELESS, "a host name in the domain `.invalid`", "no answer: no connection (…) (attempt 5)"),
)
_BEHIND: Final = ("staged", "normalised", "history", "events", "release", "export")
_SERVICE: Final = ("fan-out", "worker", "mail", "pruning", "serving")
UNTOUCHED: Final = tuple(
    Untouched(cell.fault, steps, because)
    for cell in CELLS
    for steps, because in (
        (_BEHIND, "reads only the output of the previous step, no registry"),
        (_SERVICE, "uses no registry; endpoints and mail servers have their own retry schedules"),
    )
)
