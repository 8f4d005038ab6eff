"""Hashes of tombstones: stored ones must match the same subject for ever, whatever names are compared by."""

from datetime import UTC, datetime

from tests.tables import check_cases
from warehouse.erasure.tombstones import Tombstone

STONE = Tombstone("own_1", "NO", "firm:NO:1", datetime(2026, 1, 1, tzinfo=UTC), "request", salt="salt")


@check_cases(
    ("text", "trace"),
    [
        ("Åsa O’Neil & Sønn A/S", "4f81d8988de8c3678222cc5e2b1a9cf0"),
        ("ASA  O'NEIL SONN a.s.", "4f81d8988de8c3678222cc5e2b1a9cf0"),
        ("Łódź_1", "ddd00d966805e881d6678873d10a21d2"),
        ("-", "821bb59416cdc4d09afbf3a3e83dd3b5"),
    ],
)
def test_trace_of_a_text_is_the_stored_one(text: str, trace: str) -> None:
    assert STONE.trace(text) == trace
