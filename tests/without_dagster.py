"""Ingests that call the functions of Dagster's assets themselves: the same steps in the same order, at two thirds of the
time, without Dagster's records.

For tests of what an ingest does with data. `tests/pipelines/ingest/test_without_dagster.py` shows that both ways end
alike. Does not belong here: tests of Dagster's runs, records and schedules, of processes that die, and of several
processes.
"""

from __future__ import annotations

import inspect
import logging
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from traceback import format_exception_only
from types import SimpleNamespace
from typing import Any, Final

import dagster as dg
import pytest

from connectors.contract.dataset import Jurisdiction
from pipelines.definitions_builder import market_assets
from pipelines.defs.assets import release_asset
from pipelines.defs.resources import LOCKED_TAG, leave_control_plane
from pipelines.ingest import job_runs, resource_errors, sigint
from pipelines.ingest.job_runs import JobRuns
from pipelines.sources.source import IngestSource
from pipelines.workspace import Workspace

_BLOCKED: Final = "dagster._core.errors.DagsterAssetCheckFailedError"
_LOG: Final = logging.getLogger(__name__)


class BlockedError(Exception):
    """A blocking check failed; told as Dagster tells its own error of that."""


class NoRecords:
    """Dagster's instance, as an ingest asks it: no run is left over, and partitions are nobody's."""

    def get_runs(self, *_: Any, **__: Any) -> list[Any]:
        return []

    def get_run_records(self, *_: Any, **__: Any) -> list[Any]:
        return []

    def get_dynamic_partitions(self, _: str) -> list[str]:
        return []

    def add_dynamic_partitions(self, _: str, __: Sequence[str]) -> None: ...

    def report_runless_asset_event(self, _: dg.AssetMaterialization) -> None: ...


class DirectRuns(JobRuns):
    """In place of `JobRuns`: assets one after another in this process, in the order of Dagster's own executor."""

    def __init__(self, workspace: Workspace, source: IngestSource, instance: Any) -> None:
        self._workspace = workspace
        self._instance = instance
        self._resources = {"workspace": workspace, "origin": source, "finish_erasures": leave_control_plane}
        self._steps = _steps_in_order(workspace.jurisdictions)

    def execute_assets(
        self, name: str, keys: list[dg.AssetKey], tags: Mapping[str, str], partition: str | None = None
    ) -> list[str]:
        del name  # the assets say it
        failures: list[str] = []
        context = SimpleNamespace(
            partition_key=partition,
            run=SimpleNamespace(tags={**tags, LOCKED_TAG: "yes"}),
            instance=None,
            log=_LOG,
            selected_asset_keys=frozenset(keys),
        )
        pending = [step for step in self._steps if not step.keys.isdisjoint(keys)]
        left_out = set[dg.AssetKey]()
        ready = deque(step for step in pending if not _is_waiting(step, pending))
        while ready:
            step = ready.popleft()
            pending.remove(step)
            self._execute(step, context, left_out, failures)
            ready.extend(one for one in pending if one not in ready and not _is_waiting(one, pending))
        return failures

    def _execute(
        self, step: dg.AssetsDefinition, context: SimpleNamespace, left_out: set[dg.AssetKey], failures: list[str]
    ) -> None:
        """Makes the assets of a step, unless one that they need was not made."""
        if _needed(step) & left_out:
            left_out |= step.keys
            return
        try:
            made = self._make(step, context)
        except Exception as error:
            said = _root_message(error)
            if sigint.QUERY_INTERRUPTED in said:
                raise KeyboardInterrupt from error
            failures.append(resource_errors.with_hint(f"{step.op.name}: {said}"))
            made = set()
        left_out |= step.keys - made

    def _make(self, step: dg.AssetsDefinition, context: SimpleNamespace) -> set[dg.AssetKey]:
        """The assets that were materialised, so that those that need them are made as well."""
        function: Any = step.op.compute_fn
        function = function.decorated_fn
        wanted = list(inspect.signature(function).parameters)[1:]
        results = list(_each(function(context, **{name: self._resources[name] for name in wanted})))
        checks = [check for one in results for check in _checks(one)]
        blocking = {spec.name for spec in step.check_specs if spec.blocking}
        if failed := [
            check
            for check in checks
            if not check.passed and check.severity is dg.AssetCheckSeverity.ERROR and check.check_name in blocking
        ]:
            names = ",".join(str(check.check_name) for check in failed)
            raise BlockedError(
                f"{len(failed)} blocking asset check{'s' if len(failed) > 1 else ''} failed with ERROR severity:\n"
                f"{step.key.to_user_string()}: {names}"
            )
        return {one.asset_key or step.key for one in results if isinstance(one, dg.MaterializeResult)}


@cache
def _steps_in_order(markets: tuple[Jurisdiction, ...]) -> tuple[dg.AssetsDefinition, ...]:
    served = [made for made in markets if made.state == "served"]
    steps = [step for made in served for step in market_assets(made)]
    return (*sorted(steps, key=lambda step: step.op.name), release_asset(served))


def _needed(step: dg.AssetsDefinition) -> set[dg.AssetKey]:
    """Assets of other steps that a step depends on."""
    return {key for keys in step.asset_deps.values() for key in keys} - step.keys


def _is_waiting(step: dg.AssetsDefinition, pending: Sequence[dg.AssetsDefinition]) -> bool:
    return any(not _needed(step).isdisjoint(other.keys) for other in pending if other is not step)


def _each(found: Any) -> Iterable[Any]:
    return found if isinstance(found, Iterator) else [found]


def _checks(one: Any) -> Sequence[dg.AssetCheckResult]:
    return [one] if isinstance(one, dg.AssetCheckResult) else list(one.check_results or ())


def _root_message(error: BaseException) -> str:
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    if isinstance(error, BlockedError):
        return f"{_BLOCKED}: {error}"
    return "".join(format_exception_only(error)).strip()


@contextmanager
def _no_records(_: object) -> Iterator[NoRecords]:
    yield NoRecords()


@contextmanager
def without_dagster() -> Iterator[None]:
    """Ingests of this process, in this block, leave Dagster out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(job_runs, "JobRuns", DirectRuns)
        patch.setattr(job_runs, "dagster_instance", _no_records)
        yield
