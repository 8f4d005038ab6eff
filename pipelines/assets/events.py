"""`<cc>/events`: events pending for the next release."""

from typing import Any

import dagster as dg

from connectors.declare import Jurisdiction
from pipelines.assets.keys import market_key
from pipelines.partitions import BATCHES
from pipelines.resources import Workspace
from pipelines.stages import events


def events_asset(jurisdiction: Jurisdiction) -> dg.AssetsDefinition:
    """The EVENTS asset of one market."""

    @dg.asset(
        key=market_key(jurisdiction, "events"),
        deps=[market_key(jurisdiction, "history")],
        partitions_def=BATCHES,
        group_name=jurisdiction.code.lower(),
        description="Events of the market that are not in a release yet.",
        kinds={"parquet"},
    )
    def asset(
        context: dg.AssetExecutionContext, workspace: dg.ResourceParam[Workspace]
    ) -> dg.MaterializeResult[Any]:
        receipt = events.collect(workspace, jurisdiction, context.partition_key)
        return dg.MaterializeResult(metadata={"events": receipt.events})

    return asset
