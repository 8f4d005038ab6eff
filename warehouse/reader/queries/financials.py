"""Financial rows of one company: there are few, so all are read and filtered here.

See docs/contract/contract.md 4.3.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import date
from typing import Final, NamedTuple, Self

import msgspec

from warehouse.reader.queries.paging import build_page, key_parts
from warehouse.reader.types import FinancialsQuery, Key, ResultPage
from warehouse.serving import codec_read


class _Filed(msgspec.Struct):
    filed_at: date | None


_FILED: Final = msgspec.json.Decoder(_Filed)
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
    def series(self) -> tuple[str, str, int]:
        """What the versions of one period have in common: its days and scope."""
        return self.period_start, self.period_end, self.is_consolidated

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


def financial_rows(connection: sqlite3.Connection, company_id: str) -> tuple[bytes] | None:
    """All rows of a company, in stored order; None if it has none."""
    return connection.execute(_ROWS, (company_id,)).fetchone()


class DayOfFilings(NamedTuple):
    """A day, and the rows that were served at its end: they tell whether a filing without a date was known."""

    day: date
    served: tuple[bytes] | None


def select_financials(
    value: tuple[bytes] | None, query: FinancialsQuery, after: Key | None, limit: int, on: DayOfFilings | None = None
) -> ResultPage:
    """Periods of one series, never mixed: the group's if the company has one, unless `consolidated` is set.

    value: rows of a company (`financial_rows`). on: only what was filed by that day.
    """
    rows = _parse_rows(value)
    if on is not None:
        rows = _filed_by(rows, on)
    rows = [row for row in _select_series(rows, query.is_consolidated) if query.include_history or row.is_current]
    rows = _select_years([row for row in rows if query.period_type in {"all", row.period_type}], query)
    keyed = sorted((row.key, row) for row in rows)
    start = key_parts(after, int, int, int, str, str, int, int) if after is not None else ()
    return build_page(((key, _row_body(row, query)) for key, row in keyed if key > start), limit)


def first_filing_day(value: tuple[bytes] | None) -> date | None:
    """The first day on which one of these rows was filed; None if no row has its day."""
    days = (_filing_day(row) for row in _parse_rows(value))
    return min((day for day in days if day is not None), default=None)


def _parse_rows(value: tuple[bytes] | None) -> list[_FinancialRow]:
    return [_FinancialRow.of(fields) for fields in codec_read.split_rows(value)]


def _filed_by(rows: list[_FinancialRow], on: DayOfFilings) -> list[_FinancialRow]:
    """The rows filed by a day, or served at its end where no date of filing is known; the newest of then is current."""
    known = {row.key for row in _parse_rows(on.served)}
    filed: list[_FinancialRow] = []
    newest: dict[tuple[str, str, int], int] = {}
    for row in rows:
        day = _filing_day(row)
        if row.key in known if day is None else day <= on.day:
            filed.append(row)
            newest[row.series] = max(row.version, newest.get(row.series, 0))
    return [row._replace(is_current=int(row.version == newest[row.series])) for row in filed]


def _filing_day(row: _FinancialRow) -> date | None:
    return _FILED.decode(row.body).filed_at


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
