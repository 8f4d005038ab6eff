"""Events of a market that keeps its last release are not published before what they tell of."""

from __future__ import annotations

import errno
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from pipelines.definitions_builder import build_defs
from pipelines.defs.asset_keys import RELEASE
from pipelines.defs.jobs import job_name
from pipelines.defs.resources import MARKETS_TAG
from pipelines.runtime.dead_runs import MARKET_TAG
from pipelines.sources.source import FolderSource
from pipelines.workspace import Workspace
from tests.pipelines.invented import MARKET
from tests.pipelines.places import ONE, TWO, Place
from warehouse.ledger.ledger import Ledger


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield Place(tmp_path, instance=instance)


def fail(step: str) -> None:
    if step == "events numbered":
        raise OSError(errno.ENOSPC, "no space left on device")


def publish_again(place: Place, batch: str) -> None:
    """The release step of an earlier run, executed again by Dagster."""
    workspace = Workspace(place.settings, (MARKET,), place.clock)
    origin = FolderSource(place.folder)
    definitions = build_defs(place.settings, workspace=workspace, resources={"origin": origin})
    done = definitions.resolve_job_def(job_name(MARKET)).execute_in_process(
        instance=place.instance,
        partition_key=batch,
        asset_selection=[RELEASE],
        tags={MARKET_TAG: MARKET.code, MARKETS_TAG: MARKET.code},
    )
    assert done.success


def published(place: Place) -> list[str]:
    return [one.event_type for one in Ledger(place.settings.layout).after(0, 10)]


@pytest.mark.slow
def test_release_step_executed_again_while_the_market_is_quarantined_keeps_its_events(place: Place) -> None:
    place.plain_ingested()
    place.register((ONE, "Yksi Oy", "asleep", "2026-03-02"), (TWO, "Kaksi Oy", "open", ""))
    failed = place.ingest(on_step=fail)
    assert failed.errors
    shutil.rmtree(place.folder)
    place.write("day.json", json.dumps({"complete": ["fi.register"]}))
    place.register((ONE, "Yksi Oy", "asleep", "2026-03-02"))
    assert place.ingest().held
    assert published(place) == []
    publish_again(place, failed.batches[0])
    assert published(place) == []
    report = place.ingest(accept_shrink=["fi.register"])
    assert (report.held, published(place)[0]) == ((), "status.changed")
