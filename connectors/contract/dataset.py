"""What a connector declares: datasets, their files, fetching, reading, and how they become shared tables.

Pure declarations: frozen data and function signatures, no I/O, no storage, no Dagster. One declaration serves
a live fetch, a change feed, files from a folder and the sandbox alike. Factories build pipelines from these;
nothing outside `connectors` names a country.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, BinaryIO, Final, Literal, Protocol

from polars import DataFrame, Datetime, Expr, LazyFrame, Schema, Series, String

from connectors.contract.companion import Companion
from connectors.contract.pieces import (
    NOT_A_COMPANY,
    REJECT_COLUMNS,
    ArchiveMember,
    Batch,
    Cursor,
    FetchedFile,
    NotApplicable,
    PreviousArchive,
    RecognisedFile,
    Scope,
    Signal,
    UnreadableFileError,
    no_split,
)
from warehouse.schema.types import Table

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient
    from connectors.kit.redact.person_marks import PersonMarker
    from connectors.kit.redact.remove_records import SubjectPatterns

__all__ = [
    "CONTRADICTIONS",
    "CONTRADICTIONS_SCHEMA",
    "MAPPING_SIGNALS",
    "MAPPING_SIGNALS_SCHEMA",
    "META_SCHEMA",
    "NOT_A_COMPANY",
    "REJECT_COLUMNS",
    "REMOVAL_CONFIRMED_AFTER",
    "AbsenceCheck",
    "AbsenceRule",
    "ArchiveMember",
    "Batch",
    "Cadence",
    "ComputedKey",
    "Cursor",
    "Dataset",
    "FetchedFile",
    "FileSource",
    "GuardLimits",
    "HostLimit",
    "HostSecret",
    "Jurisdiction",
    "Licence",
    "Link",
    "LoadedRows",
    "NotApplicable",
    "PresentRows",
    "PreviousArchive",
    "RecognisedFile",
    "RecordRemover",
    "Scope",
    "SharedTables",
    "Signal",
    "UnreadableFileError",
]

# Between a first announcement that a register removed a company and a second one that confirms it
REMOVAL_CONFIRMED_AFTER: Final = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class Licence:
    """Terms under which the data may be passed on. `attribution` is the sentence a consumer must show, or None."""

    name: str
    url: str | None
    attribution: str | None


@dataclass(frozen=True, slots=True)
class Cadence:
    """How often the source changes: `cron` in UTC for the schedule; `stale_after_hours` for freshness checks."""

    cron: str
    stale_after_hours: int


@dataclass(frozen=True, slots=True)
class GuardLimits:
    """Limits that compare a FULL snapshot with the last accepted one (docs/architecture.md 5).

    `min_rows` and `max_shrink` (share of records lost) are fatal; `max_rows` and `max_changed` warn.
    `max_rejected` (share of unparsable rows, not counting reasons of NOT_A_COMPANY) is fatal for every scope.
    """

    min_rows: int = 1
    max_rows: int | None = None
    max_shrink: float = 0.02
    max_changed: float = 0.20
    max_rejected: float = 0.001


class RecordRemover(Protocol):
    """Writes a body without the records that match the subject; False if nothing remains."""

    def __call__(
        self, body: BinaryIO, patterns: SubjectPatterns, into: BinaryIO, *, quoted: bool = ..., name: str = ...
    ) -> bool: ...


@dataclass(frozen=True, slots=True)
class AbsenceCheck:
    """A record that may be gone: its staged table, its key there, and the subject to look up."""

    subject: str
    table: str
    key: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dataset:
    """One dataset of one registry. `key` is archive prefix, asset key and `sources[].register` at once.

    file_patterns: globs below the jurisdiction's folder, in part also in `shared_folders`; the most specific one wins.
    foreign_patterns: those of `file_patterns` that also hold in other markets' folders: files by country of filing.
    recognise_file: from a file's name and first 64 KiB.
    staged_tables: the staged tables by name; keys of these tables identify a record over time. Datasets that deliver
    the same records (bulk and API) share a staged table; on equal timestamps the dataset declared later wins.
    subjects_to_fetch: subjects to look up one by one, from what was just staged of any dataset of the jurisdiction.
    is_per_company: each of these is a company, and its answer is all that the source has of it. A first load then takes
    many runs: for filings and owners the baseline is the company's own first answer (docs/architecture.md 6).
    fetch: used for live and sandbox; the base address is set in Http.
    redact: removes persons before the archive.
    mark_persons: as `redact`, which it replaces where there is a key; leaves marks that tell persons of one name apart.
    change_feed_key: of the feed that names changed records. Changes it did not name are reported (`missed_by_feed`).
    is_complete_set: whether these file names of a snapshot are complete. While one is missing the others count as a
    part, and records they lack are not retired.
    split_members: archive members; a plain file is its own only piece.
    read_batches: pure; the unit of the process pool. Raises UnreadableFileError.
    absences_to_confirm: records missing from the newest full snapshot that are retired only after a direct lookup
    (deletion check), from the missing rows by table (`_retired_at` as it would be) and all present rows of their
    companies. Requested before the subjects of `subjects_to_fetch`, which must be declared too; an unanswered record
    stays and is requested again by the next run. Without this, absence from the snapshot retires the record.
    listen_stream: bodies of a stream as they arrive, until the source closes the connection; for a reader process
    separate from the runs. While none runs, `fetch` reads the new entries. Both use the same cursors. Tables of such a
    dataset have a `sequence`, so that a record delivered twice (after a kill, or by two channels) is stored once.
    out_of_reach: why the source cannot be fetched any more, and what to do; shown wherever the dataset's age is.
    reread_interval: for archives in which every member is complete, independent of the day: a member unchanged since
    the previous archive is not read again, and its rows remain. After this interval, and where a member is missing, all
    are read again, so that changes in the reader take effect. None: every archive is read whole.
    complete_subjects: columns by staged table whose values name a subject of which every delivery has all records, as
    the filer of a file with all its facts. Records of it that a newer delivery lacks are retired; other subjects stay.
    remove_records: writes a body again without one subject's records where `kit.redact.remove_records` is not enough.
    """

    key: str
    title: str
    licence: Licence
    cadence: Cadence
    guard_limits: GuardLimits
    host: str
    staged_tables: Mapping[str, Table]
    file_patterns: tuple[str, ...]
    recognise_file: Callable[[str, bytes], RecognisedFile | NotApplicable]
    read_batches: Callable[[ArchiveMember], Iterator[Batch]]
    split_members: Callable[[ArchiveMember], Iterator[ArchiveMember]] = no_split
    fetch: Callable[[HttpClient, Cursor | None, Iterable[str]], Iterator[FetchedFile]] | None = None
    subjects_to_fetch: Callable[[Mapping[str, DataFrame]], Iterator[str]] | None = None
    is_per_company: bool = False
    redact: Callable[[BinaryIO], BinaryIO] | None = None
    mark_persons: Callable[[BinaryIO, PersonMarker], BinaryIO] | None = None
    change_feed_key: str | None = None
    absences_to_confirm: Callable[[Mapping[str, DataFrame], Mapping[str, DataFrame]], Iterator[AbsenceCheck]] | None = (
        None
    )
    listen_stream: Callable[[HttpClient, Cursor | None], Iterator[FetchedFile]] | None = None
    remove_records: RecordRemover | None = None
    is_complete_set: Callable[[Collection[str]], bool] | None = None
    reread_interval: timedelta | None = None
    complete_subjects: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    foreign_patterns: tuple[str, ...] = ()
    out_of_reach: str | None = None

    def __post_init__(self) -> None:
        for name, columns in self.complete_subjects.items():
            if name not in self.staged_tables or not set(columns) <= set(self.staged_tables[name].names):
                raise ValueError(f"{self.key}: complete_subjects names columns of {name} that it does not stage")


# By name of NORMALISED and PASSING (warehouse.schema.tables), absent: no rows; and CONTRADICTIONS, MAPPING_SIGNALS
SharedTables = Mapping[str, DataFrame]
# Values of one column and key that two contributions state differently: a review finding, the first by rank is served
CONTRADICTIONS: Final = "_contradictions"
CONTRADICTIONS_SCHEMA: Final = Schema(dict.fromkeys(("register", "table", "column", "company_id"), String()))
# Findings that only a mapping can make, where it leaves a value null: one row per finding, as `Signal` has it
MAPPING_SIGNALS: Final = "_mapping_signals"
MAPPING_SIGNALS_SCHEMA: Final = Schema(dict.fromkeys(("dataset", "code", "subject", "company_id"), String()))

# by staged table: its columns and META_SCHEMA. A table is missing if none of its datasets was ever loaded: absence from
# it says nothing then (`AbsenceRule`).
PresentRows = Mapping[str, LazyFrame]


class LoadedRows(dict[str, LazyFrame]):
    """Present rows that know which staged tables were only ever loaded in parts."""

    def __init__(self, rows: Mapping[str, LazyFrame], in_part: Collection[str] = ()) -> None:
        super().__init__(rows)
        self.in_part = frozenset(in_part)


# Columns that pipelines add to every staged row; the mapping sees them, `read_batches` does not write them.
META_SCHEMA = Schema(
    {
        "_company_id": String(),  # the company that the row concerns: its own number, or the link's result
        "_observed_at": Datetime("us", "UTC"),  # when the source reported it
        "_raw": String(),  # ArchiveMember.pointer
        "_retired_at": Datetime("us", "UTC"),  # absent from the full snapshot of that instant, or null
    }
)


@dataclass(frozen=True, slots=True, eq=False)  # declared once: compared by identity
class AbsenceRule:
    """A rule that takes the absence of records for a statement about a company.

    While none of the datasets that it reads was ever loaded, it decides nothing, and releases state how many rows it
    leaves undecided (`pipelines.steps.reconciliation`).

    name: stable, as `se.status.missing_from_scb`. undecided: rows of the shared `table` that the rule then leaves open.
    needs_full: the datasets are registers, in which only a full snapshot says that a record is absent.
    is_open_without_records: it leaves companies open for which the loaded datasets have no record, too. Then nothing
    changes for these when data come, and nothing is left to review.
    """

    name: str
    reads: tuple[Dataset, ...]
    undecided: Expr
    table: str = "companies"
    needs_full: bool = False
    is_open_without_records: bool = False

    def has_data(self, present: PresentRows) -> bool:
        """True if any dataset that the rule reads was loaded, in full if it needs that: only then absence counts."""
        in_part = present.in_part if isinstance(present, LoadedRows) else ()
        return self.is_answered_by(present, in_part)

    def is_answered_by(self, loaded: Container[str], in_part: Container[str]) -> bool:
        """True if the absence of records counts. loaded: staged tables ever loaded; in_part: those never in full."""
        tables = (name for dataset in self.reads for name in dataset.staged_tables)
        return any(name in loaded and not (self.needs_full and name in in_part) for name in tables)


@dataclass(frozen=True, slots=True)
class ComputedKey:
    """Derived key of rows that have no key column. `of`: rows of a staged table to text per row, pure.

    Null or empty where a row has no key, e.g. a deleted entity that must not match by name. `name` stays the
    same when `of` is corrected, and is written in lower_snake: the keys of each row are stored under it.
    """

    name: str
    of: Callable[[DataFrame], Series]


@dataclass(frozen=True, slots=True)
class Link:
    """Links rows that name their company only by an LEI, ISIN or name to it through another staged table.

    `table`, `key`: rows for which `company_ids_of_rows` gives null, and the column or Key that identifies the company.
    `through`, `through_key`: rows of companies with the same key. A row is linked if exactly one company
    matches; `_company_id` then has its id, in `to_shared_tables` as for every other row.

    Of several links of one table the first with any match decides, so the hard key comes before the soft one:
    `(Link("xx_trades", "lei", "xx_lei", "lei"), Link("xx_trades", CORE_NAME, "xx_register", CORE_NAME))`.
    Where `through` names no company itself it is linked by earlier links:
    `(Link("xx_trades", "lei", "xx_lei", "lei"), Link("xx_shorts", "isin", "xx_trades", "isin"))`.

    Links are evaluated again whenever either table changes: late-arriving, changed or removed rows move the
    rows linked through them, and companies that gain or lose rows are normalised again. Rows older than their
    dataset's baseline make no events when a link finds them, nor do rows that a link loses.
    """

    table: str
    key: str | ComputedKey
    through: str
    through_key: str | ComputedKey


@dataclass(frozen=True, slots=True)
class HostLimit:
    """Maximum of requests per second to a host; to all hosts together that share the rate limit named `limiter`."""

    host: str
    per_second: float
    limiter: str | None = None


@dataclass(frozen=True, slots=True)
class HostSecret:
    """A credential that a host requires: its name there, and an address that answers 401 or 403 if it is wrong.

    dataset_host: of the datasets that need it, if another. key_header: header of a key that is not sent as HTTP Basic.
    """

    host: str
    secret_name: str
    probe_url: str | None = None
    dataset_host: str | None = None
    key_header: str | None = None


@dataclass(frozen=True, slots=True, eq=False)  # declared once: compared by identity
class Jurisdiction:
    """A market as the pipelines see it: the merge of its contributions (`connectors.kit.composition`).

    field_precedence: shared field -> dataset keys, first that has a value wins.
    company_ids_of_rows: (staged table name, rows) -> company_id per row, null where the row concerns no company.
    to_shared_tables: present rows of the touched companies and the run's logical date to shared tables. Pure, and per
    company: the result for one company depends on that company's rows alone.
    links: how rows without a company are linked to one, in order of evaluation. companions: rows that concern several.
    holder_columns: staged table -> columns that name a holder, or Keys that list the names in a cell; without a
    declaration no row is removed when a holder is erased.
    removal_masks: staged table -> which of its rows announce that the register has removed the company's content
    for legal reasons. Once that is confirmed, everything else about such a company is erased; the row itself stays,
    with the number only.
    removal_confirmations: staged table -> which of its present rows confirm such an announcement. Without one, only a
    second announcement confirms it, REMOVAL_CONFIRMED_AFTER the first, with no record of the company in between.
    dated_datasets: datasets in which each holding states a day of its own (a notice, a yearly list), so that the next
    one is another statement, not a change in place; superseded statements are in HOLDINGS_EARLIER.
    host_secrets: credentials that hosts require, which the operator supplies. host_limits: maxima of requests to hosts.
    untitled_datasets: of news with the kind of a filed document but no headline: releases are told apart by time alone.
    news_items: staged tables that hold news -> the items of their rows (`connectors.news.schema.ITEM`).
    absence_rules: rules that read the absence of records. registry_statuses: the register's words for a status -> what
    each means by itself; a company served with another, without a reason or a source that says why, is counted.
    profile_registers: dataset -> the register that it is a channel of, where a register has several. seat_datasets:
    those that state a municipality by itself, not as part of an address.
    company_tables: staged tables whose rows concern a company: by a number of their own, or by a link. stake_codes: of
    `holdings.controls`, those of holders that control nothing by them: partners, insiders, stakes.
    """

    code: str
    state: Literal["served", "announced"]
    datasets: tuple[Dataset, ...]
    field_precedence: Mapping[str, tuple[str, ...]]
    company_ids_of_rows: Callable[[str, DataFrame], Series]
    to_shared_tables: Callable[[PresentRows, date], SharedTables]
    links: tuple[Link, ...] = ()
    companions: tuple[Companion, ...] = ()
    holder_columns: Mapping[str, tuple[str | ComputedKey, ...]] = field(default_factory=dict)
    removal_masks: Mapping[str, Callable[[DataFrame], Series]] = field(default_factory=dict)
    removal_confirmations: Mapping[str, Callable[[DataFrame], Series]] = field(default_factory=dict)
    host_secrets: tuple[HostSecret, ...] = ()
    host_limits: tuple[HostLimit, ...] = ()
    dated_datasets: tuple[str, ...] = ()
    untitled_datasets: tuple[str, ...] = ()
    news_items: Mapping[str, Callable[[DataFrame], DataFrame]] = field(default_factory=dict)
    absence_rules: tuple[AbsenceRule, ...] = ()
    registry_statuses: Mapping[str, str] = field(default_factory=dict)
    profile_registers: Mapping[str, str] = field(default_factory=dict)
    seat_datasets: tuple[str, ...] = ()
    company_tables: frozenset[str] = frozenset()
    stake_codes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        staged = {name: table for dataset in self.datasets for name, table in dataset.staged_tables.items()}
        linked = [link.table for link in self.links]
        for place, link in enumerate(self.links):
            for table, key in ((link.table, link.key), (link.through, link.through_key)):
                if table not in staged or (isinstance(key, str) and key not in staged[table].names):
                    raise ValueError(f"{self.code}: a link names {key} of {table}, which no dataset stages")
            if link.through in linked[place:]:
                raise ValueError(f"{self.code}: {link.table} needs {link.through} to be linked first")
        if not {*self.dated_datasets, *self.untitled_datasets} <= {dataset.key for dataset in self.datasets}:
            raise ValueError(f"{self.code}: dated or untitled names a dataset of another market")
        for table, names in self.holder_columns.items():
            if table not in staged or not {name for name in names if isinstance(name, str)} <= set(staged[table].names):
                raise ValueError(f"{self.code}: no dataset stages {table} as the holders need it")

    def dataset(self, key: str) -> Dataset:
        """The declaration of one dataset; raises KeyError if there is none."""
        return {dataset.key: dataset for dataset in self.datasets}[key]


class FileSource(Protocol):
    """Source of bodies: Live(Http), Live(sandbox Http), Folder(DIR, at)."""

    def arrivals(self, dataset: Dataset, after: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
        """Bodies of one dataset, oldest first."""
        ...
