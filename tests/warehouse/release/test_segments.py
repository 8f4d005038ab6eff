"""Which segments a publish keeps, when all is written again, and what contents add up to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tables import check_cases
from warehouse.release import segments
from warehouse.release.segments import ContentSums, Segment

BASE = 10_000_000


def _segments(*covered: int, base: int = BASE) -> list[Segment]:
    """A base, and deltas that cover so many companies."""
    return [
        Segment({}, 0, 0, ContentSums(digests=(base, 1, 1))),
        *(Segment({}, 0, count, ContentSums(digests=(count, 1, 1))) for count in covered),
    ]


@check_cases(
    ("covered", "changed", "kept"),
    [
        ((), 1_000, 1),
        ((1_000,), 1_000, 1),
        ((8_000,), 1_000, 1),
        ((8_001,), 1_000, 2),
        ((80_000, 8_000), 1_000, 2),
        ((70_000, 8_000), 1_000, 1),
        ((90_000, 9_000), 0, 3),
        ((90_000, 0), 0, 2),
        ((900_000, 90_000, 9_000, 900), 0, 4),
        ((900_000, 90_000, 9_000, 900), 100, 4),
    ],
)
def test_a_publish_replaces_deltas_that_are_not_far_larger(covered: tuple[int, ...], changed: int, kept: int) -> None:
    assert len(segments.kept_segments(_segments(*covered), changed)) == kept


def test_deltas_stay_few_and_rewrite_little_over_years() -> None:
    """Of 1,000 companies five times a day: at most four deltas, and each company is written some twenty times."""
    found, written = _segments(), 0
    for _ in range(3_000):
        if segments.has_much_garbage(found, 1_000):
            break
        kept = segments.kept_segments(found, 1_000)
        fresh = 1_000 + sum(delta.covered for delta in found[len(kept) :])
        found, written = [*kept, *_segments(fresh)[1:]], written + fresh
        assert len(found) <= 1 + segments.MOST_DELTAS
    assert sum(delta.covered for delta in found) == pytest.approx(2_000_000, abs=1_000)
    assert written < 25 * 2_000_000


@check_cases(
    ("covered", "changed", "much"), [((), 1_000, False), ((1_900_000,), 100_000, False), ((1_900_000,), 100_001, True)]
)
def test_all_is_written_again_by_the_share_of_garbage(covered: tuple[int, ...], changed: int, *, much: bool) -> None:
    assert segments.has_much_garbage(_segments(*covered), changed) == much


def test_a_small_release_is_not_written_again_for_a_few_companies() -> None:
    assert not segments.has_much_garbage(_segments(base=3), segments.LEAST_GARBAGE)
    assert segments.has_much_garbage(_segments(base=3), segments.LEAST_GARBAGE + 1)


def test_contents_add_up_to_what_is_visible() -> None:
    base = ContentSums({"companies": 3, "owners": 5}, {"NO": 2, "SE": 1}, (3, 10, 1 << 80))
    own, gone = ContentSums({"companies": 1}, {"SE": 1}, (1, 4, 7)), ContentSums({"owners": 2}, {"NO": 2}, (2, 6, 1))
    total = segments.total_content([Segment({}, 0, 0, base), Segment({}, 0, 3, own, gone)])
    assert total == ContentSums({"companies": 4, "owners": 3}, {"SE": 2}, (2, 8, (1 << 80) + 6))
    assert total.fingerprint == ContentSums(digests=total.digests).fingerprint
    assert total.fingerprint != base.fingerprint


def test_a_file_is_named_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "rows.building").write_bytes(b"abc")
    path = segments.sealed_file(tmp_path / "rows.building", segments.ROWS)
    assert path.name == "rows.ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.duckdb"
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
    assert segments.is_segment_file(path.name)
    assert segments.address_of(path.name).startswith("ba7816bf")


@check_cases("name", ["rows.duckdb", "../rows.0.duckdb", f"rows.{'0' * 64}.sqlite", f"x/rows.{'0' * 64}.duckdb", ""])
def test_other_names_are_no_segments(name: str) -> None:
    assert not segments.is_segment_file(name)
