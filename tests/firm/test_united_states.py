"""The United States of the generated world through the real command, asked for over HTTP with EDGAR's manners.

One world for the whole module: four days, the third of which first goes wrong in three ways at once.
"""

import json
import pickle
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from sandbox import SandboxServer, World, minimum_companies, serve
from sandbox import expected as sandbox_expected
from sandbox.write import file_document_key
from tests.firm.conftest import Firm
from tests.firm.inside import Inside, Told, fact_key, planned, profiles_on
from tests.once import made_once
from warehouse.ledger.ledger import Ledger
from warehouse.release.run_log import read_run_log

pytestmark = pytest.mark.slow
DAYS = 4
SUPERVISORS = ("us.sec", "us.cftc")  # items that name nobody are listed as no company
WORLD = World(seed=5, companies=minimum_companies("US", DAYS), days=DAYS, markets=("US",))
AGENT = "firm-test (tests@example.org)"
NOT_SERVED = {"is_comparative"}  # known inside
BAD_DAY = 2
BAD = {
    "/Archives/edgar/data": "rate_limited",  # a page and 403: whoever goes on is blocked for longer
    "/cgi-bin/browse-edgar": "html",
    "/bulkdata/submissions.zip": "truncated",
}


@dataclass
class Lived:
    """A world taken in day by day: what each asking said, and the state after each day."""

    firm: Inside
    told: Told
    said: list[dict[str, Any]] = field(default_factory=list)
    asked: list[list[str]] = field(default_factory=list)
    events: list[set[str]] = field(default_factory=list)
    profiles: list[dict[str, Any]] = field(default_factory=list)
    bad: dict[str, Any] = field(default_factory=dict)
    bad_events: set[str] = field(default_factory=set)
    bad_words: str = ""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    path = tmp_path_factory.mktemp("truth") / "truth.json"
    sandbox_expected.write_truth(WORLD, path, file_document_key)
    return json.loads(path.read_text())


@pytest.fixture(scope="module")
def lived(told: Told, tmp_path_factory: pytest.TempPathFactory) -> Lived:
    folder = made_once(tmp_path_factory, "united-states", lambda into: _live_through(told, into))
    found: Lived = pickle.loads((folder / "lived").read_bytes())
    found.firm = found.firm.copy(tmp_path_factory.mktemp("lived") / "data")
    return found


def _live_through(told: Told, folder: Path) -> None:
    found = Lived(Inside(folder / "data"), told)
    with serve(WORLD) as registry:
        for day in range(DAYS):
            if day:
                registry.advance()
            if day == BAD_DAY:
                _bad_day(found, registry)
            before = len(registry.requests)
            found.said.append(_asked(found.firm, registry, 0)[0])
            found.asked.append(registry.requests[before:])
            found.events.append(found.firm.events())
            found.profiles.append(found.firm.profiles(told))
    (folder / "lived").write_bytes(pickle.dumps(found))


def _asked(firm: Inside, registry: SandboxServer, exit_code: int) -> tuple[dict[str, Any], str]:
    named = {"FIRM_SANDBOX_URL": registry.url, "FIRM_USER_AGENT": AGENT}
    said = firm.run("ingest", "us", "--sandbox", "--json", **named)
    assert said.exit_code == exit_code, said.out + said.err
    assert "Traceback" not in said.err
    return said.report, said.err


def _bad_day(found: Lived, registry: SandboxServer) -> None:
    registry.troubles.by_path.update(BAD)
    found.bad, found.bad_words = _asked(found.firm, registry, 3)
    found.bad_events = found.firm.events()
    registry.troubles.by_path.clear()


def test_each_day_every_company_is_served_as_it_is(lived: Lived) -> None:
    for day, profiles in enumerate(lived.profiles):
        assert profiles == profiles_on(lived.told, day)


def test_each_day_makes_exactly_the_planned_events(lived: Lived) -> None:
    assert lived.said[0]["events"] == {}
    for day, events in enumerate(lived.events):
        due = planned(lived.told, *range(1, day + 1))
        assert {due[key]["story"] for key in due.keys() - events} == set()
        assert events == due.keys()
    assert all(said["held"] == [] for said in lived.said)
    signals = [(one.code, one.subject) for note in read_run_log(lived.firm.layout) for one in note.signals]
    assert signals == [("quarter_of_two_scopes", "net_result")], "the year alone is restated, of whose parts it was one"
    assert sum(said["signals"] for said in lived.said) == 1
    of_firms = (row for said in lived.said for row in said["datasets"] if row["dataset"] not in SUPERVISORS)
    assert {row["rejected"] for row in of_firms} == {0}
    assert all(file["reason"] is None for said in lived.said for file in said["files"])


