"""Value types of the release reader: queries and results, shared by the API, the fan-out and the tests.

Does not belong here: how they are looked up (`warehouse.reader.reader`), written (`warehouse.publish.publisher`) or
sent (`api`). Imports no engine, so that a process that only serves stays small.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, NamedTuple, Protocol

from warehouse.schema.market_state import MarketState

Key = tuple[str | int | None, ...]


class InvalidPageKeyError(ValueError):
    """A paging key does not fit this list: from an older version of the software, or from another list."""


class QueryTimeoutError(TimeoutError):
    """A list query exceeded its time limit: request less, or retry later."""


class ProfileDocument(NamedTuple):
    """One profile. A tuple for speed: thousands are created and cached per second.

    `body` is the compact JSON object of the 14 fields, `etag` 16 hex digits of its SHA-256.
    """

    company_id: str
    body: bytes
    etag: str


@dataclass(frozen=True, slots=True)
class CompanyHeader:
    """Top-level fields of lists under a company."""

    company_id: str
    org_number: str
    name: str


@dataclass(frozen=True, slots=True)
class ResultPage:
    """One page: JSON objects, their sort keys, and whether more follow."""

    rows: tuple[bytes, ...]
    keys: tuple[Key, ...]
    has_more: bool


@dataclass(frozen=True, slots=True)
class CompanyQuery:
    """Search parameters of docs/contract/contract.md 4.2. None and empty tuples do not filter.

    `sort` is `relevance` or `id` (None: whichever applies), `name`, `-latest_revenue` or `-registered_date`.
    """

    q: str | None = None
    countries: tuple[str, ...] = ()
    industries: tuple[str, ...] = ()
    industry_scheme: str | None = None
    region: str | None = None
    sizes: tuple[str, ...] = ()
    employees_min: int | None = None
    employees_max: int | None = None
    revenue_min: int | None = None
    revenue_max: int | None = None
    currency: str | None = None
    statuses: tuple[str, ...] = ()
    is_listed: bool | None = None
    registered_from: date | None = None
    registered_to: date | None = None
    sort: str | None = None


@dataclass(frozen=True, slots=True)
class FinancialsQuery:
    """Parameters for financial rows (docs/contract/contract.md 4.3).

    `history` includes superseded versions, `sources` adds a member of that name.
    """

    period_type: Literal["annual", "quarterly", "all"] = "all"
    years: int | None = None
    from_year: int | None = None
    to_year: int | None = None
    is_consolidated: bool | None = None
    include_history: bool = False
    include_sources: bool = False


@dataclass(frozen=True, slots=True)
class EventQuery:
    """Parameters for events: `since` (inclusive) and `until` (exclusive) refer to `recorded_at`.

    See docs/contract/contract.md 4.5.
    """

    types: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    is_descending: bool = True


class PinnedRelease(Protocol):
    """One pinned release: all results of one request come from the same release."""

    @property
    def release_number(self) -> int: ...
    @property
    def last_sequence(self) -> int: ...
    @property
    def built_at(self) -> datetime: ...
    @property
    def markets(self) -> Mapping[str, MarketState]: ...

    def company_header(self, company_id: str) -> CompanyHeader | None:
        """Number and name of a company; None if this release has no such company."""
        ...

    def profile(self, company_id: str) -> ProfileDocument | None:
        """The profile document; None if this release has no such company."""
        ...

    def profile_parts(self, company_id: str) -> Mapping[str, bytes]:
        """Objects that `include=` adds to a profile, by name (detail, identifiers, address, sources).

        Each is the text of a JSON object; its members are merged at top level. Empty if this release has no
        such company.
        """
        ...

    def search_companies(self, query: CompanyQuery, after: Key | None, limit: int) -> ResultPage:
        """Profiles that match, best first (sort key: opaque; pass the last one as `after`)."""
        ...

    def ids_by_identifier(self, text: str) -> tuple[str, ...]:
        """Ids of the companies with this LEI, ISIN, symbol, VAT number, EUID or CIK."""
        ...

    def matches_filters(self, company_id: str, query: CompanyQuery) -> bool:
        """True if the company matches the filters of a search, regardless of its name."""
        ...

    def company_financials(self, company_id: str, query: FinancialsQuery, after: Key | None, limit: int) -> ResultPage:
        """Financial rows, newest first."""
        ...

    def company_owners(
        self, company_id: str, as_of: date, min_pct: str | None, after: Key | None, limit: int
    ) -> tuple[ResultPage, str | None]:
        """Owners on that day, largest first, and the sum of known percentages.

        The sum is JSON number text (None: none known). `min_pct` is decimal text; it is never converted to a
        float.
        """
        ...

    def company_events(self, company_id: str, query: EventQuery, after: Key | None, limit: int) -> ResultPage:
        """Events by sequence; the key of a row is `(sequence,)`."""
        ...
