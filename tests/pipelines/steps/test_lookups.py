"""Subjects that a run staged and did not ask for are asked for by the next one."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from connectors.contract.dataset import Cursor, FetchedFile, Jurisdiction, Scope
from connectors.kit.http.errors import SourceUnavailableError
from pipelines.runtime.step_results import RunParameters
from pipelines.settings import IngestSettings
from pipelines.sources.source import LiveSource
from pipelines.steps import fetch as steps_fetch
from pipelines.steps import stage
from pipelines.steps.lookups import batches_to_look_up, find_lookup_backlog
from pipelines.workspace import Workspace
from tests.pipelines.invented import MARKET
from tests.pipelines.places import ONE, TWO, accounts
from warehouse.release.load_progress import read_load_progress
from warehouse.schema.market_state import QuarantineReason
from warehouse.staged.store import StagedIndex, StagedStore
from warehouse.storage.atomic_files import write_json
from warehouse.storage.layout import Layout

NOON = datetime(2026, 11, 3, 12, tzinfo=UTC)


class Killed(BaseException):
    """The process is gone."""


@dataclass
class Country:
    """A register that names companies once, and accounts that are asked for one by one."""

    root: Path
    scope: Scope = Scope.FEED
    names: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    down: bool = False
    dies: bool = False
    breaks_after: int = -1
    budget: int = 0
    runs: int = 0

    def _named(self, http: Any, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
        if self.names:
            lines = "".join(f"{name},Oy,open,\n" for name in self.names)
            body = io.BytesIO(f"number,name,status,date\n{lines}end".encode())
            yield FetchedFile(f"{self.runs}.csv", body, self.scope, NOON, Cursor(str(self.runs)))

    def _answered(self, http: Any, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
        for subject in subjects:
            if self.dies:
                raise Killed
            if self.down or len(self.asked) == self.breaks_after:
                raise SourceUnavailableError("https://registry.example", 503, "busy")
            self.asked.append(subject)
            body = json.dumps(accounts(subject, subject, 2025, 5)).encode()
            has_more = len(self.asked) == self.budget
            yield FetchedFile(f"{subject}.json", io.BytesIO(body), Scope.PART, NOON, has_more=has_more)
            if has_more:
                return

    def market(self) -> Jurisdiction:
        register, filed, _ = MARKET.datasets
        return replace(
            MARKET,
            datasets=(
                replace(register, fetch=self._named),
                replace(filed, fetch=self._answered, subjects_to_fetch=_wanted),
            ),
            holder_columns={},
        )

    def hold(self, *names: str) -> str:
        """A run whose register is held; gives its batch."""
        dies, self.dies = self.dies, True
        with suppress(Killed):
            self.run(*names)
        self.dies = dies
        lake, key = StagedStore(IngestSettings(data=self.root).layout), self.market().datasets[0].key
        batch = lake.batches(key)[-1]
        lake.set_quarantine(key, batch, QuarantineReason("max_rejected", 1, 0))
        return batch

    def run(self, *names: str, accept: frozenset[str] = frozenset()) -> list[str]:
        """One run in which the register names these; gives who was asked for."""
        self.runs += 1
        self.names, self.asked = list(names), []
        market = self.market()
        at = NOON + timedelta(hours=self.runs)
        live: Any = LiveSource(None)  # type: ignore[arg-type]  # the registries above need no client
        with closing(Workspace(IngestSettings(data=self.root), (market,), lambda: at)) as workspace:
            batch = f"{at:%Y%m%dT%H%M%S}000000Z"
            workspace.step_results.begin(batch, RunParameters(at, accept))
            for dataset in market.datasets:
                steps_fetch.fetch_dataset(workspace, market, dataset, live, batch)
                stage.stage_dataset(workspace, market, dataset, batch)
        return self.asked


def _wanted(rows: Any) -> Iterator[str]:
    yield from rows["fi_register"]["number"].unique().sort() if "fi_register" in rows else ()


@pytest.fixture
def country(tmp_path: Path) -> Country:
    return Country(tmp_path)


def test_who_was_asked_is_not_asked_again(country: Country) -> None:
    assert country.run(ONE) == [ONE]
    assert country.run() == []
    assert country.run(TWO) == [TWO]


def test_a_run_that_dies_before_asking_owes(country: Country) -> None:
    country.dies = True
    with pytest.raises(Killed):
        country.run(ONE)
    country.dies = False
    assert country.run() == [ONE]
    assert country.run() == []


def test_a_run_that_dies_later_owes_what_came_since(country: Country) -> None:
    country.run(ONE)
    country.dies = True
    for name in (TWO, "1234567-1"):
        with pytest.raises(Killed):
            country.run(name)
    country.dies = False
    assert country.run(ONE) == sorted(["1234567-1", ONE, TWO])


def test_a_registry_that_is_down_owes(country: Country) -> None:
    country.down = True
    assert country.run(ONE) == []
    assert country.run(TWO) == []
    country.down = False
    assert country.run() == sorted([ONE, TWO])


def test_fetch_dataset_first_load_that_breaks_off_leaves_the_rest_to_the_next_run(country: Country) -> None:
    country.breaks_after = 1
    assert country.run(ONE, TWO) == [ONE]
    country.breaks_after = -1
    assert TWO in country.run()
    assert country.run() == []


def test_fetch_dataset_what_a_budget_left_is_asked_for_by_the_next_run(country: Country) -> None:
    country.budget = 1
    assert country.run(ONE, TWO) == [ONE]
    progress = list(read_load_progress(IngestSettings(data=country.root).layout))
    assert [(one.dataset, one.fetched) for one in progress] == [(country.market().datasets[1].key, 1)]
    country.budget = 0
    assert TWO in country.run()
    assert list(read_load_progress(IngestSettings(data=country.root).layout)) == []
    assert country.run() == []


def test_a_complete_edition_stands_for_all_before_it(country: Country) -> None:
    country.scope, country.down = Scope.FULL, True
    country.run(ONE, TWO)
    country.run(TWO, "1234567-1")
    country.down = False
    assert country.run() == sorted([TWO, "1234567-1"])


def test_what_a_guard_holds_is_not_asked_about_until_it_goes_on(country: Country) -> None:
    country.scope = Scope.FULL
    assert country.run(ONE, TWO) == [ONE, TWO]
    assert country.run("1234567-1") == [], "half of the register is gone: held"


def test_a_held_part_of_a_feed_is_asked_about_when_it_goes_on_behind_a_good_one(country: Country) -> None:
    country.run(TWO)
    key = country.market().datasets[0].key
    batch = country.hold(ONE)
    assert country.run("1234567-1") == ["1234567-1"], "what came later goes on"
    lake = StagedStore(IngestSettings(data=country.root).layout)
    assert [index.batch for index in lake.quarantined_indexes(key)] == [batch]
    assert country.run(accept=frozenset({key})) == sorted([ONE, "1234567-1"])
    assert lake.quarantined_indexes(key) == []
    assert country.run() == []


def test_what_stands_for_a_held_batch_releases_nothing(country: Country) -> None:
    country.scope = Scope.FULL
    country.run(ONE, TWO)
    country.hold("1234567-1")
    country.run(ONE, TWO, "1234567-1")
    assert (
        StagedStore(IngestSettings(data=country.root).layout).quarantined_indexes(country.market().datasets[0].key)
        == []
    )


def test_whether_a_table_has_rows_is_known_without_reading_it(country: Country) -> None:
    country.down = True
    country.run(ONE)
    market = country.market()
    lake = StagedStore(IngestSettings(data=country.root).layout)
    rows = find_lookup_backlog(lake, market, market.datasets[1])
    for path in country.root.glob("staged/*/*/*.parquet"):
        path.unlink()
    assert "fi_register" in rows
    assert "fi_owners" not in rows


def test_a_data_root_of_before_owes_nothing_but_the_newest(country: Country) -> None:
    country.run(ONE)
    (country.root / "staged" / "fi.accounts" / "asked.json").unlink()
    assert country.run(TWO) == [TWO]


def test_late_arriving_full_snapshot_supersedes_nothing_newer_in_look_ups_and_quarantine(tmp_path: Path) -> None:
    newer, late = _index("b1", 5, "part"), _index("b2", 2, "full")
    assert batches_to_look_up([late, newer], "") == ([newer, late], "b2")
    assert batches_to_look_up([_index("b2", 5, "full"), newer], "") == ([_index("b2", 5, "full")], "b2")
    held = QuarantineReason("max_shrink", 0.5, 0.02)
    store = StagedStore(Layout(tmp_path))
    for index in (replace(newer, held=held), late, _index("b3", 4, "part")):
        write_json(tmp_path / "staged/x" / index.batch / "index.json", asdict(index))
    assert [one.batch for one in store.quarantined_indexes("x")] == ["b1"]
    write_json(tmp_path / "staged/x/b4/index.json", asdict(_index("b4", 5, "full")))
    assert store.quarantined_indexes("x") == []


def _index(batch: str, day: int, scope: str) -> StagedIndex:
    at = (NOON + timedelta(days=day)).isoformat()
    return StagedIndex("x", batch, {}, 0, ({"observed_at": at, "scope": scope, "rows": {}, "records": {}},), ())
