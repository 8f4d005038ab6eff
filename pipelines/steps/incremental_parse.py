"""Incremental parsing: which archive a new one is compared with, and which archives its rows depend on.

Of two archives of complete answers (`Dataset.rereads`) the later is parsed only where it differs; unchanged rows
count as if it had been parsed in full. Hence such rows get the new provenance (`normalise`), an erasure searches
every archive that repeats rows of another (`pipelines.erasure.market`), and repeated archives are not pruned
(`pipelines.maintenance.retention`). Does not belong here: which members are unchanged
(`connectors.kit.archive.unchanged_members`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

import polars as pl

from connectors.contract.dataset import Dataset, Jurisdiction, PreviousArchive
from pipelines.steps import repaired_bodies
from pipelines.workspace import Workspace
from warehouse.raw.archive import CorruptBlobError, RawBody
from warehouse.staged.store import StagedIndex
from warehouse.staged.writer import MEMBER

STANDS: Final = "stands_on"  # figure of a staged batch


@dataclass(frozen=True, slots=True)
class IncrementalArchive:
    """An archive of which only the differences were parsed.

    on: SHA-256 of the archives with the repeated rows, oldest first; the last is the one compared with.
    whole_at: instant of the first of them, which was parsed in full. rows: maximum number of repeated rows.
    """

    sha256: str
    observed_at: datetime
    on: tuple[str, ...]
    whole_at: datetime
    rows: int


def reuse_entries(index: StagedIndex) -> list[IncrementalArchive]:
    """Reads the reused archives from a staged batch's figures."""
    return [
        IncrementalArchive(
            **{
                **told,
                "on": tuple(told["on"]),
                "observed_at": datetime.fromisoformat(told["observed_at"]),
                "whole_at": datetime.fromisoformat(told["whole_at"]),
            }
        )
        for told in index.figures.get(STANDS, ())
    ]


def reuse_figures(standings: Iterable[IncrementalArchive]) -> dict[str, Any]:
    """Figures that record reused archives in a staged batch; empty if there are none."""
    told = [
        {
            **asdict(one),
            "observed_at": one.observed_at.isoformat(),
            "whole_at": one.whole_at.isoformat(),
        }
        for one in standings
    ]
    return {STANDS: told} if told else {}


def dependent_archives(indexes: Iterable[StagedIndex], bodies: Collection[str]) -> set[str]:
    """SHA-256 of archives that repeat rows of any of these."""
    wanted = frozenset(bodies)
    return {one.sha256 for index in indexes for one in reuse_entries(index) if not wanted.isdisjoint(one.on)}


def base_archives(indexes: Iterable[StagedIndex], bodies: Collection[str]) -> set[str]:
    """SHA-256 of archives that any of these repeats rows of."""
    return {
        sha256
        for index in indexes
        for one in reuse_entries(index)
        if one.sha256 in bodies
        for sha256 in one.on
    }


@dataclass(frozen=True)
class ReuseCandidates:
    """Archives of one dataset about to be parsed, and those they can be compared with."""

    workspace: Workspace
    jurisdiction: Jurisdiction
    dataset: Dataset

    def against(self, found: Sequence[RawBody]) -> Mapping[str, tuple[PreviousArchive, IncrementalArchive]]:
        """By SHA-256, the archives that need not be parsed in full, each with its base.

        Parsed in full: late-arriving or reissued archives, those after a quarantined batch, the second
        archive of one name in one run, and every archive once `rereads` has passed since the last full parse.
        """
        if self.dataset.rereads is None:
            return {}
        first = {piece.name: piece for piece in reversed(found)}
        made = [
            one for piece in first.values() if piece.replaces is None for one in self._reusable_base(piece)
        ]
        return {standing.sha256: (former, standing) for former, standing in made}

    def _reusable_base(self, piece: RawBody) -> Iterator[tuple[PreviousArchive, IncrementalArchive]]:
        indexes = list(self.workspace.lake.indexes(self.dataset.key))
        before = self._newest_parsed_archive(piece, indexes)
        if before is None or self.dataset.rereads is None:
            return
        base, index = before
        told = next((one for one in reuse_entries(index) if one.sha256 == base.sha256), None)
        standing = IncrementalArchive(
            piece.sha256,
            piece.observed_at,
            (*(told.on if told else ()), base.sha256),
            told.whole_at if told else base.observed_at,
            (told.rows if told else 0) + _row_count(index, base),
        )
        if piece.observed_at - standing.whole_at < self.dataset.rereads and self._is_intact(base):
            yield PreviousArchive(base.open, self._newer_file_names(base, piece)), standing

    def _newest_parsed_archive(
        self, piece: RawBody, indexes: Sequence[StagedIndex]
    ) -> tuple[RawBody, StagedIndex] | None:
        """The newest parsed archive of that name, and its batch.

        None if it is not older, or a batch after it is quarantined.
        """
        read = {
            entry["sha256"]: index
            for index in indexes
            for entry in index.pieces
            if entry["name"] == piece.name and entry["rejected"] is None and index.held is None
        }
        there = [
            one
            for one in self.workspace.archive.pieces(self.dataset.key)
            if one.name == piece.name and one.sha256 in read and one.batch != piece.batch
        ]
        newest = max(there, key=lambda one: (one.observed_at, one.fetched_at), default=None)
        if newest is None or newest.observed_at >= piece.observed_at:
            return None
        index = read[newest.sha256]
        held = any(other.held is not None and other.batch > index.batch for other in indexes)
        return None if held else (newest, index)

    def _is_intact(self, base: RawBody) -> bool:
        """True if the base can be compared with: not pruned or damaged, and with no unparsed part.

        A part that killed its parser or was damaged may be readable later, and would otherwise stay unparsed.
        """
        indexes = list(self.workspace.lake.indexes(self.dataset.key))
        if self.workspace.archive.stored(base) is None or base.sha256 in repaired_bodies.corrupt_bodies(
            indexes
        ):
            return False
        if any(self._has_unread_members(base, index) for index in indexes):
            return False
        try:
            self.workspace.archive.verify(base)
        except CorruptBlobError:
            return False
        return True

    def _has_unread_members(self, base: RawBody, index: StagedIndex) -> bool:
        if all(entry["sha256"] != base.sha256 for entry in index.pieces):
            return False
        rejects = self.workspace.lake.rejects(self.dataset.key, index.batch)
        parts = rejects.filter(pl.col("table") == MEMBER, pl.col("raw").str.starts_with(base.sha256))
        return not parts.is_empty()

    def _newer_file_names(self, base: RawBody, piece: RawBody) -> frozenset[str]:
        """Names of other files that have delivered rows of the same tables since."""
        return frozenset(
            other.name
            for made in self.jurisdiction.datasets
            if not made.staged.keys().isdisjoint(self.dataset.staged)
            for other in self.workspace.archive.pieces(made.key)
            if other.name != piece.name and other.observed_at >= base.observed_at
        )


def _row_count(index: StagedIndex, base: RawBody) -> int:
    return sum(entry["rows"] for entry in index.pieces if entry["sha256"] == base.sha256)
