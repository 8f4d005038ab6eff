"""Company search (docs/contract/contract.md 4.2): chooses how a query is answered, and builds pages.

Name search by relevance uses the name index (`names`); companies by id come from the documents; every other
filter and order uses a table scan (`filters`). If a name matches nothing, one typo per word is allowed; a
paging key records which of the two it belongs to. Does not belong here: exact numbers (the API requests the
profile).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from typing import Any, Final

from warehouse.reader.company_query import CompanyQuery
from warehouse.reader.queries import filters, names, profiles
from warehouse.reader.queries.market_dump import market_id_bounds
from warehouse.reader.queries.names import SLIPPED, NameQuery, parse_name_query
from warehouse.reader.queries.paging import build_page, key_parts
from warehouse.reader.types import Key, ResultPage
from warehouse.schema.codes import MARKETS
from warehouse.serving.codec_read import DocumentsConnection

Scan = Callable[[str, dict[str, Any]], list[tuple[Any, ...]]]
"""Asks the release's table `search_companies`."""
Found = list[tuple[Key, int]]
"""Keys and ranks of a page, and one more where more follow."""
MOST: Final = 10_000
"""So many companies whose names answer are picked out of a scan; where more do, the scan looks at names itself."""
BEST: Final = 1_000
"""So many of the best names are tried first: a filter that lets most companies pass finds its page among them."""
_NOTHING: Final = ResultPage((), (), has_more=False)


@dataclass(frozen=True, slots=True)
class _SearchRequest:
    """One requested page. `wanted`: the parsed `q`."""

    connection: DocumentsConnection
    scan: Scan
    query: CompanyQuery
    wanted: NameQuery | None
    after: Key | None
    limit: int

    @property
    def countries(self) -> tuple[str, ...]:
        """The requested countries, sorted."""
        return tuple(sorted(set(self.query.countries)))


def search_companies(
    connection: DocumentsConnection, scan: Scan, query: CompanyQuery, after: Key | None, limit: int
) -> ResultPage:
    """Companies that match, in the requested order (default: relevance, or id without `q`)."""
    wanted = parse_name_query(query.q) if query.q is not None else None
    if query.q is not None and wanted is None:
        return _NOTHING
    question = _SearchRequest(connection, scan, query, wanted, after, limit)
    order = query.sort or (filters.RELEVANCE if wanted else filters.ID)
    unfiltered = query == CompanyQuery(q=query.q, countries=query.countries, sort=query.sort)
    if unfiltered and wanted is None and order == filters.ID:
        return build_page(_companies_by_id(question), limit)
    if unfiltered and wanted is not None and order == filters.RELEVANCE:
        return _document_page(question, _name_matches(question, wanted))
    return _document_page(question, _scan_matches(question, order))


def _companies_by_id(question: _SearchRequest) -> Iterator[tuple[Key, bytes]]:
    """Companies by id, which sorts by market first."""
    start = key_parts(question.after, int, str, str)[-1] if question.after is not None else ""
    for country in question.countries or sorted(MARKETS):
        low, high = market_id_bounds(country)
        rows = question.connection.execute(
            """SELECT company_id, body FROM companies
                WHERE company_id > ? AND company_id < ? ORDER BY company_id""",
            (max(low, start), high),
        )
        for company_id, body in rows:
            yield (0, company_id, company_id), body


def _name_matches(question: _SearchRequest, wanted: NameQuery) -> Found:
    countries = question.countries
    after: names.Place | None = None
    if question.after is not None:
        after = key_parts(question.after, int, int)[:2]
    found: Found = []
    if after is None or after[0] < SLIPPED:
        found = _first_places(names.exact_name_matches(question.connection, wanted, countries, after), question.limit)
    if found or (after is not None and after[0] < SLIPPED):
        return found
    return _first_places(names.typo_matches(question.connection, wanted, countries, after), question.limit)


def _first_places(places: Iterator[names.Place], limit: int) -> Found:
    return [(place, place[1]) for place in islice(places, limit + 1)]


