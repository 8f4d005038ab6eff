"""Assets, made by factories from the connectors' declarations: two per dataset in one step, then one per layer.

Keys: `<cc>/<dataset>_raw`, `<cc>/<dataset>_staged`, `<cc>/normalised`, `<cc>/history`, `<cc>/events`, `release` and
`<cc>/export`. Those of a market, except its export, are partitioned by batch (`partitions`). Where nothing is
pending, `normalised` is not materialised, and Dagster skips what follows. Belongs here: dependencies, pools, checks
that a step carries, metadata. Does not belong here: what a step does (`steps`).
Docs: https://docs.dagster.io/guides/build/assets
https://docs.dagster.io/guides/build/assets/defining-assets-with-asset-dependencies
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import dagster as dg

from connectors.contract.dataset import Dataset, Jurisdiction
from pipelines.defs import asset_checks, metadata
from pipelines.defs.asset_keys import RELEASE, market_key, pool_name, raw_key, staged_key, step_name
from pipelines.defs.metadata import DATA_OWNERS, ROW_COUNT, SOURCE_OWNERS
from pipelines.defs.partitions import market_partitions, new_batch
from pipelines.defs.resources import LOCKED_TAG, ErasureFinisher, overtaking_batch, released_markets, run_batch
from pipelines.erasure.command import publish_run
from pipelines.runtime.dead_runs import PARTITION_TAG, run_market
from pipelines.sources.source import IngestSource
from pipelines.steps import fetch, quarantine
from pipelines.steps.apply_history import apply_snapshots
from pipelines.steps.fetch import fetch_dataset
from pipelines.steps.normalise import normalise_market
from pipelines.steps.pending_work import has_pending_work
from pipelines.steps.publish import PublishResult, collect_events
from pipelines.steps.schema_validation import SchemaViolationError
from pipelines.steps.stage import stage_dataset
from pipelines.workspace import Workspace
from warehouse.schema.tables import EVENTS, NORMALISED, TABLES

OVERTAKEN: Final = (
    "%s is not fetched: while this run waited, batch %s was fetched; the next tick of the schedule requests it again"
)


def source_assets(jurisdiction: Jurisdiction, dataset: Dataset) -> dg.AssetsDefinition:
    """The RAW and STAGED assets of one dataset: one step fetches and reads.

    A dataset that looks up subjects runs after the datasets that name them. Signals are checked only if something was
    parsed.
    """
    raw, staged = raw_key(dataset), staged_key(dataset)
    named_by = (
        [other for other in jurisdiction.datasets if other.subjects_to_fetch is None]
        if dataset.subjects_to_fetch
        else []
    )
    shown = {"owners": SOURCE_OWNERS, "group_name": jurisdiction.code.lower()}

    @dg.multi_asset(
        name=step_name(dataset),
        specs=[
            dg.AssetSpec(
                raw,
                deps=[staged_key(other) for other in named_by],
                description=f"{dataset.title}: bodies as received. Fetched at `{dataset.cadence.cron}` (UTC).",
                kinds={"file"},
                metadata={"cadence": dataset.cadence.cron, "host": dataset.host, "licence": dataset.licence.name},
                freshness_policy=metadata.freshness_policy(dataset),
                skippable=True,  # an overtaken run fetches nothing
                **shown,
            ),
            dg.AssetSpec(
                staged,
                deps=[raw],
                description=f"{dataset.title}: records with the source's own values, rejects and signals.",
                kinds={"parquet"},
                metadata=metadata.column_schema(dataset.staged_tables.values()),
                skippable=True,
                **shown,
            ),
        ],
        check_specs=asset_checks.staged_check_specs(staged),
        partitions_def=market_partitions(jurisdiction.code),
        pool=pool_name(dataset),
        can_subset=True,  # the documented way to leave a check out
    )
    def assets(
        context: dg.AssetExecutionContext,
        workspace: dg.ResourceParam[Workspace],
        origin: dg.ResourceParam[IngestSource],
    ) -> Iterator[dg.MaterializeResult[Any]]:
        batch = context.partition_key
        if raw in context.selected_asset_keys:
            if (newer := overtaking_batch(context.instance, context.run)) is not None:
                context.log.warning(OVERTAKEN, dataset.key, newer)
                return
            fetched = fetch_dataset(workspace, jurisdiction, dataset, origin, batch)
            yield dg.MaterializeResult(asset_key=raw, metadata=metadata.fetch_metadata(fetched, workspace.clock()))
        if staged in context.selected_asset_keys:
            result = stage_dataset(workspace, jurisdiction, dataset, batch)
            failure = fetch.read_fetch_result(workspace, dataset.key, batch).failure
            yield dg.MaterializeResult(
                asset_key=staged,
                metadata={ROW_COUNT: result.rows, "pieces": result.pieces, "rejected": result.rejected},
                check_results=asset_checks.staged_check_results(workspace, jurisdiction, dataset, result, failure),
            )

    return assets


def normalised_asset(jurisdiction: Jurisdiction) -> dg.AssetsDefinition:
    """The SHARED asset of one market. If nothing is pending the run ends here: its checks of sources are recorded."""
    key = market_key(jurisdiction, "normalised")

    @dg.multi_asset(
        name=key.to_python_identifier(),
        specs=[
            dg.AssetSpec(
                key,
                deps=[staged_key(dataset) for dataset in jurisdiction.datasets],
                description="Shared tables of the companies affected by this batch.",
                owners=DATA_OWNERS,
                kinds={"parquet"},
                metadata=metadata.column_schema(NORMALISED),
                group_name=jurisdiction.code.lower(),
                skippable=True,
            )
        ],
        check_specs=asset_checks.normalised_check_specs(key),
        partitions_def=market_partitions(jurisdiction.code),
        can_subset=True,
    )
    def asset(
        context: dg.AssetExecutionContext,
        workspace: dg.ResourceParam[Workspace],
        finish_erasures: dg.ResourceParam[ErasureFinisher],
    ) -> Iterator[dg.MaterializeResult[Any] | dg.AssetCheckResult]:
        batch = context.partition_key
        if quarantine.is_market_quarantined(workspace, jurisdiction):
            checks = asset_checks.quarantined_market_check_results(jurisdiction, key)
            yield dg.MaterializeResult(asset_key=key, check_results=checks)
            return
        if not has_pending_work(workspace, jurisdiction, batch):
            if LOCKED_TAG not in context.run.tags:  # else the starter of the run publishes
                publish_run(workspace, [jurisdiction.code], batch)
                finish_erasures(workspace.layout)
            yield from asset_checks.idle_market_check_results(key)
            return
        try:
            result = normalise_market(workspace, jurisdiction, batch)
        except SchemaViolationError as error:
            checks = asset_checks.schema_violation_check_results(workspace, error, key)
            yield dg.MaterializeResult(asset_key=key, check_results=checks)
            return
        yield dg.MaterializeResult(
            asset_key=key,
            metadata={
                ROW_COUNT: sum(result.rows.values()),
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
        partitions_def=market_partitions(jurisdiction.code),
        group_name=jurisdiction.code.lower(),
        owners=DATA_OWNERS,
        metadata=metadata.column_schema(TABLES),
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
        partitions_def=market_partitions(jurisdiction.code),
        group_name=jurisdiction.code.lower(),
        owners=DATA_OWNERS,
        metadata=metadata.column_schema([EVENTS]),
        description="Events of the market that are not in a release yet.",
        kinds={"parquet"},
    )
    def asset(context: dg.AssetExecutionContext, workspace: dg.ResourceParam[Workspace]) -> dg.MaterializeResult[Any]:
        events = collect_events(workspace, jurisdiction.code, context.partition_key)
        return dg.MaterializeResult(metadata={ROW_COUNT: events, "events": events})

    return asset


def release_asset(jurisdictions: Iterable[Jurisdiction]) -> dg.AssetsDefinition:
    """The release asset. The run's tags list the markets it publishes; not partitioned, as it is of all of them."""

    @dg.asset(
        key=RELEASE,
        deps=[market_key(jurisdiction, "events") for jurisdiction in jurisdictions],
        group_name="releases",
        owners=DATA_OWNERS,
        description="The served data: an immutable, numbered release, verified before publication.",
        kinds={"duckdb", "sqlite"},
    )
    def asset(
        context: dg.AssetExecutionContext,
        workspace: dg.ResourceParam[Workspace],
        finish_erasures: dg.ResourceParam[ErasureFinisher],
    ) -> dg.MaterializeResult[Any]:
        tags, market = context.run.tags, run_market(context.run)
        markets = released_markets(tags) or ([] if market is None else [market])
        if not markets:
            raise dg.Failure("no market is named: launch the job `publish`", allow_retries=False)
        batch = run_batch(tags) or new_batch(context.instance, workspace)
        if PARTITION_TAG not in tags and LOCKED_TAG not in tags:  # a run of its own gathers what others left
            for gathered in markets:
                collect_events(workspace, gathered, batch)
        result = publish_run(workspace, markets, batch)
        finish_erasures(workspace.layout)
        return dg.MaterializeResult(metadata=release_metadata(workspace, markets, result))

    return asset


def release_metadata(workspace: Workspace, markets: Iterable[str], published: PublishResult) -> dict[str, int | str]:
    """What Dagster shows of a release."""
    served = workspace.release_store.current_manifest()
    return {
        ROW_COUNT: 0 if served is None else served.counts["companies"],
        "release": published.release or 0,
        "events": sum(published.events.values()),
        "markets": ", ".join(markets),
    }


def export_asset(jurisdiction: Jurisdiction) -> dg.AssetsDefinition:
    """The export of one market (docs/contract/contract.md 4.15). Not partitioned: it belongs to a release."""

    @dg.asset(
        key=market_key(jurisdiction, "export"),
        deps=[RELEASE],
        group_name="exports",
        owners=DATA_OWNERS,
        description="All data of the market as files, with a manifest.",
        kinds={"parquet"},
    )
    def asset(workspace: dg.ResourceParam[Workspace]) -> dg.MaterializeResult[Any]:
        [export] = workspace.export_store.write([jurisdiction.code], workspace.settings.export_formats)
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
