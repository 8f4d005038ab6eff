"""The United States of the generated world through the real command: as files, and over HTTP with EDGAR's manners."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from connectors.sandbox import Registry, World, damage_file, serve, truth, write
from tests.firm.inside import Inside, Said, Told, planned, profiles_on
from warehouse.ledger import Ledger
from warehouse.reader import Periods, Reader

pytestmark = pytest.mark.slow
WORLD = World(seed=5, companies=60, days=4, markets=("US",))
AGENT = "firm-test (tests@example.org)"
NOT_SERVED = {"is_comparative"}  # known inside


@dataclass(frozen=True)
class Lived:
    """A world taken in day by day: what each day said and made, and the state after the last."""

    firm: Inside
    told: Told
    said: list[dict[str, Any]]
    events: list[set[str]]
    profiles: list[dict[str, Any]]


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write(WORLD, tmp_path_factory.mktemp("states"))


@pytest.fixture(scope="module")
def told(days: list[Path]) -> Told:
    return json.loads((days[0].parent / "truth.json").read_text())


@pytest.fixture(scope="module")
def lived(days: list[Path], told: Told, tmp_path_factory: pytest.TempPathFactory) -> Lived:
    found = Lived(Inside(tmp_path_factory.mktemp("lived") / "data"), told, [], [], [])
    for day in days:
        found.said.append(found.firm.ingest(day, "us").report)
        found.events.append(found.firm.events())
        found.profiles.append(found.firm.profiles(told))
    return found


def test_each_day_every_company_is_served_as_it_is(lived: Lived) -> None:
    for day, profiles in enumerate(lived.profiles):
        assert profiles == profiles_on(lived.told, day)


def test_each_day_makes_exactly_the_planned_events(lived: Lived) -> None:
    assert lived.said[0]["events"] == {}
    for day, events in enumerate(lived.events):
        assert events == planned(lived.told, *range(1, day + 1)).keys()
    kinds = {event["event_type"] for event in planned(lived.told, 1).values()}
    assert kinds == {
        "filing.added",
        "filing.updated",
        "status.changed",
        "news.published",
        "event.regulatory",
    }
    assert all(said["held"] == [] and said["signals"] == 0 for said in lived.said)
    assert {row["rejected"] for said in lived.said for row in said["datasets"]} == {0}
    assert all(file["reason"] is None for said in lived.said for file in said["files"])


def test_events_say_what_was_planned(lived: Lived) -> None:
    found = {event.event_id: json.loads(event.data) for event in Ledger(lived.firm.layout).after(0, 100_000)}
    for event_id, event in planned(lived.told, 1, 2, 3).items():
        same_core(event["data"], found[event_id], f"{event['story']} {event_id}")


def same_core(expected: Any, found: Any, where: str) -> None:
    """Every member that the plan states, at any depth."""
    if isinstance(expected, dict):
        for name, value in expected.items():
            assert name in found, f"{where}: no {name}"
            same_core(value, found[name], f"{where}.{name}")
    else:
        assert found == expected, where


def test_every_figure_equals_the_facts(lived: Lived) -> None:
    reader = Reader(lived.firm.layout)
    seen = 0
    with reader.pin() as snapshot:
        for company_id, state in truth.at(lived.told, lived.told["days"][-1]).items():
            page = snapshot.financials(company_id, Periods(), None, 100)
            served = {row["period_end"]: row for row in map(json.loads, page.rows)}
            expected = {row["period_end"]: row for row in state["financials"]}
            assert served.keys() == expected.keys(), company_id
            for end, row in expected.items():
                named = {name: value for name, value in row.items() if name not in NOT_SERVED}
                assert {name: served[end][name] for name in named} == named, (company_id, end)
            seen += len(expected)
    reader.close()
    assert seen > 150


def test_a_person_is_no_company(lived: Lived) -> None:
    reader = Reader(lived.firm.layout)
    with reader.pin() as snapshot:
        assert snapshot.profile("firm:US:US8999999999") is None
    reader.close()


@contextmanager
def edgar(day: int, **settings: Any) -> Iterator[Registry]:
    with serve(WORLD, **settings) as registry:
        for _ in range(day):
            registry.advance()
        yield registry


def asked(firm: Inside, registry: Registry, exit_code: int = 0) -> Said:
    named = {"FIRM_SANDBOX_URL": registry.url, "FIRM_USER_AGENT": AGENT}
    said = firm.run("ingest", "us", "--sandbox", "--json", **named)
    assert said.exit_code == exit_code, said.out + said.err
    assert "Traceback" not in said.err
    return said


def is_day(firm: Inside, told: Told, day: int) -> bool:
    """Whether the state is that of a day, and the events are all that were planned until then."""
    assert firm.profiles(told) == profiles_on(told, day)
    assert firm.events() == planned(told, *range(1, day + 1)).keys()
    return True


@pytest.fixture(scope="module")
def asked_once(tmp_path_factory: pytest.TempPathFactory) -> Inside:
    """The first day, asked for over HTTP."""
    firm = Inside(tmp_path_factory.mktemp("asked") / "data")
    with edgar(0) as registry:
        asked(firm, registry)
    return firm


def test_over_http_day_by_day(asked_once: Inside, told: Told, tmp_path: Path) -> None:
    firm = asked_once.copy(tmp_path / "data")
    assert firm.events() == set()
    with edgar(0) as registry:
        asked(firm, registry)
        again = [line for line in registry.requests if "index-headers" in line or line.endswith(".txt")]
        assert again == []  # what was asked is not asked again
    for day in (1, 2):
        with edgar(day) as registry:
            assert asked(firm, registry).report["held"] == []
            assert is_day(firm, told, day)


def test_what_is_blocked_is_held_and_comes_when_it_is_asked_again(
    asked_once: Inside, told: Told, tmp_path: Path
) -> None:
    firm = asked_once.copy(tmp_path / "data")
    with edgar(1, faults={"/Archives/edgar/data": "rate_limited"}) as registry:
        said = asked(firm, registry, exit_code=3)
        assert "us.headers" in [held["dataset"] for held in said.report["held"]]
        assert "ten minutes" in said.err
        registry.troubles.by_path.clear()
        asked(firm, registry)
        assert is_day(firm, told, 1)


def test_html_for_atom_loses_nothing(asked_once: Inside, told: Told, tmp_path: Path) -> None:
    firm = asked_once.copy(tmp_path / "data")
    with edgar(1, faults={"/cgi-bin/browse-edgar": "html"}) as registry:
        said = asked(firm, registry, exit_code=3)
        assert [held["dataset"] for held in said.report["held"]] == ["us.getcurrent"]
    assert is_day(firm, told, 1)  # the index of the day names the same


def test_a_cut_off_archive_is_told_of_and_what_it_held_comes_later(
    days: list[Path], told: Told, tmp_path: Path
) -> None:
    firm = Inside(tmp_path / "data")
    firm.ingest(days[0], "us")
    damaged = tmp_path / "damaged"
    shutil.copytree(days[1], damaged)
    damage_file(damaged / "us/submissions/submissions.zip", "truncated")
    said = firm.ingest(damaged, "us").report
    (reason,) = [file["reason"] for file in said["files"] if file["reason"]]
    assert "truncated or damaged zip" in reason
    assert firm.events() < planned(told, 1).keys()
    firm.ingest(days[1], "us", "--at", "2026-11-03T09:00:00")
    assert is_day(firm, told, 1)


def test_both_kinds_of_403_and_what_is_missing() -> None:
    with edgar(0, faults={"/files/": "rate_limited"}) as registry:
        known, unknown = httpx.Client(headers={"User-Agent": AGENT}), httpx.Client()

        def said(client: httpx.Client, path: str) -> tuple[int, str]:
            answer = client.get(f"{registry.url}{path}")
            return answer.status_code, answer.text

        status, text = said(unknown, "/submissions/CIK9000000000.json")
        assert (status, "Undeclared Automated Tool" in text) == (403, True)
        status, text = said(known, "/files/company_tickers_exchange.json")
        assert (status, "Request Rate Threshold Exceeded" in text) == (403, True)
        status, text = said(known, "/Archives/edgar/daily-index/2026/QTR4/master.20261101.idx")
        assert (status, "<Code>AccessDenied</Code>" in text) == (403, True)  # a Sunday
        status, text = said(known, "/submissions/CIK0000000009.json")
        assert (status, "<Code>NoSuchKey</Code>" in text) == (404, True)
        status, text = said(known, "/cgi-bin/browse-edgar?action=getcurrent&start=5000&count=100&output=atom")
        assert (status, "File Unavailable" in text) == (503, True)
        known.close()
        unknown.close()
