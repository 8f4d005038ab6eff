"""The state of the service, as a page and as JSON: against the API, the run log and the database."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from api.observability.delivery_health import DeliveryHealth
from api.public_pages.status import report_object
from api.public_pages.status_report import build_report, dataset_rows, delivery_state
from tests.api.conftest import Service
from tests.api.public_pages.conftest import BROWSER, DAY, HOUR, NOW, RUNS, open_page, publish_norway, texts
from tests.tables import check_cases
from warehouse.reader.reader import ReleaseReader
from warehouse.release.freshness import DatasetCheck, Freshness, write_freshness
from warehouse.schema.market_state import DatasetState, MarketState
from warehouse.storage.layout import Layout

CONTRACT = Path(__file__).resolve().parents[3] / "docs" / "contract" / "contract.md"


def told(at: Any) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


def test_datasets_are_those_of_the_api_against_their_promise(service: Service) -> None:
    body = service.client.get("/status.json").json()
    (norway,) = [one for one in service.get("/api/v1/markets").json()["data"] if one["market"] == "NO"]
    same = ("dataset", "observed_at", "checked_at", "held_since")
    assert [[row[name] for name in same] for row in body["datasets"]] == [
        [one[name] for name in same] for one in norway["datasets"]
    ]
    assert [(row["dataset"], row["state"], row["promised_hours"]) for row in body["datasets"]] == [
        ("no.enheter", "fresh", 48),
        ("no.later", "unknown", None),
        ("no.roller", "quarantined", 72),
    ]
    assert (body["state"], body["release"]) == ("degraded", 1)
    assert body["delivery"] == {"state": "on_time", "lag_seconds": 0, "unmatched_events": 0}


def test_incidents_are_those_of_the_run_log_without_their_reasons(service: Service) -> None:
    body = service.client.get("/status.json").json()
    failed = {"market": "NO", "dataset": None, "kind": "failed_run"}
    held = {"market": "NO", "dataset": "no.roller", "kind": "quarantine"}
    assert body["incidents"] == [
        held | {"began_at": told(NOW - 3 * DAY), "ended_at": None},
        failed | {"began_at": told(NOW - 20 * DAY), "ended_at": told(NOW - 19 * DAY + HOUR)},
    ]
    assert body["incidents_recorded_since"] == told(NOW - 40 * DAY)
    _, page = open_page(service, "/status")
    for text in (service.client.get("/status.json").text, page.text_content()):
        assert "torn" not in text
        assert "max_shrink" not in text


def test_the_page_says_what_the_json_says(service: Service) -> None:
    body, (_, page) = service.client.get("/status.json").json(), open_page(service, "/status")
    words = {"fresh": "on time", "quarantined": "quarantined", "unknown": "not known"}
    rows = page.xpath("//table[contains(@class, 'freshness')]/tbody/tr")
    assert [(texts(row, "./th")[0], texts(row, ".//*[contains(@class, 'state')]")[0]) for row in rows] == [
        (row["dataset"], words[row["state"]]) for row in body["datasets"]
    ]
    assert [row.xpath("./td[@data-name='Last checked']/time/@datetime") for row in rows] == [
        [row["checked_at"]] if row["checked_at"] else [] for row in body["datasets"]
    ]
    incidents = page.xpath("//h2[contains(., 'Incidents')]/following-sibling::table[1]/tbody/tr")
    assert [row.xpath("./th/time/@datetime")[0] for row in incidents] == [one["began_at"] for one in body["incidents"]]
    assert texts(page, "//h3")[0] == "Norway 1 on time, 1 not known, 1 quarantined"


def test_browsers_get_the_page_and_programs_json(service: Service) -> None:
    answers = {accept: service.client.get("/status", headers={"accept": accept}) for accept in (BROWSER, "*/*")}
    kinds = {accept: answer.headers["content-type"] for accept, answer in answers.items()}
    assert kinds == {BROWSER: "text/html; charset=utf-8", "*/*": "application/json"}
    assert {"Accept" in answer.headers["vary"].split(", ") for answer in answers.values()} == {True}
    assert answers["*/*"].content == service.client.get("/status.json").content


def test_a_dataset_out_of_reach_is_told_where_all_is_as_promised(serve: Any, new_world: Any) -> None:
    world = publish_norway(new_world())
    gone = DatasetCheck(NOW, None, 48, out_of_reach="no feed")
    fresh = replace(gone, out_of_reach=None)
    write_freshness(world.layout, Freshness({}, {"no.enheter": fresh, "no.roller": gone, "no.later": fresh}))
    _, page = open_page(serve(world), "/status")
    [notice] = texts(page, "//p[@role='status']")
    assert notice.endswith("were checked in time, and deliveries are on time; 1 dataset is out of reach.")
    assert notice.startswith("Everything is as promised. All other datasets")


def test_what_cannot_be_read_is_unknown_and_never_zero(serve: Any, tmp_path: Any) -> None:
    """No release, no run log, no database."""
    service = serve(None, reader=ReleaseReader(Layout(tmp_path / "empty")))
    for path in tmp_path.glob("control.sqlite*"):
        path.unlink()
    (tmp_path / "control.sqlite").mkdir()
    service.database.close()
    body = service.client.get("/status.json").json()
    assert body == {
        "state": "unknown",
        "at": told(NOW),
        "release": None,
        "released_at": None,
        "datasets": [],
        "delivery": {"state": "unknown", "lag_seconds": None, "unmatched_events": None},
        "incidents": None,
        "incidents_recorded_since": None,
        "incidents_unknown_markets": [],
    }
    _, page = open_page(service, "/status")
    assert "0" not in " ".join(texts(page, "//dl//dd"))
    assert "no record of the runs" in page.text_content()
    (tmp_path / "control.sqlite").rmdir()


def test_a_machine_that_only_serves_knows_no_incidents(serve: Any, new_world: Any) -> None:
    """It follows another's releases, with their checks, and has no run log."""
    world = publish_norway(new_world())
    for path in world.layout.run_log_folder.glob("*.json"):
        path.unlink()
    service = serve(world)
    body = service.client.get("/status.json").json()
    assert (body["incidents"], body["incidents_recorded_since"]) == (None, None)
    assert body["incidents_unknown_markets"] == ["NO"]
    assert body["datasets"][0]["state"] == "fresh"  # what the release and its checks tell is known here
    _, page = open_page(service, "/status")
    said = texts(page, "//h2[contains(., 'Incidents')]/following-sibling::p[1]")
    assert said == ["Not known: this machine has no record of the runs that read the registers."]
    assert "None recorded" not in page.text_content()


