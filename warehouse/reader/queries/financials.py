"""Financial rows of one company: there are few, so all are read and filtered here.

See docs/contract/contract.md 4.3.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import date
from typing import Final, NamedTuple, Self

from warehouse.reader.queries.paging import build_page, key_parts
from warehouse.reader.types import FinancialsQuery, Key, ResultPage
from warehouse.serving import codec_read

_ROWS: Final = "SELECT unpacked('financials', packed) FROM financials WHERE company_id = ?"


class _FinancialRow(NamedTuple):
    period_type: str
    fiscal_year: int
    period_start: str
    period_end: str
    is_consolidated: int
    is_current: int
    version: int
    currency: str
    filing_id: str
    body: bytes
    source: bytes

    @classmethod
    def of(cls, fields: list[bytes]) -> Self:
        """Parses a row as written by `documents`."""
        kind, year, start, end, is_consolidated, is_current, version, currency, filing, body, source = fields
        return cls(
            kind.decode(),
            int(year),
            start.decode(),
            end.decode(),
            int(is_consolidated),
            int(is_current),
            int(version),
            currency.decode(),
            filing.decode(),
            body,
            source,
        )

    @property
    def key(self) -> tuple[int, int, int, str, str, int, int]:
        """Sort key: newest first, annual before quarterly; unique, and independent of the release."""
        return (
            -date.fromisoformat(self.period_end).toordinal(),
            0 if self.period_type == "annual" else 1,
            -date.fromisoformat(self.period_start).toordinal(),
            self.currency,
            self.filing_id,
            1 - self.is_consolidated,
            -self.version,
        )


def company_financials(
    connection: sqlite3.Connection, company_id: str, query: FinancialsQuery, after: Key | None, limit: int
) -> ResultPage:
    """Periods of one series, never mixed: the group's if the company has one, unless `consolidated` is set."""
    found = connection.execute(_ROWS, (company_id,)).fetchone()
    rows = [_FinancialRow.of(fields) for fields in codec_read.split_rows(found)]
    rows = [row for row in _select_series(rows, query.is_consolidated) if query.include_history or row.is_current]
    rows = _select_years([row for row in rows if query.period_type in {"all", row.period_type}], query)
    keyed = sorted((row.key, row) for row in rows)
    start = key_parts(after, int, int, int, str, str, int, int) if after is not None else ()
    return build_page(((key, _row_body(row, query)) for key, row in keyed if key > start), limit)


def current_versions(value: tuple[bytes]) -> Iterator[bytes]:
    """The newest version of every period of one company, in stored order."""
    return (row.body for row in map(_FinancialRow.of, codec_read.split_rows(value)) if row.is_current)


def _select_series(rows: list[_FinancialRow], consolidated: bool | None) -> list[_FinancialRow]:
    if consolidated is None:
        consolidated = any(row.is_consolidated for row in rows)
    return [row for row in rows if bool(row.is_consolidated) == consolidated]


def _select_years(rows: list[_FinancialRow], query: FinancialsQuery) -> list[_FinancialRow]:
    rows = [
        row
        for row in rows
        if (query.from_year is None or row.fiscal_year >= query.from_year)
        and (query.to_year is None or row.fiscal_year <= query.to_year)
    ]
    if query.years is None:
        return rows
    newest = sorted({row.fiscal_year for row in rows}, reverse=True)[: query.years]
    return [row for row in rows if row.fiscal_year in newest]


def _row_body(row: _FinancialRow, query: FinancialsQuery) -> bytes:
    if not query.include_sources:
        return row.body
    return row.body[:-1] + b',"sources":[' + row.source + b"]}"
