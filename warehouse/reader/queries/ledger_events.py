"""Events of all companies by sequence, from the ledger, each page with bounded work (docs/contract/contract.md 4.5a).

A page with filters looks at a stretch of the ledger and may have fewer events than asked, or none; the next begins
where it ended. Does not belong here: events of one company, which each release has by company (`events`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Final

import msgspec

from warehouse.ledger.read_index import LedgerEvent, LedgerIndex, format_instant
from warehouse.reader.queries.profiles import company_profile, profile_parts
from warehouse.reader.types import CompanyChoice, CompanyFacts, LedgerPage, LedgerQuery

SCANNED_EVENTS: Final = 50_000
SCANNED_SEGMENTS: Final = 200
CHECKED_EVENTS: Final = 2_000
"""Events of one page whose companies' profiles are read, at most."""


class _Profile(msgspec.Struct):
    sni_code: str | None
    is_listed: bool


class _Detail(msgspec.Struct):
    industry_scheme: str | None = None


_PROFILES: Final = msgspec.json.Decoder(_Profile)
_DETAILS: Final = msgspec.json.Decoder(_Detail)


def ledger_events(  # noqa: PLR0913, PLR0917 -- where to read, what, and from where to where
    connection: sqlite3.Connection,
    index: LedgerIndex,
    query: LedgerQuery,
    after: int,
    last: int,
    limit: int,
    chosen: CompanyChoice | None = None,
) -> LedgerPage:
    """One page of events above `after` and not above `last`; the fewer match, the shorter it may be.

    `chosen` is asked once, for the companies of the stretch.
    """
    is_filtered = query != LedgerQuery() or chosen is not None
    end = index.stretch_end(after, last, SCANNED_EVENTS, SCANNED_SEGMENTS) if is_filtered else max(after, last)
    wanted = CHECKED_EVENTS if query.reads_profiles else limit
    companies = None
    if chosen is not None:
        companies = chosen(index.companies_between(after, end, query.types, query.countries))
    found = index.after(after, end, wanted, query.types, query.countries, companies)
    seen_to = found[-1].sequence if len(found) == wanted else end
    if query.reads_profiles:
        facts = company_facts(connection, (event.company_id for event in found))
        found = [event for event in found if query.matches(event, facts.get(event.company_id))]
        if len(found) > limit:
            found = found[:limit]
            seen_to = found[-1].sequence
    return LedgerPage(tuple(found), seen_to, has_more=seen_to < last)


def company_facts(connection: sqlite3.Connection, company_ids: Iterable[str]) -> dict[str, CompanyFacts]:
    """What filters read of these companies' profiles; those that the release does not have are missing."""
    found = {}
    for company_id in dict.fromkeys(company_ids):
        document = company_profile(connection, company_id)
        if document is not None:
            profile = _PROFILES.decode(document.body)
            detail = _DETAILS.decode(profile_parts(connection, company_id)["detail"])
            found[company_id] = CompanyFacts(profile.sni_code, detail.industry_scheme, profile.is_listed)
    return found


def event_body(event: LedgerEvent) -> bytes:
    """The event as every list shows it: compact JSON on one line, keys in the contract's order."""
    return (
        b'{"event_id":"%b","event_type":"%b","company_id":"%b","occurred_at":"%b","recorded_at":"%b",'
        b'"sequence":%d,"data":%b}'
    ) % (
        event.event_id.encode(),
        event.event_type.encode(),
        event.company_id.encode(),
        format_instant(event.occurred_at).encode(),
        format_instant(event.recorded_at).encode(),
        event.sequence,
        event.data,
    )
