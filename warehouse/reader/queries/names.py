"""Name search in the name index, best matches first, as unbounded iterators for paging.

Ordered by relevance tier, then by rank: listed and large companies first (`serving.search_table.RANK`).
Tiers, best first (docs/contract/contract.md 4.2): 0 the whole name; 1 the name begins with the query, as whole
words; 2 every query word is a word of the name; 3 the name begins with the query, with a prefix as last word;
4 every query word is a prefix of a word of the name; 5, only if all these match nothing, words may contain one typo
(`serving.name_terms`). Results are (tier, rank), which is also the paging key; the next page starts there,
independent of earlier pages. Names are scanned in `labels`, never in the documents; each segment of a release has an
index of its own, and their results are merged. Does not belong here: filters
other than `country`, other orders (`filters`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from heapq import merge
from typing import Final

from name_matching.folding import fold_text
from warehouse.serving.codec_read import DocumentsConnection
from warehouse.serving.name_terms import PREFIX_LENGTHS, words_one_typo_away
from warehouse.serving.segment_views import NameIndex

TIERS: Final = range(5)
SLIPPED: Final = 5
WORDS: Final = 12  # further query words are ignored
FEW: Final = 2000  # names with a prefix: sorting so many costs less than scanning all with the words
GATHERED: Final = 200  # names with all query words: so few are assigned to their tiers in a single scan of the index
BRIEF: Final = 2  # letters of a word that begins so many others that looking for it costs more than reading names
READ: Final = 1000  # names with the longer words that are read for a brief one
ENDINGS: Final = 500  # words matched by a longer prefix, above which FTS5 merges their lists
_START: Final = -1  # less than every rank
_WALKED: Final = 2  # from this tier on, the index is scanned for all names that contain the words
_LAST: Final = "\U0010ffff"
Place = tuple[int, int]
"""Tier and rank."""
TypoWords = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class NameQuery:
    """A parsed query: `name` is the whole text folded, `words` its distinct words."""

    name: str
    words: tuple[str, ...]

    def tier(self, name: str) -> int | None:
        """The relevance tier of a folded name, or None if it does not match; typos not considered."""
        spaced = f" {name} "
        if any(f" {word}" not in spaced for word in self.words):
            return None
        if name.startswith(self.name):
            if len(name) == len(self.name):
                return 0
            if name[len(self.name)] == " ":
                return 1
        if all(f" {word} " in spaced for word in self.words):
            return 2
        return 3 if name.startswith(self.name) else 4


def parse_name_query(text: str) -> NameQuery | None:
    """Parses a query; None if it has no word."""
    name = fold_text(text)
    words = tuple(dict.fromkeys(name.split()))
    return NameQuery(name, words[:WORDS]) if words else None


def exact_name_matches(
    connection: DocumentsConnection, name_query: NameQuery, countries: tuple[str, ...], after: Place | None
) -> Iterator[Place]:
    """Companies that match by name without typos."""
    tier, rank = after or (0, _START)
    walks = _index_queries(connection, name_query, countries)
    for number in TIERS[tier:]:
        start = rank if number == tier else _START
        gathered = _gather_all(walks) if number == max(tier, _WALKED) else None
        if gathered is not None:
            yield from (place for place in gathered if place > (number, start))
            return
        for found in merge(*(_FINDERS[number](walk, start) for walk in walks)):
            yield number, found


def typo_matches(
    connection: DocumentsConnection, name_query: NameQuery, countries: tuple[str, ...], after: Place | None
) -> Iterator[Place]:
    """Companies with each query word, or a word one typo away from it, in their names."""
    near = typo_candidates(connection, name_query)
    if any(near.values()):
        walks = _index_queries(connection, name_query, countries)
        start = after[1] if after else _START
        found = (walk.ranks(expression, None, start) for walk in walks if (expression := walk.every(near)) is not None)
        for rank in merge(*found):
            yield SLIPPED, rank


def typo_candidates(connection: DocumentsConnection, name_query: NameQuery) -> TypoWords:
    """Words of the indexes one typo away, by query word."""
    schemas = [index.schema for index in connection.name_indexes]
    return {word: words_one_typo_away(connection, schemas, word) for word in name_query.words}


def all_matches(
    connection: DocumentsConnection,
    name_query: NameQuery,
    countries: tuple[str, ...],
    typo_words: TypoWords | None,
    max_items: int,
) -> list[Place] | None:
    """All companies that match by name (`typo_words` given: only with typos), unordered; None if there are too many."""
    rows: list[tuple[int, str]] = []
    for walk in _index_queries(connection, name_query, countries):
        expression = walk.every(typo_words or {})
        if expression is not None:
            rows += walk.matching(expression, _START, max_items + 1 - len(rows)).fetchall()
    if len(rows) > max_items:
        return None
    found = [(name_query.tier(name), rank) for rank, name in rows]
    if typo_words is None:
        return [(tier, rank) for tier, rank in found if tier is not None]
    return [(SLIPPED, rank) for tier, rank in found if tier is None]


@dataclass(frozen=True, slots=True)
class _NameIndexQuery:
    """Queries of one segment's index for one search.

    Words are folded, so they contain no quotes; quoted, they are no FTS operators.
    """

    connection: sqlite3.Connection
    index: NameIndex
    asked: NameQuery
    countries: tuple[str, ...]

    def terms(self, words: tuple[str, ...]) -> list[str]:
        """FTS expressions for whole words."""
        return [f'folded : "{word}"' for word in words]

    def beginnings(self, word: str) -> list[str]:
        """FTS expressions, at least one of which matches each name that has a word with this prefix."""
        if len(word) <= PREFIX_LENGTHS[-1]:
            return [f'folded : "{word}" *']
        rows = self.connection.execute(
            f"SELECT word FROM {self.index.schema}.words WHERE word >= ? AND word < ? LIMIT ?",
            (word, word + _LAST, ENDINGS + 1),
        )
        words = tuple(found for (found,) in rows)
        return self.terms(words) if len(words) <= ENDINGS else [f'folded : "{word}" *']

    def whole(self) -> str:
        """FTS expression: every query word is a word of the name."""
        return " AND ".join(self.terms(self.asked.words))

    def every(self, near: TypoWords, words: tuple[str, ...] | None = None) -> str | None:
        """FTS expression: each word is a prefix of a word, or a near word occurs; None if none can match.

        words: those of the query, where nothing is said.
        """
        asked = self.asked.words if words is None else words
        ways = [self.beginnings(word) + self.terms(near.get(word, ())) for word in asked]
        return " AND ".join(f"({' OR '.join(way)})" for way in ways) if all(ways) else None

    def begun(self) -> str | None:
        """FTS expression: every query word is a prefix, but not all are whole words; None if no name can match."""
        every = self.every({})
        return f"({every}) NOT ({self.whole()})" if every else None

    def gathered(self) -> list[Place] | None:
        """All matching names without typos, best first; None if there are many, or for a single query word.

        Words that rarely occur together need a scan over the lists of all of them, which each tier would
        repeat; a single word has many matches or is found at once. A brief word, as one that is being typed, is looked
        for in the names with the longer ones, if these are few.
        """
        words = self.asked.words
        if len(words) == 1:
            return None
        longer = tuple(word for word in words if len(word) > BRIEF)
        rows = self._gathered_with(longer, READ) if longer and len(longer) < len(words) else None
        rows = self._gathered_with(words, GATHERED) if rows is None else rows
        if rows is None:
            return None
        found = ((self.asked.tier(name), rank) for rank, name in rows)
        return sorted((tier, rank) for tier, rank in found if tier is not None)

    def _gathered_with(self, words: tuple[str, ...], most: int) -> list[tuple[int, str]] | None:
        """Ranks and names with these words, whatever else was asked; None if there are more than `most`."""
        every = self.every({}, words)
        rows = [] if every is None else self.matching(every, _START, most + 1).fetchall()
        return rows if len(rows) <= most else None

    def ranks(self, expression: str, tier: int | None, after: int) -> Iterator[int]:
        """Ranks of the companies that match an expression and are of this tier, ascending."""
        rows = self.matching(expression, after, -1)
        return (rank for rank, name in rows if self.asked.tier(name) == tier)

    def matching(self, expression: str, after: int, most: int) -> sqlite3.Cursor:
        """Ranks and names that match, by rank; `most` -1: no limit."""
        if self.countries:
            named = " OR ".join(f'"{country}"' for country in self.countries)
            expression = f"({expression}) AND country : ({named})"
        schema = self.index.schema
        return self.connection.execute(
            f"""SELECT names.rowid, l.folded
                FROM {schema}.names CROSS JOIN {schema}.labels AS l ON l.rank = names.rowid
                WHERE names MATCH ? AND names.rowid > ?{self.index.visible("names.rowid")}
                ORDER BY names.rowid LIMIT ?""",
            (expression, after, most),
        )

    def labels(self, condition: str, values: tuple[str | int, ...], tier: int) -> Iterator[int]:
        """Ranks of the companies with labels that meet a condition and are of this tier, ascending."""
        only = f"AND country IN ({', '.join('?' * len(self.countries))})" if self.countries else ""
        rows = self.connection.execute(
            f"""SELECT rank, folded FROM {self.index.schema}.labels {condition} {only}{self.index.visible("rank")}
                ORDER BY rank""",
            (*values, *self.countries),
        )
        return (rank for rank, name in rows if self.asked.tier(name) == tier)

    def few(self, low: str, high: str) -> bool:
        """True if there are few names between two texts."""
        rows = self.connection.execute(
            f"""SELECT count(*) FROM
                (SELECT 1 FROM {self.index.schema}.labels WHERE folded >= ? AND folded < ? LIMIT ?)""",
            (low, high, FEW + 1),
        )
        return rows.fetchone()[0] <= FEW

    def between(self, low: str, high: str, tier: int, after: int) -> Iterator[int]:
        """Ranks of the companies with names in a range, ascending."""
        spread = "INDEXED BY labels_by_name WHERE folded >= ? AND folded < ? AND +rank > ?"
        return self.labels(spread, (low, high, after), tier)


def _index_queries(
    connection: DocumentsConnection, name_query: NameQuery, countries: tuple[str, ...]
) -> list[_NameIndexQuery]:
    """The queries of every segment's index."""
    return [_NameIndexQuery(connection, index, name_query, countries) for index in connection.name_indexes]


