"""Rewrites or removes each RAW body that contains an erased subject.

A body is rewritten by its structure (`connectors.kit.redact.remove_records`) and then parsed by its dataset: it
replaces the old one only if all other records are still there and none of the subject's. A body that no pattern can
rewrite is removed whole; its parsed rows stay in STAGED. Does not belong here: which subjects (`market`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final

import polars as pl

from connectors.contract.dataset import Dataset
from connectors.contract.pieces import ArchiveMember, Scope, UnreadableFileError
from connectors.kit.archive.bounded_stream import DECODER_ERRORS
from connectors.kit.redact import remove_records
from connectors.kit.redact.remove_records import SubjectPatterns
from pipelines.steps.suppression import SuppressionMatcher
from pipelines.workspace import Workspace
from warehouse.raw.archive import CorruptBlobError, RawBody

SHORTEST: Final = 3  # minimum characters of a text used to search for records


@dataclass
class _BodyRows:
    """Content of a body: number of the subjects' rows, and hashes of all other rows, in any order."""

    theirs: int = 0
    texts: set[str] = field(default_factory=set)  # texts that identify the subjects' rows
    phrases: set[str] = field(default_factory=set)  # names of subjects in records that were rejected
    others: dict[str, pl.Series] = field(default_factory=dict)

    def add(self, table: str, rows: pl.DataFrame, mask: pl.Series) -> None:
        self.theirs += int(mask.sum())
        hashes = rows.filter(~mask).hash_rows()
        self.others[table] = self.others[table].append(hashes) if table in self.others else hashes

    def same_others(self, other: _BodyRows) -> bool:
        kept = {name: found.sort() for name, found in self.others.items() if found.len()}
        left = {name: found.sort() for name, found in other.others.items() if found.len()}
        return kept.keys() == left.keys() and all(found.equals(left[name]) for name, found in kept.items())


@dataclass(frozen=True)
class BodyRewriter:
    """Rewrites bodies of one dataset without the rows of `suppression_matcher`.

    subject_patterns: record patterns, most precise first.
    """

    workspace: Workspace
    dataset: Dataset
    suppression_matcher: SuppressionMatcher
    subject_patterns: Sequence[SubjectPatterns]
    reason: str

    def rewrite_body(self, member: RawBody) -> bool:
        """Removes the subjects' records from a body; returns True if it contained any."""
        before = self._read_rows(member, member.open)
        said = [remove_records.words_pattern(text) for text in sorted(before.texts) if len(text) >= SHORTEST]
        said += map(remove_records.phrase_pattern, sorted(before.phrases))
        ways = (
            [*self.subject_patterns, SubjectPatterns((remove_records.compile_patterns(said),))]
            if said
            else self.subject_patterns
        )
        with tempfile.TemporaryDirectory(prefix="firm-erase-") as folder:
            for place, (told, quoted) in enumerate((told, quoted) for told in ways for quoted in (False, True)):
                path = Path(folder) / str(place)
                left = self._rewrite_body(member, told, path, quoted=quoted)
                if left is None:
                    continue
                if not before.theirs and left and _has_same_content(member.open, path):
                    return False
                after = self._read_rows(member, partial(_open_file, path)) if left else _BodyRows()
                if not after.theirs and before.same_others(after):
                    self._replace_body(member, path if left else None)
                    return True
        if before.theirs:
            self._replace_body(member, None)
        return before.theirs > 0

    def _replace_body(self, piece: RawBody, path: Path | None) -> None:
        archive, dataset = self.workspace.raw_archive, self.dataset.key
        if path is None:
            archive.erase_body(dataset, piece.sha256, self.reason)
        else:
            with path.open("rb") as body:
                archive.erase_body(dataset, piece.sha256, self.reason, body)

    def _rewrite_body(self, piece: RawBody, told: SubjectPatterns, path: Path, *, quoted: bool) -> bool | None:
        """Rewrites a body; True if anything is left, None if this pattern fails."""
        try:
            with piece.open() as body, path.open("wb") as into:
                rewrite = self.dataset.remove_records or remove_records.remove_records
                return rewrite(body, told, into, quoted=quoted, name=piece.name)
        except (*DECODER_ERRORS, CorruptBlobError, UnicodeDecodeError):
            return None

    def _read_rows(self, piece: RawBody, opener: Callable[[], BinaryIO]) -> _BodyRows:
        """All rows and rejects of a body; unreadable members yield none."""
        found = _BodyRows()
        scope = Scope(piece.scope)
        whole = ArchiveMember(piece.dataset, piece.name, piece.sha256, piece.observed_at, scope, piece.batch, opener)
        for member in self._split_members(whole):
            try:
                batches = list(self.dataset.read_batches(member))
            except (UnreadableFileError, CorruptBlobError):
                continue
            for batch in batches:
                table = self.dataset.staged_tables[batch.table]
                mask = self.suppression_matcher.mask(table, batch.rows)
                found.add(batch.table, batch.rows, mask)
                found.texts |= self.suppression_matcher.texts(table, batch.rows.filter(mask))
                # compared by content only: record numbers shift when another record is removed
                rejected = [f"{one} {two}" for one, two in batch.rejects.select("record", "excerpt").iter_rows()]
                told = list(map(self.suppression_matcher.mentions_subject, rejected))
                found.phrases |= set().union(*map(self.suppression_matcher.free_texts.phrases, rejected))
                found.add("rejects", batch.rejects.select("reason", "excerpt"), pl.Series(told, dtype=pl.Boolean))
        return found

    def _split_members(self, whole: ArchiveMember) -> Iterator[ArchiveMember]:
        try:
            yield from self.dataset.split_members(whole)
        except (UnreadableFileError, CorruptBlobError):
            return


def _open_file(path: Path) -> BinaryIO:
    return path.open("rb")


def _has_same_content(opener: Callable[[], BinaryIO], path: Path) -> bool:
    with opener() as one, path.open("rb") as other:
        while block := one.read(1 << 20):
            if block != other.read(len(block)):
                return False
        return not other.read(1)
