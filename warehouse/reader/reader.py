"""Release reader: follows the pointer, pins one release per request (docs/architecture.md 7 and 8).

Opens only published files; a new release is opened under its own name, the previous one is closed after its
last request. Imports neither polars nor pyarrow, and DuckDB only for the first query that needs a scan. Does
not belong here: the queries (`queries`).
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import date, datetime
from functools import partial
from typing import Final, Self

from warehouse.ledger.read_index import LedgerEvent, LedgerIndex
from warehouse.reader.company_query import CompanyQuery
from warehouse.reader.company_state import CompanyState, NotKnownThenError, StateQuery, company_state
from warehouse.reader.open_release import OpenRelease
from warehouse.reader.queries import (
    events,
    filings,
    financials,
    groups,
    ledger_events,
    name_lookup,
    owned,
    owners,
    profiles,
    search,
    suggestions,
)
from warehouse.reader.queries.duckdb_scans import QueryDeadline
from warehouse.reader.queries.relations import RelationIndex
from warehouse.reader.types import (
    CompanyChoice,
    CompanyFacts,
    CompanyGroup,
    CompanyHeader,
    EventQuery,
    FilingsQuery,
    FinancialsQuery,
    FormerReleaseError,
    InvalidPageKeyError,
    Key,
    LedgerPage,
    LedgerQuery,
    NameMatch,
    NameQuestion,
    NoReleaseError,
    ProfileDocument,
    QueryTimeoutError,
    ResultPage,
    Suggestion,
)
from warehouse.release import freshness, retraction_log, run_log
from warehouse.release import manifest as release_manifest
from warehouse.release.freshness import Freshness
from warehouse.release.manifest import InvalidReleaseError
from warehouse.release.run_log import RunNote
from warehouse.schema.market_state import DatasetState, MarketState, QuarantineReason
from warehouse.schema.retractions import BatchRetraction
from warehouse.serving import codec_read
from warehouse.storage.layout import Layout

LOGGER: Final = logging.getLogger("firm.reader")

__all__ = [
    "CompanyHeader",
    "CompanyQuery",
    "CompanyState",
    "DatasetState",
    "EventQuery",
    "FinancialsQuery",
    "FormerReleaseError",
    "InvalidPageKeyError",
    "Key",
    "LedgerEvent",
    "MarketState",
    "NoReleaseError",
    "NotKnownThenError",
    "PinnedRelease",
    "ProfileDocument",
    "QuarantineReason",
    "QueryTimeoutError",
    "ReleaseReader",
    "ResultPage",
    "StateQuery",
]

LOOK_EVERY_SECONDS: Final = 0.2
LIST_SECONDS: Final = 5.0  # time limit of a list query
_OPEN_TRIES: Final = 5  # a release may be pruned between reading the pointer and opening it


class PinnedRelease:
    """A release pinned for the length of a block: all results of one request come from the same release.

    A class, because a generator would cost every request a microsecond or two.
    """

    __slots__ = ("_connection", "_held", "_manifest", "_reader", "_scans")

    def __init__(self, reader: ReleaseReader) -> None:
        self._reader = reader

    def __enter__(self) -> Self:
        self._held = held = self._reader.acquire_release()
        self._manifest = held.manifest
        self._scans = held.scans
        try:
            self._connection = held.take()
        except (OSError, sqlite3.Error):
            self._reader.return_release(held)  # otherwise the release would never be closed
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._held.give(self._connection)
        self._reader.return_release(self._held)

    @property
    def release_number(self) -> int:
        return self._manifest.release

    @property
    def last_sequence(self) -> int:
        return self._manifest.last

    @property
    def built_at(self) -> datetime:
        return self._manifest.built_at

    @property
    def markets(self) -> Mapping[str, MarketState]:
        return self._manifest.markets

    def company_header(self, company_id: str) -> CompanyHeader | None:
        """Number and name of a company; None if this release has no such company."""
        return profiles.company_header(self._connection, company_id)

    def profile(self, company_id: str) -> ProfileDocument | None:
        """The profile document; None if this release has no such company."""
        return self._held.profile(self._connection, company_id)

    def profile_parts(self, company_id: str) -> Mapping[str, bytes]:
        """Objects that `include=` adds to a profile, by name (detail, identifiers, address, sources).

        Each is the text of a JSON object; its members are merged at top level. Empty for an unknown company.
        """
        return profiles.profile_parts(self._connection, company_id)

    def search_companies(self, query: CompanyQuery, after: Key | None, limit: int) -> ResultPage:
        """Profiles that match, best first (sort key: opaque; pass the last one as `after`)."""
        with self._with_deadline() as budget:
            return search.search_companies(self._connection, partial(self._scans.rows, budget), query, after, limit)

    def ids_by_identifier(self, text: str) -> tuple[str, ...]:
        """Ids of the companies with this LEI, ISIN, symbol, VAT number, EUID or CIK."""
        return profiles.ids_by_identifier(self._connection, text)

    def match_name(self, question: NameQuestion) -> NameMatch:
        """Which company a name means; many names within one `limited_time`."""
        return name_lookup.match_name(self._connection, question)

    def suggest_companies(self, text: str, countries: tuple[str, ...], limit: int) -> list[Suggestion]:
        """Companies whose number, symbol or name begins with a text, best first."""
        with self._with_deadline():
            return suggestions.suggest_companies(self._connection, text, countries, limit)

    def matches_filters(self, company_id: str, query: CompanyQuery) -> bool:
        """True if the company matches the filters of a search, regardless of its name."""
        with self._with_deadline() as budget:
            return search.matches_filters(self._connection, partial(self._scans.rows, budget), query, company_id)

    def company_financials(self, company_id: str, query: FinancialsQuery, after: Key | None, limit: int) -> ResultPage:
        """Financial rows, newest first."""
        with self._with_deadline():
            return financials.select_financials(
                financials.financial_rows(self._connection, company_id), query, after, limit
            )

    def company_filings(self, company_id: str, query: FilingsQuery, after: Key | None, limit: int) -> ResultPage:
        """Documents filed, newest first."""
        with self._with_deadline() as budget:
            return filings.company_filings(partial(self._scans.rows, budget), company_id, query, after, limit)

    def company_owners(
        self, company_id: str, as_of: date, min_pct: str | None, after: Key | None, limit: int
    ) -> tuple[ResultPage, str | None]:
        """Owners on that day, largest first, and the sum of known percentages.

        The sum is JSON number text (None: none known). `min_pct` is decimal text, never a float.
        """
        with self._with_deadline():
            return owners.select_owners(owners.owner_rows(self._connection, company_id), as_of, min_pct, after, limit)

    def company_state(self, company_id: str, query: StateQuery) -> CompanyState | None:
        """The company as known at an instant and as of a day, read by key; None if no kept release has it.

        Raises NotKnownThenError if nothing of it was known then.
        """
        return company_state(self._connection, self._held.past, company_id, query)

    def company_group(self, company_id: str, day: date, depth: int, after: Key | None, limit: int) -> CompanyGroup:
        """Parents, ultimate parents and children of a company as of a day, down to `depth` levels (1 to 10)."""
        with self._with_deadline():
            self._require_relations()
            index = RelationIndex(self._connection, day.isoformat())
            return groups.company_group(index, company_id, depth, after, limit)

    def past_group(self, state: CompanyState, day: date, depth: int, after: Key | None, limit: int) -> CompanyGroup:
        """As `company_group`, of a state (`company_state`); raises NotKnownThenError if it had no group then."""
        with self._with_deadline() as budget:
            self._require_relations()
            return state.group(day, depth, after, limit, budget.left)

    def company_holdings(
        self, company_id: str, as_of: date, min_pct: str | None, after: Key | None, limit: int
    ) -> ResultPage:
        """What a company owned in others on that day, largest first; `min_pct` as in `company_owners`."""
        with self._with_deadline():
            self._require_relations()
            return owned.company_holdings(self._connection, company_id, as_of, min_pct, after, limit)

    def _require_relations(self) -> None:
        if not codec_read.has_relations(self._connection):
            raise FormerReleaseError("the release has no relations: run `firm ingest`")

    def company_events(self, company_id: str, query: EventQuery, after: Key | None, limit: int) -> ResultPage:
        """Events by sequence; the key of a row is `(sequence,)`."""
        with self._with_deadline():
            return events.company_events(self._connection, company_id, query, after, limit)

    def ledger_events(
        self, query: LedgerQuery, after: int, limit: int, chosen: CompanyChoice | None = None
    ) -> LedgerPage:
        """Events of all companies, or of chosen ones, above a sequence, ascending.

        With filters or a choice a page may be short, even empty.
        """
        with self._with_deadline():
            index = self._reader.ledger_index
            return ledger_events.ledger_events(self._connection, index, query, after, self.last_sequence, limit, chosen)

    def sequence_before(self, instant: datetime) -> int:
        """The last sequence before the first event recorded at or after an instant."""
        return self._reader.ledger_index.sequence_before(events.recorded_bound(instant), self.last_sequence)

    def company_facts(self, company_ids: Iterable[str]) -> dict[str, CompanyFacts]:
        """What filters of events read of these companies; those that this release does not have are missing."""
        return ledger_events.company_facts(self._connection, company_ids)

    def limited_time(self, queries: int) -> AbstractContextManager[QueryDeadline]:
        """Limits many look-ups together to the time of so many list queries (QueryTimeoutError)."""
        return self._with_deadline(queries)

    @contextmanager
    def _with_deadline(self, queries: int = 1) -> Iterator[QueryDeadline]:
        budget = self._reader.query_deadline(queries)
        with budget.limits(self._connection):
            yield budget


class ReleaseReader:
    """Follows the releases of one data root. One per process; thread-safe.

    `seconds`: time limit of a list query (`QueryTimeoutError`).
    """

    def __init__(
        self, layout: Layout, monotonic: Callable[[], float] = time.monotonic, seconds: float = LIST_SECONDS
    ) -> None:
        self._seconds = seconds
        self._layout = layout
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self.ledger_index = LedgerIndex(layout.ledger_folder)
        self._open: OpenRelease | None = None
        self._stamp: tuple[int, int] | None = None
        self._told: tuple[int, int] | None = None
        self._look_at = float("-inf")

    def query_deadline(self, queries: int = 1) -> QueryDeadline:
        """The time limit of so many list queries, starting now."""
        return QueryDeadline(self._seconds * queries, self._monotonic)

    def pin_release(self) -> AbstractContextManager[PinnedRelease]:
        """Pins the newest release for the block. Raises NoReleaseError before the first."""
        return PinnedRelease(self)

    def current_release_number(self) -> int | None:
        """Number of the newest release; None before the first."""
        try:
            held = self.acquire_release()
        except NoReleaseError:
            return None
        try:
            return held.manifest.release
        finally:
            self.return_release(held)

    def events_after(self, sequence: int, limit: int) -> list[LedgerEvent]:
        """Published events of all companies above a sequence, ascending; used by the fan-out."""
        try:
            held = self.acquire_release()
        except NoReleaseError:
            return []
        try:
            return self.ledger_index.after(sequence, held.manifest.last, limit)
        finally:
            self.return_release(held)

    def company_facts(self, company_ids: Iterable[str]) -> dict[str, CompanyFacts]:
        """What filters of events read of these companies in the newest release; used by the fan-out."""
        with self.pin_release() as release:
            return release.company_facts(company_ids)

    def read_freshness(self) -> Freshness:
        """Freshness of markets and datasets as recorded by runs, also since the newest release."""
        return freshness.read_freshness(self._layout)

    def read_run_log(self) -> list[RunNote]:
        """Run reports, newest first."""
        return run_log.read_run_log(self._layout)

    def read_retractions(self) -> list[BatchRetraction]:
        """Retractions of batches, newest first."""
        return retraction_log.read_retractions(self._layout)

    def close(self) -> None:
        """Closes the open release, or leaves that to its last request if it is in use."""
        with self._lock:
            former, self._open, self._stamp = self._open, None, None
            self._look_at = float("-inf")
            if former is not None and former.requests == 0:
                former.close()

    def acquire_release(self) -> OpenRelease:
        """The newest release; stays open until `return_release` is called."""
        with self._lock:
            now = self._monotonic()
            if now >= self._look_at:
                self._follow_pointer()
                self._look_at = now + LOOK_EVERY_SECONDS
            if self._open is None:
                raise NoReleaseError("no release yet: run `firm ingest`")
            self._open.requests += 1
            return self._open

    def return_release(self, release: OpenRelease) -> None:
        """Ends one use (`acquire_release`); the last one of a superseded release closes it."""
        with self._lock:
            release.requests -= 1
            if release.requests == 0 and release is not self._open:
                release.close()

    def _follow_pointer(self) -> None:
        """Opens the release named by the pointer if the pointer was replaced.

        A release that cannot be opened is logged once, and the previous one stays in use; every check retries,
        as a disk may recover.
        """
        try:
            status = self._layout.release_pointer_file.stat()
        except FileNotFoundError:
            return
        stamp = (status.st_mtime_ns, status.st_ino)
        if stamp == self._stamp:
            return
        try:
            fresh = self._open_current()
        except InvalidReleaseError:
            if self._open is None:
                raise
            if self._told != stamp:
                LOGGER.exception("release %s stays in use: the next one cannot be opened", self._open.manifest.release)
                self._told = stamp
            return
        former, self._open, self._stamp = self._open, fresh, stamp
        if former is not None and former.requests == 0:
            former.close()

    def _open_current(self) -> OpenRelease:
        failure: Exception | None = None
        for _ in range(_OPEN_TRIES):
            try:
                manifest = release_manifest.served_manifest(self._layout)
                if manifest is not None:
                    return OpenRelease(self._layout, manifest)
            except (OSError, sqlite3.DatabaseError, InvalidReleaseError) as error:
                failure = error
        raise InvalidReleaseError(
            f"{self._layout.release_pointer_file} names a release that cannot be opened: {failure}"
        ) from failure
