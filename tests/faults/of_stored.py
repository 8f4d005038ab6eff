"""What lies on the disk and is not what was written: a damaged body in RAW, a release that is not whole."""

from __future__ import annotations

from typing import Final

from tests.faults.declared import Cell, Fault, Untouched

DAMAGED: Final = "tests/faults/test_fault_stored.py::test_a_body_that_is_damaged_before_it_is_read"
TORN: Final = "tests/faults/test_fault_stored.py::test_a_release_that_is_torn"
_RELEASES: Final = "tests/warehouse/publish/test_publisher.py::"

CELLS: Final = (
    Cell(
        Fault.CORRUPT,
        "raw",
        "an archived body is truncated; its source sends the same bytes again",
        0,
        "",
        "every other body",
        "repairs it: the same bytes replace it",
        ("tests/warehouse/raw/test_raw_archive.py::test_the_same_bytes_mend_a_damaged_object",),
    ),
    Cell(
        Fault.CORRUPT,
        "staged",
        "the archived body is truncated before it is read",
        4,
        "QUARANTINED fi.register: unreadable: found 1, allowed 0; its last good state is served",
        "the last release; the other datasets",
        "reads it once the source has sent the bytes again or a copy was restored; publishes the same release as without the fault",
        (DAMAGED,),
    ),
    Cell(
        Fault.HALF_WRITTEN,
        "release",
        "a publish is killed at each of its steps; the files of the served release are truncated",
        0,
        "",
        "the previous release, the ledger",
        "removes what was never published; rebuilds a torn release in full",
        (_RELEASES + "test_killed_at_any_step_the_former_release_serves_and_no_event_is_lost_or_doubled", TORN),
    ),
    Cell(
        Fault.HALF_WRITTEN,
        "export",
        "a file of the release is truncated",
        1,
        "release 2 cannot be read: …; see `firm release verify`",
        "the previous export, complete",
        "writes it from a complete release",
        (
            "tests/warehouse/exports/test_exports_exports_publishing.py::test_a_damaged_release_leaves_the_former_export",
        ),
    ),
    Cell(
        Fault.HALF_WRITTEN,
        "fan-out",
        "a segment of the ledger from a release that was never published",
        None,
        "",
        "its events are not delivered",
        "delivers them once a release covers them",
        ("tests/warehouse/ledger/test_ledger_ledger.py::test_events_are_visible_only_once_a_release_covers_them",),
    ),
    Cell(
        Fault.HALF_WRITTEN,
        "serving",
        "the pointer names an incomplete release",
        None,
        "release 1 stays in use: the next one cannot be opened",
        "the previous release is served",
        "opens the next release",
        (
            "tests/warehouse/reader/test_reader_reader.py::test_a_release_that_cannot_be_opened_leaves_the_former_one_serving",
        ),
    ),
)
UNTOUCHED: Final = (
    Untouched(
        Fault.CORRUPT,
        ("normalised", "history", "events", "release", "export"),
        "reads STAGED or its products, never RAW",
    ),
    Untouched(Fault.CORRUPT, ("fan-out", "worker", "mail", "pruning", "serving"), "does not read RAW"),
    Untouched(Fault.HALF_WRITTEN, ("raw", "staged", "normalised", "history", "events"), "runs before any release"),
    Untouched(Fault.HALF_WRITTEN, ("worker", "mail", "pruning"), "reads only the control-plane database"),
)
