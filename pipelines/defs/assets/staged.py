"""`staged/…`: source records as Parquet, one asset per dataset, with its guard as a check."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from connectors.contract.dataset import Dataset, Jurisdiction
from pipelines.defs import asset_checks
from pipelines.defs.asset_keys import raw_key, staged_key
from pipelines.defs.partitions import BATCHES
from pipelines.steps import stage
from pipelines.workspace import Workspace


def staged_asset(jurisdiction: Jurisdiction, dataset: Dataset) -> dg.AssetsDefinition:
    """The STAGED asset of one dataset."""
    key = staged_key(dataset)

    @dg.asset(
        key=key,
        deps=[raw_key(dataset)],
        partitions_def=BATCHES,
        group_name=jurisdiction.code.lower(),
        description=f"{dataset.title}: records with the source's own values, rejects and signals.",
        kinds={"parquet"},
        check_specs=asset_checks.staged_specs(key),
    )
    def asset(
        context: dg.AssetExecutionContext, workspace: dg.ResourceParam[Workspace]
    ) -> Iterator[dg.MaterializeResult[Any]]:
        receipt = stage.stage(workspace, dataset, context.partition_key)
        yield dg.MaterializeResult(
            metadata={"pieces": receipt.pieces, "rows": receipt.rows, "rejected": receipt.rejected},
            check_results=asset_checks.staged_results(workspace, jurisdiction, dataset, receipt, key),
        )

    return asset
