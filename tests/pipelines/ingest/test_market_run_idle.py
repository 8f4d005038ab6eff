"""Steps of datasets that a folder has nothing for are left out; what a run that died has left is read all the same."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from pipelines.defs.asset_keys import raw_key, staged_key
from pipelines.reporting.report import DONE
from tests.pipelines.invented import MARKET
from tests.pipelines.places import ONE, Place, accounts, owner


class DiedError(Exception):
    """A run that ends in the middle of a step."""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield Place(tmp_path, instance=instance)


def steps(place: Place, batch: str) -> set[str]:
    """Datasets whose steps ran in a batch."""
    assert place.instance is not None
    return {
        dataset.key
        for dataset in MARKET.datasets
        for key in (raw_key(dataset), staged_key(dataset))
        if batch in place.instance.get_materialized_partitions(key)
    }


@pytest.mark.slow
def test_only_what_the_folder_has_something_of_is_run_and_all_is_told_of(place: Place) -> None:
    place.plain()
    [first] = place.ingest().batches
    assert steps(place, first) == {"fi.register", "fi.accounts", "fi.owners"}
    for name in ("register", "accounts"):
        for path in (place.folder / "fi" / name).iterdir():
            path.unlink()
    place.records("owners/o2.json", owner("o2", ONE, 50, 75))
    report = place.ingest()
    [second] = report.batches
    assert steps(place, second) == {"fi.owners"}
    assert [row.dataset for row in report.datasets] == ["fi.register", "fi.accounts", "fi.owners"]
    assert dict(report.events) == {"ownership.changed": 1}


@pytest.mark.slow
def test_what_a_run_that_died_has_left_is_read_though_the_folder_has_it_no_more(place: Place) -> None:
    place.plain_ingested()
    left = place.records("accounts/a2.json", accounts("a2", ONE, 2025, 90))

    def dies(said: str) -> None:
        if said == "fi.accounts: 1 new":
            raise DiedError(said)

    assert place.ingest(hook=dies).errors
    shutil.rmtree(left.parent)
    report = place.ingest()
    assert steps(place, report.batches[0]) >= {"fi.accounts"}
    assert dict(report.events) == {"filing.added": 1}


@pytest.mark.slow
def test_what_is_held_is_let_go_on_though_the_folder_has_it_no_more(place: Place) -> None:
    for day, count in (("2026-01-01", 8), ("2026-01-02", 4)):
        place.day(day, "fi.register")
        place.register(*((f"200000{index}-0", "Oy", "open", "") for index in range(count)), day=day)
    assert [held.dataset for held in place.ingest().held] == ["fi.register"]
    shutil.rmtree(place.folder)
    place.records("accounts/a1.json", accounts("a1", "2000000-0", 2024, 100))
    let = place.ingest(accept_shrink=["fi.register"])
    assert (let.exit_code, let.events["status.changed"]) == (DONE, 4)
