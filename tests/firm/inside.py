"""The command line inside the tests' own process: the same words in and out, without a second for each start."""

import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from firm.cli import app
from sandbox import expected
from tests.dagster_migrations import read_once
from tests.without_dagster import without_dagster
from warehouse.ledger.ledger import Ledger
from warehouse.ledger.read_index import LedgerEvent
from warehouse.reader.reader import ReleaseReader
from warehouse.release.manifest import served_manifest
from warehouse.storage.layout import Layout

Told = dict[str, Any]  # a loaded truth.json
_TRANSITIONS = {
    "status.changed": ("previous_status", "current_status", "effective_date"),
    "ownership.changed": ("holder_id", "as_of", "previous_pct", "current_pct"),
}


@dataclass(frozen=True)
class Said:
    """What one command wrote, and how it ended."""

    exit_code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        return json.loads(self.out)


@dataclass(frozen=True)
class Inside:
    """`firm` over one data folder.

    has_dagster: whether ingests run in Dagster, for tests of its records and of processes that die.
    """

    data: Path
    has_dagster: bool = False

    @property
    def layout(self) -> Layout:
        return Layout(self.data)

    def run(self, *arguments: str | Path, **environment: str) -> Said:
        given = {name: None for name in os.environ if name.startswith("FIRM_")}
        settings = {"FIRM_DATA": str(self.data), "FIRM_WORKERS": "1", **environment}
        if self.has_dagster:
            read_once()
        with nullcontext() if self.has_dagster else without_dagster():
            done = CliRunner().invoke(app, [*map(str, arguments)], env={**given, **settings})
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return Said(done.exit_code, done.stdout, done.stderr)

    def ingest(self, folder: Path, *more: str, exit_code: int = 0) -> Said:
        said = self.run("ingest", "--from", folder, "--json", *more)
        assert said.exit_code == exit_code, said.out + said.err
        return said

    def copy(self, data: Path) -> "Inside":
        shutil.copytree(self.data, data)
        return Inside(data, self.has_dagster)

    def events(self) -> set[str]:
        """All events as `fact_key` has them; no id is there twice, and their numbers have no gap."""
        found = Ledger(self.layout).after(0, 100_000)
        assert [event.sequence for event in found] == list(range(1, len(found) + 1))
        assert len({event.event_id for event in found}) == len(found)
        return fact_keys(found)

    def release(self) -> int:
        manifest = served_manifest(self.layout)
        assert manifest is not None
        return manifest.release

    def profiles(self, told: Told) -> dict[str, dict[str, Any]]:
        """What is served of every company the world ever has."""
        reader = ReleaseReader(self.layout)
        try:
            with reader.pin_release() as snapshot:
                found = {company: snapshot.profile(company) for company in told["companies"]}
        finally:
            reader.close()
        return {company: json.loads(document.body) for company, document in found.items() if document}


def profiles_on(told: Told, day: int) -> dict[str, dict[str, Any]]:
    """What must be served of every company on a day of the world, counted from 0."""
    return {company: state["profile"] for company, state in expected.expected_on_day(told, told["days"][day]).items()}


def planned(told: Told, *days: int) -> dict[str, dict[str, Any]]:
    """The events of some days, as `fact_key` has them."""
    return {
        fact_key(event["event_id"], event["event_type"], event["data"]): event
        for day in days
        for event in expected.truth_events(told, told["days"][day])
    }


def fact_key(event_id: str, event_type: str, data: Mapping[str, Any]) -> str:
    """What happened, whenever it became known: transitions have other ids if they are learned at another instant."""
    if event_type == "company.changed":
        fields = ",".join(one["field"] for one in data["change"]["changes"])
        return " ".join([event_type, data["company_id"], fields, str(data["change"]["effective_date"])])
    names = _TRANSITIONS.get(event_type)
    if names is None:
        return event_id
    values = (data["change"][name] for name in names)
    spelled = (str(float(value)) if isinstance(value, int) else str(value) for value in values)
    return " ".join([event_type, data["company_id"], *spelled])


def fact_keys(events: Iterable[LedgerEvent]) -> set[str]:
    """The events of a ledger, as `fact_key` has them."""
    return {fact_key(one.event_id, one.event_type, json.loads(one.data)) for one in events}


def of_market(market: str, profiles: dict[str, Any]) -> dict[str, Any]:
    return {company: profile for company, profile in profiles.items() if company.startswith(f"firm:{market}:")}


def reasons(report: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Files that gave nothing, by the beginning of their names, and why."""
    for file in report["files"]:
        if file["reason"] is not None:
            yield re.split(r"[-.]", Path(file["path"]).name)[0], file["reason"]
