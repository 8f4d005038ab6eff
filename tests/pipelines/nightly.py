"""Nightly archives of accounts and answers about single ones, taken in night by night, without Dagster."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from connectors.contract.dataset import Dataset, FetchedFile, Jurisdiction, Scope
from pipelines.runtime.step_results import RunParameters
from pipelines.settings import IngestSettings
from pipelines.steps import fetch as steps_fetch
from pipelines.steps import normalise, stage
from pipelines.workspace import Workspace
from tests.pipelines.invented import ACCOUNTS, MARKET
from tests.pipelines.places import ONE, accounts
from warehouse.staged.store import StagedIndex

WEEK = timedelta(days=7)
FIRST = datetime(2026, 3, 1, 4, tzinfo=UTC)
NAME = "accounts/nightly.zip"
NIGHTLY: Dataset = replace(MARKET.dataset("fi.accounts"), reread_interval=WEEK)
WHOLE: Dataset = replace(NIGHTLY, reread_interval=None)
ANSWERS: Dataset = replace(NIGHTLY, key="fi.answers", file_patterns=("answers/**",), reread_interval=None)

OTHERS = tuple(made for made in MARKET.datasets if made.key != NIGHTLY.key)

Nightly = Mapping[str, int | str]  # revenues by id, or the text of a member that is none


def packed(members: Nightly) -> bytes:
    """An archive of one member for each; the same members are the same bytes, whenever they are packed."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        for name, said in members.items():
            member = zipfile.ZipInfo(f"{name}.json")  # of a fixed time, not of this clock
            archive.writestr(member, said if isinstance(said, str) else record(name, said))
    return body.getvalue()


def record(name: str, revenue: int) -> str:
    return json.dumps(accounts(name, ONE, 2025, revenue))


def night(number: int) -> datetime:
    return FIRST + timedelta(days=number)


@dataclass
class Nights:
    """One data root. `nightly`: how the archives are declared."""

    root: Path
    nightly: Dataset = NIGHTLY
    runs: int = 0

    @property
    def market(self) -> Jurisdiction:
        return replace(MARKET, datasets=(*OTHERS, self.nightly, ANSWERS), holder_columns={})

    def workspace(self) -> Workspace:
        at = night(1000) + timedelta(hours=self.runs)  # runs come when they come; what they bring has its own day
        return Workspace(IngestSettings(data=self.root, workers=1), (self.market,), lambda: at)

    def take(
        self,
        *archives: tuple[int, Nightly],
        answers: Sequence[tuple[int, str, int]] = (),
        is_read: bool = True,
        scope: Scope = Scope.PART,
    ) -> StagedIndex | None:
        """One run with archives of some nights and answers (night, name, revenue); what it staged of the archives."""
        self.runs += 1
        with closing(self.workspace()) as workspace:
            at = workspace.clock()
            batch = f"{at:%Y%m%dT%H%M%S}000000Z"
            workspace.step_results.begin(batch, RunParameters(at, frozenset()))
            for number, members in archives:
                came = FetchedFile(NAME, io.BytesIO(packed(members)), scope, night(number))
                workspace.raw_archive.store_body(self.nightly.key, came, batch)
            for number, name, revenue in answers:
                body = io.BytesIO(record(name, revenue).encode())
                came = FetchedFile(f"answers/{name}.json", body, Scope.PART, night(number) + timedelta(hours=6))
                workspace.raw_archive.store_body(ANSWERS.key, came, batch)
            if not is_read:  # killed before
                return None
            for dataset in (self.nightly, ANSWERS):
                workspace.step_results.write(
                    batch, steps_fetch.fetch_result_name(dataset.key), {"dataset": dataset.key, "new": 1}
                )
                stage.stage_dataset(workspace, self.market, dataset, batch)
            normalise.normalise_market(workspace, self.market, batch)
            return workspace.staged_store.index(self.nightly.key, batch)

    def present(self) -> dict[str, tuple[int, datetime]]:
        """Revenue and instant of what is present, by id."""
        with closing(self.workspace()) as workspace, workspace.open_history("FI") as history:
            rows = history.present_rows(ACCOUNTS).select("id", "revenue", "_observed_at").collect()
        return {name: (revenue, at) for name, revenue, at in rows.iter_rows()}

    def raw_of(self, name: str) -> str:
        """The body that a present row stands on."""
        with closing(self.workspace()) as workspace, workspace.open_history("FI") as history:
            rows = history.present_rows(ACCOUNTS).collect()
        (raw_,) = rows.filter(id=name)["_raw"]
        return str(raw_).partition("#")[0]

    def read(self, index: StagedIndex | None) -> int:
        """Rows that a batch of archives was read to."""
        return 0 if index is None else index.tables.get(ACCOUNTS.name, 0)
