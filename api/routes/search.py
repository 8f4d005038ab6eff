"""Search (docs/contract/contract.md 4.2): companies by name, number and every filter, in several orders.

Exact matches by number, id or identifier (LEI, ISIN, symbol and the like) come before matches by name and are
not repeated there; the other filters apply to them too. Does not belong here: rules between parameters
(`api.searching`), or finding companies.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from api.answers import Answer
from api.call import Call
from api.endpoints import endpoint
from api.pages import after, ask, next_after, page_answer
from api.pagination import Binding, filter_hash
from api.queries import FIELDS, LIMIT, SEARCH
from api.routes.companies import selected
from api.searching import search_of
from warehouse.reading import BadKey, Key, Page, Search, Snapshot
from warehouse.schema.identifiers import parse, parse_scoped

_MOST_EXACT = 100  # far more than registers and `known_as` ever return for one text


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
    """One page: exact matches first, then matches by name without them."""
    page = _listed(snapshot, asked, _exact(snapshot, asked.search))
    if asked.fields:
        page = Page(tuple(selected(row, asked.fields) for row in page.rows), page.keys, page.has_more)
    return page


def _exact(snapshot: Snapshot, search: Search) -> list[bytes]:
    """Companies with this exact number, id or identifier that also match all other filters."""
    if search.q is None:
        return []
    text = search.q.strip()
    found: dict[str, bytes] = {}
    for company_id in chain(_numbered(text, search.countries), snapshot.named(text)):
        document = snapshot.profile(company_id)
        if document is not None and company_id not in found and snapshot.suits(company_id, search):
            found[company_id] = document.body
    return list(found.values())


def _numbered(text: str, countries: tuple[str, ...]) -> Iterator[str]:
    """Ids of the companies with a registry number that the text may be a spelling of."""
    number = parse(text)
    if number is not None:
        yield number.company_id
    for country in () if ":" in text else countries:
        number = parse_scoped(country, text)
        if number is not None:
            yield number.company_id


def _given(asked: _Asked, exact: list[bytes]) -> int:
    """Number of exact matches that earlier pages have returned. Their sort key is that number alone.

    A release published between two pages may have fewer. Raises BadKey for a number that no page has returned.
    """
    if asked.after is None:
        return 0
    if len(asked.after) != 1:
        return len(exact)
    count = asked.after[0]
    if asked.search.q is None or not isinstance(count, int) or not 0 < count <= _MOST_EXACT:
        raise BadKey(f"{count!r} is not a number of exact matches")
    return min(count, len(exact))


def _listed(snapshot: Snapshot, asked: _Asked, exact: list[bytes]) -> Page:
    given = _given(asked, exact)
    rows = exact[given : given + asked.limit]
    keys: list[Key] = [(given + place,) for place in range(1, len(rows) + 1)]
    if given + len(rows) < len(exact):
        return Page(tuple(rows), tuple(keys), has_more=True)
    place = asked.after if asked.after is not None and len(asked.after) > 1 else None
    has_more = True
    while has_more and len(rows) < asked.limit:
        page = snapshot.search(asked.search, place, asked.limit - len(rows))
        for row, key in zip(page.rows, page.keys, strict=True):
            if row not in exact:
                rows.append(row)
                keys.append(key)
        has_more = page.has_more
        place = page.keys[-1] if page.keys else place
    if has_more and exact:
        has_more = _another(snapshot, asked.search, place, exact)
    return Page(tuple(rows), tuple(keys), has_more)


def _another(snapshot: Snapshot, search: Search, place: Key | None, exact: list[bytes]) -> bool:
    """True if matches by name continue after `place`, exact matches excluded."""
    return any(row not in exact for row in snapshot.search(search, place, len(exact) + 1).rows)
