"""Disks that take nothing any more: full, or read-only, from one step on until an operator has been there."""

from __future__ import annotations

from typing import Final

from tests.faults.declared import Cell, Fault, Untouched

TEST: Final = "tests/faults/test_fault_disks.py::test_a_disk_that_fails"
DELIVERING: Final = "tests/faults/test_fault_disks.py::test_parts_on_a_disk_that_fails"
SERVING: Final = "tests/faults/test_fault_disks.py::test_a_service_on_a_full_disk"
_EXPORTS: Final = "tests/warehouse/exports/test_exports_exports_publishing.py"
PLACES: Final = {
    "raw": ("object written", 1),
    "staged": ("staged written", 1),
    "normalised": ("image written", 1),
    "history": ("before commit", 3),
    "events": ("committed", 5),
    "release": ("segments linked", 1),
    "export": ("", 0),  # from the beginning: these are commands of their own
    "serving": ("", 0),
}
"""Where the disk fails: a step that the stores name, and how often a run has come there."""

COMMANDS: Final = {
    "export": (("export",), ("export",)),
    "serving": (("serve", "--port", "0"), ("release", "verify")),  # that would serve for ever
}
"""What meets the fault and what comes after it, where that is no ingest."""


_FULL: Final = "a small disk is filled up while the step writes"
_FROZEN: Final = "the disk is mounted read-only over itself while the step writes"
_STAYS: Final = "the last release, RAW and history, as they were"
_HEALS: Final = "continues where that run ended; publishes the same release as a run without the fault"
_DO: Final = ", then run this again; the published release and ingested data are unchanged"
_NO_ROOM: Final = (
    "firm: the database of Dagster's records below …/dagster failed (database or disk is full): "
    "free space on that disk" + _DO
)
_WRITABLE: Final = "…Read-only file system…: make that disk writable again" + _DO
_ASSETS: Final = {
    "raw": "FI: fi__…: ",
    "staged": "FI: fi__…: ",
    "normalised": "FI: fi__normalised: ",
    "history": "FI: fi__history: ",
    "events": "FI: fi__events: ",
    "release": "release: release: ",
}
_BEGUN: Final = "the parts are started on a disk that has failed"
_BEGINS: Final = "{}: the database fails; again in … s: …"
_PARTS: Final = {
    **{part: _BEGINS.format(part) for part in ("fan-out", "mail", "pruning")},
    "worker": "the database fails; finished attempts are kept and written later: …",
}

CELLS: Final = (
    *(Cell(Fault.FULL, step, _FULL, 1, _NO_ROOM, _STAYS, _HEALS, (TEST,)) for step in _ASSETS),
    Cell(
        Fault.FULL,
        "export",
        "file sizes are limited",
        1,
        "…cannot write…the previous export is unchanged",
        "the previous export, complete",
        "writes it",
        (f"{_EXPORTS}::test_a_full_disk_is_told_and_the_former_export_stays",),
    ),
    *(
        Cell(Fault.READ_ONLY, step, _FROZEN, 1, f"ERROR {asset}{_WRITABLE}", _STAYS, _HEALS, (TEST,))
        for step, asset in _ASSETS.items()
    ),
    Cell(
        Fault.READ_ONLY,
        "export",
        "the disk is mounted read-only over itself before the command",
        1,
        "firm: …Read-only file system",
        "the last release",
        "writes it",
        (TEST,),
    ),
    *(
        Cell(
            fault,
            part,
            _BEGUN,
            None,
            says,
            "stored deliveries, mail, and the fan-out cursor",
            "restarts automatically after 1 to 30 s",
            (DELIVERING,),
        )
        for fault in (Fault.FULL, Fault.READ_ONLY)
        for part, says in _PARTS.items()
    ),
    Cell(
        Fault.FULL,
        "serving",
        "a small disk is filled up while the service runs",
        None,
        "usage cannot be stored; it is kept and will be retried",
        "every request is answered, because releases are only read; counts wait in memory",
        "stores the counts as soon as it can",
        (SERVING,),
    ),
    Cell(
        Fault.READ_ONLY,
        "serving",
        "the disk is mounted read-only over itself before the service starts",
        2,
        "firm: the control-plane database sqlite:…/control.sqlite cannot be used: unable to open database file",
        "the last release",
        "serves it",
        (TEST,),
    ),
)
UNTOUCHED: Final[tuple[Untouched, ...]] = ()
