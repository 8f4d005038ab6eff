"""BODS statements of one market: a walk over its companies in the order of their ids, a few at a time in memory.

Per company that has holders on the day: the statement about it, about its holders, and about what they hold. A company
that is a holder too has one statement in the file, where the walk first meets it; which ones were written is kept in
a temporary file. Does not belong here: what statements say (`statements`), the file (`statement_file`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import msgspec

from warehouse.exports.bods.statements import (
    Holder,
    Publication,
    company_statement,
    holder_statement,
    relationship_statement,
)
from warehouse.exports.market_rows import MarketRows
from warehouse.reader.queries import market_dump, owners
from warehouse.reader.queries.relations import Relation, RelationIndex
from warehouse.release.manifest import ReleaseManifest
from warehouse.serving import codec_read

COMPANIES: Final = 500  # whose holders are read at once
_ALL: Final = -1  # of SQLite's LIMIT: no limit
_NAMED: Final = "SELECT since, company_id, holder_id FROM {table} WHERE holder = :holder AND {valid}"
_VALID: Final = "since <= :day AND (until = '' OR until > :day)"
_FIRST_MENTION: Final = (
    " UNION ".join(_NAMED.format(table=table, valid=_VALID) for table in ("relations", "owners_by_holder"))
    + " ORDER BY since, company_id, holder_id LIMIT 1"
)


def market_statements(rows: MarketRows) -> Iterator[bytes]:
    """Every statement of a market on the day of its export, each record once."""
    with closing(sqlite3.connect("")) as written:  # a temporary file once it is larger than the cache
        written.execute("CREATE TABLE written (record_id TEXT PRIMARY KEY) WITHOUT ROWID")
        yield from _MarketWalk(rows, written, _publication(rows.release.manifest, rows.market)).statements()


def _publication(manifest: ReleaseManifest, market: str) -> Publication:
    terms = {key: state.terms for key, state in manifest.markets[market].datasets.items()}
    licences = {key: found.licence_url for key, found in terms.items() if found is not None and found.licence_url}
    return Publication(manifest.built_at.date().isoformat(), licences)


@dataclass(frozen=True, slots=True)
class _MarketWalk:
    rows: MarketRows
    written: sqlite3.Connection
    publication: Publication

    @property
    def _serving(self) -> sqlite3.Connection:
        return self.rows.release.serving

    def statements(self) -> Iterator[bytes]:
        company_ids = market_dump.company_ids(self._serving, market_dump.market_id_bounds(self.rows.market))
        while some := list(islice(company_ids, COMPANIES)):
            relations = self._relations(some)
            for company_id in some:
                yield from self._of_company(company_id, self._holders(company_id, relations.get(company_id, ())))

    def _of_company(self, company_id: str, holders: Sequence[Holder]) -> Iterator[bytes]:
        if holders:
            yield from self._company(company_id)
        for holder in holders:
            yield from self._holder(company_id, holder)
            yield relationship_statement(company_id, holder, self.publication)

    def _company(self, company_id: str) -> Iterator[bytes]:
        """The statement about a company of the release, unless it is written; none if the release has none."""
        found = next(market_dump.company_profiles(self._serving, market_dump.company_id_bounds(company_id)), None)
        if found is not None and self._is_first(company_id):
            profile, more = map(msgspec.json.decode, found)
            yield company_statement(profile, more, self.publication)

    def _holder(self, company_id: str, holder: Holder) -> Iterator[bytes]:
        if holder.company_id is not None:
            yield from self._company(holder.company_id)
        record_id = holder.record_id
        if record_id is not None and self._is_first(record_id):
            first_company, first = self._first_mention(holder) or (company_id, holder)
            found = holder_statement(first_company, first, self.publication)
            if found is not None:
                yield found

    def _first_mention(self, holder: Holder) -> tuple[str, Holder] | None:
        """Where the release first names a holder of several companies: it says the same in every market's file.

        None for other holders, and in a release of a version that has no index of holders.
        """
        key = holder.company_id or holder.lei
        if key is None or not codec_read.has_relations(self._serving):
            return None
        day = self.rows.owned_on.isoformat()
        found = self._serving.execute(_FIRST_MENTION, {"holder": key, "day": day}).fetchone()
        if found is None:
            return None
        _, company_id, holder_id = found
        named = self._holders(company_id, self._relations([company_id])[company_id])
        return company_id, next(one for one in named if one.holder_id == holder_id)

    def _is_first(self, record_id: str) -> bool:
        return self.written.execute("INSERT OR IGNORE INTO written VALUES (?)", (record_id,)).rowcount == 1

    def _relations(self, company_ids: Sequence[str]) -> Mapping[str, Sequence[Relation]]:
        """Relations of companies on the day; none in a release of a version that stored none."""
        if not codec_read.has_relations(self._serving):
            return {}
        return self._index.holders_of(company_ids, _ALL)

    @property
    def _index(self) -> RelationIndex:
        return RelationIndex(self._serving, self.rows.owned_on.isoformat())

    def _holders(self, company_id: str, relations: Sequence[Relation]) -> list[Holder]:
        """Holders of a company on the day, by id: those of its lines of ownership, and of its relations."""
        value = owners.owner_rows(self._serving, company_id)
        lines: dict[str, Any] = {
            row.holder_id: msgspec.json.decode(row.body)
            for row in owners.owners_on_day(self.rows.owned_on.isoformat(), value)
        }
        related: dict[str, list[Relation]] = {}
        for row in sorted(relations, key=lambda row: (row.holder_id, row.relation)):
            related.setdefault(row.holder_id, []).append(row)
        return [
            self._described(holder_id, lines.get(holder_id), related.get(holder_id, ()))
            for holder_id in sorted(lines.keys() | related.keys())
        ]

    def _described(self, holder_id: str, owner: Mapping[str, Any] | None, relations: Sequence[Relation]) -> Holder:
        stated = [(row.relation, msgspec.json.decode(self._index.body(row))) for row in relations]
        companies = [row.holder_company_id for row in relations] + (
            [] if owner is None else [owner["holder_company_id"]]
        )
        leis = [row.holder_lei for row in relations]
        company_id = next(filter(None, companies), None)
        lei = None if company_id is not None else next(filter(None, leis), None)
        return Holder(holder_id, owner, stated, company_id, lei)
