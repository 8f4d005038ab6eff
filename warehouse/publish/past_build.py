"""Writes what a release replaces of the one before it into a past file (docs/architecture.md 7, «Past states»).

Documents are compared as they are stored, company by company: those of the deltas that only one of both releases has,
else all in one pass in the order of ids. Does not belong here: the file (`serving.past_db`), which files a publish
keeps (`release.past_files`), or the documents of a release (`segment_build`).
"""

from __future__ import annotations

import heapq
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, islice, takewhile
from pathlib import Path
from typing import Final

from warehouse.publish.past_relations import RelationComparison
from warehouse.release import past_files, segments
from warehouse.release.manifest import InvalidReleaseError, ReleaseManifest
from warehouse.release.past_files import PastFile
from warehouse.release.segments import DOCUMENTS, PAST, Segment
from warehouse.serving import codec_read, past_db
from warehouse.serving.past_db import (
    AS_SENT,
    FINANCIALS,
    KINDS,
    LEIS,
    NOBODY,
    OWNERS,
    PARTS,
    PROFILE,
    RELATIONS,
    TABLE_OF_KIND,
    ErasedSubjects,
    PastRow,
    PastWriter,
    PublishedRelease,
)
from warehouse.serving.segment_views import SUPERSEDED
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout
from warehouse.storage.sqlite_read import open_read_only

_CHUNK: Final = 500  # companies compared at a time; SQLite takes so many values in one list
_STATES: Final = (
    ("companies", "company_id, body, parts", (PROFILE, PARTS)),
    ("financials", "company_id, packed", (FINANCIALS,)),
    ("owners", "company_id, packed", (OWNERS,)),
)
_Values = dict[tuple[str, str], bytes]  # what is stored, by company and kind


def require_past(layout: Layout, served: ReleaseManifest, torn: Collection[str]) -> None:
    """Raises InvalidReleaseError if a past file of a release is there and damaged (`torn`: wrong in size, or missing).

    A missing one was moved away: the past begins after it.
    """
    folder = layout.release_folder(served.release)
    for name in (file.file for file in served.past if file.file in torn):
        if (folder / name).exists():
            raise _lost_past_error(served.release, f"{folder / name} is not {served.sizes[name]} bytes long")


def _lost_past_error(release: int, said: str) -> InvalidReleaseError:
    return InvalidReleaseError(
        f"release {release}: {said}, and no history has what it had: restore it from a backup or another machine "
        "(`firm release pull`), or move it away to publish without it: the past then begins after it"
    )


def _merge_past(path: Path, release: int, files: Sequence[Path]) -> int:
    """`past_db.merge_past`; raises InvalidReleaseError with the first of the files that cannot be read."""
    try:
        return past_db.merge_past(path, files)
    except sqlite3.DatabaseError:
        for file in files:
            if (fault := past_db.file_fault(file)) is not None:
                raise _lost_past_error(release, f"{file} cannot be read ({fault})") from None
        raise  # no file is to blame: a full disk is one such error


@dataclass(frozen=True, slots=True)
class PastBuild:
    """The past of release `number`, published at `at`; `former` is the release that it follows, None for the first.

    torn: files of `former` that cannot be read. Without its documents the past begins anew at this release.
    """

    layout: Layout
    number: int
    at: datetime
    former: ReleaseManifest | None
    torn: Collection[str] = ()
    erased: ErasedSubjects = NOBODY

    def write(self, written: tuple[Segment, ...]) -> tuple[PastFile, ...]:
        """Writes the past of a release with these segments, and links the files that stay."""
        fresh = self._folder / f"{PAST}.building"
        former = self._readable_former()
        rows = past_db.write_past(fresh, lambda writer: self._fill(writer, former, written))
        earlier = () if former is None else _files_after_gap(former.past, self.torn)
        kept = () if self.erased else past_files.kept_files(earlier, rows)
        before = self.layout.release_folder(former.release if former else 0)
        merged = [before / file.file for file in earlier[len(kept) :]]
        if former is not None and merged:
            rows = _rewrite(fresh, lambda path: _merge_past(path, former.release, [*merged, fresh]))
        if self.erased:
            placeholders = self._placeholders(written)
            rows = _rewrite(fresh, lambda path: past_db.copy_without(path, fresh, self.erased, placeholders))
        for file in kept:
            atomic_files.link_file(before / file.file, self._folder / file.file)
        return (*kept, PastFile(segments.sealed_file(fresh, PAST).name, rows))

    @property
    def _folder(self) -> Path:
        return self.layout.release_folder(self.number)

    def _readable_former(self) -> ReleaseManifest | None:
        former = self.former
        if former is None or any(name in self.torn for segment in former.segments for name in segment.files.values()):
            return None
        return former

    def _fill(self, writer: PastWriter, former: ReleaseManifest | None, written: tuple[Segment, ...]) -> None:
        with closing(codec_read.open_documents(self._folder, written)) as new:
            writer.add_release(_published(self.number, self.at, new))
            if former is None:
                return
            before = self.layout.release_folder(former.release)
            with closing(codec_read.open_documents(before, former.segments)) as old:
                if not former.past:  # of an earlier version, which kept no past: it begins here
                    writer.add_release(_published(former.release, former.built_at, old))
                self._compare(writer, old, new, self._spans(former, written, new))

    def _compare(
        self,
        writer: PastWriter,
        old: sqlite3.Connection,
        new: sqlite3.Connection,
        spans: Iterator[tuple[str, Sequence[str]]],
    ) -> None:
        comparison, relations = _Comparison(old, new), RelationComparison(old, new)
        packed = writer.add_format(comparison.format)
        for where, values in spans:
            writer.add_rows(
                PastRow(company, kind, self.number, AS_SENT if kind == PROFILE else packed, value)
                for company, kind, value in comparison.replaced(where, values)
            )
            for company, plain, value in relations.relations(where, values):
                row = PastRow(company, RELATIONS, self.number, packed, value)
                writer.add_rows([row])
                writer.index_row(row, plain)
            for company, leis in relations.leis(where, values):
                row = PastRow(company, LEIS, self.number, AS_SENT, leis)
                writer.add_rows([row])
                writer.index_row(row, leis)

    def _spans(
        self, former: ReleaseManifest, written: tuple[Segment, ...], new: sqlite3.Connection
    ) -> Iterator[tuple[str, Sequence[str]]]:
        """Conditions on the companies that may differ: those of deltas that only one of the releases has, else all."""
        pairs = zip(former.segments, written, strict=False)
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if not common:
            return _all_spans(new)
        before = self.layout.release_folder(former.release)
        dropped = [before / segment.files[DOCUMENTS] for segment in former.segments[common:]]
        return _delta_spans([*dropped, *(self._folder / segment.files[DOCUMENTS] for segment in written[common:])])

    def _placeholders(self, written: tuple[Segment, ...]) -> list[PastRow]:
        """Rows by which nothing was served of erased companies that a register keeps in another form."""
        with closing(codec_read.open_documents(self._folder, written)) as new:
            served = [
                company
                for company in sorted(self.erased.companies)
                if new.execute("SELECT 1 FROM companies WHERE company_id = ?", (company,)).fetchone()
            ]
        return [PastRow(company, kind, self.number, AS_SENT, None) for company in served for kind in KINDS]


