"""Relations of one earlier release, read both ways from the current one and the past files (docs/architecture.md 7).

A company whose relations were replaced since has those in its oldest past row above the release; any other has those of
now. The same holds for LEIs and names. Does not belong here: reading past files (`past_states`), or walks over several
relations (`queries.groups`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

import msgspec

from warehouse.reader.past_states import HeldQuery, PastStates
from warehouse.reader.queries.relations import HeldKey, Relation, RelationIndex
from warehouse.reader.types import CompanyHeader
from warehouse.serving import codec_read, past_relations
from warehouse.serving.past_db import LEIS, PROFILE, RELATIONS


class _StoredRelation(NamedTuple):
    relation: Relation
    since: str
    until: str
    body: bytes


class _Names(msgspec.Struct):
    org_number: str
    name: str


_NAMES = msgspec.json.Decoder(_Names)


class PastRelationIndex(RelationIndex):
    """The relations of one earlier release that are valid on one day.

    require_time: called often; raises when the time of the request is up.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        past: PastStates,
        release: int,
        day: str,
        require_time: Callable[[], object],
    ) -> None:
        super().__init__(connection, day)
        self._past, self._release, self._require_time = past, release, require_time
        self._replaced: dict[str, list[_StoredRelation] | None] = {}

    def headers(self, company_ids: Collection[str]) -> dict[str, CompanyHeader]:
        states = {one: self._past.state(one, PROFILE, self._release) for one in company_ids}
        found = super().headers([one for one, state in states.items() if state is None])
        for company_id, state in states.items():
            if state is not None and state.value is not None:
                names = _NAMES.decode(state.value)
                found[company_id] = CompanyHeader(company_id, names.org_number, names.name)
        return found

    def body(self, row: Relation) -> bytes:
        rows = self._replaced_rows(row.company_id)
        if rows is None:
            return super().body(row)
        key = (row.minor, row.kind, row.position, row.holder_id)
        return next(one.body for one in rows if one.relation[1:5] == key)

    def _holder_rows(self, company_id: str, minor: int, most: int) -> list[Relation]:
        rows = self._replaced_rows(company_id)
        if rows is None:
            return super()._holder_rows(company_id, minor, most)
        valid = (one.relation for one in rows if one.since <= self._day and (not one.until or one.until > self._day))
        return [row for row in valid if row.minor <= minor and row.holder != company_id][:most]

    def _held_rows(self, key: str, after: HeldKey, company_id: str, most: int) -> list[Relation]:
        query = HeldQuery(key, after, company_id, self._day, most)
        found = self._past.held_rows(query, self._release, self._require_time)
        found += self._rows_of_now(key, after, company_id, most)
        return sorted(found, key=lambda row: row.held_key)[:most]

    def _rows_of_now(self, key: str, after: HeldKey, company_id: str, most: int) -> list[Relation]:
        found: list[Relation] = []
        while len(found) < most:
            self._require_time()
            page = super()._held_rows(key, after, company_id, most)
            found += (row for row in page if not self._past.is_replaced(row.company_id, RELATIONS, self._release))
            if len(page) < most:
                break
            after = page[-1].held_key
        return found[:most]

    def _lei_rows(self, company_ids: Collection[str]) -> Iterator[tuple[str, str]]:
        states = {one: self._past.state(one, LEIS, self._release) for one in company_ids}
        yield from super()._lei_rows([one for one, state in states.items() if state is None])
        for company_id, state in states.items():
            if state is not None:
                yield from ((company_id, lei) for lei in past_relations.read_leis(state.value))

    def _whose_rows(self, leis: Collection[str]) -> Iterator[tuple[str, str]]:
        for lei, company_id in super()._whose_rows(leis):
            if not self._past.is_replaced(company_id, LEIS, self._release):
                yield lei, company_id
        for lei in leis:
            yield from ((lei, company_id) for company_id in self._past.companies_of_lei(lei, self._release))

    def _replaced_rows(self, company_id: str) -> list[_StoredRelation] | None:
        """The relations of then of a company; None if they are those of now."""
        if company_id not in self._replaced:
            self._require_time()
            state = self._past.state(company_id, RELATIONS, self._release)
            self._replaced[company_id] = None if state is None else list(_stored_rows(company_id, state.value))
        return self._replaced[company_id]


def _stored_rows(company_id: str, value: bytes | None) -> Iterator[_StoredRelation]:
    for fields in codec_read.split_rows(None if value is None else (value,)):
        *leading, body = fields
        minor, kind, position, holder_id, relation, holder, since, until, skips = map(bytes.decode, leading)
        row = Relation(company_id, int(minor), int(kind), int(position), holder_id, relation, holder, int(skips))
        yield _StoredRelation(row, since, until, body)
