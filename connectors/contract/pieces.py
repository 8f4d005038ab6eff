"""Types passed between an origin, the archive and a reader: bodies as fetched, rows as read.

Does not belong here: what a dataset is (`dataset`, which re-exports these names), or storage of bodies
(`warehouse`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import BinaryIO

from polars import DataFrame


class Scope(StrEnum):
    """What the absence of a record means. Only FULL may retire records and is checked by row guards."""

    FULL = "full"
    PART = "part"
    FEED = "feed"


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a feed or conditional fetch continues: opaque outside the dataset. Plain files use the ETag."""

    value: str


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """A file in a dataset's folder that does not belong to it, with the reason (a search page, an error body)."""

    reason: str


@dataclass(frozen=True, slots=True)
class RecognisedFile:
    """What a file states about itself: when it was observed (None: not stated) and what absence means."""

    observed_at: datetime | None
    scope: Scope


@dataclass(frozen=True, slots=True)
class PreviousArchive:
    """The previous, already ingested archive of a piece: members identical in both need not be read again.

    single_record_files: names of files that delivered single records since; members of these names are read in any
    case.
    """

    open: Callable[[], BinaryIO]
    single_record_files: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """One body in RAW or one archive member in it. `open` returns the plain bytes from the start each time.

    previous_archive: the previous archive, where only changed members are read (`Dataset.reread_interval`).
    """

    dataset: str
    name: str
    sha256: str
    observed_at: datetime
    scope: Scope
    batch: str
    open: Callable[[], BinaryIO]
    member_name: str | None = None
    previous_archive: PreviousArchive | None = None

    @property
    def raw_pointer(self) -> str:
        """Pointer into RAW: `sha256` or `sha256#member`."""
        return self.sha256 if self.member_name is None else f"{self.sha256}#{self.member_name}"

    def unreadable_error(self, reason: object) -> UnreadableFileError:
        """The error that rejects this file, for `raise`."""
        return UnreadableFileError(self.dataset, self.name, str(reason))


def no_split(piece: ArchiveMember) -> Iterator[ArchiveMember]:
    """The split of a plain file: the piece itself."""
    yield piece


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """A body handed from an origin to the archive. `cursor` is stored once the arrival is staged.

    has_more: the source has more to fetch, which this run leaves to the next. remaining: how much, and of what
    («companies», «days»), where the dataset knows.
    """

    name: str
    body: BinaryIO
    scope: Scope
    observed_at: datetime
    cursor: Cursor | None = None
    url: str | None = None  # without secrets
    http_status: int | None = None
    response_headers: Mapping[str, str] | None = None
    has_more: bool = False
    remaining: tuple[int, str] | None = None


@dataclass(frozen=True, slots=True)
class Signal:
    """A finding for a person to review: an unknown code, a new column, arithmetic that does not add up.

    `code` is stable lower_snake (unknown_status, unknown_column, …), `subject` the value or column it is
    about, `count` the number of occurrences, `examples` up to five company numbers or file names.
    """

    dataset: str
    code: str
    subject: str
    count: int
    examples: tuple[str, ...]


# reasons with this prefix: records of non-companies, not counted as read failures
NOT_A_COMPANY = "not a company"
REJECT_COLUMNS = ("record", "reason", "excerpt")  # text: key or row number; why; the first 200 characters


@dataclass(frozen=True, slots=True)
class Batch:
    """One chunk of one staged table, read from one piece.

    `rows` has exactly the columns of the staged table, in order; `rejects` the REJECT_COLUMNS, all text.
    """

    table: str
    rows: DataFrame
    rejects: DataFrame
    signals: tuple[Signal, ...] = ()


class UnreadableFileError(Exception):
    """A file that cannot be read at all: truncated, of another format, or without a mandatory column.

    Rejects that file, not the dataset. The message names what was found and what was expected.
    """

    def __init__(self, dataset: str, name: str, reason: str) -> None:
        super().__init__(f"{dataset}: {name}: {reason}")
        self.dataset = dataset
        self.name = name
        self.reason = reason
