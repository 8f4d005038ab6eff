"""The United Kingdom of a generated world, ingested step by step in the tests' own process, over HTTP.

The steps are those of the job without Dagster and the release, the datasets those of Companies House. The truth
knows accounts by the register's ids of filings, because the streams tell them.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl

from connectors.uk import UNITED_KINGDOM
from firm.demo.sandbox_origin import sandbox_source
from pipelines.runtime.step_results import RunParameters
from pipelines.settings import IngestSettings
from pipelines.steps import apply_history, normalise, stage
from pipelines.steps import fetch as steps_fetch
from pipelines.workspace import Workspace
from sandbox import SandboxServer, World, expected
from sandbox.write import api_document_key
from tests.firm.feeding import outbox_facts
from tests.firm.inside import fact_key
from warehouse.schema.tables import COMPANIES, OWNERS

_LEFT_OUT = (
    *("uk.esef", "uk.lei", "uk.nsm", "uk.firds", "uk.firds_changes", "uk.isin", "uk.lei_parents"),
    *("uk.wires", "uk.fca", "uk.pra"),
)
PLAYED = replace(
    UNITED_KINGDOM,
    datasets=tuple(one for one in UNITED_KINGDOM.datasets if one.key not in _LEFT_OUT),
    links=(),
    holder_columns={},
    dated_datasets=(),
)
LONGER = timedelta(minutes=5)  # between two runs of one day
SHOWN = {
    "org_number": "org_number",
    "name": "name",
    "municipality": "municipality",
    "county": "county",
    "status": "status",
    "industry_code": "sni_code",
    "is_listed": "is_listed",
}
Told = dict[str, dict[str, Any]]


@dataclass
class Kingdom:
    """One data root; every run is a batch of its own."""

    data: Path
    runs: int = 0

    def copy(self, data: Path) -> Kingdom:
        shutil.copytree(self.data, data)
        return Kingdom(data, self.runs)

    def ingest(self, registry: SandboxServer) -> list[Mapping[str, Any]]:
        """One run of the day that the registers play; gives what reading raised as signals."""
        self.runs += 1
        at = registry.now + self.runs * LONGER
        settings = IngestSettings(data=self.data)
        with closing(Workspace(settings, (PLAYED,), lambda: at)) as workspace:
            batch = f"{at:%Y%m%dT%H%M%S}{self.runs:03d}Z"
            workspace.step_results.begin(batch, RunParameters(at))
            with sandbox_source(registry.url, settings) as origin:
                for dataset in sorted(PLAYED.datasets, key=lambda made: made.subjects_to_fetch is not None):
                    steps_fetch.fetch_dataset(workspace, PLAYED, dataset, origin, batch)
                    stage.stage_dataset(workspace, PLAYED, dataset, batch)
            normalise.normalise_market(workspace, PLAYED, batch)
            apply_history.apply_snapshots(workspace, PLAYED, batch)
            read = [made.key for made in PLAYED.datasets if batch in workspace.staged_store.batches(made.key)]
            return [one for key in read for one in workspace.staged_store.signals(key, batch)]

    @contextmanager
    def _history(self) -> Iterator[Any]:
        with (
            closing(Workspace(IngestSettings(data=self.data), (PLAYED,))) as workspace,
            workspace.open_history("UK") as opened,
        ):
            yield opened

    def events(self, but: str = "") -> list[str]:
        """All events so far, as `fact_key` has them, those of one company left out."""
        with self._history() as opened:
            rows = opened.outbox_events()
        return outbox_facts(rows.filter(pl.col("company_id") != but))

    def companies(self) -> Told:
        """What is held true of every company, by the profile's names, and why it has its status."""
        with self._history() as opened:
            rows = opened.current_rows(COMPANIES)
        return {
            row["company_id"]: {shown: row[name] for name, shown in SHOWN.items()}
            | {"status_detail": row["status_detail"]}
            for row in rows.iter_rows(named=True)
        }

    def owners(self) -> dict[tuple[str, str | None], Any]:
        """Bounds in percent by company and holder."""
        with self._history() as opened:
            rows = opened.current_rows(OWNERS).filter(pl.col("ended_on").is_null())
        return {
            (row["company_id"], row["holder_id"]): (row["pct_min"], row["pct_max"])
            for row in rows.iter_rows(named=True)
        }

    def present(self, name: str) -> pl.DataFrame:
        """The newest staged rows of a table."""
        table = next(made.staged_tables[name] for made in PLAYED.datasets if name in made.staged_tables)
        with self._history() as opened:
            return opened.present_rows(table).collect()


def planned(world: World, *days: int, but: str = "") -> list[str]:
    """The events that must come of these days, as `fact_key` has them, those of one type left out."""
    wanted = {world.date(day).isoformat() for day in days}
    told = expected.expected_events.all_events(world, api_document_key)
    kept = (event for event in told if event["day"] in wanted and event["event_type"] != but)
    return sorted(fact_key(event["event_id"], event["event_type"], event["data"]) for event in kept)


def profiles(world: World, day: int) -> Told:
    """The ground truth of what `Kingdom.companies` gives."""
    found = {company.company_id: company for company in world.all("UK", day)}
    return {
        identity: {name: expected.expected_profile(company)[name] for name in SHOWN.values()}
        | {"status_detail": _detail(company.status, company.status_detail)}
        for identity, company in found.items()
    }


def _detail(status: str, detail: str | None) -> str | None:
    """Dormant by its accounts alone is a company that does not trade."""
    return detail or ("no_trading" if status == "dormant" else None)


def shares(world: World, day: int) -> dict[tuple[str, str | None], Any]:
    """The ground truth of what `Kingdom.owners` gives."""
    return {
        (company.company_id, row["holder_id"]): (row["pct_min"], row["pct_max"])
        for company in world.all("UK", day)
        for row in expected.expected_owners(company, world.date(day))
    }
