"""Combines Norway's sources of holdings, each by its own rules (docs/formats/no.md 13.5).

Belongs here: the list of sources and their precedence. Does not belong here: the rules of one source
(`konsern.holdings`, `aksjonaerregister.holdings`, `newsweb.mapping`), or one line per holder (pipelines).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.contract.dataset import PresentRows
from connectors.kit import holdings_history
from connectors.kit.staging import present_rows
from connectors.no.aksjonaerregister import holdings as aksjonaerregister_holdings
from connectors.no.aksjonaerregister import schema as aksjonaerregister_schema
from connectors.no.enheter.schema import ENTITIES
from connectors.no.konsern import holdings as konsern_holdings
from connectors.no.konsern import schema as konsern_schema
from connectors.no.newsweb import mapping
from connectors.no.newsweb import schema as newsweb_schema
from warehouse.schema.tables import HOLDINGS

# Major holding notices, group structure, the yearly list; roles come last.
PRECEDENCE: Final = (newsweb_schema.KEY, konsern_schema.KEY, aksjonaerregister_schema.KEY)

# Sources that date each statement; the others update theirs in place.
DATED: Final = (newsweb_schema.KEY, aksjonaerregister_schema.KEY)


def map_holdings(tables: PresentRows) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Shared holdings of the touched companies, and the earlier statements of dated sources."""
    entities = present_rows(tables, ENTITIES)
    shareholders = present_rows(tables, aksjonaerregister_schema.SHAREHOLDERS)
    lists = aksjonaerregister_holdings.map_holdings(shareholders, entities)
    yearly = holdings_history.latest_statements(lists)
    groups = konsern_holdings.map_holdings(
        present_rows(tables, konsern_schema.MEMBERS), present_rows(tables, konsern_schema.ANSWERS), entities
    )
    notices = mapping.map_holdings(present_rows(tables, newsweb_schema.FLAGS), entities, shareholders)
    now = pl.concat([holdings_history.latest_statements(notices), _drop_contradicted_ends(groups, yearly), yearly])
    return now, pl.concat(
        [holdings_history.superseded_statements(notices), holdings_history.superseded_statements(lists)]
    )


def _drop_contradicted_ends(groups: pl.DataFrame, yearly: pl.DataFrame) -> pl.DataFrame:
    """Drops ended edges if the yearly list still names the parent: leaving a group is not a sale."""
    still = yearly.filter(pl.col("ended_on").is_null(), pl.col("holder_company_id").is_not_null())
    named = still.select("company_id", pl.col("native_id"))
    ended = groups.filter(pl.col("ended_on").is_not_null())
    return pl.concat(
        [groups.filter(pl.col("ended_on").is_null()), ended.join(named, on=["company_id", "native_id"], how="anti")]
    ).select(HOLDINGS.names)
