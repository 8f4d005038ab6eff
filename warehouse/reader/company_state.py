"""One company as it was known at an instant, and as the world was on a day (docs/contract/contract.md 4.4a).

Two axes: the release that was served at the instant, and a day by the dates that facts have of their own: owners,
filings, statuses. What has no date of its own is taken as it was known at the end of the day in the market's time.
Does not belong here: reading past files (`past_states`), or what the current release serves (`reader`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cached_property
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from warehouse.reader.past_relations import PastRelationIndex
from warehouse.reader.past_states import PastStates
from warehouse.reader.queries import financials, groups, owners, profiles, status_days
from warehouse.reader.queries.financials import DayOfFilings
from warehouse.reader.types import CompanyGroup, CompanyHeader, FinancialsQuery, Key, ResultPage
from warehouse.schema.markets import MARKETS
from warehouse.serving.past_db import FINANCIALS, OWNERS, PARTS, PROFILE

_SECOND: Final = timedelta(seconds=1)
_DAY: Final = timedelta(days=1)
_UNKNOWN_WITH_STATUS: Final = ("status_detail", "registry_status", "dissolved_date")
_MEMBERS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


class _Profile(msgspec.Struct):
    org_number: str
    name: str
    status: str
    registered_date: date | None = None


_PROFILE: Final = msgspec.json.Decoder(_Profile)


class NotKnownThenError(LookupError):
    """Nothing was known of a company at that instant or on that day. `begins`: since when states are kept, if later."""

    def __init__(self, begins: str | None = None) -> None:
        super().__init__("nothing was known of this company then")
        self.begins = begins


@dataclass(frozen=True, slots=True)
class StateQuery:
    """Which state of a company is asked for: known at an instant (None: now), as of a day (None: any)."""

    known_at: datetime | None = None
    as_of: date | None = None


class CompanyState:
    """The state of one company that a query asks for. Use `company_state`."""

    def __init__(
        self, connection: sqlite3.Connection, past: PastStates, company_id: str, release: int, as_of: date | None
    ) -> None:
        self._connection, self._past = connection, past
        self._company_id, self._release, self._as_of = company_id, release, as_of

    @cached_property
    def header(self) -> CompanyHeader:
        """Number and name as known at the instant."""
        known = _PROFILE.decode(self._require(PROFILE, self._release))
        return CompanyHeader(self._company_id, known.org_number, known.name)

    def profile(self) -> bytes:
        """The 14 fields. Raises NotKnownThenError if nothing of the company was known on the day."""
        body = self._require(PROFILE, self._day_release)
        status = self._status_on_day
        if status is None or _PROFILE.decode(body).status == status:
            return body
        members = _MEMBERS.decode(body)
        members["status"] = msgspec.Raw(msgspec.json.encode(status))
        return msgspec.json.encode(members)

    def profile_parts(self) -> Mapping[str, bytes]:
        """The optional parts of the profile, by name.

        What belongs to a status is null where that of the day is not the one that was known on it.
        """
        parts = self._parts(self._day_release)
        status = self._status_on_day
        if status is None or _PROFILE.decode(self._require(PROFILE, self._day_release)).status == status:
            return parts
        detail = _MEMBERS.decode(parts["detail"])
        unknown = dict.fromkeys(_UNKNOWN_WITH_STATUS, msgspec.Raw(b"null"))
        return {**parts, "detail": msgspec.json.encode(detail | unknown)}

    def financials(self, query: FinancialsQuery, after: Key | None, limit: int) -> ResultPage:
        """Periods; as of a day, those filed by it, in the newest version of then."""
        value, day = self._rows(FINANCIALS, self._release), None
        if self._as_of is not None:
            self._require_day()
            day = DayOfFilings(self._as_of, self._rows(FINANCIALS, self._optional_day_release))
        return financials.select_financials(value, query, after, limit, day)

    def owners(self, day: date, min_pct: str | None, after: Key | None, limit: int) -> tuple[ResultPage, str | None]:
        """Owners on a day, and the sum of their known shares."""
        if self._as_of is not None:
            self._require_day()
        return owners.select_owners(self._rows(OWNERS, self._release), day, min_pct, after, limit)

    def group(
        self, day: date, depth: int, after: Key | None, limit: int, require_time: Callable[[], object]
    ) -> CompanyGroup:
        """The group of lines valid on a day; as of a day, of what was known at its end.

        Raises NotKnownThenError as `profile` does, and if the release of then served no groups. require_time: as in
        `PastRelationIndex`.
        """
        _ = self._require(PROFILE, self._day_release)
        since = [one for one in self._past.releases() if one.number >= self._day_release]
        if not since[0].has_relations:
            raise NotKnownThenError(next(one.published for one in since if one.has_relations))
        index = PastRelationIndex(self._connection, self._past, self._day_release, day.isoformat(), require_time)
        return groups.company_group(index, self._company_id, depth, after, limit)

    @cached_property
    def _optional_day_release(self) -> int | None:
        """The release that was served at the end of the day, as known at the instant; None if it is not kept."""
        if self._as_of is None:
            return self._release
        found = self._past.release_at(_end_of_day(self._as_of, self._company_id))
        return None if found is None else min(found, self._release)

    @property
    def _day_release(self) -> int:
        found = self._optional_day_release
        if found is None:
            raise NotKnownThenError(self._past.releases()[0].published)
        return found

    @cached_property
    def _status_on_day(self) -> str | None:
        """The status on the day by the dates of its changes; None if no change is known, or no day is asked for."""
        if self._as_of is None:
            return None
        known_to = self._past.published_of(self._release)
        known = _PROFILE.decode(self._require(PROFILE, self._release)).status
        return status_days.status_on_day(self._connection, self._company_id, self._as_of, known_to, known)

    def _require_day(self) -> None:
        """Raises NotKnownThenError if the day lies before everything that is known of the company."""
        if self._as_of is not None and self._as_of < self._first_day():
            raise NotKnownThenError

    def _first_day(self) -> date:
        registered = _PROFILE.decode(self._require(PROFILE, self._release)).registered_date
        first = self._past.known_since(self._company_id) or self._past.releases()[0].number
        days = (
            registered,
            _day_of(self._past.published_of(first), self._company_id),
            financials.first_filing_day(self._rows(FINANCIALS, self._release)),
            owners.first_owner_day(self._rows(OWNERS, self._release)),
        )
        return min(day for day in days if day is not None)

    def _require(self, kind: str, release: int) -> bytes:
        value = self._value(kind, release)
        if value is None:
            raise NotKnownThenError
        return value

    def _parts(self, release: int) -> Mapping[str, bytes]:
        state = self._past.state(self._company_id, PARTS, release)
        if state is None:
            return profiles.profile_parts(self._connection, self._company_id)
        return profiles.named_parts(None if state.value is None else (state.value,))

    def _rows(self, kind: str, release: int | None) -> tuple[bytes] | None:
        value = None if release is None else self._value(kind, release)
        return None if value is None else (value,)

    def _value(self, kind: str, release: int) -> bytes | None:
        state = self._past.state(self._company_id, kind, release)
        if state is not None:
            return state.value
        row = _CURRENT[kind](self._connection, self._company_id)
        return None if row is None else row[0]


def company_state(
    connection: sqlite3.Connection, past: PastStates, company_id: str, query: StateQuery
) -> CompanyState | None:
    """The state that a query asks for; None if no release that is kept has such a company.

    Raises NotKnownThenError if nothing of it was known at the instant.
    """
    releases = past.releases()
    release = releases[-1].number if query.known_at is None else past.release_at(query.known_at)
    is_known = _current_body(connection, company_id) is not None or past.known_since(company_id) is not None
    if not is_known:
        return None
    if release is None:
        raise NotKnownThenError(releases[0].published)
    state = CompanyState(connection, past, company_id, release, query.as_of)
    _ = state.header  # raises if it was not known
    return state


def _current_body(connection: sqlite3.Connection, company_id: str) -> tuple[bytes] | None:
    document = profiles.company_profile(connection, company_id)
    return None if document is None else (document.body,)


_CURRENT: Final = {PROFILE: _current_body, FINANCIALS: financials.financial_rows, OWNERS: owners.owner_rows}


def _zone(company_id: str) -> ZoneInfo:
    return ZoneInfo(MARKETS[company_id.split(":")[1]].time_zone)


def _end_of_day(day: date, company_id: str) -> datetime:
    """The last second of a day in the time of the company's market."""
    return datetime.combine(day + _DAY, time.min, _zone(company_id)) - _SECOND


def _day_of(published: str, company_id: str) -> date:
    return datetime.fromisoformat(published).astimezone(_zone(company_id)).date()