def _scan_matches(question: _SearchRequest, order: str) -> Found:
    wanted, after = question.wanted, question.after
    slipping = after is not None and filters.is_typo_key(order, after)
    if wanted is None:
        return _run_scan(question, order, None, slipped=False)
    if order == filters.RELEVANCE and not slipping:
        best = _filter_best_matches(question, wanted)
        if len(best) > question.limit:
            return best
    found = [] if slipping else _run_scan(question, order, _name_condition(question, wanted, None), slipped=False)
    if found or (after is not None and not slipping):
        return found
    slips = names.typo_candidates(question.connection, wanted)
    if not any(slips.values()):
        return []
    return _run_scan(question, order, _name_condition(question, wanted, slips), slipped=True)


def _filter_best_matches(question: _SearchRequest, wanted: NameQuery) -> Found:
    """Applies the filters to the best names only; complete if it fills the page, else the caller discards it."""
    after = None if question.after is None else key_parts(question.after, int, int)
    places = names.exact_name_matches(question.connection, wanted, question.countries, after)
    best = list(islice(places, BEST))
    return _run_scan(question, filters.RELEVANCE, _matched_names(best), slipped=False) if best else []


def _name_condition(
    question: _SearchRequest, wanted: NameQuery, slips: names.TypoWords | None
) -> filters.NameFilter | filters.MatchedNames:
    """The companies that match by name if there are few; the words to match during the scan if there are many."""
    found = names.all_matches(question.connection, wanted, question.countries, slips, MOST)
    return filters.NameFilter(wanted, slips) if found is None else _matched_names(found)


def _matched_names(places: Sequence[names.Place]) -> filters.MatchedNames:
    return filters.MatchedNames([rank for _, rank in places], [tier for tier, _ in places])


def _run_scan(
    question: _SearchRequest, order: str, among: filters.NameFilter | filters.MatchedNames | None, *, slipped: bool
) -> Found:
    made = filters.SearchStatement(question.query, among)
    if order == filters.RELEVANCE:
        rows = question.scan(made.by_relevance(question.after, question.limit), made.values)
        return [((tier, rank), rank) for tier, rank in rows]
    by, last = filters.ORDERS[order], None
    if among is None:
        last = _last_compared_value(question, by)
    rows = question.scan(made.by_value(by, question.after, last, question.limit), made.values)
    return [((int(slipped), _key_value(value), company_id), rank) for rank, value, company_id in rows]


def _last_compared_value(question: _SearchRequest, by: filters.SortOrder) -> object:
    """An upper bound for the page, so that few rows are read in full; None if there is no bound."""
    if question.after is not None and question.after[1:2] == (None,):
        return None
    made = filters.SearchStatement(question.query, None)
    heads = question.scan(made.heads(by, question.after, question.limit), made.values)
    return heads[-1][0] if len(heads) > question.limit else None


def _key_value(value: str | int | date | None) -> str | int | None:
    return value.isoformat() if isinstance(value, date) else value


def _document_page(question: _SearchRequest, found: Found) -> ResultPage:
    bodies = profiles.bodies_by_rank(question.connection, [rank for _, rank in found[: question.limit]])
    return build_page(((key, bodies.get(rank, b"")) for key, rank in found), question.limit)


def matches_filters(connection: DocumentsConnection, scan: Scan, query: CompanyQuery, company_id: str) -> bool:
    """True if the company matches the filters; False if there is no such company."""
    asked = replace(query, q=None, sort=None)
    found = connection.execute("SELECT rank FROM companies WHERE company_id = ?", (company_id,)).fetchone()
    if found is None or (asked.countries and company_id.split(":")[1] not in asked.countries):
        return False
    if asked == CompanyQuery(countries=asked.countries):  # without filters no scan is needed
        return True
    made = filters.SearchStatement(asked, None)
    made.add(f"rank = {made.value(found[0])}")
    return bool(scan(made.by_relevance(None, 1), made.values))