@check_cases(
    ("runs", "unknown", "incidents"),
    [
        (RUNS, [], 2),
        ((), ["SE", "NO"], None),
        ([one for one in RUNS if one.markets == ("NO",)], ["SE"], 2),
        ([one for one in RUNS if one.markets == ("SE",)], ["NO"], 0),
        (RUNS[:3], ["SE", "NO"], None),  # another machine has ingested since
        ([*RUNS[:4], replace(RUNS[-1], ended_at=None)], ["SE"], 2),  # a run that has not ended is one
    ],
)
def test_incidents_are_unknown_of_markets_that_other_machines_ingest(
    runs: Any, unknown: list[str], incidents: int | None
) -> None:
    markets = {
        "NO": MarketState("fresh", None, 0, {"no.x": DatasetState(None, checked_at=NOW - 6 * HOUR)}),
        "SE": MarketState("fresh", None, 0, {"se.x": DatasetState(None, checked_at=NOW - DAY)}),
    }
    told = report_object(build_report(NOW, (1, NOW), markets, Freshness(), None, runs))
    assert told["incidents_unknown_markets"] == unknown
    assert told["incidents"] is None if incidents is None else len(told["incidents"]) == incidents


@check_cases(
    ("state", "check", "word"),
    [
        (DatasetState(None, checked_at=NOW - 48 * HOUR), DatasetCheck(None, None, 48), "fresh"),
        (DatasetState(None, checked_at=NOW + timedelta(minutes=4)), DatasetCheck(None, None, 48), "fresh"),
        (DatasetState(None, checked_at=NOW + 365 * DAY), DatasetCheck(None, None, 48), "unknown"),  # a clock was ahead
        (DatasetState(None, checked_at=NOW - 48 * HOUR - timedelta(seconds=1)), DatasetCheck(None, None, 48), "late"),
        (DatasetState(None, checked_at=NOW), DatasetCheck(None), "unknown"),
        (DatasetState(None, checked_at=NOW), None, "unknown"),
        (DatasetState(None), DatasetCheck(None, None, 48), "unknown"),
        (DatasetState(None, checked_at=NOW, held_since=NOW), DatasetCheck(None, NOW, 48), "quarantined"),
        (DatasetState(None, held_since=NOW), DatasetCheck(None, None, 48, out_of_reach="x"), "out_of_reach"),
    ],
)
def test_a_dataset_in_one_word(state: DatasetState, check: DatasetCheck | None, word: str) -> None:
    checks = Freshness({}, {} if check is None else {"no.x": check})
    (row,) = dataset_rows(NOW, {"NO": MarketState("fresh", None, 0, {"no.x": state})}, checks)
    assert row.state == word


@check_cases(
    ("health", "word"),
    [
        (None, "unknown"),
        (DeliveryHealth(0, 0.0, has_leader=False), "on_time"),
        (DeliveryHealth(1, 0.0, has_leader=False), "late"),
        (DeliveryHealth(9, 59.9, has_leader=True), "on_time"),
        (DeliveryHealth(0, 60.0, has_leader=True), "late"),
    ],
)
def test_delivery_in_one_word(health: DeliveryHealth | None, word: str) -> None:
    assert delivery_state(health).state == word


@pytest.mark.parametrize(
    ("promised", "runs", "state"), [(48, RUNS, "normal"), (24, RUNS, "degraded"), (None, (), "unknown")]
)
def test_the_service_in_one_word(promised: int | None, runs: Any, state: str) -> None:
    checks = Freshness({}, {"no.x": DatasetCheck(NOW - 30 * HOUR, None, promised)})
    markets = {"NO": MarketState("fresh", None, 0, {"no.x": DatasetState(None, checked_at=NOW - 30 * HOUR)})}
    healthy = DeliveryHealth(0, 0.0, has_leader=True)
    report = build_report(NOW, (1, NOW), markets, checks, healthy, runs)
    assert report.state == state
    gone = {"no.x": replace(checks.dataset_checks["no.x"], out_of_reach="gone")}
    assert build_report(NOW, (1, NOW), markets, Freshness({}, gone), healthy, runs).state == "normal"


def test_only_incidents_of_ninety_days_are_shown() -> None:
    later = NOW + 75 * DAY
    report = build_report(later, None, {}, Freshness(), None, RUNS)
    assert [one.kind for one in report.incidents] == ["quarantine"]
    assert report.recorded_since == later - 90 * DAY


def test_the_contracts_example_has_the_members_that_are_served(service: Service) -> None:
    section = CONTRACT.read_text().split("## 4.17 Status")[1].split("\n## ")[0]
    example, body = (
        json.loads(section.split("```json\n")[1].split("\n```")[0]),
        service.client.get("/status.json").json(),
    )
    assert list(example) == list(body)
    for name in ("datasets", "incidents"):
        assert {tuple(one) for one in example[name]} == {tuple(one) for one in body[name]}
    assert list(example["delivery"]) == list(body["delivery"])
