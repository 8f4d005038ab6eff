"""What a connector declares: datasets, their files, fetching, reading, and how they become shared tables.

Pure declarations: frozen data and function signatures, no I/O, no storage, no Dagster. One declaration serves a
live fetch, a change feed, files from a folder and the sandbox alike. Pipelines are made from these by factories;
nothing outside `connectors` names a country.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, BinaryIO, Literal, Protocol

from polars import DataFrame, LazyFrame, Series

from connectors.bodies import (
    NOT_A_COMPANY,
    REJECT_COLUMNS,
    Arrival,
    Batch,
    Cursor,
    Former,
    NotOurs,
    Piece,
    Recognised,
    Scope,
    Signal,
    Unreadable,
)
from warehouse.schema.types import Table

if TYPE_CHECKING:
    from connectors.kit.http import Http
    from connectors.kit.without import Told

__all__ = [
    "META_COLUMNS",
    "NOT_A_COMPANY",
    "REJECT_COLUMNS",
    "Arrival",
    "Batch",
    "Cadence",
    "Cursor",
    "Dataset",
    "Doubt",
    "Former",
    "Guard",
    "Jurisdiction",
    "Key",
    "Licence",
    "Link",
    "NotOurs",
    "Origin",
    "Piece",
    "Recognised",
    "Scope",
    "Secret",
    "SharedTables",
    "Signal",
    "Unreadable",
    "Without",
]


@dataclass(frozen=True, slots=True)
class Licence:
    """Under what terms the data may be passed on. `attribution` is the sentence a consumer must show, or None."""

    name: str
    url: str | None
    attribution: str | None


@dataclass(frozen=True, slots=True)
class Cadence:
    """How often the source changes: `cron` in UTC for the schedule; `stale_after_hours` for freshness checks."""

    cron: str
    stale_after_hours: int


@dataclass(frozen=True, slots=True)
class Guard:
    """Limits judged on FULL editions against the last good one (docs/architecture.md 5).

    `min_rows` and `max_shrink` (share of records lost) are fatal; `max_rows` and `max_changed` warn.
    `max_rejected` (share of unparsable rows; reasons of NOT_A_COMPANY do not count) is fatal for every scope.
    """

    min_rows: int = 1
    max_rows: int | None = None
    max_shrink: float = 0.02
    max_changed: float = 0.20
    max_rejected: float = 0.001


class Without(Protocol):
    """Writes a body without the records told of; false where nothing of it is left."""

    def __call__(
        self, body: BinaryIO, told: Told, into: BinaryIO, *, quoted: bool = ..., name: str = ...
    ) -> bool: ...


@dataclass(frozen=True, slots=True)
class Doubt:
    """A record that may be gone: its staged table, its key there, and the subject to ask for."""

    subject: str
    table: str
    key: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dataset:
    """One dataset of one registry. `key` is archive prefix, asset key and `sources[].register` in one.

    files: globs below the jurisdiction's folder; the most specific dataset gets the file.
    recognise: from a file's name and first 64 KiB.
    staged: the staged tables by name; keys of these tables identify a record over time. Two doors to the same
    records share their tables: of one instant the later dataset of the jurisdiction holds.
    wants: subjects to ask for one by one, from what was just staged of any dataset of the jurisdiction.
    fetch: live and sandbox alike; the base address is the Http's business.
    rate: requests a second that its host is asked at most; None: the client's own limit.
    limiter: hosts that count their requests together, by the name of what they are counted under: `rate` is that
    of all of them.
    redact: takes persons out before the archive.
    named_by: key of the feed that names whose records here change; what a complete edition changes though the feed
    named nobody is told of (signal `missed_by_feed`).
    is_whole: where an edition comes in several files, whether these, by their names, are all of it. While one is
    missing the others are a part, and what they lack is not gone.
    split: archive members; a plain file splits into itself.
    read: pure; the unit of the process pool. Raises Unreadable.
    doubts: records that the newest complete edition lacks and that count as gone only once their subject was
    answered about, from the rows it lacks by table (`_retired_at` as it would be) and all present rows of their
    companies. Asked before the subjects of `wants`, which is declared with it; what stays unanswered stays as it
    was, and is asked about by the next run. Where nobody can be asked, absence is the register's word.
    listen: bodies of a feed as they happen, until the source ends the connection; for a reader that lives beside
    the runs. While none does, `fetch` takes what is new of the feed. Its cursors are those of `fetch`. The tables
    of such a dataset have a `sequence`: what a kill or two doors bring twice is one record.
    rereads: of archives in which every member is a whole answer, whatever the day: one that is as it was in the
    archive before is not read again, and its rows stand as if it had been. After so long all are read once more,
    for a reader that has learned something since. None: every archive is read whole.
    without: writes a body again without somebody's records where its structure alone (`kit.without`) is not enough,
    as in files that count their records.
    """

    key: str
    title: str
    licence: Licence
    cadence: Cadence
    guard: Guard
    host: str
    staged: Mapping[str, Table]
    files: tuple[str, ...]
    recognise: Callable[[str, bytes], Recognised | NotOurs]
    split: Callable[[Piece], Iterator[Piece]]
    read: Callable[[Piece], Iterator[Batch]]
    fetch: Callable[[Http, Cursor | None, Iterable[str]], Iterator[Arrival]] | None = None
    wants: Callable[[Mapping[str, DataFrame]], Iterator[str]] | None = None
    redact: Callable[[BinaryIO], BinaryIO] | None = None
    named_by: str | None = None
    doubts: Callable[[Mapping[str, DataFrame], Mapping[str, DataFrame]], Iterator[Doubt]] | None = None
    listen: Callable[[Http, Cursor | None], Iterator[Arrival]] | None = None
    without: Without | None = None
    rate: float | None = None
    limiter: str | None = None
    is_whole: Callable[[Collection[str]], bool] | None = None
    rereads: timedelta | None = None


SharedTables = Mapping[
    str, DataFrame
]  # by name of NORMALISED and PASSING (warehouse.schema.tables); absent: no rows

# Columns that pipelines add to every staged row; `normalise` sees them, `read` does not write them.
META_COLUMNS = {
    "_company_id": "text: the company the row concerns (Jurisdiction.touches)",
    "_observed_at": "instant: when the source said so",
    "_raw": "text: Piece.pointer",
    "_retired_at": "instant or null: absent from the FULL edition of that instant",
}


@dataclass(frozen=True, slots=True)
class Key:
    """What rows are known by where no column says it. `of`: rows of a staged table to text per row, pure.

    Null or empty where a row has no key: an entity that is deleted and should not answer to its name. `name`
    stays when `of` is mended, and is written in lower_snake: the keys of each row are stored under it.
    """

    name: str
    of: Callable[[DataFrame], Series]


@dataclass(frozen=True, slots=True)
class Link:
    """Rows that name their company only by an LEI, ISIN or name: a way to it through another staged table.

    `table`, `key`: rows for which `touches` gives null, and the column or Key that says who is meant. `through`,
    `through_key`: rows of companies, known by the same. A row belongs to the company where exactly one answers;
    `_company_id` holds it, for `normalise` as for every other row.

    Of several links of one table the first that anybody answers decides, so the hard key stands before the
    soft one: `(Link("xx_trades", "lei", "xx_lei", "lei"), Link("xx_trades", CORE_NAME, "xx_register", CORE_NAME))`.
    Where `through` names no company itself it is linked by links further up:
    `(Link("xx_trades", "lei", "xx_lei", "lei"), Link("xx_shorts", "isin", "xx_trades", "isin"))`.

    Links are followed again whenever either table changes: rows that come late, change or go move the rows that
    hang on them, and the companies that gain or lose some are normalised anew. Rows that were there before their
    dataset's baseline make no events when a link finds them, nor do rows that a link loses.
    """

    table: str
    key: str | Key
    through: str
    through_key: str | Key


@dataclass(frozen=True, slots=True)
class Secret:
    """What a host wants of its callers: its name there, and an address that answers 401 or 403 where it is wrong.

    opens: the host whose datasets need it, where that is another one.
    """

    host: str
    called: str
    probe: str | None = None
    opens: str | None = None


@dataclass(frozen=True, slots=True, eq=False)  # declared once: another object is another market
class Jurisdiction:
    """One folder under `connectors`.

    precedence: shared field -> dataset keys, first that has a value wins.
    touches: (staged table name, rows) -> company_id per row, null where the row concerns no company.
    normalise: present rows (staged columns and META_COLUMNS) of the touched companies by staged table name, and
    the run's logical date, to shared tables. Pure, and per company: the result for one company depends on that
    company's rows alone. Tables without rows may be missing from the mapping.
    links: how rows that `touches` gives null for find their company, in the order they are followed.
    holders: staged table -> columns that name a holder, or Keys that list the names in a cell; where none are
    declared no row is taken out for a holder that is erased.
    removed: staged table -> which of its rows say that the register has taken the company's content away for legal
    reasons. Everything else about such a company is erased after the ingest that brings the row; the row stays,
    and says no more than the number.
    dated: datasets each of whose holdings is a statement of a day of its own (a notice, a yearly list), so that the
    next one is another statement and no change in place: what they said before is in HOLDINGS_EARLIER.
    secrets: what hosts want of their callers; the operator has them, nothing of the market does.
    untitled: datasets whose news says what kind of paper was filed with a release and not how that is headed: it is
    known by its time alone.
    """

    code: str
    state: Literal["served", "announced", "support"]
    datasets: tuple[Dataset, ...]
    precedence: Mapping[str, tuple[str, ...]]
    touches: Callable[[str, DataFrame], Series]
    normalise: Callable[[Mapping[str, LazyFrame], date], SharedTables]
    links: tuple[Link, ...] = ()
    holders: Mapping[str, tuple[str | Key, ...]] = field(default_factory=dict)
    removed: Mapping[str, Callable[[DataFrame], Series]] = field(default_factory=dict)
    secrets: tuple[Secret, ...] = ()
    dated: tuple[str, ...] = ()
    untitled: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        staged = {name: table for dataset in self.datasets for name, table in dataset.staged.items()}
        linked = [link.table for link in self.links]
        for place, link in enumerate(self.links):
            for table, key in ((link.table, link.key), (link.through, link.through_key)):
                if table not in staged or (isinstance(key, str) and key not in staged[table].names):
                    raise ValueError(f"{self.code}: a link names {key} of {table}, which no dataset stages")
            if link.through in linked[place:]:
                raise ValueError(f"{self.code}: {link.table} is linked through {link.through} before that is")
        if not {*self.dated, *self.untitled} <= {dataset.key for dataset in self.datasets}:
            raise ValueError(f"{self.code}: dated or untitled names a dataset that is none of {self.code}'s")
        for table, names in self.holders.items():
            if table not in staged or not {name for name in names if isinstance(name, str)} <= set(
                staged[table].names
            ):
                raise ValueError(f"{self.code}: holders are named in {table}, which no dataset stages so")

    def dataset(self, key: str) -> Dataset:
        """The declaration of one dataset; KeyError where there is none."""
        for dataset in self.datasets:
            if dataset.key == key:
                return dataset
        raise KeyError(key)


class Origin(Protocol):
    """Where bodies come from: Live(Http), Live(sandbox Http), Folder(DIR, at)."""

    def arrivals(self, dataset: Dataset, after: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
        """Bodies of one dataset, oldest first."""
        ...