def _published(number: int, at: datetime, documents: sqlite3.Connection) -> PublishedRelease:
    return PublishedRelease(past_db.published_text(at), number, codec_read.has_relations(documents))


def _files_after_gap(files: Sequence[PastFile], torn: Collection[str]) -> Sequence[PastFile]:
    gaps = [place for place, file in enumerate(files, 1) if file.file in torn]
    return files[max(gaps, default=0) :]


def _rewrite(path: Path, write: Callable[[Path], int]) -> int:
    """Replaces a file under construction by what `write` makes of it; returns the number of its rows."""
    built = path.with_name(f"{path.name}.again")
    rows = write(built)
    built.replace(path)
    return rows


class _Comparison:
    """Compares what two releases store; `format` is that of the older one."""

    def __init__(self, old: sqlite3.Connection, new: sqlite3.Connection) -> None:
        self._old, self._new = old, new
        self.format = codec_read.stored_format(old)
        self._same_format = self.format == codec_read.stored_format(new)
        self._unpack_old = codec_read.unpack_function(self.format)
        self._unpack_new = codec_read.unpack_function(codec_read.stored_format(new))

    def replaced(self, where: str, values: Sequence[str]) -> list[tuple[str, str, bytes | None]]:
        """(company, kind, value before) of what differs, ordered, for the companies that meet a condition."""
        before, after = _stored_values(self._old, where, values), _stored_values(self._new, where, values)
        return [
            (company, kind, before.get((company, kind)))
            for company, kind in sorted(before.keys() | after.keys())
            if not self._is_same(kind, before.get((company, kind)), after.get((company, kind)))
        ]

    def _is_same(self, kind: str, before: bytes | None, after: bytes | None) -> bool:
        if before == after or before is None or after is None or kind == PROFILE or self._same_format:
            return before == after
        table = TABLE_OF_KIND[kind]
        return self._unpack_old(table, before) == self._unpack_new(table, after)


def _stored_values(connection: sqlite3.Connection, where: str, values: Sequence[str]) -> _Values:
    found: _Values = {}
    for table, columns, kinds in _STATES:
        for company, *stored in connection.execute(f"SELECT {columns} FROM {table} WHERE {where}", values):
            for kind, value in zip(kinds, stored, strict=True):
                # files of the first versions have texts
                found[company, kind] = value.encode() if isinstance(value, str) else value
    return found


def _delta_spans(paths: Sequence[Path]) -> Iterator[tuple[str, Sequence[str]]]:
    """Conditions on the companies that these deltas replace, each company once."""
    with ExitStack() as opened:
        found = [
            opened.enter_context(closing(open_read_only(path))).execute(
                f"SELECT company_id FROM {SUPERSEDED} ORDER BY company_id"
            )
            for path in paths
        ]
        ids = (company for (company,), _ in groupby(heapq.merge(*found)))
        while chunk := list(islice(ids, _CHUNK)):
            yield f"company_id IN ({', '.join('?' * len(chunk))})", chunk


def _all_spans(new: sqlite3.Connection) -> Iterator[tuple[str, Sequence[str]]]:
    """Conditions that divide all ids, in order, into spans of about as many companies."""
    found = new.execute("SELECT company_id FROM companies ORDER BY company_id")
    first = ""
    while chunk := found.fetchmany(_CHUNK):
        last = chunk[-1][0]
        yield "company_id > ? AND company_id <= ?", [first, last]
        first = last
    yield "company_id > ?", [first]
