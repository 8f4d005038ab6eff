"""`raw/…`: bodies as they were received, one asset per dataset, in the pool of its host."""

from typing import Any

import dagster as dg

from connectors.contract.dataset import Dataset, Jurisdiction
from pipelines.defs.asset_keys import pool_name, raw_key, staged_key
from pipelines.defs.partitions import BATCHES
from pipelines.sources.source import IngestSource
from pipelines.steps import fetch as steps_fetch
from pipelines.workspace import Workspace


def raw_asset(jurisdiction: Jurisdiction, dataset: Dataset) -> dg.AssetsDefinition:
    """The RAW asset of one dataset. One that looks up subjects runs after the datasets that name them."""
    named_by = [other for other in jurisdiction.datasets if other.wants is None] if dataset.wants else []

    @dg.asset(
        key=raw_key(dataset),
        deps=[staged_key(other) for other in named_by],
        partitions_def=BATCHES,
        pool=pool_name(dataset),
        group_name=jurisdiction.code.lower(),
        description=f"{dataset.title}: bodies as received.",
        kinds={"file"},
    )
    def asset(
        context: dg.AssetExecutionContext,
        workspace: dg.ResourceParam[Workspace],
        origin: dg.ResourceParam[IngestSource],
    ) -> dg.MaterializeResult[Any]:
        receipt = steps_fetch.fetch_dataset(workspace, jurisdiction, dataset, origin, context.partition_key)
        return dg.MaterializeResult(
            metadata={
                "new": receipt.new,
                "unchanged": len(receipt.unchanged),
                "failure": receipt.failure or "none",
            }
        )

    return asset
