"""The company that the front page shows: the listed company with the largest revenue, as the API answers about it.

The page shows what these requests answer, byte for byte from the same release. Does not belong here: the markup
(`templates/home.html`).
"""

from dataclasses import dataclass
from typing import Any, Final

import msgspec

from api.http.context import RequestContext
from api.http.pagination.responses import query_release
from api.problems.problem import ProblemError
from warehouse.reader.company_query import CompanyQuery
from warehouse.reader.reader import PinnedRelease
from warehouse.reader.types import EventQuery, FinancialsQuery, NoReleaseError

_SEARCH: Final = CompanyQuery(is_listed=True, sort="-latest_revenue")
_YEARS: Final = 5
_EVENTS: Final = 4
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode


@dataclass(frozen=True, slots=True)
class SampleCompany:
    """One company: `profile`, `periods` (annual, newest first) and `events` (newest first) are the API's objects.

    answer: the body of its profile.
    """

    profile: dict[str, Any]
    periods: tuple[dict[str, Any], ...]
    events: tuple[dict[str, Any], ...]
    answer: str


async def find_sample_company(context: RequestContext) -> SampleCompany | None:
    """Finds the company, like any search in its turn; None if there is none, or searches are not answered now (503)."""
    try:
        return (await query_release(context, _read_sample)).value
    except NoReleaseError:
        return None
    except ProblemError as problem:
        if problem.problem_type.code != "service_unavailable":
            raise
        return None


def _read_sample(snapshot: PinnedRelease) -> SampleCompany | None:
    found = snapshot.search_companies(_SEARCH, None, 1).rows
    if not found:
        return None
    profile = _decode(found[0])
    company_id = profile["id"]
    periods = snapshot.company_financials(company_id, FinancialsQuery("annual", years=_YEARS), None, _YEARS)
    events = snapshot.company_events(company_id, EventQuery(), None, _EVENTS)
    return SampleCompany(
        profile,
        tuple(_decode(row) for row in periods.rows),
        tuple(_decode(row) for row in events.rows),
        msgspec.json.format(found[0], indent=2).decode(),
    )
