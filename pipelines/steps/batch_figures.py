"""Figures of a staged batch that later steps read.

Bodies that were unchanged, damaged or issued again, archives parsed in part, fetches of killed runs, partial fetches,
and what is left of rejected records. Belongs here: their form in the index of a batch, which archives depend on which,
which batches are one first load.
Does not belong here: when a body counts as unchanged or an archive is parsed in part (`stage_plan`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec
import polars as pl

from connectors.contract.pieces import NOT_A_COMPANY
from pipelines.runtime.batch_ids import batch_instant
from warehouse.schema.types import ColumnKind, Table
from warehouse.staged.store import StagedIndex, StagedStore
from warehouse.storage.atomic_files import json_fields

DAMAGED: Final = "damaged"  # SHA-256 of bodies that were corrupt in the archive
UNCHANGED: Final = "kept"
INCREMENTAL: Final = "stands_on"
COMPLETED: Final = "completed"
REISSUED: Final = "reissued"
PARTIAL_FETCH: Final = "partial_fetch"  # true if the fetch broke off, or left the rest to the next run
# Our own choice: a source of which some look-up fails in every run is loaded by then as far as it can be.
LONGEST_FIRST_LOAD: Final = timedelta(days=14)
_NO_TEXTS: Final = pl.DataFrame(schema={"text": pl.String()})
_WORD: Final = "_word"
_SHORTEST_NUMBER: Final = 4  # characters; a shorter word is in texts that are about something else


@dataclass(frozen=True, slots=True)
class UnchangedBody:
    """A body repeated unchanged by a full snapshot, and the batch in which it was parsed."""

    name: str
    sha256: str
    observed_at: datetime
    batch: str
    rows: int


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


@dataclass(frozen=True, slots=True)
class CompletedFetch:
    """What a killed run fetched «now», and the run that staged it: the logical instants of both."""

    fetched_at: datetime
    completed_at: datetime


@dataclass(frozen=True, slots=True)
class ReissuedFile:
    """The instant that the rows of a file have which its source issued again: just after what it corrects."""

    observed_at: datetime


def figure_values(
    records: Iterable[UnchangedBody | IncrementalArchive | CompletedFetch | ReissuedFile],
) -> list[dict[str, Any]]:
    """Records as JSON for the figures of a batch."""
    return [json_fields(one) for one in records]


def unchanged_bodies(index: StagedIndex) -> list[UnchangedBody]:
    """The unchanged bodies of a batch."""
    return msgspec.convert(index.figures.get(UNCHANGED, ()), list[UnchangedBody])


def incremental_archives(index: StagedIndex) -> list[IncrementalArchive]:
    """The archives of a batch that were parsed in part."""
    return msgspec.convert(index.figures.get(INCREMENTAL, ()), list[IncrementalArchive])


def completed_fetches(index: StagedIndex) -> list[CompletedFetch]:
    """The fetches of killed runs that a batch completes, oldest first."""
    return msgspec.convert(index.figures.get(COMPLETED, ()), list[CompletedFetch])


def reissued_files(index: StagedIndex) -> list[ReissuedFile]:
    """The reissued files of a batch, each instant once."""
    return msgspec.convert(index.figures.get(REISSUED, ()), list[ReissuedFile])


def corrupt_bodies(indexes: Iterable[StagedIndex]) -> frozenset[str]:
    """SHA-256 of the bodies that were damaged when last parsed; `indexes` oldest first."""
    found: set[str] = set()
    for index in indexes:
        found -= {body["sha256"] for body in index.pieces}
        found |= set(index.figures.get(DAMAGED, ()))
    return frozenset(found)


def dependent_archives(indexes: Iterable[StagedIndex], bodies: Collection[str]) -> set[str]:
    """SHA-256 of archives that repeat rows of any of these bodies: an erasure searches them too."""
    archives = (archive for index in indexes for archive in incremental_archives(index))
    return {archive.sha256 for archive in archives if any(base in bodies for base in archive.on)}


def base_archives(indexes: Iterable[StagedIndex], bodies: Collection[str]) -> set[str]:
    """SHA-256 of archives whose rows any of these bodies repeats: they are not pruned."""
    archives = (archive for index in indexes for archive in incremental_archives(index))
    return {base for archive in archives if archive.sha256 in bodies for base in archive.on}


def unchanged_body_keys(
    store: StagedStore, index: StagedIndex, table: Table, instant: datetime
) -> Iterator[pl.DataFrame]:
    """Keys of the records in the unchanged bodies of a batch's snapshot."""
    for body in unchanged_bodies(index):
        if body.observed_at == instant:
            rows = store.read_rows(index.dataset, body.batch, table)
            theirs = pl.col("_piece") == body.name, pl.col("_raw").str.starts_with(body.sha256)
            yield rows.filter(*theirs).select(table.key).collect()


def rejected_texts(store: StagedStore, index: StagedIndex, instant: datetime) -> pl.Series:
    """What is left of the rejected records of a batch, and of the unchanged bodies of its snapshot of an instant.

    A text has a record's key or place, and its beginning. Records that are no companies were read, and are left out.
    """
    found = [store.rejects(index.dataset, index.batch)] if index.rejects else []
    for body in unchanged_bodies(index):
        if body.observed_at == instant:
            theirs = pl.col("piece") == body.name, pl.col("raw").str.starts_with(body.sha256)
            found.append(store.rejects(index.dataset, body.batch).filter(*theirs))
    text = pl.concat_str("record", "excerpt", separator=" ", ignore_nulls=True).alias("text")
    read = pl.col("reason").str.starts_with(NOT_A_COMPANY)
    return pl.concat([_NO_TEXTS, *(rows.filter(~read).select(text) for rows in found)])["text"]


def records_named_in(texts: pl.Series, table: Table, records: pl.DataFrame) -> pl.DataFrame:
    """Those of some records of a table that one of these texts names, by the first long word of their keys.

    Hyphens and leading zeros make no difference: a number is often written otherwise than it is stored.
    """
    kinds = {column.name: column.kind for column in table.columns}
    words = [
        pl.col(name).str.replace_all("-", "", literal=True).str.strip_chars_start("0")
        for name in table.key
        if kinds[name] is ColumnKind.TEXT
    ]
    if texts.is_empty() or not words:
        return records.clear()
    long_words = [pl.when(word.str.len_chars() >= _SHORTEST_NUMBER).then(word) for word in words]
    marked = records.with_columns(pl.coalesce(long_words).alias(_WORD))
    sought = marked[_WORD].drop_nulls().unique().implode()
    named = texts.str.replace_all("-", "", literal=True).str.extract_many(sought, overlapping=True).explode()
    return marked.filter(pl.col(_WORD).is_in(named.drop_nulls().unique().implode())).drop(_WORD)


def first_load_batches(oldest_first: Iterable[StagedIndex]) -> list[str]:
    """The batches of a dataset's first load: the first, and those that complete it if its fetch was partial."""
    found: list[str] = []
    for index in oldest_first:
        if found and batch_instant(index.batch) - batch_instant(found[0]) > LONGEST_FIRST_LOAD:
            break
        found.append(index.batch)
        if not index.figures.get(PARTIAL_FETCH):
            break
    return found
