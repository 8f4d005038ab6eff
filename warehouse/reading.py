"""What a reader of releases gets and asks: plain values, shared by the API, the fan-out and the tests.

Does not belong here: how any of it is looked up (`warehouse.reader`), written (`warehouse.release`) or sent
(`api`). Imports no engine, so that a process that only serves stays small.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal, NamedTuple, Protocol

Key = tuple[str | int | None, ...]


class BadKey(ValueError):  # noqa: N818 - named for what it says of the key
    """A sort key that is not of this list: an older edition of the software wrote it, or it is of another list."""


class TookTooLong(TimeoutError):  # noqa: N818 - named for what happened
    """A list was not answered within the time a question may take: ask for less, or later."""


class Document(NamedTuple):
    """One profile. A tuple, for it is made and kept thousands of times a second.

    `body` is the compact JSON object of the 14 fields, `etag` 16 hex of its SHA-256.
    """

    company_id: str
    body: bytes
    etag: str


@dataclass(frozen=True, slots=True)
class Head:
    """What lists under a company carry at top level."""

    company_id: str
    org_number: str
    name: str


@dataclass(frozen=True, slots=True)
class Page:
    """One page: JSON objects, the sort key of each, and whether more follow."""

    rows: tuple[bytes, ...]
    keys: tuple[Key, ...]
    has_more: bool


@dataclass(frozen=True, slots=True)
class Search:
    """What docs/contract/contract.md 4.2 can ask for. None and empty tuples do not filter.

    `sort` is `relevance` or `id` (both here), `name`, `-latest_revenue` or `-registered_date`.
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
class Periods:
    """Which financial rows (docs/contract/contract.md 4.3).

    `history` adds superseded versions, `sources` a member of that name.
    """

    period_type: Literal["annual", "quarterly", "all"] = "all"
    years: int | None = None
    from_year: int | None = None
    to_year: int | None = None
    consolidated: bool | None = None
    history: bool = False
    sources: bool = False


@dataclass(frozen=True, slots=True)
class EventQuery:
    """Which events: `since` (inclusive) and `until` (exclusive) are of `recorded_at`.

    See docs/contract/contract.md 4.5.
    """

    types: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    descending: bool = True


@dataclass(frozen=True, slots=True)
class Event:
    """One event of the ledger. `data` is the contract's object, `sequence` inside.

    See docs/contract/contract.md 4.6.
    """

    sequence: int
    event_id: str
    event_type: str
    company_id: str
    occurred_at: datetime
    recorded_at: datetime
    data: bytes


@dataclass(frozen=True, slots=True)
class Held:
    """Why a dataset was not taken in: the guard, what it saw and what it allows."""

    guard: str
    seen: float
    allowed: float


@dataclass(frozen=True, slots=True)
class Terms:
    """Under what licence a dataset is passed on. `attribution` is the sentence a consumer must show, or None."""

    licence: str
    licence_url: str | None
    attribution: str | None


@dataclass(frozen=True, slots=True)
class DatasetState:
    """How fresh one dataset is, and its terms. `accepted`: the guard a person let its newest batch through.

    `checked_at`: when its source was last looked at in full, whether or not anything was new. `held_since`: the
    first run since which the source could not be taken in (None: fresh). `terms` None: written before they were.
    """

    observed_at: datetime | None
    batches: tuple[str, ...] = ()
    rows: int = 0
    held: Held | None = None
    accepted: Held | None = None
    checked_at: datetime | None = None
    held_since: datetime | None = None
    terms: Terms | None = None


@dataclass(frozen=True, slots=True)
class MarketState:
    """How fresh one market is in a release: `at` its newest instant, `companies` how many it holds."""

    state: Literal["fresh", "held"]
    at: datetime | None
    companies: int = 0
    datasets: Mapping[str, DatasetState] = field(default_factory=dict)


class Snapshot(Protocol):
    """One release, pinned: every answer of one request comes from the same one."""

    @property
    def number(self) -> int: ...
    @property
    def last_sequence(self) -> int: ...
    @property
    def built_at(self) -> datetime: ...
    @property
    def markets(self) -> Mapping[str, MarketState]: ...

    def head(self, company_id: str) -> Head | None:
        """Number and name of a company; None when this release has no such company."""
        ...

    def profile(self, company_id: str) -> Document | None:
        """The ready profile; None when this release has no such company."""
        ...

    def parts(self, company_id: str) -> Mapping[str, bytes]:
        """What `include=` adds to a profile, by name (detail, identifiers, address, sources).

        Each is the text of a JSON object whose members are merged at top level. Empty when this release has no
        such company.
        """
        ...

    def search(self, query: Search, after: Key | None, limit: int) -> Page:
        """Profiles that match, best first (sort key: opaque; give the last one back as `after`)."""
        ...

    def named(self, text: str) -> tuple[str, ...]:
        """Ids of the few companies that a whole text names by LEI, ISIN, symbol, VAT number, EUID or CIK."""
        ...

    def suits(self, company_id: str, query: Search) -> bool:
        """Whether the filters of a search let this company through, whatever its name."""
        ...

    def financials(self, company_id: str, query: Periods, after: Key | None, limit: int) -> Page:
        """Financial rows, newest first."""
        ...

    def owners(
        self, company_id: str, as_of: date, min_pct: str | None, after: Key | None, limit: int
    ) -> tuple[Page, str | None]:
        """Owners on that day, largest first, and the known percentage as JSON number text (None: none known).

        `min_pct` is decimal text; it never goes through a float.
        """
        ...

    def events(self, company_id: str, query: EventQuery, after: Key | None, limit: int) -> Page:
        """Events by sequence; the key of a row is `(sequence,)`."""
        ...
