"""What the components of company pages read: the API's answers on companies, by the session instead of a key.

A request counts against the account's quota like any other of its requests. The paths are the API's below `/dashboard`,
so that a component needs to know no others. Does not belong here: what the answers hold (`api.companies.routes`).
"""

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from litestar import get
from litestar.params import FromPath

from api.dashboard.inner_requests import InnerRequest, InnerResponse, send_inner_request
from api.dashboard.routing import DATA, SAFETY, CurrentPage, PageRequest
from api.dashboard.session_callers import session_caller
from api.http.responses import Header, HttpResponse
from api.problems.problem import not_found_problem

COMPANIES: Final = "/api/v1/companies"
_ONE: Final = f"/dashboard{COMPANIES}/{{company_id:str}}"
_PARTS: Final = ("financials", "ownership", "group", "filings", "events")
_PASSED_ON: Final = (b"accept-encoding", b"if-none-match")
_SHOWN: Final = frozenset(
    (
        b"content-type",
        b"content-length",
        b"content-encoding",
        b"cache-control",
        b"etag",
        b"retry-after",
        b"ratelimit",
        b"ratelimit-policy",
    )
)
"""Headers of an answer that the page needs; ids, limits and names of others are its own."""


@get(_ONE, access=DATA)
async def read_profile(page: CurrentPage, company_id: FromPath[str]) -> HttpResponse:
    """A profile, or the suggestions of a search: they are named `suggest` in the place of a company."""
    return await _answer(page, quote(company_id, safe=":"))


@get(f"{_ONE}/{{part:str}}", access=DATA)
async def read_list(page: CurrentPage, company_id: FromPath[str], part: FromPath[str]) -> HttpResponse:
    if part not in _PARTS:
        raise not_found_problem(page.context.path)
    return await _answer(page, f"{quote(company_id, safe=':')}/{part}")


async def read_companies(page: PageRequest, below: str, query: str, headers: Sequence[Header] = ()) -> InnerResponse:
    """The API's answer below `/api/v1/companies`, with the account of the session as its caller."""
    path = f"{COMPANIES}/{below}" if below else COMPANIES
    request = InnerRequest("GET", path, query, headers, caller=await session_caller(page))
    return await send_inner_request(page.context, request)


async def _answer(page: PageRequest, below: str) -> HttpResponse:
    passed_on = [(name, value) for name, value in page.context.request_headers.items() if name in _PASSED_ON]
    answer = await read_companies(page, below, page.context.query_string.decode("latin-1"), passed_on)
    headers = [(name, value) for name, value in answer.headers if name.lower() in _SHOWN]
    return HttpResponse(answer.status, [*headers, *SAFETY], bytes(answer.body))
