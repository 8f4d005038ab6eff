"""Which past files a publish keeps."""

from __future__ import annotations

from tests.tables import check_cases
from warehouse.release.past_files import PastFile, kept_files


@check_cases(
    ("sizes", "rows", "kept"),
    [((), 5, 0), ((5,), 5, 0), ((40,), 5, 0), ((41,), 5, 1), ((400, 41), 5, 2), ((360, 40), 5, 0), ((361, 40), 5, 1)],
)
def test_a_publish_replaces_files_that_are_not_far_larger(sizes: tuple[int, ...], rows: int, kept: int) -> None:
    files = [PastFile(f"{place}", size) for place, size in enumerate(sizes)]
    assert list(kept_files(files, rows)) == files[:kept]


def test_files_stay_few_and_rewrite_little_over_years() -> None:
    """Of 2,000 states five times a day, for ten years: few files, and each state is written some twenty times."""
    found: list[PastFile] = []
    written = 0
    for _ in range(18_000):
        kept = kept_files(found, 2_000)
        fresh = 2_000 + sum(file.rows for file in found[len(kept) :])
        found, written = [*kept, PastFile("", fresh)], written + fresh
        assert len(found) <= 6
    assert sum(file.rows for file in found) == 36_000_000
    assert written < 30 * 36_000_000
