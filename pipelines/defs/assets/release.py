"""`release`: one numbered release of all markets of a run."""

from collections.abc import Iterable
from typing import Any

import dagster as dg

from connectors.contract.dataset import Jurisdiction
from pipelines.defs.asset_keys import RELEASE, market_key
from pipelines.defs.partitions import BATCHES
from pipelines.steps import publish
from pipelines.workspace import MARKETS_TAG, Workspace


def release_asset(jurisdictions: Iterable[Jurisdiction]) -> dg.AssetsDefinition:
    """The release asset. The run's tags list the markets it publishes."""

    @dg.asset(
        key=RELEASE,
        deps=[market_key(jurisdiction, "events") for jurisdiction in jurisdictions],
        partitions_def=BATCHES,
        group_name="releases",
        description="The served data: an immutable, numbered release, verified before publication.",
        kinds={"duckdb", "sqlite"},
    )
    def asset(
        context: dg.AssetExecutionContext, workspace: dg.ResourceParam[Workspace]
    ) -> dg.MaterializeResult[Any]:
        markets = context.run.tags[MARKETS_TAG].split(",")
        receipt = publish.publish(workspace, markets, context.partition_key)
        return dg.MaterializeResult(
            metadata={"release": receipt.release or 0, "events": sum(receipt.events.values())}
        )

    return asset
