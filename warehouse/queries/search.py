"""Company search (docs/contract/contract.md 4.2): chooses how a query is answered, and builds pages.

Name search by relevance uses the name index (`names`); companies by id come from the documents; every other
filter and order uses a table scan (`filters`). If a name matches nothing, one typo per word is allowed; a
paging key records which of the two it belongs to. Does not belong here: exact numbers (the API requests the
profile).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Any, Final

from warehouse.queries import filters, names, profiles
from warehouse.queries.asked import SLIPPED, Asked, asked
from warehouse.queries.pages import page, parts
from warehouse.reading import Key, Page, Search
from warehouse.schema.codes import MARKETS

Scan = Callable[[str, dict[str, Any]], list[tuple[Any, ...]]]
"""Asks the release's table `search`."""
Found = list[tuple[Key, int]]
"""Keys and ranks of a page, and one more where more follow."""
MOST: Final = 10_000
"""So many companies whose names answer are picked out of a scan; where more do, the scan looks at names itself."""
BEST: Final = 1_000
"""So many of the best names are tried first: a filter that lets most companies pass finds its page among them."""
_NOTHING: Final = Page((), (), has_more=False)


@dataclass(frozen=True, slots=True)
class _Question:
    """One requested page. `wanted`: the parsed `q`."""

    connection: sqlite3.Connection
    scan: Scan
    query: Search
    wanted: Asked | None
    after: Key | None
    limit: int


def search(connection: sqlite3.Connection, scan: Scan, query: Search, after: Key | None, limit: int) -> Page:
    """Companies that match, in the requested order (default: relevance, or id without `q`)."""
    wanted = asked(query.q) if query.q is not None else None
    if query.q is not None and wanted is None:
        return _NOTHING
    question = _Question(connection, scan, query, wanted, after, limit)
    order = query.sort or (filters.RELEVANCE if wanted else filters.ID)
    unfiltered = query == Search(q=query.q, countries=query.countries, sort=query.sort)
    if unfiltered and wanted is None and order == filters.ID:
        return page(_by_id(question), limit)
    if unfiltered and wanted is not None and order == filters.RELEVANCE:
        return _documents(question, _named(question, wanted))
    return _documents(question, _scanned(question, order))


def _by_id(question: _Question) -> Iterator[tuple[Key, bytes]]:
    """Companies by id, which sorts by market first."""
    start = parts(question.after, int, str, str)[-1] if question.after is not None else ""
    for country in sorted(set(question.query.countries or MARKETS)):
        low, high = f"firm:{country}:", f"firm:{country};"  # ; is the character after :
        rows = question.connection.execute(
            """SELECT company_id, body FROM companies
                WHERE company_id > ? AND company_id < ? ORDER BY company_id""",
            (max(low, start), high),
        )
        for company_id, body in rows:
            yield (0, company_id, company_id), body


def _named(question: _Question, wanted: Asked) -> Found:
    countries = tuple(sorted(set(question.query.countries)))
    after: names.Place | None = None
    if question.after is not None:
        after = parts(question.after, int, int)[:2]
    found: Found = []
    if after is None or after[0] < SLIPPED:
        found = _first(names.ranked(question.connection, wanted, countries, after), question.limit)
    if found or (after is not None and after[0] < SLIPPED):
        return found
    return _first(names.slipped(question.connection, wanted, countries, after), question.limit)


def _first(places: Iterator[names.Place], limit: int) -> Found:
    return [(place, place[1]) for place in islice(places, limit + 1)]


def _scanned(question: _Question, order: str) -> Found:
    wanted, after = question.wanted, question.after
    slipping = after is not None and filters.is_slipped(order, after)
    if wanted is None:
        return _scan(question, order, None, slipped=False)
    if order == filters.RELEVANCE and not slipping:
        best = _among_best(question, wanted)
        if len(best) > question.limit:
            return best
    found = [] if slipping else _scan(question, order, _names(question, wanted, None), slipped=False)
    if found or (after is not None and not slipping):
        return found
    slips = names.slips_of(question.connection, wanted)
    if not any(slips.values()):
        return []
    return _scan(question, order, _names(question, wanted, slips), slipped=True)


def _among_best(question: _Question, wanted: Asked) -> Found:
    """Applies the filters to the best names only; complete if it fills the page, else the caller discards it."""
    countries = tuple(sorted(set(question.query.countries)))
    after = None if question.after is None else parts(question.after, int, int)
    places = list(islice(names.ranked(question.connection, wanted, countries, after), BEST))
    if not places:
        return []
    among = filters.Named([rank for _, rank in places], [tier for tier, _ in places])
    return _scan(question, filters.RELEVANCE, among, slipped=False)


def _names(question: _Question, wanted: Asked, slips: names.Slips | None) -> filters.Words | filters.Named:
    """The companies that match by name if there are few; the words to match during the scan if there are many."""
    countries = tuple(sorted(set(question.query.countries)))
    found = names.all_of(question.connection, wanted, countries, slips, MOST)
    if found is None:
        return filters.Words(wanted, slips)
    return filters.Named([rank for _, rank in found], [tier for tier, _ in found])


def _scan(
    question: _Question, order: str, among: filters.Words | filters.Named | None, *, slipped: bool
) -> Found:
    made = filters.Statement(question.query, among)
    if order == filters.RELEVANCE:
        rows = question.scan(made.by_relevance(question.after, question.limit), made.values)
        return [((tier, rank), rank) for tier, rank in rows]
    by, last = filters.ORDERS[order], None
    if among is None:
        last = _last(question, by)
    rows = question.scan(made.by_value(by, question.after, last, question.limit), made.values)
    return [((int(slipped), _plain(value), company_id), rank) for rank, value, company_id in rows]


def _last(question: _Question, by: filters.Order) -> object:
    """An upper bound for the page, so that few rows are read in full; None if there is no bound."""
    if question.after is not None and question.after[1:2] == (None,):
        return None
    made = filters.Statement(question.query, None)
    heads = question.scan(made.heads(by, question.after, question.limit), made.values)
    return heads[-1][0] if len(heads) > question.limit else None


def _plain(value: str | int | date | None) -> str | int | None:
    return value.isoformat() if isinstance(value, date) else value


def _documents(question: _Question, found: Found) -> Page:
    bodies = profiles.bodies(question.connection, [rank for _, rank in found[: question.limit]])
    return page(((key, bodies.get(rank, b"")) for key, rank in found), question.limit)
