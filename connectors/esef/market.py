"""Adds listed issuers to a market: LEI records and ESEF reports.

Belongs here: adding both to a market's declaration in one line. Does not belong here: any country, or the
meaning of its own tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

import polars as pl

from connectors.contract.dataset import Jurisdiction, Link, SharedTables
from connectors.esef import mapping, schema
from connectors.esef.dataset import esef_dataset
from connectors.gleif.level1 import dataset as gleif
from connectors.gleif.level1 import schema as level1_schema
from connectors.kit import staging
from warehouse.schema.tables import FILINGS, FINANCIALS_REPORTED, IDENTIFIERS

_ADDED: Final = (FILINGS, FINANCIALS_REPORTED, IDENTIFIERS)


def with_issuers(
    market: Jurisdiction, named_by: Mapping[str, str] | None = None, links: tuple[Link, ...] = ()
) -> Jurisdiction:
    """The market with `<cc>.lei` and `<cc>.esef`.

    named_by: further staged tables with an LEI column, and its name; these LEIs are requested too.
    links: of the market's own tables, through `<cc>_lei` or a table linked by it.
    """
    code = market.code
    index, report = schema.index_table(code).name, schema.report_table(code).name
    lei = level1_schema.lei_table(code).name
    asked = {index: "lei", report: "lei", **(named_by or {})}
    return replace(
        market,
        datasets=(*market.datasets, esef_dataset(code), gleif.lei_dataset(code, asked)),
        touches=_IssuerCompanyIds(code, market.touches),
        normalise=_IssuerNormaliser(code, market.normalise),
        links=(Link(index, "lei", lei, "lei"), Link(report, "lei", lei, "lei"), *links, *market.links),
    )


@dataclass(frozen=True, slots=True)
class _IssuerCompanyIds:
    """`touches`: LEI records carry their company, filings find it through a link."""

    code: str
    own: Callable[[str, pl.DataFrame], pl.Series]

    def __call__(self, table: str, rows: pl.DataFrame) -> pl.Series:
        if table == level1_schema.lei_table(self.code).name:
            return gleif.company_ids_of_rows(self.code, rows)
        if table in (schema.index_table(self.code).name, schema.report_table(self.code).name):
            return pl.Series("_company_id", [None] * rows.height, pl.String)
        return self.own(table, rows)


@dataclass(frozen=True, slots=True)
class _IssuerNormaliser:
    """The market's own shared tables, plus filings, figures and LEIs of its issuers."""

    code: str
    own: Callable[[Mapping[str, pl.LazyFrame], date], SharedTables]

    def __call__(self, present: Mapping[str, pl.LazyFrame], today: date) -> SharedTables:
        shared = dict(self.own(present, today))
        more = mapping.map_filings_and_financials(self.code, present)
        more[IDENTIFIERS.name] = gleif.map_identifiers(self.code, present)
        for table in _ADDED:
            parts = [shared[table.name]] if table.name in shared else []
            shared[table.name] = staging.concat_tables(table, (*parts, more[table.name]))
        return shared