def test_every_kind_of_event_and_every_door_to_holders_is_planned(lived: Lived) -> None:
    events = planned(lived.told, *range(1, DAYS)).values()
    kinds = {event["event_type"] for event in events}
    assert kinds == {
        *("filing.added", "filing.updated", "status.changed", "ownership.changed"),
        *("news.published", "event.regulatory", "company.changed"),
    }
    registers = Counter(event["key"].get("register") for event in events)
    assert registers.keys() >= {"us.schedule13", "us.insiders", "us.form13f"}
    types = {
        (event["data"]["filing"].get("filing_type"), event["data"]["filing"]["period"][4:])
        for event in events
        if event["event_type"] == "filing.added"
    }
    assert types == {("annual_report", ""), ("interim_report", "-Q1")}


def test_events_say_what_was_planned(lived: Lived) -> None:
    found = {
        fact_key(event.event_id, event.event_type, data): data
        for event in Ledger(lived.firm.layout).after(0, 100_000)
        for data in [json.loads(event.data)]
    }
    for event_id, event in planned(lived.told, *range(1, DAYS)).items():
        same_core(event["data"], found[event_id], f"{event['story']} {event_id}")


def same_core(expected: Any, found: Any, where: str) -> None:
    """Every member that the plan states, at any depth."""
    if isinstance(expected, dict):
        for name, value in expected.items():
            assert name in found, f"{where}: no {name}"
            same_core(value, found[name], f"{where}.{name}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for place, (value, other) in enumerate(zip(expected, found, strict=True)):
            same_core(value, other, f"{where}[{place}]")
    else:
        assert found == expected, where


@pytest.fixture(scope="module")
def service(lived: Lived) -> Iterator[httpx.Client]:
    with Firm(lived.firm.data).serving() as client:
        yield client


def rows(client: httpx.Client, path: str, **parameters: str) -> list[dict[str, Any]]:
    answer = client.get(path, params={"limit": "100", **parameters})
    assert answer.status_code == 200, answer.text
    assert not answer.json()["has_more"]
    return answer.json()["data"]


def test_every_figure_of_the_api_equals_the_reports(lived: Lived, service: httpx.Client) -> None:
    seen: Counter[str] = Counter()
    for company_id, state in sandbox_expected.expected_on_day(lived.told, lived.told["days"][-1]).items():
        found = rows(service, f"/api/v1/companies/{company_id}/financials", consolidated="true")
        served = {(row["period_start"], row["period_end"]): row for row in found}
        expected = {(row["period_start"], row["period_end"]): row for row in state["financials"]}
        assert served.keys() == expected.keys(), company_id
        for period, row in expected.items():
            named = {name: value for name, value in row.items() if name not in NOT_SERVED}
            assert {name: served[period][name] for name in named} == named, (company_id, period)
            seen["derived" if row["derived"] else row["period_type"]] += 1
            seen["restated"] += row["is_restated"]
    assert seen["annual"] > 200
    assert seen["quarterly"] > 100
    assert seen["derived"] > 30
    assert seen["restated"] > 5


def test_every_owner_of_the_api_equals_the_newest_documents(lived: Lived, service: httpx.Client) -> None:
    seen: Counter[str | None] = Counter()
    last = lived.told["days"][-1]
    for company_id, state in sandbox_expected.expected_on_day(lived.told, last).items():
        found = rows(service, f"/api/v1/companies/{company_id}/ownership", as_of=last)
        served = {row["holder_id"]: row for row in found}
        expected = {row["holder_id"]: row for row in state["owners"]}
        assert served.keys() == expected.keys(), company_id
        for holder_id, row in expected.items():
            named = {name: value for name, value in row.items() if name != "native_id"}
            assert {name: served[holder_id][name] for name in named} == named, (company_id, row["native_id"])
            seen[row["basis"]] += 1
    assert seen["exact"] > 20
    assert seen["derived"] > 5
    assert seen[None] > 2  # insiders of whom only shares are known


def test_every_event_of_the_api_is_of_its_company(lived: Lived, service: httpx.Client) -> None:
    events = planned(lived.told, *range(1, DAYS))
    for company_id in sandbox_expected.expected_on_day(lived.told, lived.told["days"][-1]):
        told = rows(service, f"/api/v1/companies/{company_id}/events")
        found = {fact_key(row["event_id"], row["event_type"], row["data"]) for row in told}
        assert found == {key for key, event in events.items() if event["company_id"] == company_id}


def test_holders_are_no_companies(lived: Lived, service: httpx.Client) -> None:
    for cik in ("8999999999", "8900000001"):
        assert service.get(f"/api/v1/companies/US{cik}").status_code == 404


def test_what_was_asked_is_not_asked_again(lived: Lived) -> None:
    asked = [{line for line in lines if "/Archives/edgar/data/" in line} for lines in lived.asked]
    assert all(asked)
    assert not asked[1] & asked[0]
    assert not asked[3] & (asked[0] | asked[1] | asked[2])
    assert any("-submissions-001.json" in line for lines in lived.asked for line in lines)


def test_a_bad_day_is_told_of_and_loses_nothing(lived: Lived) -> None:
    held = {held["dataset"] for held in lived.bad["held"]}
    assert held >= {"us.getcurrent", "us.headers", "us.schedule13", "us.insiders", "us.form13f"}
    unread = {(file["path"], file["dataset"]): file["reason"] for file in lived.bad["files"]}
    assert unread["submissions.zip", "us.submissions"]
    rows_read = {row["dataset"]: row["rows"] for row in lived.bad["datasets"]}
    assert (rows_read["us.submissions"], rows_read["us.filer"] > 0) == (0, True)
    assert "ten minutes" in lived.bad_words
    assert lived.events[BAD_DAY - 1] <= lived.bad_events < lived.events[BAD_DAY]


@contextmanager
def edgar(**faults: str) -> Iterator[tuple[SandboxServer, httpx.Client]]:
    named = {"User-Agent": AGENT}
    with (
        serve(WORLD, faults=faults) as registry,
        httpx.Client(base_url=registry.url, headers=named, trust_env=False) as client,
    ):
        yield registry, client


@pytest.mark.parametrize(
    ("path", "fault", "status", "words"),
    [
        ("/files/company_tickers_exchange.json", "rate_limited", 403, "Request Rate Threshold Exceeded"),
        ("/files/company_tickers_exchange.json", "blocked", 403, "Undeclared Automated Tool"),
        ("/files/company_tickers_exchange.json", "missing", 404, "<Code>NoSuchKey</Code>"),
        ("/Archives/edgar/daily-index/2026/QTR4/master.20261030.idx", "missing", 403, "AccessDenied"),
        ("/Archives/edgar/daily-index/2026/QTR4/master.20261101.idx", "", 403, "AccessDenied"),  # a Sunday
        ("/Archives/edgar/daily-index/2026/QTR4/master.20261030.idx", "", 200, "CIK|Company Name|Form Type"),
        ("/submissions/CIK0000000009.json", "", 404, "<Code>NoSuchKey</Code>"),
        ("/submissions/CIK9000000000-submissions-001.json", "", 200, '{"accessionNumber":'),
        ("/submissions/CIK9000000001-submissions-001.json", "", 404, "<Code>NoSuchKey</Code>"),
        ("/submissions/CIK8999999999.json", "", 200, '"entityType":"other"'),
        ("/cgi-bin/browse-edgar?action=getcurrent&start=5000&count=100", "", 503, "File Unavailable"),
    ],
)
def test_what_edgar_says_of_what_is_not_there(path: str, fault: str, status: int, words: str) -> None:
    faults = {path.partition("?")[0]: fault} if fault else {}
    with edgar(**faults) as (_, client):
        answer = client.get(path)
        assert (answer.status_code, words in answer.text) == (status, True)


def test_who_does_not_say_who_he_is_gets_the_page() -> None:
    with edgar() as (_, client):
        answer = client.get("/submissions/CIK9000000000.json", headers={"User-Agent": "python"})
        assert (answer.status_code, "Undeclared Automated Tool" in answer.text) == (403, True)


@pytest.mark.parametrize(
    "path",
    [
        "/Archives/edgar/daily-index/2026/QTR4/master.20261030.idx",
        "/files/company_tickers_exchange.json",
        "/Archives/edgar/daily-index/bulkdata/submissions.zip",
    ],
)
def test_what_has_not_changed_is_not_sent_again(path: str) -> None:
    with edgar() as (registry, client):
        first = client.get(path)
        tag, day = first.headers["ETag"], first.headers["Last-Modified"]
        assert client.get(path, headers={"If-None-Match": tag}).status_code == 304
        assert client.get(path, headers={"If-Modified-Since": day}).status_code == 304
        registry.advance()
        assert client.get(path, headers={"If-Modified-Since": day}).status_code == 200
