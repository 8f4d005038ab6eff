"""`<cc>/events`: events pending for the next release."""

from typing import Any

import dagster as dg

from connectors.contract.dataset import Jurisdiction
from pipelines.defs.asset_keys import market_key
from pipelines.defs.partitions import BATCHES
from pipelines.steps import collect_events
from pipelines.workspace import Workspace


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
        receipt = collect_events.collect(workspace, jurisdiction, context.partition_key)
        return dg.MaterializeResult(metadata={"events": receipt.events})

    return asset
