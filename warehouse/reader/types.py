"""Value types of the release reader: queries and results, shared by the API, the fan-out and the tests.

Does not belong here: how they are looked up (`warehouse.reader.reader`), written (`warehouse.publish.publisher`) or
sent (`api`). Imports no engine, so that a process that only serves stays small.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, NamedTuple

from warehouse.ledger.read_index import LedgerEvent

Key = tuple[str | int | None, ...]


class NoReleaseError(LookupError):
    """No release has been published yet."""


class FormerReleaseError(NoReleaseError):
    """The release was published by an earlier version, which did not store what is asked for."""


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
class CompanyGroup:
    """The group of one company: lines as JSON objects (docs/contract/contract.md 4.4b).

    has_more_parents: only the first are listed. circles: ids of companies that hold each other, directly or through
    others. visited_companies: those whose relations were read. is_complete: no limit of a walk was reached.
    """

    ultimate_parents: tuple[bytes, ...]
    parents: tuple[bytes, ...]
    has_more_parents: bool
    children: ResultPage
    circles: tuple[tuple[str, ...], ...]
    visited_companies: int
    is_complete: bool


@dataclass(frozen=True, slots=True)
class NameQuestion:
    """A company asked for by name (docs/contract/contract.md 4.8d). `country`: its market.

    municipality, industry (prefix of a code, without dots): evidence beside the name; None: not stated.
    """

    name: str
    country: str
    municipality: str | None = None
    industry: str | None = None


@dataclass(frozen=True, slots=True)
class MatchCandidate:
    """A company that an item may mean. score: 0 to 1. reasons: why, and what speaks against it."""

    company_id: str
    score: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NameMatch:
    """The company that a name means, None unless it is one alone; the candidates, best first."""

    company_id: str | None
    candidates: tuple[MatchCandidate, ...] = ()


class Suggestion(NamedTuple):
    """A company that a text may be the beginning of. matched_by: number, identifier, ticker, name."""

    company_id: str
    matched_by: str
    body: bytes


@dataclass(frozen=True, slots=True)
class FinancialsQuery:
    """Parameters for financial rows (docs/contract/contract.md 4.3).

    `include_history` includes superseded versions, `include_sources` adds a member of that name.
    """

    period_type: Literal["annual", "quarterly", "all"] = "all"
    years: int | None = None
    from_year: int | None = None
    to_year: int | None = None
    is_consolidated: bool | None = None
    include_history: bool = False
    include_sources: bool = False


@dataclass(frozen=True, slots=True)
class FilingsQuery:
    """Parameters for filings: their types, and the first and last day of filing, both inclusive."""

    types: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None


@dataclass(frozen=True, slots=True)
class EventQuery:
    """Parameters for events: `since` (inclusive) and `until` (exclusive) refer to `recorded_at`.

    See docs/contract/contract.md 4.5.
    """

    types: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    is_descending: bool = True


class CompanyFacts(NamedTuple):
    """What filters of events read in a company's served profile."""

    industry_code: str | None
    industry_scheme: str | None
    is_listed: bool


@dataclass(frozen=True, slots=True)
class LedgerQuery:
    """Filters of the events of all companies (docs/contract/contract.md 4.5a). None and empty tuples do not filter.

    Country is of the event; industry and listing are those of the company's profile in the release that answers.
    `industries` are prefixes of codes, without dots.
    """

    types: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    industries: tuple[str, ...] = ()
    industry_scheme: str | None = None
    is_listed: bool | None = None

    @property
    def reads_profiles(self) -> bool:
        """Whether a match depends on the company's profile."""
        return bool(self.industries) or self.industry_scheme is not None or self.is_listed is not None

    def matches(self, event: LedgerEvent, facts: CompanyFacts | None) -> bool:
        """Whether the event passes; `facts` None: this release has no such company, so it has no industry."""
        if self.types and event.event_type not in self.types:
            return False
        if self.countries and event.country not in self.countries:
            return False
        return not self.reads_profiles or (facts is not None and self._matches_facts(facts))

    def _matches_facts(self, facts: CompanyFacts) -> bool:
        code = facts.industry_code
        return (
            (not self.industries or (code is not None and code.startswith(self.industries)))
            and self.industry_scheme in (None, facts.industry_scheme)
            and self.is_listed in (None, facts.is_listed)
        )


CompanyChoice = Callable[[Collection[str]], Collection[str]]
"""Which of these companies are chosen, by whoever asks: of a list that no release has."""


@dataclass(frozen=True, slots=True)
class LedgerPage:
    """Events, ascending; the sequence up to which the ledger was looked at, and whether it goes on after that."""

    events: tuple[LedgerEvent, ...]
    seen_to: int
    has_more: bool
