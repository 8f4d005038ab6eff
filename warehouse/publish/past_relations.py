"""Compares the relations and the LEIs of two releases, company by company (docs/architecture.md 7, «Past states»).

Does not belong here: other documents (`past_build`), or what a value has (`serving.past_relations`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

import polars as pl

from warehouse.serving import codec_read, past_relations
from warehouse.serving.codec_read import ROW, Unpack
from warehouse.serving.codec_write import RowPacker

_LEADING: Final = ", ".join(past_relations.LEADING)
_RELATIONS: Final = f"""SELECT company_id, {_LEADING}, body FROM relations WHERE {{where}}
    ORDER BY company_id, minor, kind, position, holder_id"""
_LEIS: Final = "SELECT company_id, lei FROM leis WHERE {where} ORDER BY company_id, lei"
_Rows = list[tuple[Any, ...]]


class ReplacedRelations(NamedTuple):
    """Relations that a release replaced; `packed` in the format of the release before it. None: there were none."""

    company_id: str
    values: bytes | None
    packed: bytes | None


class RelationComparison:
    """Compares two releases. One of a version without relations has none."""

    def __init__(self, old: sqlite3.Connection, new: sqlite3.Connection) -> None:
        self._old, self._new = old, new
        self._packer = RowPacker.of(old) if codec_read.has_relations(old) else None
        formats = [codec_read.stored_format(one) for one in (old, new)]
        self._same_format = formats[0] == formats[1]
        self._unpack_old, self._unpack_new = map(codec_read.unpack_function, formats)

    def relations(self, where: str, values: Sequence[str]) -> Iterator[ReplacedRelations]:
        """The former relations of the companies that meet a condition and whose relations differ, ordered."""
        before, after = (_by_company(one, _RELATIONS, where, values) for one in (self._old, self._new))
        for company in sorted(before.keys() | after.keys()):
            rows = before.get(company, [])
            if not self._is_same(rows, after.get(company, [])):
                yield self._replaced(company, rows)

    def leis(self, where: str, values: Sequence[str]) -> Iterator[tuple[str, bytes | None]]:
        """The former LEIs of the companies that meet a condition and whose LEIs differ, ordered."""
        before, after = (_by_company(one, _LEIS, where, values) for one in (self._old, self._new))
        for company in sorted(before.keys() | after.keys()):
            rows = before.get(company)
            if rows != after.get(company):
                yield company, None if rows is None else ROW.join(lei for (lei,) in rows).encode()

    def _is_same(self, before: _Rows, after: _Rows) -> bool:
        if self._same_format or len(before) != len(after):
            return before == after
        return _texts(self._unpack_old, before) == _texts(self._unpack_new, after)

    def _replaced(self, company: str, rows: _Rows) -> ReplacedRelations:
        if not rows or self._packer is None:
            return ReplacedRelations(company, None, None)
        unpack = codec_read.dictionary_decompressor(self._packer.words)
        values = past_relations.rows_text((*_leading(row), unpack(row[-1])) for row in rows)
        [packed] = self._packer.packed(pl.Series([values.decode()], dtype=pl.String))
        return ReplacedRelations(company, values, packed)


def _by_company(connection: sqlite3.Connection, statement: str, where: str, values: Sequence[str]) -> dict[str, _Rows]:
    if not codec_read.has_relations(connection):
        return {}
    found = connection.execute(statement.format(where=where), values)
    return {company: [row[1:] for row in rows] for company, rows in groupby(found, key=lambda row: row[0])}


def _leading(row: tuple[Any, ...]) -> list[bytes]:
    return [str(value).encode() for value in row[:-1]]


def _texts(unpack: Unpack, rows: _Rows) -> list[tuple[Any, ...]]:
    """The rows with their fields as JSON objects."""
    return [(*row[:-1], unpack("relations", row[-1])) for row in rows]
