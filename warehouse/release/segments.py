"""Segments of a release: immutable files named by their SHA-256, and what each contributes to the content.

The first segment, the base, has all companies of its time; each later one, a delta, has those that changed since:
whatever older segments have of them is superseded. A publish writes one delta and links the other files. Counts and
sums of digests are kept per segment, so that those of a release are added up and no unchanged segment is read again.
Does not belong here: reading over segments (`serving.segment_views`), or writing them (`publish.segment_build`).
Imports no engine.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

from warehouse.storage import atomic_files

ROWS: Final = "rows"
DOCUMENTS: Final = "documents"
NAMES: Final = "names"
PAST: Final = "past"
"""What older releases served (`release.past_files`): of a release, of no segment."""
_SUFFIXES: Final = {ROWS: "duckdb", DOCUMENTS: "sqlite", NAMES: "sqlite", PAST: "sqlite"}
_FILE: Final = re.compile(r"(?:rows\.[0-9a-f]{64}\.duckdb|(?:documents|names|past)\.[0-9a-f]{64}\.sqlite)")
EARLIER_FILES: Final = {ROWS: "warehouse.duckdb", DOCUMENTS: "serving.sqlite", NAMES: "names.sqlite"}
"""Files of a release of an earlier version, which is one segment; served until the first publish of this one."""
MOST_DELTAS: Final = 4  # every look-up reads all segments; SQLite attaches at most ten files
GROWTH: Final = 8  # a delta is merged into the next one unless it has more than so many times its companies
GARBAGE_SHARE: Final = 0.2  # superseded companies, of those of the base, above which all is written again
LEAST_GARBAGE: Final = 1_000  # superseded companies below which that is never worth it


@dataclass(frozen=True, slots=True)
class ContentSums:
    """Contents of a segment or release that can be added and subtracted.

    counts: rows by table. companies: by market. digests: number of companies' digests, and two sums of hashes.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    companies: Mapping[str, int] = field(default_factory=dict)
    digests: tuple[int, int, int] = (0, 0, 0)

    def plus(self, other: ContentSums, sign: int = 1) -> ContentSums:
        """The sum of both; `sign` -1: the difference."""
        count, first, second = (mine + sign * theirs for mine, theirs in zip(self.digests, other.digests, strict=True))
        return ContentSums(
            _added(self.counts, other.counts, sign),
            {market: n for market, n in _added(self.companies, other.companies, sign).items() if n},
            (count, first, second),
        )

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the digests of all companies: equal for equal content, however it is cut into segments."""
        return hashlib.sha256(" ".join(map(str, self.digests)).encode()).hexdigest()

    @classmethod
    def parse(cls, values: Mapping[str, Any]) -> Self:
        count, first, second = values["digests"]
        return cls(values["counts"], values["companies"], (count, first, second))


def _added(left: Mapping[str, int], right: Mapping[str, int], sign: int) -> dict[str, int]:
    total = Counter(left)
    for name, number in right.items():
        total[name] += sign * number
    return dict(sorted(total.items()))


@dataclass(frozen=True, slots=True)
class Segment:
    """One segment.

    files: file name by kind; a delta has documents and names in one file. events_after: it has the events above this
    sequence, up to those of the next segment. covered: number of companies that it replaces. content: its own;
    superseded: what older segments have of the companies that it replaces.
    """

    files: Mapping[str, str]
    events_after: int
    covered: int
    content: ContentSums
    superseded: ContentSums = field(default_factory=ContentSums)

    @classmethod
    def parse(cls, values: Mapping[str, Any]) -> Self:
        return cls(
            values["files"],
            values["events_after"],
            values["covered"],
            ContentSums.parse(values["content"]),
            ContentSums.parse(values["superseded"]),
        )


def total_content(segments: Iterable[Segment]) -> ContentSums:
    """The content of a release with these segments."""
    total = ContentSums()
    for segment in segments:
        total = total.plus(segment.content).plus(segment.superseded, -1)
    return total


def kept_segments(segments: Sequence[Segment], changed: int) -> Sequence[Segment]:
    """The segments that a publish of so many changed companies keeps; it replaces those after them.

    Sizes of deltas fall by a factor from one to the next, so that there are few of them and a company is rewritten
    few times.
    """
    kept = len(segments)
    while kept > 1 and (kept > MOST_DELTAS or segments[kept - 1].covered <= GROWTH * changed):
        kept -= 1
        changed += segments[kept].covered
    return segments[:kept]


def has_much_garbage(segments: Sequence[Segment], changed: int) -> bool:
    """True if another delta of so many companies would leave too many superseded ones behind."""
    base, *deltas = segments
    superseded = changed + sum(delta.covered for delta in deltas)
    return superseded > max(LEAST_GARBAGE, GARBAGE_SHARE * base.content.digests[0])


def sealed_file(path: Path, kind: str) -> Path:
    """Renames a finished file of a segment to its content address, durably; returns the new path."""
    sealed = path.with_name(f"{kind}.{atomic_files.file_sha256(path)}.{_SUFFIXES[kind]}")
    atomic_files.publish_file(path, sealed)
    return sealed


def is_segment_file(name: str) -> bool:
    """True for the name of a segment's file; it has its SHA-256."""
    return _FILE.fullmatch(name) is not None


def address_of(name: str) -> str:
    """The SHA-256 in the name of a segment's file."""
    return name.split(".")[1]
