"""`<cc>/history`: current and past states of the market, and the changes that become events."""

from typing import Any

import dagster as dg

from connectors.contract.dataset import Jurisdiction
from pipelines.defs.asset_keys import market_key
from pipelines.defs.partitions import BATCHES
from pipelines.steps import apply_history
from pipelines.workspace import Workspace


def history_asset(jurisdiction: Jurisdiction) -> dg.AssetsDefinition:
    """The HISTORY asset of one market."""

    @dg.asset(
        key=market_key(jurisdiction, "history"),
        deps=[market_key(jurisdiction, "normalised")],
        partitions_def=BATCHES,
        group_name=jurisdiction.code.lower(),
        description="Bitemporal history of the market; changes wait in its outbox.",
        kinds={"duckdb"},
    )
    def asset(
        context: dg.AssetExecutionContext, workspace: dg.ResourceParam[Workspace]
    ) -> dg.MaterializeResult[Any]:
        receipt = apply_history.apply_pending(workspace, jurisdiction, context.partition_key)
        return dg.MaterializeResult(
            metadata={"images": receipt.images, "changed_rows": sum(receipt.changes.values())}
        )

    return asset
