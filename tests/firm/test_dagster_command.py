"""`firm dagster` before it becomes Dagster's own process."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from connectors import JURISDICTIONS
from firm.demo.sandbox_definitions import sandbox_resource
from pipelines.ingest.job_runs import dagster_instance
from pipelines.runtime import dead_runs
from pipelines.runtime.dead_runs import MARKET_TAG
from pipelines.settings import IngestSettings
from sandbox import World, serve, sufficient_companies
from tests.firm.inside import Inside
from warehouse.storage.locks import market_lock


class StartedError(Exception):
    """What stands for Dagster's process."""


def test_dagster_start_fails_runs_whose_process_was_killed_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = IngestSettings(data=tmp_path)
    started: list[list[str]] = []

    def starts(_: str, arguments: list[str], environment: dict[str, str]) -> Any:
        started.append(arguments)
        assert environment["FIRM_DATA"] == str(tmp_path)
        raise StartedError

    monkeypatch.setattr(os, "execve", starts)
    monkeypatch.setattr(os, "chdir", lambda _: None)
    monkeypatch.setattr(dead_runs, "BEGINNING", timedelta(0))
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    with dagster_instance(settings) as instance:
        runs = {
            market: instance.add_run(
                dg.DagsterRun(
                    job_name=f"ingest_{market.lower()}", status=dg.DagsterRunStatus.STARTED, tags={MARKET_TAG: market}
                )
            ).run_id
            for market in ("FI", "NO")
        }
        # of one market a process is still at work
        with market_lock(settings.layout, "NO"), pytest.raises(StartedError):
            Inside(tmp_path, has_dagster=True).run("dagster", "--port", "0")
        assert started
        assert started[0][1:3] == ["dev", "-m"]
        statuses = {market: run.status for market in runs if (run := instance.get_run_by_id(runs[market]))}
        assert statuses == {"FI": dg.DagsterRunStatus.FAILURE, "NO": dg.DagsterRunStatus.STARTED}
        failed = instance.get_run_by_id(runs["FI"])
        assert failed is not None
        assert failed.tags["dagster/max_retries"] == "0"  # the schedule requests what it had not fetched


def test_dagster_with_sandbox_fetches_from_its_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[list[str], str | None]] = []

    def starts(_: str, arguments: list[str], environment: dict[str, str]) -> Any:
        started.append((arguments, environment.get("FIRM_SANDBOX_URL")))
        raise StartedError

    monkeypatch.setattr(os, "execve", starts)
    monkeypatch.setattr(os, "chdir", lambda _: None)
    firm = Inside(tmp_path, has_dagster=True)
    refused = firm.run("dagster", "--sandbox")
    assert (refused.exit_code, started) == (2, [])
    assert "FIRM_SANDBOX_URL, the address that `firm sandbox serve` prints" in refused.err
    with pytest.raises(StartedError):
        firm.run("dagster", "--sandbox", FIRM_SANDBOX_URL="http://127.0.0.1:1")
    [(arguments, url)] = started
    assert (arguments[1:4], url) == (["dev", "-m", "firm.demo.sandbox_definitions"], "http://127.0.0.1:1")


def test_origin_of_the_sandboxs_definitions_reads_its_registries(tmp_path: Path) -> None:
    world = World(seed=3, companies=sufficient_companies(1, ("FI",)), days=1, markets=("FI",))
    [register] = [made for market in JURISDICTIONS for made in market.datasets if made.key == "fi.ytj"]
    with serve(world) as registry:
        origin = sandbox_resource(registry.url, IngestSettings(data=tmp_path))
        with dg.build_resources({"origin": origin}) as resources:
            read = resources.origin.open(registry.now).arrivals(register, None, ())
            assert [arrival.observed_at for arrival in read] == [registry.now]
