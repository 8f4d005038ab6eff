"""Filtered and sorted company lists: one scan of the table `search`.

See docs/contract/contract.md 4.2. Names are matched before (`names`) or, if there are too many, here with the same
tiers (`names`), so that a filter removes companies but never changes the order. Paging keys: (tier, rank) by
relevance; else (1 for typo matches, value, company id), nulls last. Does not belong here: the table
(`warehouse.serving.search_table`) or documents (`profiles`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from warehouse.reader.company_query import CompanyQuery, filter_conditions
from warehouse.reader.queries.names import SLIPPED, NameQuery, TypoWords
from warehouse.reader.queries.paging import key_parts
from warehouse.reader.types import InvalidPageKeyError, Key
from warehouse.serving import sort_keys

LONGEST_NAME: Final = 64  # characters of a name used for sorting: a key must fit into a cursor


@dataclass(frozen=True, slots=True)
class NameFilter:
    """The name part of a query. `typo_words` given: only names that match with a typo, not those that match exactly."""

    name_query: NameQuery
    typo_words: TypoWords | None = None


@dataclass(frozen=True, slots=True)
class MatchedNames:
    """Companies that match by name: ranks and their tiers."""

    ranks: Sequence[int]
    tiers: Sequence[int]


@dataclass(frozen=True, slots=True)
class SortOrder:
    """One sort order: its column, and the types of its value in a paging key.

    `initial` replaces a long column by an integer sort key, which is enough for most rows.
    """

    column: str
    kinds: tuple[type, ...]
    initial: str | None = None
    descending: bool = False

    @property
    def head(self) -> str:
        """The expression compared first."""
        return self.initial or self.column

    @property
    def comparison_operator(self) -> str:
        """The comparison operator for values after a given one."""
        return "<" if self.descending else ">"


RELEVANCE: Final = "relevance"
ID: Final = "id"
NAME: Final = "name"
REGISTERED: Final = "-registered_date"
ORDERS: Final = {
    ID: SortOrder("company_id", (str,), "id_initials"),
    NAME: SortOrder(f"left(trim(words), {LONGEST_NAME})", (str,), "name_initials"),
    "-latest_revenue": SortOrder("latest_revenue", (int, type(None)), descending=True),
    REGISTERED: SortOrder("registered_date", (str, type(None)), descending=True),
}


class SearchStatement:
    """A SQL statement being built: ANDed conditions, and named parameters."""

    def __init__(self, query: CompanyQuery, names: NameFilter | MatchedNames | None) -> None:
        self.values: dict[str, Any] = {}
        self._conditions: list[str] = []
        self._source = "release.search"
        self._tier = "0"
        self._asked: NameQuery | None = (
            None  # set only if needed for sorting: DuckDB rejects parameters that a statement does not use
        )
        for condition in filter_conditions(query, self.value):
            self.add(condition)
        if isinstance(names, MatchedNames):
            self._join_matches(names)
        elif names is not None:
            self._match_words(names)

    def value(self, value: object) -> str:
        """Adds a parameter and returns its placeholder."""
        name = f"v{len(self.values)}"
        self.values[name] = value
        return f"${name}"

    def add(self, condition: str) -> None:
        """Adds a condition."""
        self._conditions.append(f"({condition})")

    def by_relevance(self, after: Key | None, limit: int) -> str:
        """SQL for (tier, rank) of one page plus one row."""
        keyset = "true"
        if after is not None:
            tier, rank = map(self.value, key_parts(after, int, int))
            keyset = f"tier > {tier} OR (tier = {tier} AND rank > {rank})"
        tier_of = self._tier if self._asked is None else self._tier_sql(self._asked)
        return f"""SELECT tier, rank FROM
            (SELECT rank, {tier_of} AS tier FROM {self._source} WHERE {self._where()})
            WHERE {keyset} ORDER BY tier, rank LIMIT {limit + 1}"""

    def heads(self, order: SortOrder, after: Key | None, limit: int) -> str:
        """SQL for the first-compared values of a page plus one row, except those equal to the given key's."""
        conditions = [*self._conditions, f"{order.head} IS NOT NULL"]
        if after is not None:
            conditions.append(f"{order.head} {order.comparison_operator} {self._bind_compared_value(order, after)}")
        return f"""SELECT {order.head} FROM {self._source} WHERE {" AND ".join(conditions)}
            ORDER BY {order.head} {"DESC" if order.descending else "ASC"} LIMIT {limit + 1}"""

    def by_value(self, order: SortOrder, after: Key | None, last: object, limit: int) -> str:
        """SQL for (rank, value, company id) of a page plus one row, up to `last` if given."""
        if after is not None:
            self._start_after(order, after)
        if last is not None:
            self.add(f"NOT {order.head} {order.comparison_operator} {self.value(last)}")
        return f"""SELECT rank, {order.column} AS value, company_id FROM {self._source} WHERE {self._where()}
            ORDER BY value {"DESC" if order.descending else "ASC"} NULLS LAST, company_id LIMIT {limit + 1}"""

    def _start_after(self, order: SortOrder, after: Key) -> None:
        _, value, company_id = key_parts(after, int, order.kinds, str)
        beyond = f"company_id > {self.value(company_id)}"
        if value is None:
            self.add(f"{order.head} IS NULL AND {beyond}")
            return
        head = self._bind_compared_value(order, after)
        if order.initial:
            same = self.value(value)
            beyond = f"{order.column} > {same} OR ({order.column} = {same} AND {beyond})"
        unknown = f"OR {order.head} IS NULL" if type(None) in order.kinds else ""
        self.add(f"{order.head} {order.comparison_operator} {head} OR ({order.head} = {head} AND ({beyond})) {unknown}")

    def _bind_compared_value(self, order: SortOrder, after: Key) -> str:
        """Placeholder of the first-compared value of the row before the page."""
        _, value, _ = key_parts(after, int, order.kinds, str)
        return self.value(_HEADS[order](value) if order in _HEADS else value)

    def _where(self) -> str:
        return " AND ".join(self._conditions) or "true"

    def _join_matches(self, named: MatchedNames) -> None:
        ranks, tiers = self.value(named.ranks), self.value(named.tiers)
        self._source += f" JOIN (SELECT unnest({ranks}) AS rank, unnest({tiers}) AS tier) AS named USING (rank)"
        self._tier = "named.tier"

    def _match_words(self, words: NameFilter) -> None:
        begun = " AND ".join(self._contains_sql(f" {word}") for word in words.name_query.words)
        if words.typo_words is None:
            self.add(begun)
            self._asked = words.name_query
            return
        for word in words.name_query.words:
            near = (f" {other} " for other in words.typo_words[word])
            self.add(" OR ".join(map(self._contains_sql, (f" {word}", *near))))
        self.add(f"NOT ({begun})")
        self._tier = str(SLIPPED)

    def _tier_sql(self, asked: NameQuery) -> str:
        """SQL for the tier of a matching name (`NameQuery.tier`)."""
        name, begun = self.value(f" {asked.name} "), self.value(f" {asked.name}")
        whole = " AND ".join(self._contains_sql(f" {word} ") for word in asked.words)
        return f"""CASE WHEN words = {name} THEN 0 WHEN starts_with(words, {name}) THEN 1
            WHEN {whole} THEN 2 WHEN starts_with(words, {begun}) THEN 3 ELSE 4 END"""

    def _contains_sql(self, text: str) -> str:
        return f"contains(words, {self.value(text)})"


def is_typo_key(order: str, after: Key) -> bool:
    """True if a key belongs to the typo matches; raises InvalidPageKeyError if it does not fit the order."""
    if order == RELEVANCE:
        return key_parts(after, int, int)[0] >= SLIPPED
    return key_parts(after, int, ORDERS[order].kinds, str)[0] > 0


def _parse_date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InvalidPageKeyError(f"{text!r} is not a date to continue after") from None


def _id_sort_key(company_id: str) -> int:
    try:
        return sort_keys.id_sort_key(company_id)
    except ValueError:
        raise InvalidPageKeyError(f"{company_id!r} is not a company to continue after") from None


_HEADS: Final[Mapping[SortOrder, Callable[[str], object]]] = {
    ORDERS[ID]: _id_sort_key,
    ORDERS[NAME]: sort_keys.name_sort_key,
    ORDERS[REGISTERED]: _parse_date,
}
"""What a value in a key says of the column that is compared first, where that is another."""
