"""Which market begins first where several are taken in at one time (`pipelines.ingest.market_workers`)."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from pipelines.ingest import market_workers
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
