"""What a complete edition lacks counts as gone once it was answered about, and no earlier."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import AbsenceCheck, Cursor, FetchedFile, GuardLimits, Jurisdiction, Scope
from connectors.kit.http.errors import FetchError, SourceUnavailableError
from pipelines.maintenance.replay import HistoryReplay
from pipelines.maintenance.retract import RetractionRequest, retract
from pipelines.runtime.batch_ids import batch_name
from pipelines.runtime.step_results import RunParameters
from pipelines.settings import IngestSettings
from pipelines.sources.source import LiveSource
from pipelines.steps import fetch as steps_fetch
from pipelines.steps import normalise, stage
from pipelines.workspace import Workspace, WorkspaceOverrides
from tests.pipelines.fed import NOON, URL
from tests.pipelines.invented import MARKET
from tests.pipelines.places import ONE, THREE, TWO, accounts


class Doubted:
    """A register with complete editions of these numbers, and a desk that is asked about who is missing.

    `answers`: what it says of a number: a set of accounts, nothing (None), or a failure.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.numbers = [ONE, TWO, THREE]
        self.answers: Mapping[str, str | FetchError | None] | None = {}
        self.asked: list[str] = []
        self.runs = 0

    def register(self, _http: Any, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
        version = ",".join(self.numbers)
        if cursor is None or cursor.value != version:
            rows = "".join(f"{number},x,open,2020-01-01\n" for number in self.numbers)
            body = io.BytesIO(f"number,name,status,date\n{rows}end\n".encode())
            yield FetchedFile("register.csv", body, Scope.FULL, NOON, Cursor(version))

    def desk(self, _http: Any, _cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
        if self.answers is None:
            return
        for number in subjects:
            self.asked.append(number)
            said = self.answers.get(number)
            if isinstance(said, FetchError):
                raise said
            if said is not None:
                body = io.BytesIO(json.dumps(accounts(said, number, 2025, 1)).encode())
                yield FetchedFile(f"{said}.json", body, Scope.PART, NOON)

    @staticmethod
    def doubts(absent: Mapping[str, pl.DataFrame], present: Mapping[str, pl.DataFrame]) -> Iterator[AbsenceCheck]:
        assert set(present) == {"fi_register", "fi_accounts"}
        told = present["fi_accounts"]["number"].to_list()
        for number in sorted(set(absent["fi_register"]["number"]) - set(told)):
            yield AbsenceCheck(number, "fi_register", (number,))

    @cached_property
    def market(self) -> Jurisdiction:
        register = replace(MARKET.datasets[0], fetch=self.register, guard_limits=GuardLimits(max_shrink=1.0))
        desk = replace(
            MARKET.datasets[1], fetch=self.desk, absences_to_confirm=self.doubts, subjects_to_fetch=lambda _: iter(())
        )
        return replace(MARKET, datasets=(register, desk), holder_columns={}, to_shared_tables=_no_image)

    def workspace(self) -> Workspace:
        return Workspace(IngestSettings(data=self.root), (self.market,), lambda: NOON + timedelta(hours=self.runs))

    def retract_answers(self) -> None:
        """Retracts what the desk said in the last run."""
        self.runs += 1
        with closing(self.workspace()) as workspace:
            [*_, last] = workspace.staged_store.batches("fi.accounts")
            overrides = WorkspaceOverrides((self.market,), workspace.clock)
            retract(workspace.settings, RetractionRequest((last,), ("fi.accounts",), "anna", "x"), overrides=overrides)
            self.note_retired(workspace)

    def rebuild_retired(self) -> list[str]:
        """The numbers that a replay of the history retires."""
        with closing(self.workspace()) as workspace:
            replay = HistoryReplay(workspace, self.market)
            with closing(replay.own):
                replay.run()
                self.note_retired(replay.own)
                replay.discard()
        return self.retired

    def note_retired(self, workspace: Workspace) -> None:
        with workspace.open_history("FI") as history:
            rows = history.present_rows(self.market.datasets[0].staged_tables["fi_register"]).collect()
        self.retired = rows.filter(pl.col("_retired_at").is_not_null())["number"].sort().to_list()

    def run(self) -> list[str]:
        """A run; gives who has been asked for."""
        self.runs += 1
        market = self.market
        at = NOON + timedelta(hours=self.runs)
        batch = batch_name(at)
        self.asked = []
        with closing(self.workspace()) as workspace:
            workspace.step_results.begin(batch, RunParameters(at, frozenset()))
            for dataset in market.datasets:
                steps_fetch.fetch_dataset(workspace, market, dataset, LiveSource(None), batch)  # type: ignore[arg-type]
                stage.stage_dataset(workspace, market, dataset, batch)
            normalise.normalise_market(workspace, market, batch)
            self.note_retired(workspace)
        return self.asked


def _no_image(_present: Any, _at: Any) -> dict[str, pl.DataFrame]:
    return {}


def test_absence_counts_only_once_it_was_answered_about(tmp_path: Path) -> None:
    doubted = Doubted(tmp_path)
    assert (doubted.run(), doubted.retired) == ([], [])
    doubted.numbers = [THREE]
    doubted.answers = {ONE: SourceUnavailableError(URL, 503, "down"), TWO: "a2"}
    assert (doubted.run(), doubted.retired) == ([ONE], [])  # the first was not answered, the second not asked
    doubted.answers = {ONE: None, TWO: "a2"}  # 404
    assert (doubted.run(), doubted.retired) == ([ONE, TWO], [])
    doubted.answers = {ONE: "a1"}
    assert doubted.run() == [ONE]  # again, with no new edition
    assert doubted.run() == []  # settled
    assert doubted.retired == []  # what was answered decides, not the absence (`normalise`)


def test_where_nobody_can_be_asked_absence_is_the_registers_word(tmp_path: Path) -> None:
    doubted = Doubted(tmp_path)
    doubted.run()
    doubted.numbers, doubted.answers = [THREE], None
    assert (doubted.run(), doubted.retired) == ([], [ONE, TWO])


def test_who_was_answered_about_is_retired_with_the_edition_that_lacks_it(tmp_path: Path) -> None:
    doubted = Doubted(tmp_path)
    doubted.run()
    doubted.numbers, doubted.answers = [THREE], {ONE: "a1"}
    assert (doubted.run(), doubted.retired) == ([ONE, TWO], [ONE])


@pytest.mark.slow
def test_absence_that_only_a_retracted_batch_answered_is_checked_again(tmp_path: Path) -> None:
    doubted = Doubted(tmp_path)
    doubted.run()
    doubted.numbers, doubted.answers = [THREE], {ONE: "a1", TWO: "a2"}
    assert (doubted.run(), doubted.retired) == ([ONE, TWO], [ONE, TWO])
    doubted.retract_answers()
    assert doubted.retired == [], "nobody has answered"
    doubted.answers = {ONE: "a3", TWO: SourceUnavailableError(URL, 503, "down")}
    assert (doubted.run(), doubted.retired) == ([ONE, TWO], [])
    doubted.answers = {TWO: "a4"}
    assert (doubted.run(), doubted.run()) == ([TWO], []), "settled"
    assert doubted.rebuild_retired() == []
    doubted.numbers = [THREE, "1000004-4"]
    doubted.run()
    assert doubted.retired == [ONE, TWO], "the next complete edition lacks them, too"
    assert doubted.rebuild_retired() == [ONE, TWO]
