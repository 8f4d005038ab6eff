"""Norway's ingest step by step in the tests' own process: over HTTP, from the sandbox, and killed where it is told.

The steps are those of the job, without Dagster, the release and the service: the feeds end before these.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl

from connectors.no import NORWAY as COUNTRY
from firm.demo.sandbox_origin import sandbox_source
from pipelines.maintenance.replay import HistoryReplay
from pipelines.runtime.step_results import RunParameters
from pipelines.settings import IngestSettings
from pipelines.steps import apply_history, normalise, stage
from pipelines.steps import fetch as steps_fetch
from pipelines.workspace import Workspace
from sandbox import SandboxServer, World, expected
from sandbox.write import file_document_key
from tests.firm.inside import fact_key
from warehouse.schema.tables import COMPANIES, FILINGS, OWNERS

FED = ("no.enheter", "no.oppdateringer", "no.enhet", "no.underenheter", "no.roller", "no.regnskap")
NORWAY = replace(
    COUNTRY,
    datasets=tuple(made for made in COUNTRY.datasets if made.key in FED),
    links=(),
    companions=(),
    holder_columns={},
    dated_datasets=(),
)
LONGER = timedelta(minutes=5)  # between two runs of one day
PROFILE = {
    "org_number": "org_number",
    "name": "name",
    "municipality": "municipality",
    "county": "county",
    "status": "status",
    "industry_code": "sni_code",
}


class Killed(BaseException):
    """The process ends here and now: nothing may handle it."""


@dataclass
class Norway:
    """One data root; every run is a batch of its own."""

    data: Path
    runs: int = 0
    signals: list[Mapping[str, Any]] = field(default_factory=list)

    def copy(self, data: Path) -> Norway:
        shutil.copytree(self.data, data)
        return Norway(data, self.runs)

    def ingest(self, registry: SandboxServer, die_at: int | None = None, die_after: str | None = None) -> Counter[str]:
        """One run; dies at the given step of storage, counted from 1, or when a dataset is staged.

        Gives the steps it went through.
        """
        self.runs += 1
        steps: Counter[str] = Counter()

        def on_step(name: str) -> None:
            steps[name] += 1
            if die_at is not None and steps.total() == die_at:
                raise Killed(name)

        at = registry.now + self.runs * LONGER
        settings = IngestSettings(data=self.data)
        with closing(Workspace(settings, (NORWAY,), lambda: at, on_step=on_step)) as workspace:
            batch = f"{at:%Y%m%dT%H%M%S}{self.runs:03d}Z"
            workspace.step_results.begin(batch, RunParameters(at))
            with sandbox_source(registry.url, settings) as origin:
                for dataset in sorted(NORWAY.datasets, key=lambda made: made.subjects_to_fetch is not None):
                    steps_fetch.fetch_dataset(workspace, NORWAY, dataset, origin, batch)
                    stage.stage_dataset(workspace, NORWAY, dataset, batch)
                    if dataset.key == die_after:
                        raise Killed(dataset.key)
            self.signals = [*normalise.normalise_market(workspace, NORWAY, batch).signals]
            apply_history.apply_snapshots(workspace, NORWAY, batch)
        return steps

    @contextmanager
    def _history(self) -> Iterator[Any]:
        with (
            closing(Workspace(IngestSettings(data=self.data), (NORWAY,))) as workspace,
            workspace.open_history("NO") as opened,
        ):
            yield opened

    def events(self) -> list[str]:
        """All events so far, as `fact_key` has them."""
        with self._history() as opened:
            return outbox_facts(opened.outbox_events())

    def event_ids(self) -> list[str]:
        """Ids of all events so far, in their order."""
        with self._history() as opened:
            return opened.outbox_events()["event_id"].to_list()

    def replayed_event_ids(self) -> list[str]:
        """The same of a history made from what is staged."""
        with closing(Workspace(IngestSettings(data=self.data), (NORWAY,))) as workspace:
            replay = HistoryReplay(workspace, NORWAY)
            with closing(replay.own):
                replay.run()
                with replay.own.open_history("NO") as made:
                    return made.outbox_events()["event_id"].to_list()

    def companies(self) -> dict[str, dict[str, Any]]:
        """What is held true of every company, by the profile's names."""
        with self._history() as opened:
            rows = opened.current_rows(COMPANIES)
        return {
            row["company_id"]: {shown: row[name] for name, shown in PROFILE.items()}
            for row in rows.iter_rows(named=True)
        }

    def owners(self) -> dict[tuple[str, str], Any]:
        """Percent by company and holder."""
        with self._history() as opened:
            rows = opened.current_rows(OWNERS).filter(pl.col("ended_on").is_null())
        return {(row["company_id"], row["holder_name"]): row["pct"] for row in rows.iter_rows(named=True)}

    def filings(self) -> pl.DataFrame:
        with self._history() as opened:
            return opened.current_rows(FILINGS)

    def present(self, name: str) -> pl.DataFrame:
        """The newest staged rows of a table."""
        table = next(made.staged_tables[name] for made in NORWAY.datasets if name in made.staged_tables)
        with self._history() as opened:
            return opened.present_rows(table).collect()


def planned(world: World, *days: int) -> list[str]:
    """The events that must come of these days, as `fact_key` has them, as far as the registers give a sign of them."""
    wanted = {world.date(day).isoformat() for day in days}
    told = expected.expected_events.all_events(world, file_document_key)
    kept = (event for event in told if event["day"] in wanted and event["signalled"])
    return sorted(fact_key(event["event_id"], event["event_type"], event["data"]) for event in kept)


def outbox_facts(rows: pl.DataFrame) -> list[str]:
    """Events of an outbox, as `fact_key` has them."""
    columns = rows.select("event_id", "event_type", "data").iter_rows()
    return sorted(fact_key(event_id, kind, json.loads(data)) for event_id, kind, data in columns)


def profiles(world: World, day: int) -> dict[str, dict[str, Any]]:
    """The ground truth of what `Norway.companies` gives."""
    found = (expected.expected_profile(company) for company in world.all("NO", day))
    return {row["id"]: {name: row[name] for name in PROFILE.values()} for row in found}


def shares(world: World, day: int) -> dict[tuple[str, str], Any]:
    """The ground truth of what `Norway.owners` gives."""
    return {
        (company.company_id, row["holder_name"]): row["pct"]
        for company in world.all("NO", day)
        for row in expected.expected_owners(company, world.date(day))
    }
