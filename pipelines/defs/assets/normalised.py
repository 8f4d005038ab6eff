"""`<cc>/normalised`: shared tables of the companies a batch touches, checked against their schema."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from connectors.contract.dataset import Jurisdiction
from pipelines.defs import asset_checks
from pipelines.defs.asset_keys import market_key, staged_key
from pipelines.defs.partitions import BATCHES
from pipelines.steps import normalise, quarantine
from pipelines.steps.schema_validation import SchemaViolationError
from pipelines.workspace import Workspace


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
        check_specs=asset_checks.normalised_specs(key),
    )
    def asset(
        context: dg.AssetExecutionContext, workspace: dg.ResourceParam[Workspace]
    ) -> Iterator[dg.MaterializeResult[Any]]:
        if quarantine.is_market_quarantined(workspace, jurisdiction):
            yield dg.MaterializeResult(
                check_results=asset_checks.quarantined_market_results(jurisdiction, key)
            )
            return
        try:
            receipt = normalise.normalise(workspace, jurisdiction, context.partition_key)
        except SchemaViolationError as error:
            yield dg.MaterializeResult(
                check_results=asset_checks.schema_violation_results(workspace, error, key)
            )
            return
        yield dg.MaterializeResult(
            metadata={"companies": receipt.companies, "instants": len(receipt.instants)},
            check_results=asset_checks.normalised_results(jurisdiction, receipt, key),
        )

    return asset
