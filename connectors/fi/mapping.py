"""Maps Finland's staged tables to the shared tables, per touched company.

Does not belong here: the mapping of one kind of record (`profiles`, `statuses`, `xbrl_mapping`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

import polars as pl

from connectors.declare import SharedTables
from connectors.fi import notices_fields, notices_mapping, profiles, xbrl_fields, xbrl_mapping, ytj_fields
from connectors.fi.nasdaq import FLAGGING_KEY, FLAGGINGS, RELEASES, RELEASES_KEY
from connectors.fi.notices_fields import DIGITAL, NOTICES
from connectors.fi.register import company_ids
from connectors.fi.xbrl_fields import REGISTERED, STATEMENTS
from connectors.fi.ytj_fields import COMPANIES as YTJ
from connectors.kit import staged
from connectors.kit import statements as dated
from connectors.nasdaq import mapping
from warehouse.schema.tables import COMPANIES, FILINGS, HOLDINGS, HOLDINGS_EARLIER, IDENTIFIERS
from warehouse.schema.types import Table

PRECEDENCE: Final = {
    "name": (ytj_fields.KEY, xbrl_fields.KEY),
    "status": (ytj_fields.KEY,),
    "figures": (xbrl_fields.KEY,),
    "ownership": (FLAGGING_KEY,),
}
NUMBER_COLUMNS: Final = {
    YTJ.name: ytj_fields.NUMBER,
    STATEMENTS.name: xbrl_fields.NUMBER,
    REGISTERED.name: xbrl_fields.NUMBER,
    NOTICES.name: notices_fields.NUMBER,
    DIGITAL.name: notices_fields.NUMBER,
    FLAGGINGS.name: "businessId",
}
_META: Final = {
    "_company_id": pl.String(),
    "_observed_at": pl.Datetime("us", "UTC"),
    "_raw": pl.String(),
    "_retired_at": pl.Datetime("us", "UTC"),
}


def touches(table: str, rows: pl.DataFrame) -> pl.Series:
    """The company that each staged row concerns; null if only a link can find it."""
    column = NUMBER_COLUMNS.get(table)
    if column is None:  # releases carry no number: a link finds their company
        return pl.Series("_company_id", [None] * rows.height, pl.String)
    return rows.select(company_ids(pl.col(column)).alias("_company_id")).to_series()


def normalise(tables: Mapping[str, pl.LazyFrame], _today: date) -> SharedTables:
    """Builds the shared tables of the touched companies. `_today` is unused: no Finnish rule depends on age."""
    ytj, statements, registered = _rows(tables, YTJ), _rows(tables, STATEMENTS), _rows(tables, REGISTERED)
    digital = xbrl_mapping.tables(statements, registered)
    releases = _rows(tables, RELEASES)
    told = pl.concat([registered, _rows(tables, DIGITAL)], how="diagonal")
    paper = notices_mapping.filings(_rows(tables, NOTICES), xbrl_mapping.registrations(told))
    notified = mapping.statements(FLAGGING_KEY, _rows(tables, FLAGGINGS), releases)
    return {
        **digital,
        COMPANIES.name: profiles.companies(ytj, xbrl_mapping.names(statements)),
        IDENTIFIERS.name: profiles.identifiers(ytj),
        FILINGS.name: pl.concat([digital[FILINGS.name], paper, mapping.filings(RELEASES_KEY, releases)]),
        HOLDINGS.name: dated.newest(notified),
        HOLDINGS_EARLIER.name: dated.earlier(notified),
    }


def _rows(tables: Mapping[str, pl.LazyFrame], table: Table) -> pl.LazyFrame:
    """The rows of one staged table; empty if nothing was ever staged."""
    if table.name in tables:
        return tables[table.name].select(*table.names, *_META)
    return pl.LazyFrame(schema={**staged.schema(table), **_META})