def _gather_all(walks: list[_NameIndexQuery]) -> list[Place] | None:
    """All matching names of all segments, best first; None if one of them has many."""
    found: list[Place] = []
    for walk in walks:
        gathered = walk.gathered()
        if gathered is None:
            return None
        found += gathered
    return sorted(found)


def _exact_matches(walk: _NameIndexQuery, after: int) -> Iterator[int]:
    return walk.labels("INDEXED BY labels_by_name WHERE folded = ? AND rank > ?", (walk.asked.name, after), 0)


def _whole_word_prefix_matches(walk: _NameIndexQuery, after: int) -> Iterator[int]:
    name = walk.asked.name
    if " " not in name:
        first = "INDEXED BY labels_by_first_word WHERE first = ? AND rank > ?"
        return walk.labels(first, (name, after), 1)
    low, high = f"{name} ", f"{name}!"  # ! is the character after the blank
    if walk.few(low, high):
        return walk.between(low, high, 1, after)
    return walk.ranks(walk.whole(), 1, after)


def _whole_word_matches(walk: _NameIndexQuery, after: int) -> Iterator[int]:
    return walk.ranks(walk.whole(), 2, after)


def _text_prefix_matches(walk: _NameIndexQuery, after: int) -> Iterator[int]:
    low, high = f"{walk.asked.name}!", walk.asked.name + _LAST
    if walk.few(low, high):
        return walk.between(low, high, 3, after)
    return _prefix_only_matches(walk, 3, after)


def _word_prefix_matches(walk: _NameIndexQuery, after: int) -> Iterator[int]:
    return _prefix_only_matches(walk, 4, after)


def _prefix_only_matches(walk: _NameIndexQuery, tier: int, after: int) -> Iterator[int]:
    expression = walk.begun()
    return walk.ranks(expression, tier, after) if expression else iter(())


_FINDERS: Final[tuple[Callable[[_NameIndexQuery, int], Iterator[int]], ...]] = (
    _exact_matches,
    _whole_word_prefix_matches,
    _whole_word_matches,
    _text_prefix_matches,
    _word_prefix_matches,
)
