"""Search (docs/contract/contract.md 4.2): companies by name, number and every filter, in several orders.

Exact matches by number, id or identifier (LEI, ISIN, symbol and the like) come before matches by name and are
not repeated there; the other filters apply to them too. Numbers may be spelled as look-ups take them. Does not belong
here: rules between parameters (`api.companies.query_params`), the spellings (`api.companies.number_spellings`), or
finding companies.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import msgspec
from litestar import get

from api.companies.industry_notices import industry_notices
from api.companies.number_spellings import compact_identifier, companies_in_vat_number, parse_vat_number, plain_number
from api.companies.query_params import SearchParams, build_search
from api.companies.routes.profile import select_fields
from api.companies.schemas.companies import CompanyList
from api.http.context import ANY_KEY, ApiRequest
from api.http.pagination.cursors import CursorBinding, filter_hash
from api.http.pagination.responses import PageMembers, after_key, issue_next_cursor, page_response, query_release
from api.http.responses import HttpResponse
from api.openapi.examples import companies as examples
from api.openapi.operation import Operation
from api.openapi.response_headers import OF_PAGE
from warehouse.reader.company_query import CompanyQuery
from warehouse.reader.reader import PinnedRelease
from warehouse.reader.types import InvalidPageKeyError, Key, ResultPage
from warehouse.schema.identifiers import parse_company_number, parse_scoped

_MOST_EXACT = 100  # far more than registers and `known_as` ever return for one text


@dataclass(frozen=True, slots=True)
class _SearchRequest:
    search: CompanyQuery
    after: Key | None
    limit: int
    fields: tuple[str, ...]


@get(
    "/api/v1/companies",
    policy=ANY_KEY,
    summary="Search companies",
    description="Searches by name or number, in some or all countries. With `q` the best matches come first, "
    "otherwise results are ordered by id. Different parameters are combined with AND, several "
    "values of one parameter with OR. A company without a value for a filtered field does not "
    "match. `revenue_min` and `revenue_max` require `currency`: amounts are not converted. "
    "`industry` requires `industry_scheme` if the countries searched use different schemes. A "
    "range that ends before it begins matches nothing.",
    operation=Operation(CompanyList, OF_PAGE, examples.COMPANY_LIST),
)
async def search_companies(request: ApiRequest[SearchParams]) -> HttpResponse:
    context, values = request.context, request.values
    binding = CursorBinding(context.account_id, "companies", filter_hash(values.filters()), "desc")
    asked = _SearchRequest(
        build_search(values), after_key(context, values.cursor, binding), values.limit, values.fields
    )
    told = await query_release(context, lambda snapshot: find_page(snapshot, asked))
    return page_response(
        context,
        told.stamps,
        told.value,
        issue_next_cursor(context, told.value, binding),
        members=PageMembers(_notice_member(asked, told.value)),
    )


def _notice_member(asked: _SearchRequest, page: ResultPage) -> bytes:
    """The member `notices` where a first page is empty and its industry codes explain it; else nothing."""
    notices = [] if page.rows or asked.after is not None else industry_notices(asked.search)
    return b'"notices":' + msgspec.json.encode(notices) if notices else b""


def find_page(snapshot: PinnedRelease, request: _SearchRequest) -> ResultPage:
    """One page: exact matches first, then matches by name without them."""
    page = _merge_page(snapshot, request, _exact_matches(snapshot, request.search))
    if request.fields:
        page = ResultPage(tuple(select_fields(row, request.fields) for row in page.rows), page.keys, page.has_more)
    return page


def _exact_matches(snapshot: PinnedRelease, search: CompanyQuery) -> list[bytes]:
    """Companies with this exact number, id or identifier that also match all other filters."""
    if search.q is None:
        return []
    text = search.q.strip()
    found: dict[str, bytes] = {}
    vat = parse_vat_number(compact_identifier(text))
    held = companies_in_vat_number(snapshot, vat) if vat is not None and vat.is_valid else ()
    for company_id in chain(_ids_by_number(text, search.countries), snapshot.ids_by_identifier(text), held):
        document = snapshot.profile(company_id)
        if document is not None and company_id not in found and snapshot.matches_filters(company_id, search):
            found[company_id] = document.body
    return list(found.values())


def _ids_by_number(text: str, countries: tuple[str, ...]) -> Iterator[str]:
    """Ids of the companies with a registry number that the text may be a spelling of."""
    for spelling in dict.fromkeys((text, plain_number(text))):
        number = parse_company_number(spelling)
        if number is not None:
            yield number.company_id
        for country in () if ":" in spelling else countries:
            number = parse_scoped(country, spelling)
            if number is not None:
                yield number.company_id


def _exact_matches_returned(asked: _SearchRequest, exact: list[bytes]) -> int:
    """Number of exact matches that earlier pages have returned. Their sort key is that number alone.

    A release published between two pages may have fewer. Raises InvalidPageKeyError for a number that no page has
    returned.
    """
    if asked.after is None:
        return 0
    if len(asked.after) != 1:
        return len(exact)
    count = asked.after[0]
    if asked.search.q is None or not isinstance(count, int) or not 0 < count <= _MOST_EXACT:
        raise InvalidPageKeyError(f"{count!r} is not a number of exact matches")
    return min(count, len(exact))


def _merge_page(snapshot: PinnedRelease, asked: _SearchRequest, exact: list[bytes]) -> ResultPage:
    given = _exact_matches_returned(asked, exact)
    rows = exact[given : given + asked.limit]
    keys: list[Key] = [(given + place,) for place in range(1, len(rows) + 1)]
    if given + len(rows) < len(exact):
        return ResultPage(tuple(rows), tuple(keys), has_more=True)
    place = asked.after if asked.after is not None and len(asked.after) > 1 else None
    has_more = True
    while has_more and len(rows) < asked.limit:
        page = snapshot.search_companies(asked.search, place, asked.limit - len(rows))
        for row, key in zip(page.rows, page.keys, strict=True):
            if row not in exact:
                rows.append(row)
                keys.append(key)
        has_more = page.has_more
        place = page.keys[-1] if page.keys else place
    if has_more and exact:
        has_more = any(row not in exact for row in snapshot.search_companies(asked.search, place, len(exact) + 1).rows)
    return ResultPage(tuple(rows), tuple(keys), has_more)
