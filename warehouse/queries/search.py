"""Finding companies by name, in pages without an end (CONTRACT 4.2).

Names are asked for in tiers, best first: the whole name; names that begin with the words asked for; names
with a word beginning with each of them; at last, where nothing of these is found, names with words that are
one slip away (`slips`). Within a tier the rowid is the order: listed and large first, as `documents.RANK`
made it. A key is (tier, rank); the page after it starts there, whatever came before. Without `q` the order is
that of the id. Does not belong here: exact numbers (the API asks for the profile), filters other than
`country`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Final

from warehouse.folding import folded
from warehouse.queries.pages import page
from warehouse.queries.slips import spelled
from warehouse.reading import Key, Page, Search
from warehouse.schema.codes import MARKETS

Row = tuple[Key, bytes]
_Tier = Callable[[sqlite3.Connection, str, tuple[str, ...], int], Iterator[Row]]
_START: Final = -1  # below every rank
_SLIPS: Final = 3
FEW: Final = 2000
WORDS: Final = 12  # more words than this make no name narrower


def search(connection: sqlite3.Connection, query: Search, after: Key | None, limit: int) -> Page:
    """Companies that match, best first."""
    countries = tuple(sorted(set(query.countries)))
    if query.q is None:
        return page(_by_id(connection, countries, str(after[0]) if after else ""), limit)
    words = folded(query.q).split()[:WORDS]
    if not words:
        return Page((), (), has_more=False)
    tier, rank = (int(after[0] or 0), int(after[1] or 0)) if after else (0, _START)
    if tier == _SLIPS:
        return page(_slipped(connection, words, countries, rank), limit)
    found = page(_by_words(connection, " ".join(words), countries, tier, rank), limit)
    if after is None and not found.rows:
        return page(_slipped(connection, words, countries, _START), limit)
    return found


def _by_id(connection: sqlite3.Connection, countries: tuple[str, ...], after: str) -> Iterator[Row]:
    """Companies in the order of their ids, which is that of their markets first."""
    for country in countries or tuple(sorted(MARKETS)):
        low, high = f"firm:{country}:", f"firm:{country};"  # ; is the character after :
        rows = connection.execute(
            """SELECT company_id, body FROM companies
                WHERE company_id > ? AND company_id < ? ORDER BY company_id""",
            (max(low, after), high),
        )
        for company_id, body in rows:
            yield (company_id,), body


def _by_words(
    connection: sqlite3.Connection, name: str, countries: tuple[str, ...], tier: int, rank: int
) -> Iterator[Row]:
    for number, rows in enumerate(_TIERS):
        if number >= tier:
            start = rank if number == tier else _START
            for key, body in rows(connection, name, countries, start):
                yield (number, *key), body


def _exact(
    connection: sqlite3.Connection, name: str, countries: tuple[str, ...], after: int
) -> Iterator[Row]:
    only = f"AND country IN ({_marks(countries)})" if countries else ""
    rows = connection.execute(
        f"SELECT rank, body FROM companies WHERE folded = ? AND rank > ? {only} ORDER BY rank",
        (name, after, *countries),
    )
    return (((rank,), body) for rank, body in rows)


def _beginning(
    connection: sqlite3.Connection, name: str, countries: tuple[str, ...], after: int
) -> Iterator[Row]:
    """A name begins with these words, the last of which may go on, just when its text begins with theirs."""
    if _few_begin(connection, name):
        only = f"AND country IN ({_marks(countries)})" if countries else ""
        rows = connection.execute(
            f"""SELECT rank, body FROM companies WHERE folded > ? AND folded < ? AND rank > ? {only}
                ORDER BY rank""",
            (*_span(name), after, *countries),
        )
        return (((rank,), body) for rank, body in rows)
    found = _matching(connection, _first(name), countries, after)
    return ((key, body) for folded_name, key, body in found if folded_name != name)


def _containing(
    connection: sqlite3.Connection, name: str, countries: tuple[str, ...], after: int
) -> Iterator[Row]:
    every = " AND ".join(f"folded : {_prefix(word)}" for word in name.split())
    if _few_begin(connection, name):
        found = _matching(connection, every, countries, after)
        return ((key, body) for folded_name, key, body in found if not folded_name.startswith(name))
    found = _matching(connection, f"({every}) NOT {_first(name)}", countries, after)
    return ((key, body) for _, key, body in found)


def _few_begin(connection: sqlite3.Connection, name: str) -> bool:
    """Whether so few names begin like this that sorting them costs less than comparing phrases."""
    rows = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM companies WHERE folded > ? AND folded < ? LIMIT ?)",
        (*_span(name), FEW + 1),
    )
    return rows.fetchone()[0] <= FEW


def _span(name: str) -> tuple[str, str]:
    return name, name + "\U0010ffff"


_TIERS: Final[tuple[_Tier, ...]] = (_exact, _beginning, _containing)


def _slipped(
    connection: sqlite3.Connection, words: list[str], countries: tuple[str, ...], after: int
) -> Iterator[Row]:
    """Names in which each word begins as asked, or is one slip away from a word asked for."""
    asked: list[str] = []
    for word in words:
        ways = [_prefix(word), *(f'"{near}"' for near in spelled(connection, word))]
        asked.append(f"folded : ({' OR '.join(ways)})")
    for _, key, body in _matching(connection, " AND ".join(asked), countries, after):
        yield (_SLIPS, *key), body


def _matching(
    connection: sqlite3.Connection, expression: str, countries: tuple[str, ...], after: int
) -> Iterator[tuple[str, Key, bytes]]:
    if countries:
        named = " OR ".join(f'"{country}"' for country in countries)
        expression = f"({expression}) AND country : ({named})"
    rows = connection.execute(
        """SELECT c.folded, c.rank, c.body FROM names CROSS JOIN companies AS c ON c.rank = names.rowid
            WHERE names MATCH ? AND names.rowid > ? ORDER BY names.rowid""",
        (expression, after),
    )
    return ((folded_name, (rank,), body) for folded_name, rank, body in rows)


def _first(name: str) -> str:
    """Names that begin with these words, the last of which may go on."""
    return f"folded : ^ {_prefix(name)}"


def _prefix(words: str) -> str:
    """A phrase whose last word may go on.

    Folded text has no quotes; words are quoted against FTS operators.
    """
    return f'"{words}" *'


def _marks(values: tuple[str, ...]) -> str:
    return ", ".join("?" * len(values))
