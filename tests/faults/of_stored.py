"""What lies on the disk and is not what was written: a damaged body in RAW, a release that is not whole."""

from __future__ import annotations

from typing import Final

from tests.faults.declared import Cell, Fault, Untouched

DAMAGED: Final = "tests/faults/test_fault_stored.py::test_a_body_that_is_damaged_before_it_is_read"
TORN: Final = "tests/faults/test_fault_stored.py::test_a_release_that_is_torn"
_RELEASES: Final = "tests/warehouse/test_release.py::"

CELLS: Final = (
    Cell(
        Fault.CORRUPT,
        "raw",
        "an archived body is cut off; its bytes come again",
        0,
        "",
        "every other body",
        "puts it right: the same bytes replace it",
        ("tests/warehouse/test_archive.py::test_the_same_bytes_mend_a_damaged_object",),
    ),
    Cell(
        Fault.CORRUPT,
        "staged",
        "the archived body is cut off before it is read",
        4,
        "HELD fi.register: unreadable: saw 1, allowed 0; its last good state stays",
        "the last release; the other datasets",
        "reads it when its bytes have come again, or a copy was brought back; the release of a run without the fault",
        (DAMAGED,),
    ),
    Cell(
        Fault.HALF_WRITTEN,
        "release",
        "a publish is killed at each of its steps; the files of the release that is served are cut off",
        0,
        "",
        "the former release, the ledger",
        "removes what was never published; builds a torn release anew, in full",
        (
            _RELEASES + "test_killed_at_any_step_the_former_release_serves_and_no_event_is_lost_or_doubled",
            TORN,
        ),
    ),
    Cell(
        Fault.HALF_WRITTEN,
        "export",
        "a file of the release is cut off",
        1,
        "release 2 cannot be read: …; see `firm release verify`",
        "the former export, whole",
        "writes it from a release that is whole",
        ("tests/warehouse/test_exports_publishing.py::test_a_damaged_release_leaves_the_former_export",),
    ),
    Cell(
        Fault.HALF_WRITTEN,
        "fan-out",
        "a segment of the ledger whose release was never published",
        None,
        "",
        "nobody is told of its events",
        "tells of them when a release covers them",
        ("tests/warehouse/test_ledger.py::test_events_are_visible_only_once_a_release_covers_them",),
    ),
    Cell(
        Fault.HALF_WRITTEN,
        "serving",
        "the pointer names a release that is not whole",
        None,
        "release 1 stays: the one after it cannot be opened",
        "the former release is served",
        "opens the next one",
        (
            "tests/warehouse/test_reader.py::test_a_release_that_cannot_be_opened_leaves_the_former_one_serving",
        ),
    ),
)
UNTOUCHED: Final = (
    Untouched(
        Fault.CORRUPT,
        ("normalised", "history", "events", "release", "export"),
        "reads STAGED or what was made of it, never RAW",
    ),
    Untouched(Fault.CORRUPT, ("fan-out", "worker", "mail", "pruning", "serving"), "reads nothing of RAW"),
    Untouched(
        Fault.HALF_WRITTEN, ("raw", "staged", "normalised", "history", "events"), "comes before any release"
    ),
    Untouched(Fault.HALF_WRITTEN, ("worker", "mail", "pruning"), "reads the control-plane database alone"),
)
