"""What passes between an origin, the archive and a reader: bodies as they come, rows as they are read.

Does not belong here: what a dataset is (`declare`, which names these too), or where bodies are kept (`warehouse`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import BinaryIO

from polars import DataFrame


class Scope(StrEnum):
    """What the absence of a record means. Only FULL may retire records and is judged by row guards."""

    FULL = "full"
    PART = "part"
    FEED = "feed"


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a feed or conditional fetch goes on: opaque to everybody but the dataset. `etag` for plain files."""

    value: str


@dataclass(frozen=True, slots=True)
class NotOurs:
    """A file that lies in a dataset's folder but is not its business, and why (a search page, an error body)."""

    reason: str


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a file says about itself: when it was observed (None: it does not say) and what absence means."""

    observed_at: datetime | None
    scope: Scope


@dataclass(frozen=True, slots=True)
class Former:
    """The archive before a piece, as it was taken in: what both hold alike is known and need not be read again.

    told: names of files that brought single records since; the members of these names are read in any case.
    """

    open: Callable[[], BinaryIO]
    told: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Piece:
    """One body in RAW or one archive member in it. `open` gives the plain bytes from the start each time.

    former: where it is to be read against the one before it (`Dataset.rereads`).
    """

    dataset: str
    name: str
    sha256: str
    observed_at: datetime
    scope: Scope
    batch: str
    open: Callable[[], BinaryIO]
    member: str | None = None
    former: Former | None = None

    @property
    def pointer(self) -> str:
        """`sha256` or `sha256#member`: where the bytes stand in RAW."""
        return self.sha256 if self.member is None else f"{self.sha256}#{self.member}"


@dataclass(frozen=True, slots=True)
class Arrival:
    """What an origin hands to the archive. `cursor` is stored once the arrival is staged."""

    name: str
    body: BinaryIO
    scope: Scope
    observed_at: datetime
    cursor: Cursor | None = None
    url: str | None = None  # without secrets
    status: int | None = None
    headers: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Signal:
    """Something a person should look at: an unknown code, a new column, arithmetic that does not hold.

    `code` is stable lower_snake (unknown_status, unknown_column, …), `subject` the value or column it is about,
    `count` how often, `examples` up to five company numbers or file names.
    """

    dataset: str
    code: str
    subject: str
    count: int
    examples: tuple[str, ...]


NOT_A_COMPANY = "not a company"  # reasons that begin so list what is simply none: no failure of reading
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


class Unreadable(Exception):  # noqa: N818 - named for what it says of a file, as the field's readers do
    """A file that cannot be read at all: truncated, not what its name says, or short of a mandatory column.

    Rejects that file, not the dataset. The message says what was found and what was due.
    """

    def __init__(self, dataset: str, name: str, reason: str) -> None:
        super().__init__(f"{dataset}: {name}: {reason}")
        self.dataset = dataset
        self.name = name
        self.reason = reason
