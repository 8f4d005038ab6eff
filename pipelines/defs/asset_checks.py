"""Asset checks: guards of the datasets and the shared schema, as Dagster shows and enforces them.

A guard stops its market only where it quarantines the dataset that names companies; any other quarantined
dataset contributes its last good state, so its check only warns. The market stops at normalisation, not
before: deliveries of the other datasets are still archived and parsed, or they would be lost. A broken schema
always stops its market. The checks run inside the steps' own assets, so none costs a step. Does not belong
here: the evaluation (`steps.guards`, `steps.schema_validation`).
Docs: https://docs.dagster.io/guides/test/asset-checks
"""

from __future__ import annotations

from typing import Final

import dagster as dg

from connectors.contract.dataset import Dataset, Jurisdiction
from pipelines.defs.asset_keys import staged_key
from pipelines.runtime.counted_words import counted
from pipelines.steps import quarantine
from pipelines.steps.normalise import NormaliseResult
from pipelines.steps.schema_validation import SchemaViolationError
from pipelines.steps.stage import StageResult
from pipelines.workspace import Workspace, profile_dataset

GUARD: Final = "guard"
SIGNALS: Final = "signals"
COMPANIES: Final = "companies"
SCHEMA: Final = "schema"
CHANGE_RATE: Final = "change_rate"
_WARN: Final = dg.AssetCheckSeverity.WARN
_ERROR: Final = dg.AssetCheckSeverity.ERROR


def staged_check_specs(key: dg.AssetKey) -> list[dg.AssetCheckSpec]:
    """Checks of a STAGED asset."""
    return [
        dg.AssetCheckSpec(GUARD, asset=key, description="Fetched; rows, shrink and rejects within limits."),
        dg.AssetCheckSpec(SIGNALS, asset=key, description="No unknown column or code, nothing to review."),
    ]


def staged_check_results(
    workspace: Workspace, jurisdiction: Jurisdiction, dataset: Dataset, receipt: StageResult, failure: str | None
) -> list[dg.AssetCheckResult]:
    """Check results of one staged batch: the guard, and signals if anything was parsed.

    failure: why the fetch ended early. Its RAW asset is materialised all the same, so the guard's check reports it.
    """
    key = staged_key(dataset)
    refused = quarantine.dataset_quarantine(workspace, dataset)
    stops = refused is not None and dataset.key == profile_dataset(jurisdiction).key
    told = "not quarantined"
    if refused is not None:
        told = f"{dataset.key} is quarantined by {refused.guard}: {refused.seen}, allowed {refused.allowed}"
    elif failure is not None:
        told = f"{dataset.key} could not be fetched: {failure}"
    guard = dg.AssetCheckResult(
        passed=refused is None and failure is None,
        check_name=GUARD,
        asset_key=key,
        severity=_ERROR if stops else _WARN,
        description=told,
    )
    if not receipt.pieces:
        return [guard]
    signals = dg.AssetCheckResult(
        passed=not receipt.signals and not receipt.warnings,
        check_name=SIGNALS,
        asset_key=key,
        severity=_WARN,
        description="; ".join(receipt.warnings) or counted(receipt.signals, "signal"),
    )
    return [guard, signals]


def normalised_check_specs(key: dg.AssetKey) -> list[dg.AssetCheckSpec]:
    """Checks of a SHARED asset."""
    return [
        dg.AssetCheckSpec(
            COMPANIES, asset=key, blocking=True, description="The company profile dataset is not quarantined."
        ),
        dg.AssetCheckSpec(SCHEMA, asset=key, blocking=True, description="Rows conform to the shared schema."),
        dg.AssetCheckSpec(CHANGE_RATE, asset=key, description="A full snapshot changes no more than usual."),
    ]


def normalised_check_results(
    jurisdiction: Jurisdiction, receipt: NormaliseResult, key: dg.AssetKey
) -> list[dg.AssetCheckResult]:
    """Check results of normalised snapshots: schema and change rates."""
    unusual = [
        f"{dataset}: {share:.1%} of records changed"
        for dataset, share in receipt.changed.items()
        if share > jurisdiction.dataset(dataset).guard_limits.max_changed
    ]
    return [
        dg.AssetCheckResult(passed=True, check_name=COMPANIES, asset_key=key),
        dg.AssetCheckResult(passed=True, check_name=SCHEMA, asset_key=key),
        dg.AssetCheckResult(
            passed=not unusual, check_name=CHANGE_RATE, asset_key=key, severity=_WARN, description="; ".join(unusual)
        ),
    ]


def idle_market_check_results(key: dg.AssetKey) -> list[dg.AssetCheckResult]:
    """Check results of a run that has nothing to normalise: Dagster warns of a blocking check without one."""
    return [
        dg.AssetCheckResult(passed=True, check_name=name, asset_key=key, description="nothing was pending")
        for name in (COMPANIES, SCHEMA, CHANGE_RATE)
    ]


def schema_violation_check_results(
    workspace: Workspace, error: SchemaViolationError, key: dg.AssetKey
) -> list[dg.AssetCheckResult]:
    """Check results of a snapshot that broke the shared schema."""
    workspace.report_progress(str(error))
    return [
        dg.AssetCheckResult(passed=True, check_name=COMPANIES, asset_key=key),
        dg.AssetCheckResult(passed=False, check_name=SCHEMA, asset_key=key, severity=_ERROR, description=str(error)),
        dg.AssetCheckResult(passed=True, check_name=CHANGE_RATE, asset_key=key, description="no data was ingested"),
    ]


def quarantined_market_check_results(jurisdiction: Jurisdiction, key: dg.AssetKey) -> list[dg.AssetCheckResult]:
    """Check results of a market stopped by quarantine."""
    told = f"{profile_dataset(jurisdiction).key} is quarantined: the market keeps its last good state"
    idle = "no data was ingested"
    return [
        dg.AssetCheckResult(passed=False, check_name=COMPANIES, asset_key=key, severity=_ERROR, description=told),
        dg.AssetCheckResult(passed=True, check_name=SCHEMA, asset_key=key, description=idle),
        dg.AssetCheckResult(passed=True, check_name=CHANGE_RATE, asset_key=key, description=idle),
    ]
