"""Maps Finland's staged tables to the shared tables, per touched company.

Does not belong here: the mapping of one kind of record (`profile.companies`, `profile.status`, `xbrl.mapping`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

import polars as pl

from connectors.contract.dataset import SharedTables
from connectors.fi.nasdaq import FLAGGING_KEY, FLAGGINGS, RELEASES, RELEASES_KEY
from connectors.fi.notices import mapping as notices_mapping
from connectors.fi.notices import schema as notices_schema
from connectors.fi.notices.schema import DIGITAL, NOTICES
from connectors.fi.profile import companies
from connectors.fi.register import company_ids
from connectors.fi.xbrl import mapping as xbrl_mapping
from connectors.fi.xbrl import schema as xbrl_schema
from connectors.fi.xbrl.schema import REGISTERED, STATEMENTS
from connectors.fi.ytj import schema as ytj_schema
from connectors.fi.ytj.schema import COMPANIES as YTJ
from connectors.kit import holdings_history as dated
from connectors.kit import staging
from connectors.nasdaq import mapping
from warehouse.schema.tables import COMPANIES, FILINGS, HOLDINGS, HOLDINGS_EARLIER, IDENTIFIERS
from warehouse.schema.types import Table

PRECEDENCE: Final = {
    "name": (ytj_schema.KEY, xbrl_schema.KEY),
    "status": (ytj_schema.KEY,),
    "figures": (xbrl_schema.KEY,),
    "ownership": (FLAGGING_KEY,),
}
NUMBER_COLUMNS: Final = {
    YTJ.name: ytj_schema.NUMBER,
    STATEMENTS.name: xbrl_schema.NUMBER,
    REGISTERED.name: xbrl_schema.NUMBER,
    NOTICES.name: notices_schema.NUMBER,
    DIGITAL.name: notices_schema.NUMBER,
    FLAGGINGS.name: "businessId",
}
_META: Final = {
    "_company_id": pl.String(),
    "_observed_at": pl.Datetime("us", "UTC"),
    "_raw": pl.String(),
    "_retired_at": pl.Datetime("us", "UTC"),
}


def company_ids_of_rows(table: str, rows: pl.DataFrame) -> pl.Series:
    """The company that each staged row concerns; null if only a link can find it."""
    column = NUMBER_COLUMNS.get(table)
    if column is None:  # releases carry no number: a link finds their company
        return pl.Series("_company_id", [None] * rows.height, pl.String)
    return rows.select(company_ids(pl.col(column)).alias("_company_id")).to_series()


def normalise(tables: Mapping[str, pl.LazyFrame], _today: date) -> SharedTables:
    """Builds the shared tables of the touched companies. `_today` is unused: no Finnish rule depends on age."""
    ytj, statements, registered = (
        _present_rows(tables, YTJ),
        _present_rows(tables, STATEMENTS),
        _present_rows(tables, REGISTERED),
    )
    digital = xbrl_mapping.map_filings_and_financials(statements, registered)
    releases = _present_rows(tables, RELEASES)
    told = pl.concat([registered, _present_rows(tables, DIGITAL)], how="diagonal")
    paper = notices_mapping.map_filings(_present_rows(tables, NOTICES), xbrl_mapping.registration_days(told))
    notified = mapping.map_holdings(FLAGGING_KEY, _present_rows(tables, FLAGGINGS), releases)
    return {
        **digital,
        COMPANIES.name: companies.map_companies(ytj, xbrl_mapping.statement_names(statements)),
        IDENTIFIERS.name: companies.map_identifiers(ytj),
        FILINGS.name: pl.concat([digital[FILINGS.name], paper, mapping.map_filings(RELEASES_KEY, releases)]),
        HOLDINGS.name: dated.latest_per_record(notified),
        HOLDINGS_EARLIER.name: dated.superseded_statements(notified),
    }


def _present_rows(tables: Mapping[str, pl.LazyFrame], table: Table) -> pl.LazyFrame:
    """The rows of one staged table; empty if nothing was ever staged."""
    if table.name in tables:
        return tables[table.name].select(*table.names, *_META)
    return pl.LazyFrame(schema={**staging.staged_schema(table), **_META})
