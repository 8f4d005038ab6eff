"""Combines Norway's sources of holdings, each by its own rules (docs/formats/no.md 13.5).

Belongs here: the list of sources and their precedence. Does not belong here: the rules of one source
(`konsern_holdings`, `aksjonaer_holdings`, `newsweb_mapping`), or one line per holder (pipelines).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import polars as pl

from connectors.kit import staged, statements
from connectors.no import (
    aksjonaer_fields,
    aksjonaer_holdings,
    konsern_fields,
    konsern_holdings,
    newsweb_fields,
    newsweb_mapping,
)
from connectors.no.enheter_fields import ENTITIES
from warehouse.schema.tables import HOLDINGS
from warehouse.schema.types import Table

# Major holding notices, group structure, the yearly list; roles come last.
PRECEDENCE: Final = (newsweb_fields.KEY, konsern_fields.KEY, aksjonaer_fields.KEY)

_META: Final = {
    "_company_id": pl.String(),
    "_observed_at": pl.Datetime("us", "UTC"),
    "_raw": pl.String(),
    "_retired_at": pl.Datetime("us", "UTC"),
}


# Sources that date each statement; the others update theirs in place.
DATED: Final = (newsweb_fields.KEY, aksjonaer_fields.KEY)


def holdings(tables: Mapping[str, pl.LazyFrame]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Shared holdings of the touched companies, and the earlier statements of dated sources."""
    entities = rows_of(tables, ENTITIES)
    shareholders = rows_of(tables, aksjonaer_fields.SHAREHOLDERS)
    lists = aksjonaer_holdings.statements(shareholders, entities)
    yearly = statements.newest(lists)
    groups = konsern_holdings.holdings(
        rows_of(tables, konsern_fields.MEMBERS), rows_of(tables, konsern_fields.ANSWERS), entities
    )
    notices = newsweb_mapping.statements(rows_of(tables, newsweb_fields.FLAGS), entities, shareholders)
    now = pl.concat([statements.newest(notices), _not_overtaken(groups, yearly), yearly])
    return now, pl.concat([statements.earlier(notices), statements.earlier(lists)])


def _not_overtaken(groups: pl.DataFrame, yearly: pl.DataFrame) -> pl.DataFrame:
    """Drops ended edges if the yearly list still names the parent: leaving a group is not a sale."""
    still = yearly.filter(pl.col("ended_on").is_null(), pl.col("holder_company_id").is_not_null())
    named = still.select("company_id", pl.col("native_id"))
    ended = groups.filter(pl.col("ended_on").is_not_null())
    return pl.concat(
        [
            groups.filter(pl.col("ended_on").is_null()),
            ended.join(named, on=["company_id", "native_id"], how="anti"),
        ]
    ).select(HOLDINGS.names)


def rows_of(tables: Mapping[str, pl.LazyFrame], table: Table) -> pl.LazyFrame:
    """Rows of a staged table that name a company; empty if the table is missing."""
    found = tables.get(table.name)
    if found is None:
        return pl.LazyFrame(schema={**dict(staged.schema(table)), **_META})
    missing = [name for name in _META if name not in found.collect_schema().names()]
    return found.with_columns(pl.lit(None, _META[name]).alias(name) for name in missing)
