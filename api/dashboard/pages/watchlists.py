"""Watchlist pages: list, create, rename, delete; companies by pages, added several at once, removed one by one.

The rules are the API's (`api.watchlists`), validation too: a form is converted to the API's request body.
"""

from typing import Any, Final

from litestar import get, post

from api.companies.path_parameters import CompanyId
from api.dashboard.html_forms import Form
from api.dashboard.routing import CurrentPage, PagePolicy, PageRequest
from api.http.responses import HttpResponse
from api.problems.problem import ProblemError
from api.watchlists.models import MOST_CHANGES, MOST_WATCHLISTS, WatchlistRecord
from api.watchlists.routes import WatchlistId
from warehouse.schema.identifiers import parse_company_id

_ALL: Final = "/dashboard/watchlists"
_ONE: Final = f"{_ALL}/{{id:str}}"
_LONG_FORM: Final = PagePolicy(form_limit=1 << 16)
"""1,000 companies, escaped, take half of it."""
_ROWS: Final = 100
_LONGEST_ID: Final = 40
_SHOWN_FAULTS: Final = 10
_REFUSED: Final = (403, 409, 422)
"""Statuses that the page of the form explains: over a limit, in use, not valid."""
_EMPTY: Final[Form] = {"name": "", "companies": ""}
_DONE: Final = {
    "created": "Created. Add companies below.",
    "renamed": "Renamed.",
    "changed": "Changed. Subscriptions and event queries use the list from the next event on.",
    "deleted": "The watchlist was deleted.",
}
"""Confirmation messages, by the `done` parameter."""


@get(_ALL)
async def list_watchlists(page: CurrentPage) -> HttpResponse:
    return await _list_page(page)


@post(_ALL)
async def create_watchlist(page: CurrentPage) -> HttpResponse:
    try:
        made = await page.services.watchlist_service.create(page.account_id, {"name": _name(page.form)})
    except ProblemError as trouble:
        if trouble.status not in _REFUSED:
            raise
        return await _list_page(page, trouble.status, page.form, trouble)
    return page.redirect_to(f"{_ALL}/{made.watchlist_id}?done=created")


@get(_ONE)
async def show_watchlist(page: CurrentPage, watchlist_id: WatchlistId) -> HttpResponse:
    return await _watchlist_page(page, watchlist_id)


@post(f"{_ONE}/rename")
async def rename_watchlist(page: CurrentPage, watchlist_id: WatchlistId) -> HttpResponse:
    lists = page.services.watchlist_service
    try:
        await lists.rename(page.account_id, watchlist_id, {"name": _name(page.form)}, None)
    except ProblemError as trouble:
        return await _refused(page, watchlist_id, trouble)
    return page.redirect_to(f"{_ALL}/{watchlist_id}?done=renamed")


@post(f"{_ONE}/companies", access=_LONG_FORM)
async def add_companies(page: CurrentPage, watchlist_id: WatchlistId) -> HttpResponse:
    """Adds up to 1,000 companies, all or none."""
    lists = page.services.watchlist_service
    body = {"add": page.form.get("companies", "").replace(",", " ").split()}
    try:
        await lists.change_companies(page.account_id, watchlist_id, body)
    except ProblemError as trouble:
        return await _refused(page, watchlist_id, trouble)
    return page.redirect_to(f"{_ALL}/{watchlist_id}?done=changed")


@post(f"{_ONE}/companies/{{company_id:str}}/remove")
async def remove_company(page: CurrentPage, watchlist_id: WatchlistId, company_id: CompanyId) -> HttpResponse:
    """Removes a company; one that is not on the list changes nothing."""
    await page.services.watchlist_service.change_companies(page.account_id, watchlist_id, {"remove": [company_id]})
    return page.redirect_to(f"{_ALL}/{watchlist_id}?done=changed")


@post(f"{_ONE}/delete")
async def delete_watchlist(page: CurrentPage, watchlist_id: WatchlistId) -> HttpResponse:
    """Deletes a watchlist, or tells which subscriptions filter by it."""
    try:
        await page.services.watchlist_service.remove(page.account_id, watchlist_id, None)
    except ProblemError as trouble:
        return await _refused(page, watchlist_id, trouble)
    return page.redirect_to(f"{_ALL}?done=deleted")


def _name(form: Form) -> str:
    return form.get("name", "").strip()


async def _refused(visit: PageRequest, watchlist_id: str, trouble: ProblemError) -> HttpResponse:
    """The watchlist's page with what was written and why it was refused."""
    if trouble.status not in _REFUSED:
        raise trouble
    return await _watchlist_page(visit, watchlist_id, trouble.status, visit.form, trouble)


async def _list_page(
    visit: PageRequest, status: int = 200, written: Form = _EMPTY, trouble: ProblemError | None = None
) -> HttpResponse:
    lists = visit.services.watchlist_service
    found: list[WatchlistRecord] = await lists.page(visit.account_id, None, MOST_WATCHLISTS)
    return visit.render(
        "watchlists.html",
        status,
        records=found,
        used=sum(one.companies for one in found),
        limit=visit.tier.watchlist_companies,
        **_shown(visit, written, trouble),
    )


async def _watchlist_page(
    visit: PageRequest,
    watchlist_id: str,
    status: int = 200,
    written: Form = _EMPTY,
    trouble: ProblemError | None = None,
) -> HttpResponse:
    service, after = visit.services, visit.query_value("after")[:_LONGEST_ID] or None
    record = await service.watchlist_service.get(visit.account_id, watchlist_id)
    found = await service.watchlist_service.companies(visit.account_id, watchlist_id, after, _ROWS + 1)
    with service.release_reader.pin_release() as release:
        heads = {one.company_id: release.company_header(one.company_id) for one in found[:_ROWS]}
    companies = [
        {
            "id": one.company_id,
            "number": _number(one.company_id),
            "name": head.name if head else None,
            "at": one.added_at,
        }
        for one, head in ((one, heads[one.company_id]) for one in found[:_ROWS])
    ]
    return visit.render(
        "watchlist.html",
        status,
        record=record,
        companies=companies,
        following=found[_ROWS - 1].company_id if len(found) > _ROWS else None,
        is_first=after is None,
        most=MOST_CHANGES,
        **_shown(visit, written, trouble),
    )


def _number(company_id: str) -> str:
    number = parse_company_id(company_id)
    assert number is not None, f"{company_id} was stored as an id"
    return number.org_number


def _shown(visit: PageRequest, written: Form, trouble: ProblemError | None) -> dict[str, Any]:
    """What both pages show of their forms, and of what was done."""
    return {
        "written": {**_EMPTY, **written},
        "errors": [] if trouble is None else _error_messages(trouble, written),
        "done": _DONE.get(visit.query_value("done")),
    }


def _error_messages(trouble: ProblemError, written: Form) -> list[str]:
    """Errors in the words of the form: a company is named as it was written."""
    entries = written.get("companies", "").replace(",", " ").split()
    messages = [f"{_field(one.pointer or '', entries)}: {one.detail}" for one in trouble.errors[:_SHOWN_FAULTS]]
    return messages or [trouble.detail]


def _field(pointer: str, entries: list[str]) -> str:
    _, member, *steps = pointer.split("/")
    if member == "name":
        return "Name"
    place = int(steps[0]) if steps and steps[0].isdigit() else len(entries)
    return f"«{entries[place][:_LONGEST_ID]}»" if place < len(entries) else "Companies"
