"""Simulates the Finnish endpoints on one day of a world, without HTTP (docs/formats/fi.md 2.1, 3.1, 4 and 6.1).

Belongs here: path and query -> body, pages and their edge cases (pages count from 1, page 0 is page 1, a page
past the end is empty, a business id without its hyphen finds nothing, upper and lower case of languages). Does
not belong here: routes and HTTP (`http.routes`, `http.server`), the format of one record (`ytj` and the like).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Any, Final

from sandbox.companies.fi import vocabulary
from sandbox.fi import files, xbrl, ytj
from sandbox.model.company import Accounts, Company
from sandbox.nasdaq import exchange_releases
from sandbox.shared.response import JSON, Query, SandboxResponse, compile_routes, json_response
from sandbox.world import World

TEXT: Final = "text/plain;charset=UTF-8"
XML: Final = "text/xml"
HTML: Final = "text/html;charset=UTF-8"
_PAGE: Final = 100
_NOTICES_PAGE: Final = 50
_BAD_REQUEST: Final = 1005
_WRONG_SHAPE: Final = 1006
_LISTS: Final = {
    "YRMU": vocabulary.FORMS,
    "REK_KDI": vocabulary.ENTRIES,
    "KIELI": {"1": ("suomi", "finska", "Finnish"), "2": ("ruotsi", "svenska", "Swedish")},
    "REK": {"1": ("Kaupparekisteri", "Handelsregistret", "Trade register")},
}
_LANGUAGES: Final = ("fi", "sv", "en")


def error_response(code: int, message: str, status: int = 400) -> SandboxResponse:
    """The service's error body."""
    return json_response({"timestamp": "2026-11-02T04:00:00.000+00:00", "message": message, "errorcode": code}, status)


def _paged_response(name: str, items: Sequence[object], query: Query, size: int = _PAGE) -> SandboxResponse:
    """One page; numbers start at 1, and 0 means 1 as well."""
    page = max(int(query.get("page") or 1), 1)
    return json_response({"totalResults": len(items), name: items[(page - 1) * size : page * size]})


@lru_cache(maxsize=4)
def _finnish_companies(world: World, day: int) -> tuple[Company, ...]:
    return tuple(world.all("FI", day))


@lru_cache(maxsize=4)
def _current_statements(world: World, day: int) -> dict[tuple[str, str], tuple[Company, Accounts]]:
    """Every statement on file; a later registration replaces an earlier one with the same key."""
    found: dict[tuple[str, str], tuple[Company, Accounts]] = {}
    for company in _finnish_companies(world, day):
        for accounts in company.accounts:
            found[company.number, str(accounts.end)] = company, accounts
    return found


def search_companies(world: World, day: int, query: Query) -> SandboxResponse:
    """Searches companies; the business id requires its hyphen."""
    tests: dict[str, Callable[[Company, str], bool]] = {
        "businessId": lambda company, value: company.number == value,
        "name": lambda company, value: value.casefold() in company.name.casefold(),
        "postCode": lambda company, value: bool(company.place and company.place.postcode == value),
        "registrationDateStart": lambda company, value: str(company.registered) >= value,
        "registrationDateEnd": lambda company, value: str(company.registered) <= value,
    }
    found = [
        ytj.company_object(company)
        for company in _finnish_companies(world, day)
        if all(test(company, query[name]) for name, test in tests.items() if query.get(name))
    ]
    return _paged_response("companies", found, query)


def code_descriptions(_world: World, _day: int, query: Query) -> SandboxResponse:
    """A code list by name, one `code<TAB>text` per line; a code instead of a name gives an empty text."""
    language = query.get("lang")
    if language not in _LANGUAGES:
        return error_response(_BAD_REQUEST, "lang is required")
    return SandboxResponse(
        200, TEXT, _description_lines(_LISTS.get(query.get("code", ""), {}), _LANGUAGES.index(language))
    )


def notice_descriptions(_world: World, _day: int, query: Query) -> SandboxResponse:
    """A code list of the notices API, which requires languages in upper case."""
    if query.get("lang") not in {language.upper() for language in _LANGUAGES}:
        return SandboxResponse(404, TEXT, b"Language must be EN/FI/SV")
    return SandboxResponse(
        200, TEXT, _description_lines({key: (text, text, text) for key, text in ytj.NOTICE_TYPES.items()}, 0)
    )


def _description_lines(texts: Mapping[str, tuple[str, str, str]], place: int) -> bytes:
    return "".join(f"{code}\t{described[place]}\n" for code, described in texts.items()).encode()


