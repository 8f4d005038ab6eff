"""What Dagster is told, as a snapshot: a renamed asset, job or pool shows up in review."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dagster as dg

import connectors
from pipelines.definitions_builder import build_defs
from pipelines.defs.asset_keys import RELEASE, raw_key
from pipelines.settings import IngestSettings
from pipelines.sources.stream_listener import streaming_datasets
from pipelines.workspace import Workspace
from tests.pipelines.invented import MARKET

SNAPSHOT = Path(__file__).with_name("definitions.json")


def defined(tmp_path: Path) -> dg.Definitions:
    settings = IngestSettings(data=tmp_path)
    return build_defs(settings, workspace=Workspace(settings, (MARKET,)))


def shape(definitions: dg.Definitions) -> dict[str, Any]:
    graph = definitions.resolve_asset_graph()
    assets = {
        key.to_user_string(): {
            "needs": sorted(parent.to_user_string() for parent in graph.get(key).parent_keys),
            "pools": sorted(graph.get(key).pools or ()),
            "checks": sorted(check.name for check in graph.get(key).check_keys),
        }
        for key in sorted(graph.get_all_asset_keys())
    }
    schedules = {schedule.name: [schedule.job_name, schedule.cron_schedule] for schedule in definitions.schedules or ()}
    return {
        "assets": assets,
        "jobs": sorted(job.name for job in definitions.jobs or ()),
        "schedules": dict(sorted(schedules.items())),
        "resources": sorted(definitions.resources or ()),
    }


def test_definitions_are_those_of_the_snapshot(tmp_path: Path) -> None:
    found = json.loads(json.dumps(shape(defined(tmp_path))))
    assert found == json.loads(SNAPSHOT.read_text()), "if this is meant, write the new shape to definitions.json"


def test_loading_touches_no_disk(tmp_path: Path) -> None:
    defined(tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_every_served_market_has_its_assets_and_two_jobs() -> None:
    definitions = build_defs(IngestSettings())
    served = [made for made in connectors.JURISDICTIONS if made.state == "served"]
    assert {job.name for job in definitions.jobs or ()} == {
        f"{what}_{made.code.lower()}" for what in ("ingest", "export") for made in served
    } | {f"listen_{made.code.lower()}" for made in served if streaming_datasets(made)} | {"publish", "prune"}
    keys = definitions.resolve_asset_graph().get_all_asset_keys()
    assert len(keys) == 1 + sum(2 * len(made.datasets) + 4 for made in served)
    assert RELEASE in keys


def test_one_that_asks_waits_for_those_that_name() -> None:
    graph = build_defs(IngestSettings()).resolve_asset_graph()
    for made in connectors.JURISDICTIONS:
        for dataset in made.datasets if made.state == "served" else ():
            parents = graph.get(raw_key(dataset)).parent_keys
            assert bool(parents) == (dataset.subjects_to_fetch is not None)


def test_precedence_is_of_fields_that_have_one_and_of_the_markets_own_datasets() -> None:
    """A field spelt otherwise would be nobody's, and nobody would notice while it has one source."""
    fields = {"name", "status", "sni_code", "is_listed", "figures", "ownership"}
    for made in connectors.JURISDICTIONS:
        own = {dataset.key for dataset in made.datasets}
        assert set(made.field_precedence) <= fields, made.code
        assert {key for keys in made.field_precedence.values() for key in keys} <= own, made.code
