"""Markets ingested in parallel (`pipelines.ingest.market_workers`): their order, and the processes that take them."""

from __future__ import annotations

import multiprocessing
import os
import signal
from datetime import UTC, datetime
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from firm.demo.sandbox_origin import sandbox_source
from pipelines.ingest import market_workers
from pipelines.ingest.market_workers import MarketWorkers
from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.reporting.report import IngestReport
from pipelines.settings import IngestSettings
from pipelines.sources.live import registry_http
from pipelines.sources.source import LiveSource
from pipelines.workspace import ProgressCallback, ignore_progress
from sandbox import World, serve
from warehouse.publish.publisher import ReleaseStore
from warehouse.release import run_log
from warehouse.release.run_log import RunNote
from warehouse.storage.layout import Layout


def test_what_a_market_took_the_last_time_counts(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    assert market_workers.last_run_seconds(layout) == {}
    began = datetime(2026, 11, 20, 4, tzinfo=UTC)
    for day, seconds in ((20, {"NO": 9.0, "SE": 30.5}), (21, {"NO": 41.0}), (22, {})):
        note = RunNote(f"202611{day}T040000000Z", tuple(seconds), began.replace(day=day), seconds=seconds)
        run_log.write_run_note(layout, note)
    assert market_workers.last_run_seconds(layout) == {"NO": 41.0, "SE": 30.5}


def test_the_longest_begin_first_and_those_unknown_before_all() -> None:
    took, size = {"UK": 330.0, "US": 260.0, "NO": 40.0}, {"UK": 9, "US": 1, "NO": 5, "SE": 2, "FI": 3}
    assert market_workers.order_longest_first(size, took) == ["FI", "SE", "UK", "US", "NO"]


@pytest.mark.slow
def test_workers_take_markets_of_one_run_after_the_other_and_one_that_dies_is_replaced(tmp_path: Path) -> None:
    settings, codes = IngestSettings(data=tmp_path), ["FI", "NO"]
    before = multiprocessing.active_children()  # of tests before this one, in the same process
    with serve(World(seed=1, companies=120, days=3, markets=tuple(codes))) as registry, MarketWorkers(1) as workers:
        [first] = _started_since(before)

        def kill_first(line: str) -> None:
            if first.is_alive():
                os.kill(first.pid or 0, signal.SIGKILL)
                first.join()

        with sandbox_source(registry.url, settings) as origin:
            lost, taken = _ingested(settings, origin, registry.now, workers, kill_first)
            assert [error.market for error in lost.errors] == [codes[0]]
            assert "killed by signal 9" in lost.errors[0].message
            assert taken == [codes[1]]
            [second] = _started_since(before)
            registry.advance()
            again, taken = _ingested(settings, origin, registry.now, workers)
            assert (again.errors, taken) == ((), codes)
            assert _started_since(before) == [second]
    assert _started_since(before) == []


def _started_since(before: list[BaseProcess]) -> list[BaseProcess]:
    """The children of this process that live and are not among those before."""
    return [child for child in multiprocessing.active_children() if child not in before]


def _ingested(
    settings: IngestSettings,
    origin: LiveSource,
    at: datetime,
    workers: MarketWorkers,
    progress: ProgressCallback = ignore_progress,
) -> tuple[IngestReport, list[str]]:
    """The report of a run, and the markets of which the release has companies now."""
    report = ingest(settings, ["fi", "no"], origin, at, progress, IngestOverrides(workers=workers))
    served = ReleaseStore(settings.layout).current_manifest()
    return report, sorted(served.markets) if served else []


def test_live_registries_are_fetched_by_one_process(tmp_path: Path) -> None:
    settings = IngestSettings(data=tmp_path, user_agent="tests a@b.example")
    overrides = IngestOverrides(workers=MarketWorkers(2))
    with registry_http(settings) as http, pytest.raises(ValueError, match="one process"):
        ingest(settings, ["no"], LiveSource(http), overrides=overrides)