def company_statements(world: World, day: int, query: Query) -> SandboxResponse:
    """Statements of one company; without any, 400 for some companies and an empty list for others."""
    number = query.get("businessId", "")
    mine = [pair for (owner, _), pair in _current_statements(world, day).items() if owner == number]
    if not mine and number[:7].isdigit() and int(number[:7]) % 2:
        return error_response(_BAD_REQUEST, "No financial statements found")
    return _paged_response("financials", [files.statement_entry(*pair) for pair in mine], query)


def statements_by_period_end(world: World, day: int, query: Query) -> SandboxResponse:
    """All companies with a statement for one period end."""
    end = query.get("financialDate")
    if end is None:
        return error_response(_BAD_REQUEST, "financialDate is required")
    found = [files.statement_entry(*pair) for (_, last), pair in _current_statements(world, day).items() if last == end]
    return _paged_response("financials", found, query)


def statements_by_registration(world: World, day: int, query: Query) -> SandboxResponse:
    """Statements registered between two days, inclusive."""
    first, last = query.get("registeredDateStart"), query.get("registeredDateEnd")
    if first is None or last is None:
        return error_response(_BAD_REQUEST, "registeredDateStart and registeredDateEnd are required")
    found = [
        files.statement_entry(company, accounts)
        for company, accounts in _current_statements(world, day).values()
        if date.fromisoformat(first) <= accounts.published <= date.fromisoformat(last)
    ]
    return _paged_response("financials", sorted(found, key=_registration_order), query)


def _registration_order(item: dict[str, Any]) -> tuple[str, str, str]:
    return item["registrationDate"], item["businessId"], item["financialDate"]


def statement_document(world: World, day: int, query: Query) -> SandboxResponse:
    """One statement, as last registered."""
    if not query.get("businessId") or not query.get("financialDate"):
        return error_response(_BAD_REQUEST, "businessId and financialDate are required")
    found = _current_statements(world, day).get((query["businessId"], query["financialDate"]))
    if found is None:
        return error_response(_BAD_REQUEST, "No financial statement found")
    return SandboxResponse(200, XML, xbrl.render_statement(*found))


def notices_by_date(world: World, day: int, query: Query) -> SandboxResponse:
    """Companies with notices of some days; the page size is half of the usual."""
    first = query.get("noticeRegistrationDateStart") or "2014-11-07"
    last = query.get("noticeRegistrationDateEnd") or str(world.date(day))
    number = query.get("businessId")
    asked = (item for item in _finnish_companies(world, day) if number in (None, "", item.number))
    return _paged_response("companies", ytj.companies_with_notices(asked, first, last), query, _NOTICES_PAGE)


def company_notices(world: World, day: int, _query: Query, number: str) -> SandboxResponse:
    """One company with all its notices."""
    company = world.find("FI", number, day)
    if company is None:
        return error_response(_WRONG_SHAPE, f"{number} is not known", 404)
    return json_response(ytj.company_with_notices(company))


def release_list(world: World, day: int, query: Query) -> SandboxResponse:
    """The newest releases; with `callback`, wrapped in a call of it (JSONP)."""
    items = exchange_releases.market_items(world, day, query.get("globalName", "NordicAllMarkets"))
    start, limit = int(query.get("start") or 0), int(query.get("limit") or 20)
    answer = {"results": {"item": items[start : start + limit]}, "count": len(items)}
    body = json.dumps(answer, ensure_ascii=False)
    callback = query.get("callback")
    return SandboxResponse(200, JSON, (f"{callback}({body});" if callback else body).encode())


def release_page(world: World, day: int, query: Query) -> SandboxResponse:
    """The page of one release in one language."""
    page = exchange_releases.release_page(world, day, query.get("id", ""), query.get("lang", "en"))
    if page is None:
        return SandboxResponse(404, HTML, b"<html><body>Not found</body></html>")
    return SandboxResponse(200, HTML, page.encode())


_YTJ: Final = "/opendata-ytj-api/v3"
_XBRL: Final = "/opendata-xbrl-api/v3"
_NOTICES: Final = "/opendata-registerednotices-api/v3"
ROUTES: Final = compile_routes(
    {
        f"{_YTJ}/companies": search_companies,
        f"{_YTJ}/description": code_descriptions,
        f"{_XBRL}/financials": company_statements,
        f"{_XBRL}/all_financials": statements_by_period_end,
        f"{_XBRL}/all_financial_statements": statements_by_registration,
        f"{_XBRL}/financial": statement_document,
        f"{_NOTICES}/?": notices_by_date,
        f"{_NOTICES}/description": notice_descriptions,
        f"{_NOTICES}/([^/]+)": company_notices,
        r"/news/query\.action": release_list,
        r"/view": release_page,
    }
)
