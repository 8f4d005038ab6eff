"""The group of one company: its parents, its ultimate parents, and what it holds over several levels.

See docs/contract/contract.md 4.4b. A line is one relation as its sources state it, never a product of several. Walks
visit each company once, so that circles end, and at most so many of them: what a client asks for does not change what a
request may cost. Does not belong here: reading relations (`relations`), or which relations there are
(`pipelines.transforms.ownership.relations`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from warehouse.reader.queries.circles import find_circles
from warehouse.reader.queries.paging import key_parts
from warehouse.reader.queries.relations import FIRST_HELD, Relation, RelationIndex
from warehouse.reader.types import CompanyGroup, InvalidPageKeyError, Key, ResultPage
from warehouse.schema.codes import ALIASES

MOST_PARENTS: Final = 100  # lines of `parents`, and of `ultimate_parents`
MOST_ABOVE: Final = 100  # companies whose holders are read
MOST_BELOW: Final = 400  # companies whose holdings are read, and
MOST_LINES: Final = 2_000  # relations below, where the depth is above 1
_MOST_DECIDING: Final = 100  # holders who decide, of one company
_STATED: Final = ("pct", "pct_min", "pct_max", "votes_pct")


class GroupLine(NamedTuple):
    """A relation where a walk found it: `level` relations away, at the company `via`."""

    level: int
    via: str
    relation: Relation

    @property
    def sort_key(self) -> tuple[int, str, int, str, str, str]:
        return self.level, self.via, *self.relation.held_key


@dataclass
class _Walk:
    """What a walk has seen; edges are (holder, held)."""

    lines: list[GroupLine] = field(default_factory=list)
    edges: set[tuple[str, str]] = field(default_factory=set)
    visited: set[str] = field(default_factory=set)
    is_complete: bool = True


def company_group(index: RelationIndex, company_id: str, depth: int, after: Key | None, limit: int) -> CompanyGroup:
    """The group of a company of the release and the day of `index`.

    Parents: one level, all kinds of relation. Ultimate parents: the ends of chains of holders who decide. Children:
    down to `depth`, by level, then by the holder's id, then the largest share first; `after` and `limit` are of them.
    Circles are named as far as they lie within what is visited.
    """
    parents = index.holders_of([company_id], MOST_PARENTS + 1)[company_id]
    above = _deciding_holders(index, company_id)
    ultimate = _ultimate_lines(above)
    _add_circles_of_parents(index, company_id, parents, above)
    below = (
        _page_of_held(index, company_id, after, limit) if depth == 1 else _held_over_levels(index, company_id, depth)
    )
    lines = below.lines if after is None else [line for line in below.lines if line.sort_key > _held_key(after)]
    circles = find_circles(above.edges | below.edges)
    shown = lines[:limit]
    listed = [GroupLine(1, company_id, row) for row in parents[:MOST_PARENTS] if not row.skips]
    writing = _LineWriter(index, circles)
    return CompanyGroup(
        ultimate_parents=writing.of_holders(ultimate[:MOST_PARENTS]),
        parents=writing.of_holders(listed),
        has_more_parents=len(parents) > MOST_PARENTS,
        children=ResultPage(writing.of_held(shown), tuple(line.sort_key for line in shown), len(lines) > limit),
        circles=tuple(map(tuple, circles)),
        visited_companies=len(above.visited | below.visited),
        is_complete=above.is_complete and below.is_complete and len(ultimate) <= MOST_PARENTS,
    )


def _held_key(key: Key) -> tuple[Any, ...]:
    return key_parts(key, int, str, int, str, str, str)


def _deciding_holders(index: RelationIndex, company_id: str) -> _Walk:
    """Chains of holders who decide, from the company upwards."""
    walk = _Walk()
    waiting, level = {company_id}, 1
    while waiting:
        walk.visited |= waiting
        following: set[str] = set()
        for held, rows in index.holders_of(sorted(waiting), _MOST_DECIDING, only_deciding=True).items():
            walk.is_complete &= len(rows) < _MOST_DECIDING
            walk.lines += (GroupLine(level, held, row) for row in rows)
            holders = {holder for row in rows if (holder := row.holder_company_id)}
            walk.edges |= {(holder, held) for holder in holders}
            following |= holders
        wanted = sorted(following - walk.visited)
        waiting = set(wanted[: MOST_ABOVE - len(walk.visited)])
        walk.is_complete &= len(waiting) == len(wanted)
        level += 1
    return walk


def _add_circles_of_parents(index: RelationIndex, company_id: str, parents: Iterable[Relation], above: _Walk) -> None:
    """Adds the edges between the company and its parents: a parent may be held by the company."""
    holders = {holder for row in parents if (holder := row.holder_company_id)}
    above.edges |= {(holder, company_id) for holder in holders}
    above.visited |= holders
    for held, rows in index.holders_of(sorted(holders), MOST_PARENTS).items():
        above.edges |= {(row.holder, held) for row in rows if row.holder in above.visited}


def _ultimate_lines(above: _Walk) -> list[GroupLine]:
    """The lines of holders whom nobody decides over: of each its first level, once for each kind of relation."""
    decided = {line.via for line in above.lines}
    levels: dict[str, int] = {}
    found: dict[tuple[str, str], GroupLine] = {}
    for line in sorted(above.lines, key=lambda line: (line.level, line.via)):
        holder = line.relation.holder or f"{line.via} {line.relation.holder_id}"
        is_seen = not line.relation.holder_company_id or holder in above.visited
        if is_seen and holder not in decided and levels.setdefault(holder, line.level) == line.level:
            found.setdefault((holder, line.relation.relation), line)
    return list(found.values())


def _page_of_held(index: RelationIndex, company_id: str, after: Key | None, limit: int) -> _Walk:
    """One level: read from where the page begins, however much the company holds."""
    start = FIRST_HELD
    if after is not None:
        level, via, *start_parts = _held_key(after)
        if (level, via) != (1, company_id):
            raise InvalidPageKeyError(f"a key of another level or company: {after!r}")
        start = tuple(start_parts)
    rows = index.held_by(company_id, index.keys_of([company_id])[company_id], start, limit + 1)
    return _Walk([GroupLine(1, company_id, row) for row in rows], visited={company_id})


def _held_over_levels(index: RelationIndex, company_id: str, depth: int) -> _Walk:
    """All levels in their order, as far as the limits go. A company that was seen before is not followed again."""
    walk = _Walk()
    waiting, level = [company_id], 1
    while waiting and level <= depth:
        walk.visited |= set(waiting)
        following: set[str] = set()
        for holder, keys in index.keys_of(waiting).items():
            left = MOST_LINES - len(walk.lines)
            rows = index.held_by(holder, keys, FIRST_HELD, left + 1)
            if len(rows) > left:
                walk.is_complete = False
                rows = rows[:left]
            walk.lines += (GroupLine(level, holder, row) for row in rows)
            walk.edges |= {(holder, row.company_id) for row in rows}
            following |= {row.company_id for row in rows}
        wanted = sorted(following - walk.visited)
        waiting = wanted[: MOST_BELOW - len(walk.visited)] if walk.is_complete else []
        level += 1
        walk.is_complete &= level > depth or len(waiting) == len(wanted)
    walk.lines.sort(key=lambda line: line.sort_key)
    return walk


class _LineWriter:
    """Writes lines as JSON objects, with names and countries of the companies that the release has."""

    def __init__(self, index: RelationIndex, circles: Sequence[Sequence[str]]) -> None:
        self._index = index
        self._circle_of: Mapping[str, int] = {
            company: place for place, circle in enumerate(circles) for company in circle
        }

    def of_holders(self, lines: Sequence[GroupLine]) -> tuple[bytes, ...]:
        """Lines about the holder of each relation."""
        return tuple(self._written(lines, [line.relation.holder_company_id for line in lines]))

    def of_held(self, lines: Sequence[GroupLine]) -> tuple[bytes, ...]:
        """Lines about the company that is held."""
        return tuple(self._written(lines, [line.relation.company_id for line in lines]))

    def _written(self, lines: Sequence[GroupLine], companies: Sequence[str | None]) -> Iterator[bytes]:
        known = self._index.headers({company for company in companies if company is not None})
        for line, company in zip(lines, companies, strict=True):
            row = line.relation
            stated = json.loads(self._index.body(row))
            header = known.get(company) if company is not None else None
            text = {
                "company_id": company,
                "holder_id": row.holder_id,
                "name": header.name if header is not None else stated["name"],
                "country": _market(company) if company is not None else _country(stated["country"]),
                **{name: stated[name] for name in _STATED},
                "relation": row.relation,
                "is_direct": stated["is_direct"],
                "holder_lei": stated["holder_lei"],
                "level": line.level,
                "via": line.via,
                "in_circle": self._is_in_circle(row),
                "as_of": stated["as_of"],
                "reconciliation": stated["reconciliation"],
                "sources": stated["sources"],
            }
            yield json.dumps(text, ensure_ascii=False, separators=(",", ":")).encode()

    def _is_in_circle(self, row: Relation) -> bool:
        circle = self._circle_of.get(row.company_id)
        return circle is not None and circle == self._circle_of.get(row.holder)


def _market(company_id: str) -> str:
    return company_id.split(":")[1]


def _country(stated: str | None) -> str | None:
    """A country as profiles write it: UK, never GB."""
    return None if stated is None else ALIASES.get(stated, stated)
