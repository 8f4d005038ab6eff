"""Guards: which figures refuse a batch, and what does not count against it."""

from datetime import UTC, datetime, timedelta

from connectors.contract.dataset import GuardLimits
from pipelines.steps.guards import BatchCounts, first_violation, last_full_rows
from tests.tables import check_cases
from warehouse.staged.store import StagedIndex

GUARD = GuardLimits(min_rows=10, max_shrink=0.02, max_rejected=0.001)


@check_cases(
    ("reading", "last_full", "refused"),
    [
        (BatchCounts(rows=1000, rejects=0, full_rows=(1000,)), 1000, None),
        (BatchCounts(rows=980, rejects=0, full_rows=(980,)), 1000, None),
        (BatchCounts(rows=979, rejects=0, full_rows=(979,)), 1000, "max_shrink"),
        (BatchCounts(rows=9, rejects=0, full_rows=(9,)), None, "min_rows"),
        (BatchCounts(rows=9, rejects=0), None, None),
        (BatchCounts(rows=1000, rejects=11), None, "max_rejected"),
        (BatchCounts(rows=1000, rejects=10), None, None),
        (BatchCounts(rows=2, rejects=3), None, "max_rejected"),
        (BatchCounts(rows=1000, rejects=300, excluded=295), None, None),
        (BatchCounts(rows=1000, rejects=300, excluded=280), None, "max_rejected"),
        (BatchCounts(rows=1000, rejects=0, full_rows=(1000,), unreadable=1), 1000, "unreadable"),
    ],
)
def test_what_refuses(reading: BatchCounts, last_full: int | None, refused: str | None) -> None:
    held = first_violation(GUARD, reading, last_full)
    assert (held.guard if held else None) == refused


def test_last_full_rows_are_those_of_the_newest_instant_not_of_the_last_ingest() -> None:
    def index(batch: str, day: int, rows: int) -> StagedIndex:
        at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=day)
        full = {"observed_at": at.isoformat(), "scope": "full", "rows": {}, "records": {"t": rows}}
        return StagedIndex("x", batch, {}, 0, (full,), ())

    assert last_full_rows([index("b1", 5, 1000), index("b2", 2, 10)]) == 1000
    assert last_full_rows([index("b1", 2, 10), index("b2", 5, 1000)]) == 1000
    assert last_full_rows([]) is None
