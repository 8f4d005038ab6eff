"""Maps Sweden's staged tables to the shared tables, and staged rows to company ids.

Does not belong here: the mapping of one kind of record (`registered`, `statistics`, `profiles`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

import polars as pl

from connectors.declare import SharedTables
from connectors.kit import staged
from connectors.kit import statements as dated
from connectors.nasdaq import mapping as releases
from connectors.se import (
    answered,
    arsredovisning_mapping,
    arsredovisning_schema,
    bolagsverket_fields,
    flagging,
    flagging_mapping,
    issuer_links,
    nasdaq,
    organisationer_fields,
    profiles,
    registered,
    scb_fields,
    statistics,
)
from connectors.se.arsredovisning_schema import REPORTS
from connectors.se.bolagsverket_fields import ORGANISATIONS
from connectors.se.issuers import SHORTS_ISSUERS
from connectors.se.organisationer_fields import ANSWERS
from connectors.se.register import company_ids
from connectors.se.scb_fields import STATISTICS
from warehouse.schema.tables import COMPANIES, FILINGS, HOLDINGS, HOLDINGS_EARLIER, IDENTIFIERS
from warehouse.schema.types import Table

PRECEDENCE: Final = {
    "name": (
        bolagsverket_fields.KEY,
        organisationer_fields.KEY,
        scb_fields.KEY,
        arsredovisning_schema.KEY,
    ),
    "status": (bolagsverket_fields.KEY, organisationer_fields.KEY, scb_fields.KEY),
    "sni_code": (scb_fields.KEY, organisationer_fields.KEY),
    "figures": (arsredovisning_schema.KEY,),
    "ownership": (flagging.KEY,),
}
NUMBER_COLUMNS: Final = {
    ORGANISATIONS.name: bolagsverket_fields.NUMBER,
    STATISTICS.name: scb_fields.NUMBER,
    ANSWERS.name: organisationer_fields.NUMBER,
    REPORTS.name: arsredovisning_schema.NUMBER,
    flagging.NOTICES.name: flagging.NUMBER,
}
_META: Final = {
    "_observed_at": pl.Datetime("us", "UTC"),
    "_raw": pl.String(),
    "_retired_at": pl.Datetime("us", "UTC"),
}
_LINKED: Final = {"_company_id": pl.String(), **_META}


def touches(table: str, rows: pl.DataFrame) -> pl.Series:
    """Company id of each staged row; null for issuers, which `issuer_links` links."""
    if table not in NUMBER_COLUMNS:
        return pl.Series("_company_id", [None] * rows.height, pl.String)
    return rows.select(company_ids(pl.col(NUMBER_COLUMNS[table])).alias("_company_id")).to_series()


def normalise(tables: Mapping[str, pl.LazyFrame], today: date) -> SharedTables:
    """Builds the shared tables of the touched companies for a logical day."""
    answers = _rows(tables, ANSWERS).collect()
    bulk = registered.statements(_rows(tables, ORGANISATIONS))
    said = profiles.newest(bulk, answered.registered(answers))
    units = statistics.statements(_rows(tables, STATISTICS))
    known = profiles.newest_statistics(units, answered.statistics(answers))
    reports = _rows(tables, REPORTS).collect()
    filed = arsredovisning_mapping.tables(reports)
    listed = _rows(tables, nasdaq.RELEASES, _LINKED)
    interim = releases.filings(nasdaq.KEY, listed)
    notices, wire = (_rows(tables, table, _LINKED) for table in (flagging.NOTICES, flagging.WIRE))
    notified = flagging_mapping.statements(notices, listed, wire)
    return {
        **filed,
        FILINGS.name: staged.together(FILINGS, (filed[FILINGS.name], interim)),
        COMPANIES.name: profiles.companies(said, known, arsredovisning_mapping.names(reports), today),
        HOLDINGS.name: dated.newest(notified),
        HOLDINGS_EARLIER.name: dated.earlier(notified),
        IDENTIFIERS.name: issuer_links.identifiers(_rows(tables, SHORTS_ISSUERS, _LINKED)),
    }


def _rows(
    tables: Mapping[str, pl.LazyFrame], table: Table, meta: Mapping[str, pl.DataType] = _META
) -> pl.LazyFrame:
    """Rows of one staged table; empty if nothing was ever staged."""
    if table.name in tables:
        return tables[table.name].select(*table.names, *meta)
    return (
        staged.empty(table).lazy().with_columns(pl.lit(None, kind).alias(name) for name, kind in meta.items())
    )
