"""Rows of one market of a release for the export tables: of all its companies, or of some.

Each row is an object of the API on one line. Does not belong here: their SQL (`reader.queries`), files (`writer`,
`delta_writer`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date
from typing import Any, Final

from warehouse.exports import schemas
from warehouse.exports.schemas import ExportTable
from warehouse.publish.release_tables import open_release_tables
from warehouse.reader.leases import LeasedRelease
from warehouse.reader.queries import filings, market_dump
from warehouse.reader.queries.market_dump import Span
from warehouse.storage.layout import Layout

Rows = Iterator[tuple[bytes, ...]]
COMPANIES: Final = 20_000  # whose filings are read at once


@dataclass(frozen=True, slots=True)
class MarketRows:
    """One market of a leased release."""

    layout: Layout
    release: LeasedRelease
    market: str

    @property
    def owned_on(self) -> date:
        """The day for which owners are exported: the day of the release, or of its data if that is later.

        (Generated sandbox data may be ahead of the clock.) It depends on the release alone, never on the
        current day.
        """
        state = self.release.manifest.markets[self.market]
        built = self.release.manifest.built_at
        return max(built, state.at or built).astimezone(UTC).date()

    def all_rows(self, table: ExportTable) -> Rows:
        """Every row of a table; of companies and details in one pass, whichever of the two is asked for."""
        if table is schemas.FILINGS:
            return self._filings((span, None) for span in self._windows())
        return self._rows_between(table, market_dump.market_id_bounds(self.market), 0)

    def company_rows(self, table: ExportTable, company_ids: Sequence[str], above: int = 0) -> Rows:
        """Rows of some companies, given by ascending id. above: events with a greater sequence only."""
        if table is schemas.FILINGS:
            span = (company_ids[0], market_dump.company_id_bounds(company_ids[-1])[1])
            return self._filings(iter([(span, company_ids)]))
        spans = map(market_dump.company_id_bounds, company_ids)
        return (row for span in spans for row in self._rows_between(table, span, above))

    def _rows_between(self, table: ExportTable, ids: Span, above: int) -> Rows:
        serving = self.release.serving
        if table in (schemas.COMPANIES, schemas.DETAILS):
            return market_dump.company_profiles(serving, ids)
        if table is schemas.FINANCIALS:
            return market_dump.company_financials(serving, ids)
        if table is schemas.OWNERSHIP:
            return market_dump.company_owners(serving, ids, self.owned_on)
        return market_dump.company_events(serving, ids, above)

    def _filings(self, spans: Iterator[tuple[Span, Sequence[str] | None]]) -> Rows:
        with open_release_tables(self.layout, self.release.manifest.release) as tables:

            def scan(statement: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
                return tables.execute(statement, values).fetchall()

            for span, only in spans:
                for company_id, body in filings.filings_between(scan, span, only):
                    yield (market_dump.with_company_id(company_id, body),)

    def _windows(self) -> Iterator[Span]:
        """Ranges of ids that cover the market, with about as many companies each."""
        first, end = market_dump.market_id_bounds(self.market)
        for place, company_id in enumerate(market_dump.company_ids(self.release.serving, (first, end)), 1):
            if place % COMPANIES == 0:
                yield first, company_id
                first = company_id
        yield first, end
