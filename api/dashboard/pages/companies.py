"""Pages of companies: search, and one page per company, also as of a past day, where it is watched and subscribed to.

What they show is drawn by the components of `ui` with the answers of `api.dashboard.pages.company_data`; the forms here
work without scripts. Does not belong here: rules of watchlists (`api.watchlists.service`), downloads
(`api.dashboard.pages.company_tables`).
"""

from datetime import date
from typing import Any, Final
from urllib.parse import quote, urlencode

import msgspec
from litestar import get, post
from litestar.status_codes import HTTP_200_OK

from api.companies.lookup import number_from_path, require_head
from api.companies.path_parameters import CompanyId
from api.dashboard.company_code import company_code
from api.dashboard.html_forms import PageError
from api.dashboard.pages.company_data import read_companies
from api.dashboard.routing import COMPONENTS, CurrentPage, PageRequest
from api.http.responses import HttpResponse
from api.problems.problem import ProblemError
from api.watchlists.models import MOST_WATCHLISTS
from warehouse.reader.types import CompanyHeader
from warehouse.schema.codes import EVENT_TYPES

_ALL: Final = "/dashboard/companies"
_ONE: Final = f"{_ALL}/{{company_id:str}}"
_ROWS: Final = 25
_LONGEST_NAME: Final = 200
_NEW_LIST: Final = "Watched companies"
_REFUSED: Final = (403, 409, 422)
"""Statuses of a watchlist that the page explains: over a limit, changed meanwhile, not valid."""


class _Row(msgspec.Struct):
    id: str
    org_number: str
    name: str
    country: str
    status: str


class _Found(msgspec.Struct):
    data: list[_Row]
    has_more: bool


@get(_ALL, access=COMPONENTS)
async def find_companies(page: CurrentPage) -> HttpResponse:
    """The search; with `q` its first results, read from the API."""
    text = page.query_value("q").strip()[:_LONGEST_NAME]
    found, trouble = (None, None) if not text else await _search(page, text)
    return page.render("companies.html", 200, text=text, found=found, trouble=trouble)


@get(_ONE, access=COMPONENTS)
async def show_company(page: CurrentPage, company_id: CompanyId) -> HttpResponse:
    return await _company_page(page, requested_company(page, company_id))


@post(f"{_ONE}/watch", access=COMPONENTS)
async def watch_company(page: CurrentPage, company_id: CompanyId) -> HttpResponse:
    """Adds the company to a watchlist, or to a new one; removes it if it is on it."""
    head = requested_company(page, company_id)
    try:
        await _change_watchlist(page, head.company_id)
    except ProblemError as trouble:
        if trouble.status not in _REFUSED:
            raise
        return await _company_page(page, head, trouble)
    return page.redirect_to(f"{company_path(head.company_id)}?done=watched")


def company_path(company_id: str) -> str:
    """The page of a company, below the service's own path."""
    return f"{_ALL}/{quote(company_id, safe=':')}"


def requested_company(page: PageRequest, text: str) -> CompanyHeader:
    """The company of a number or id in the newest release, or a 404 page."""
    number = number_from_path(text)
    with page.services.release_reader.pin_release() as release:
        return require_head(release, number)


async def _search(page: PageRequest, text: str) -> tuple[_Found | None, str | None]:
    """The first companies of a search, or why there are none."""
    answer = await read_companies(page, "", urlencode({"q": text, "limit": _ROWS}))
    if answer.status != HTTP_200_OK:
        return None, msgspec.json.decode(bytes(answer.body))["detail"]
    return msgspec.json.decode(bytes(answer.body), type=_Found), None


async def _change_watchlist(page: PageRequest, company_id: str) -> None:
    lists, account = page.services.watchlist_service, page.account_id
    watchlist_id = page.form.get("watchlist", "")
    if "unwatch" in page.form:
        await lists.change_companies(account, watchlist_id, {"remove": [company_id]})
        return
    if not watchlist_id:
        watchlist_id = (await lists.create(account, {"name": _NEW_LIST})).watchlist_id
    await lists.change_companies(account, watchlist_id, {"add": [company_id]})


async def _company_page(page: PageRequest, head: CompanyHeader, trouble: ProblemError | None = None) -> HttpResponse:
    day, service = requested_day(page), page.services
    return page.render(
        "company.html",
        200 if trouble is None else trouble.status,
        head=head,
        here=company_path(head.company_id),
        day=day,
        today=service.clock.today(),
        code=company_code(service.settings.public_url, head.company_id, day),
        types=EVENT_TYPES,
        has_webhooks=page.tier.webhooks,
        trouble=None if trouble is None else trouble.detail,
        done=page.query_values("done") == ["watched"],
        **await _watch_choices(page, head.company_id),
    )


def requested_day(page: PageRequest) -> date | None:
    """The past day that is asked for; None: today. 422 page for a day that is none, or that is to come."""
    text = page.query_value("as_of")
    if not text:
        return None
    today = page.services.clock.today()
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day > today:
        raise PageError(422, "No such day", f"Choose a day up to today, {today.isoformat()}.")
    return None if day == today else day


async def _watch_choices(page: PageRequest, company_id: str) -> dict[str, Any]:
    """The account's watchlists with the company, and the others."""
    lists = page.services.watchlist_service
    records = await lists.page(page.account_id, None, MOST_WATCHLISTS)
    with_company = await lists.lists_with(page.account_id, company_id)
    return {
        "watched": [one for one in records if one.watchlist_id in with_company],
        "choices": [one for one in records if one.watchlist_id not in with_company],
    }
