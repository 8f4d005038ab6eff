"""What operators are told by numbers of sources, runs, disk and mail."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from api.observability.data_health import data_health_gauges, disk_gauges, reconciliation_gauges
from tests.api.conftest import Service
from warehouse.reader.reader import ReleaseReader
from warehouse.release import freshness, run_log
from warehouse.release.freshness import DatasetCheck, Freshness
from warehouse.release.run_log import ErrorNote, RunNote
from warehouse.schema.market_state import Reconciliation, RuleWithoutData, UnexplainedStatus

ALERTS = Path(__file__).resolve().parents[3] / "deploy" / "alerts.yml"
NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
"""What the service's clock says in tests."""
HOUR = timedelta(hours=1)


def note(name: str, *markets: str, **more: Any) -> RunNote:
    return RunNote(name, markets, NOW - HOUR, **{"ended_at": NOW} | more)


@pytest.fixture
def seen(make: Callable[[], Any]) -> Any:
    """A world whose runs have told of themselves."""
    maker = make()
    maker.publish([maker.company("firm:NO:999999999", "Eksempel")])
    layout = maker.world.layout
    datasets = {
        "no.enheter": DatasetCheck(NOW - 5 * HOUR, None, 48),
        "no.roller": DatasetCheck(NOW - 50 * HOUR, NOW - 2 * HOUR, 48),
        "no.aksjonaer": DatasetCheck(None, None, 9600),
        "se.scb": DatasetCheck(NOW - HOUR),  # noted by an edition that did not note hours
    }
    freshness.write_freshness(layout, Freshness({"NO": NOW - 3 * HOUR}, datasets))
    run_log.write_run_note(layout, note("20261119T080000000Z", "NO", "SE", errors=(ErrorNote("NO", "x"),)))
    run_log.write_run_note(layout, note("20261120T080000000Z", "NO", errors=(ErrorNote("release", "x"),)))
    run_log.write_run_note(layout, note("20261120T090000000Z", "SE", "FI", errors=(ErrorNote("FI", "x"),)))
    run_log.write_run_note(layout, note("20261121T080000000Z", "FI", ended_at=None))
    return maker.world


def test_sources_markets_and_runs(seen: Any) -> None:
    reader = ReleaseReader(seen.layout)
    told = {name: dict(one.values) for name, one in data_health_gauges(reader, NOW).items()}
    reader.close()
    assert told == {
        "source_age_seconds": {("NO", "no.enheter"): 18_000, ("NO", "no.roller"): 180_000, ("SE", "se.scb"): 3_600},
        "source_stale_after_seconds": {
            ("NO", "no.enheter"): 172_800,
            ("NO", "no.roller"): 172_800,
            ("NO", "no.aksjonaer"): 34_560_000,
        },
        "source_held_seconds": {("NO", "no.roller"): 7_200},
        "market_age_seconds": {("NO",): 10_800},
        # the newest that has ended: what keeps a release back keeps each of its markets back, another's error does not
        "run_failed": {("NO",): 1, ("SE",): 0, ("FI",): 1},
        # the release of this world was made by an earlier version: nothing was counted
        "dataset_unlinked_rows": {},
        "dataset_changed_subjects": {},
        "market_rules_without_data": {},
        "rule_undecided_rows": {},
        "market_unexplained_statuses": {},
    }


def test_checks_in_the_future_are_no_fresh_ones(seen: Any) -> None:
    """By a clock that was ahead: alerts that wait for an age, or for a quarantine, must fire."""
    ahead = NOW + 9_000 * HOUR
    datasets = {"no.enheter": DatasetCheck(ahead, ahead, 48)}
    freshness.write_freshness(seen.layout, Freshness({"NO": ahead}, datasets))
    reader = ReleaseReader(seen.layout)
    told = {name: dict(one.values) for name, one in data_health_gauges(reader, NOW).items()}
    reader.close()
    key = ("NO", "no.enheter")
    assert told["source_age_seconds"][key] > told["source_stale_after_seconds"][key]
    assert told["source_held_seconds"][key] == 0
    assert told["market_age_seconds"]["NO",] > 2 * 86_400


def test_reconciliation_gauges_state_zero_and_leave_out_the_unknown() -> None:
    counted = Reconciliation(
        {"no.enheter": 0, "no.roller": 4},
        {"no.enheter": 0},
        (RuleWithoutData("no.x", ("no.regnskap",), 3),),
        (UnexplainedStatus("konkurs", "dormant", "active", 2),),
    )
    told = {
        name: dict(one.values) for name, one in reconciliation_gauges({"NO": counted, "SE": Reconciliation()}).items()
    }
    assert told == {
        "dataset_unlinked_rows": {("NO", "no.enheter"): 0, ("NO", "no.roller"): 4},
        "dataset_changed_subjects": {("NO", "no.enheter"): 0},
        "market_rules_without_data": {("NO",): 1, ("SE",): 0},
        "rule_undecided_rows": {("NO", "no.x"): 3},
        "market_unexplained_statuses": {("NO",): 2, ("SE",): 0},
    }


def samples(service: Service) -> dict[tuple[Any, ...], float]:
    answer = service.client.get("/metrics")
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_what_alerts_ask_for_is_told(serve: Callable[..., Service], seen: Any) -> None:
    groups = yaml.safe_load(ALERTS.read_text())["groups"]
    asked = {name for group in groups for rule in group["rules"] for name in re.findall(r"\bfirm_\w+", rule["expr"])}
    service = serve(seen, metrics="public")
    service.get("/api/v1/companies/999999999")
    assert asked
    assert asked <= {name for name, *_ in samples(service)}


def test_they_are_told_by_the_service(serve: Callable[..., Service], seen: Any) -> None:
    told = samples(serve(seen, metrics="public"))
    labels = (("dataset", "no.roller"), ("market", "NO"))
    assert told["firm_source_held_seconds", *labels] == 7_200
    assert told["firm_source_stale_after_seconds", *labels] == 172_800
    assert told["firm_run_failed", ("market", "NO")] == 1
    assert told["firm_database_reachable",] == 1
    assert told["firm_mail_oldest_seconds",] == 0
    assert 0 < told["firm_disk_free_bytes",] <= told["firm_disk_size_bytes",]


def test_before_any_run_nothing_is_told_of_sources(serve: Callable[..., Service], world: Any) -> None:
    told = samples(serve(world, metrics="public"))
    assert not [name for name, *_ in told if name.startswith(("firm_source", "firm_market", "firm_run"))]


def test_a_folder_that_is_not_there_has_no_disk(seen: Any) -> None:
    assert disk_gauges(seen.layout.root / "nowhere") == {}


def test_without_its_database_the_service_says_that_it_is_away(serve: Callable[..., Service], seen: Any) -> None:
    service = serve(seen, metrics="public")
    service.database.engine.dispose()
    path = seen.layout.root.parent / "control.sqlite"
    for one in path.parent.glob("control.sqlite*"):
        one.unlink()
    told = samples(service)
    assert told["firm_database_reachable",] == 0
    assert not [name for name, *_ in told if name.startswith("firm_mail")]
