"""`<cc>/normalised`: shared tables of the companies a batch touches, checked against their schema."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from connectors.declare import Jurisdiction
from pipelines import checks
from pipelines.assets.keys import market_key, staged_key
from pipelines.partitions import BATCHES
from pipelines.resources import Workspace
from pipelines.stages import held, normalised
from pipelines.stages.conformity import Invalid


def normalised_asset(jurisdiction: Jurisdiction) -> dg.AssetsDefinition:
    """The SHARED asset of one market."""
    key = market_key(jurisdiction, "normalised")

    @dg.asset(
        key=key,
        deps=[staged_key(dataset) for dataset in jurisdiction.datasets],
        partitions_def=BATCHES,
        group_name=jurisdiction.code.lower(),
        description="Shared tables of the companies affected by this batch.",
        kinds={"parquet"},
        check_specs=checks.normalised_specs(key),
    )
    def asset(
        context: dg.AssetExecutionContext, workspace: dg.ResourceParam[Workspace]
    ) -> Iterator[dg.MaterializeResult[Any]]:
        if held.is_stopped(workspace, jurisdiction):
            yield dg.MaterializeResult(check_results=checks.companies_held(jurisdiction, key))
            return
        try:
            receipt = normalised.normalise(workspace, jurisdiction, context.partition_key)
        except Invalid as error:
            yield dg.MaterializeResult(check_results=checks.schema_broken(workspace, error, key))
            return
        yield dg.MaterializeResult(
            metadata={"companies": receipt.companies, "instants": len(receipt.instants)},
            check_results=checks.normalised_results(jurisdiction, receipt, key),
        )

    return asset
