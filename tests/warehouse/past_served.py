"""Everything that is served of a company, now and of an earlier release."""

from __future__ import annotations

import datetime as dt
from typing import Any

from warehouse.reader.company_state import NotKnownThenError, StateQuery
from warehouse.reader.reader import FinancialsQuery, PinnedRelease

EVERYTHING = FinancialsQuery(include_history=True, include_sources=True)
DEPTHS = (5,)
Served = dict[str, Any]


def served_now(snapshot: PinnedRelease, company: str, on: dt.date) -> Served | None:
    document = snapshot.profile(company)
    if document is None:
        return None
    return {
        "header": snapshot.company_header(company),
        "profile": document.body,
        "parts": dict(snapshot.profile_parts(company)),
        "financials": snapshot.company_financials(company, EVERYTHING, None, 100),
        "owners": snapshot.company_owners(company, on, None, None, 100),
        "groups": [snapshot.company_group(company, on, depth, None, 100) for depth in DEPTHS],
    }


def served_then(snapshot: PinnedRelease, company: str, at: dt.datetime, on: dt.date) -> Served | None:
    try:
        state = snapshot.company_state(company, StateQuery(at))
    except NotKnownThenError:
        return None
    if state is None:
        return None
    return {
        "header": state.header,
        "profile": state.profile(),
        "parts": dict(state.profile_parts()),
        "financials": state.financials(EVERYTHING, None, 100),
        "owners": state.owners(on, None, None, 100),
        "groups": [snapshot.past_group(state, on, depth, None, 100) for depth in DEPTHS],
    }
