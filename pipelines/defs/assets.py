"""Assets, made by factories from the connectors' declarations, one per layer.

Keys: `raw/<cc>/<dataset>`, `staged/<cc>/<dataset>`, `<cc>/normalised`, `<cc>/history`, `<cc>/events`,
`release` and `<cc>/export`. All but the last are partitioned by batch (`jobs`). Belongs here:
dependencies, pools, checks that a step carries, metadata. Does not belong here: what a step does (`steps`).
Docs: https://docs.dagster.io/guides/build/assets
"""

from collections.abc import Iterable, Iterator
from typing import Any

import dagster as dg

from connectors.contract.dataset import Dataset, Jurisdiction
from pipelines.defs import asset_checks
from pipelines.defs.asset_keys import RELEASE, market_key, pool_name, raw_key, staged_key
from pipelines.defs.jobs import BATCHES
from pipelines.defs.resources import MARKETS_TAG
from pipelines.erasure.command import publish_run
from pipelines.sources.source import IngestSource
from pipelines.steps import quarantine
from pipelines.steps.apply_history import apply_snapshots
from pipelines.steps.fetch import fetch_dataset
from pipelines.steps.normalise import normalise_market
from pipelines.steps.publish import collect_events
from pipelines.steps.schema_validation import SchemaViolationError
from pipelines.steps.stage import stage_dataset
from pipelines.workspace import Workspace


def raw_asset(jurisdiction: Jurisdiction, dataset: Dataset) -> dg.AssetsDefinition:
    """The RAW asset of one dataset. One that looks up subjects runs after the datasets that name them."""
    named_by = (
        [other for other in jurisdiction.datasets if other.subjects_to_fetch is None]
        if dataset.subjects_to_fetch
        else []
    )

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
        result = fetch_dataset(workspace, jurisdiction, dataset, origin, context.partition_key)
        return dg.MaterializeResult(
            metadata={"new": result.new, "unchanged": len(result.unchanged), "failure": result.failure or "none"}
        )

    return asset


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
        check_specs=asset_checks.staged_check_specs(key),
    )
    def asset(
        context: dg.AssetExecutionContext, workspace: dg.ResourceParam[Workspace]
    ) -> Iterator[dg.MaterializeResult[Any]]:
        result = stage_dataset(workspace, jurisdiction, dataset, context.partition_key)
        yield dg.MaterializeResult(
            metadata={"pieces": result.pieces, "rows": result.rows, "rejected": result.rejected},
            check_results=asset_checks.staged_check_results(workspace, jurisdiction, dataset, result, key),
        )

    return asset


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
        check_specs=asset_checks.normalised_check_specs(key),
    )
    def asset(
        context: dg.AssetExecutionContext, workspace: dg.ResourceParam[Workspace]
    ) -> Iterator[dg.MaterializeResult[Any]]:
        if quarantine.is_market_quarantined(workspace, jurisdiction):
            yield dg.MaterializeResult(check_results=asset_checks.quarantined_market_check_results(jurisdiction, key))
            return
        try:
            result = normalise_market(workspace, jurisdiction, context.partition_key)
        except SchemaViolationError as error:
            yield dg.MaterializeResult(check_results=asset_checks.schema_violation_check_results(workspace, error, key))
            return
        yield dg.MaterializeResult(
            metadata={
                "companies": result.companies,
                "instants": len(result.instants),
                "late_files": sum(result.late.values()),
            },
            check_results=asset_checks.normalised_check_results(jurisdiction, result, key),
        )

    return asset


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
    def asset(context: dg.AssetExecutionContext, workspace: dg.ResourceParam[Workspace]) -> dg.MaterializeResult[Any]:
        result = apply_snapshots(workspace, jurisdiction, context.partition_key)
        return dg.MaterializeResult(metadata={"images": result.images, "changed_rows": sum(result.changes.values())})

    return asset


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
    def asset(context: dg.AssetExecutionContext, workspace: dg.ResourceParam[Workspace]) -> dg.MaterializeResult[Any]:
        events = collect_events(workspace, jurisdiction.code, context.partition_key)
        return dg.MaterializeResult(metadata={"events": events})

    return asset


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
    def asset(context: dg.AssetExecutionContext, workspace: dg.ResourceParam[Workspace]) -> dg.MaterializeResult[Any]:
        markets = context.run.tags[MARKETS_TAG].split(",")
        result = publish_run(workspace, markets, context.partition_key)
        return dg.MaterializeResult(metadata={"release": result.release or 0, "events": sum(result.events.values())})

    return asset


def export_asset(jurisdiction: Jurisdiction) -> dg.AssetsDefinition:
    """The export of one market (docs/contract/contract.md 4.15). Not partitioned: it belongs to a release."""

    @dg.asset(
        key=market_key(jurisdiction, "export"),
        deps=[RELEASE],
        group_name="exports",
        description="All data of the market as Parquet and NDJSON, with a manifest.",
        kinds={"parquet"},
    )
    def asset(workspace: dg.ResourceParam[Workspace]) -> dg.MaterializeResult[Any]:
        [export] = workspace.export_store.write([jurisdiction.code])
        workspace.upload_export(jurisdiction.code)
        return dg.MaterializeResult(
            metadata={
                "release": export.manifest["release"],
                "as_of_sequence": export.manifest["as_of_sequence"],
                "folder": str(export.folder),
                "is_new": export.is_new,
            }
        )

    return asset
