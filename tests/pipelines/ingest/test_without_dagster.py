"""Ingests with Dagster and without it end alike: steps, lines, reports, failures, events and releases."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.settings import IngestSettings
from pipelines.sources.source import FolderSource
from sandbox import World, sufficient_companies, write_days
from tests.pipelines.invented import MARKET
from tests.pipelines.places import ONE, TWO, Place
from tests.without_dagster import without_dagster
from warehouse.ledger.ledger import Ledger
from warehouse.release.manifest import served_manifest

MARKETS = ("NO", "FI")
WORLD = World(seed=41, companies=sufficient_companies(2, MARKETS), days=2, markets=MARKETS, press=MARKETS)
START = datetime.combine(WORLD.date(WORLD.days), time(8), UTC)
Around = Callable[[], AbstractContextManager[None]]


def told(data: Path) -> tuple[list[tuple[Any, ...]], str]:
    layout = IngestSettings(data=data).layout
    manifest = served_manifest(layout)
    assert manifest is not None
    events = [(one.sequence, one.event_id, one.data) for one in Ledger(layout).after(0, 100_000)]
    return events, manifest.content_fingerprint


@pytest.mark.slow
def test_days_of_every_market_ingested_without_dagster_end_as_with_it(tmp_path: Path) -> None:
    days = write_days(WORLD, tmp_path / "days")

    def lived(data: Path, around: Around) -> tuple[Any, ...]:
        lines, reports, now = list[str](), list[Any](), START

        def clock() -> datetime:
            nonlocal now
            now += timedelta(milliseconds=7)
            return now

        for day in days:
            with around():
                overrides = IngestOverrides(clock=clock, on_step=lines.append)
                settings = IngestSettings(data=data, workers=1)
                found = ingest(settings, MARKETS, FolderSource(day), progress=lines.append, overrides=overrides)
            assert (found.errors, found.held) == ((), ())
            datasets = [replace(one, seconds=0.0) for one in found.datasets]
            reports.append((found.release, datasets, found.files, dict(found.events)))
        return [re.sub(r"\d+\.\d+ s", "", line) for line in lines], reports, *told(data)

    with_dagster = lived(tmp_path / "with", nullcontext)
    assert with_dagster[2], "days without events would show little"
    assert lived(tmp_path / "without", without_dagster) == with_dagster
    assert not IngestSettings(data=tmp_path / "without").dagster_storage.exists()


def broken_mapping(*_: Any) -> Any:
    try:
        return {}["a code nobody knows"]
    except KeyError as error:
        raise ValueError("no company can be made of this") from error


def rows_against_schema(*given: Any) -> Any:
    tables = dict(MARKET.to_shared_tables(*given))
    return {**tables, "companies": tables["companies"].with_columns(pl.lit("no status").alias("status"))}


@pytest.mark.slow
@pytest.mark.parametrize("to_shared_tables", [broken_mapping, rows_against_schema, None])
def test_failed_run_without_dagster_reports_what_one_with_it_does(tmp_path: Path, to_shared_tables: Any) -> None:
    """None: a register that lost most of its companies, which quarantines the market."""
    loaded = Place(tmp_path / "loaded")
    loaded.write("day.json", '{"complete": ["fi.register"]}')
    loaded.register((ONE, "Yksi Oy", "open", ""), (TWO, "Kaksi Oy", "open", ""))
    loaded.ingest()

    def failed(around: Around, root: Path) -> tuple[Any, ...]:
        shutil.copytree(loaded.root, root)
        place = Place(root, loaded.now)
        if to_shared_tables is not None:
            place.market = replace(MARKET, to_shared_tables=to_shared_tables)
            place.register((ONE, "Yksi Oy", "asleep", ""), (TWO, "Kaksi Oy", "open", ""))
        else:
            place.register((ONE, "Yksi Oy", "asleep", ""))
        with around():
            report = place.ingest()
        return report.errors, report.held, report.release, place.lines, *told(root / "data")

    with_dagster = failed(nullcontext, tmp_path / "with")
    errors, held = with_dagster[:2]
    assert errors or held
    assert failed(without_dagster, tmp_path / "without") == with_dagster
