"""Jobs: per market one from fetch to release and one that exports it; one that publishes what markets have.

A job has one process: a process per step would cost seconds each; work that needs several cores has its own pool
(`runtime.parser_pool`). Tags of its runs say which market they write (one at a time each, `dagster.yaml`) and what kind
of work they are. Does not belong here: when they run (`schedules`, `sensors`), or pruning (`retention`).
Docs: https://docs.dagster.io/guides/build/jobs
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import dagster as dg

from connectors.contract.dataset import Dataset, Jurisdiction
from pipelines.defs.asset_keys import RELEASE, market_key, raw_key, staged_key
from pipelines.defs.partitions import new_batch, register_batch
from pipelines.defs.resources import MARKETS_TAG, REQUESTED_TAG
from pipelines.runtime.dead_runs import MARKET_TAG
from pipelines.workspace import Workspace

PUBLISH_JOB: Final = "publish"
WORK_TAG: Final = "firm/work"  # what dagster.yaml limits: runs of one kind at a time
DUE_TAG: Final = "firm/due"  # the tick that a scheduled run was requested for
INGEST, EXPORT, PUBLISH = "ingest", "export", "publish"
MAX_RUNTIME_TAG: Final = "dagster/max_runtime"  # seconds; a run without a market's lock is not known to be dead
_LONGEST_SECONDS: Final = str(6 * 3600)


def request_run(
    instance: dg.DagsterInstance,
    workspace: Workspace,
    jurisdiction: Jurisdiction,
    datasets: Sequence[Dataset] | None = None,
    tags: dict[str, str] | None = None,
) -> dg.RunRequest:
    """Requests a run of a new batch, of some datasets or all; its id is assigned now."""
    batch = new_batch(instance, workspace)
    register_batch(instance, [jurisdiction.code], batch)
    selection = None if datasets is None else [*market_asset_keys(jurisdiction, datasets), RELEASE]
    tags = {**(tags or {}), REQUESTED_TAG: batch}
    return dg.RunRequest(run_key=batch, partition_key=batch, asset_selection=selection, tags=tags)


def job_name(jurisdiction: Jurisdiction) -> str:
    """Name of a market's ingest job: `ingest_<cc>`."""
    return f"ingest_{jurisdiction.code.lower()}"


def export_job_name(jurisdiction: Jurisdiction) -> str:
    """Name of a market's export job: `export_<cc>`."""
    return f"export_{jurisdiction.code.lower()}"


def market_asset_keys(jurisdiction: Jurisdiction, datasets: Sequence[Dataset]) -> list[dg.AssetKey]:
    """The asset keys of a market for the given datasets, without the release."""
    return [
        *(raw_key(dataset) for dataset in datasets),
        *(staged_key(dataset) for dataset in datasets),
        *(market_key(jurisdiction, layer) for layer in ("normalised", "history", "events")),
    ]


def market_job(jurisdiction: Jurisdiction) -> Any:  # Dagster's name for the type is private
    """The full pipeline of one market, release included."""
    return dg.define_asset_job(
        job_name(jurisdiction),
        selection=dg.AssetSelection.assets(*market_asset_keys(jurisdiction, jurisdiction.datasets), RELEASE),
        executor_def=dg.in_process_executor,
        run_tags={MARKET_TAG: jurisdiction.code, MARKETS_TAG: jurisdiction.code, WORK_TAG: INGEST},
        description=f"Ingest of {jurisdiction.code}: fetch, read, normalise, compare, publish.",
    )


def publish_job(jurisdictions: Iterable[Jurisdiction]) -> Any:
    """One release of what several markets have, as their runs left it; the run's tags may name fewer than all."""
    return dg.define_asset_job(
        PUBLISH_JOB,
        selection=dg.AssetSelection.assets(RELEASE),
        executor_def=dg.in_process_executor,
        run_tags={
            MARKETS_TAG: ",".join(made.code for made in jurisdictions),
            WORK_TAG: PUBLISH,
            MAX_RUNTIME_TAG: _LONGEST_SECONDS,
        },
        description="One release of everything that the markets' runs have left.",
    )


def export_job(jurisdiction: Jurisdiction) -> Any:
    """The bulk export of one market: a separate job, so that an ingest never waits for export files."""
    return dg.define_asset_job(
        export_job_name(jurisdiction),
        selection=dg.AssetSelection.assets(market_key(jurisdiction, "export")),
        executor_def=dg.in_process_executor,
        run_tags={WORK_TAG: EXPORT, MAX_RUNTIME_TAG: _LONGEST_SECONDS},
        description=f"Bulk export of {jurisdiction.code} from the current release.",
    )
