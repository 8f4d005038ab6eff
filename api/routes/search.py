"""Search (CONTRACT 4.2): companies by name, number and every filter, in several orders.

An exact number or id comes first, before what the names find, and is not repeated by them; the other
parameters hold for it too. Does not belong here: what parameters mean together (`api.searching`), or how companies
are found.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from api.answers import Answer
from api.call import Call
from api.endpoints import endpoint
from api.pages import after, ask, next_after, page_answer
from api.pagination import Binding, filter_hash
from api.queries import FIELDS, LIMIT, SEARCH
from api.routes.companies import selected
from api.searching import search_of
from warehouse.reading import Document, Key, Page, Search, Snapshot
from warehouse.schema.identifiers import parse, parse_scoped

_ONLY_EXACT: Key = ()
"""Sort key of an exact match that filled its page alone: the names are still to come."""


@dataclass(frozen=True, slots=True)
class _Asked:
    search: Search
    after: Key | None
    limit: int
    fields: tuple[str, ...]


@endpoint("/api/v1/companies")
async def search_companies(call: Call) -> Answer:
    values = SEARCH.read(call.query)
    binding = Binding(call.account_id, "companies", filter_hash(values.filters()), "desc")
    asked = _Asked(search_of(values), after(call, values, binding), values[LIMIT], values[FIELDS])
    told = await ask(call, lambda snapshot: find(snapshot, asked))
    return page_answer(call, told.stamps, told.value, next_after(call, told.value, binding))


def find(snapshot: Snapshot, asked: _Asked) -> Page:
    """One page: the exact match first, then what the names find without it."""
    exact = _exact(snapshot, asked.search)
    page = _names(snapshot, asked, exact)
    if asked.fields:
        page = Page(tuple(selected(row, asked.fields) for row in page.rows), page.keys, page.has_more)
    return page


def _exact(snapshot: Snapshot, search: Search) -> Document | None:
    """The company that the caller named by number or id, if everything else asked for holds for it."""
    if search.q is None:
        return None
    for company_id in _named(search.q.strip(), search.countries):
        document = snapshot.profile(company_id)
        if document is not None and snapshot.suits(company_id, search):
            return document
    return None


def _named(text: str, countries: tuple[str, ...]) -> Iterator[str]:
    """Ids of the companies that a text may name; identifiers other than the registers' will be looked up here."""
    number = parse(text)
    if number is not None:
        yield number.company_id
    for country in () if ":" in text else countries:
        number = parse_scoped(country, text)
        if number is not None:
            yield number.company_id


def _names(snapshot: Snapshot, asked: _Asked, exact: Document | None) -> Page:
    rows: list[bytes] = []
    keys: list[Key] = []
    if exact is not None and asked.after is None:
        rows.append(exact.body)
        keys.append(_ONLY_EXACT)
    place = asked.after or None
    skipped = exact.body if exact is not None else None
    has_more = True
    while has_more and len(rows) < asked.limit:
        page = snapshot.search(asked.search, place, asked.limit - len(rows))
        for row, key in zip(page.rows, page.keys, strict=True):
            if row != skipped:
                rows.append(row)
                keys.append(key)
        has_more = page.has_more
        place = page.keys[-1] if page.keys else place
    if has_more and exact is not None:
        has_more = _another(snapshot, asked.search, place, skipped)
    return Page(tuple(rows), tuple(keys), has_more)


def _another(snapshot: Snapshot, search: Search, place: Key | None, skipped: bytes | None) -> bool:
    """Whether the names find anything but the exact match from here on."""
    return any(row != skipped for row in snapshot.search(search, place, 2).rows)
