"""The streams and the REST API of Companies House in the sandbox, over HTTP, held against the format page.

See docs/formats/uk.md 5 and 7.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from sandbox import CREDENTIALS, SandboxServer, World, serve
from sandbox.uk import psc, stream_events
from sandbox.uk.rest_http import HOST as REST
from sandbox.uk.rest_http import RequestQuota
from sandbox.uk.rest_resources import COMPANIES, EXEMPTIONS, FILINGS, PSC, STATEMENTS, STREAMS
from sandbox.uk.stream_http import HOST as STREAM
from sandbox.uk.stream_http import StreamFaults

WORLD = World(seed=9, companies=60, days=3, markets=("UK",))
Event = dict[str, Any]


@pytest.fixture(scope="module")
def served() -> Iterator[SandboxServer]:
    with serve(WORLD) as running:
        running.advance()
        yield running


@pytest.fixture
def registry(served: SandboxServer) -> Iterator[SandboxServer]:
    """On the second day, in good order again after each test."""
    yield served
    served.desk.streams.stream_faults = StreamFaults()
    served.desk.rest.quota = RequestQuota()
    served.troubles.by_path.clear()


@pytest.fixture
def rest(registry: SandboxServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=registry.url, auth=CREDENTIALS[REST], trust_env=False) as client:
        yield client


@pytest.fixture
def streaming(registry: SandboxServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=registry.url, auth=CREDENTIALS[STREAM], trust_env=False) as client:
        yield client


def rested(client: httpx.Client, stream: str, **query: int) -> list[Event]:
    """Events until two heartbeats follow each other."""
    lines: list[str] = []
    with client.stream("GET", f"/{stream}", params=query) as answer:
        assert answer.status_code == 200
        assert answer.headers["transfer-encoding"] == "chunked"
        for line in answer.iter_lines():
            lines.append(line)
            if lines[-2:] == ["", ""]:
                break
    return [json.loads(line) for line in lines if line]


def timepoints(events: list[Event]) -> list[int]:
    return [event["event"]["timepoint"] for event in events]


def test_timepoints_rise_with_gaps_in_each_stream_by_itself_and_instants_do_not(streaming):
    first = []
    for stream in STREAMS:
        found = timepoints(rested(streaming, stream))
        assert found == sorted(set(found))
        assert found[-1] - found[0] >= len(found) > 1
        first.append(found[0] // 10_000)
    assert len(set(first)) == len(STREAMS)
    instants = [event["event"]["published_at"] for event in rested(streaming, COMPANIES)]
    assert instants != sorted(instants)


def test_instants_and_addresses_are_written_as_the_registers_are(streaming):
    written = {stream: rested(streaming, stream)[0] for stream in STREAMS}
    assert len(written[COMPANIES]["event"]["published_at"]) == len("2021-08-20T13:58:02")  # no zone
    assert written[EXEMPTIONS]["event"]["published_at"].endswith("Z")
    assert written[STATEMENTS]["event"]["published_at"].endswith("+00:00")
    slashes = {stream: event["resource_uri"].startswith("/company/") for stream, event in written.items()}
    assert slashes == {stream: stream != EXEMPTIONS for stream in STREAMS}


def test_a_stream_goes_on_from_the_event_of_a_timepoint(streaming):
    found = rested(streaming, FILINGS)
    middle = timepoints(found)[len(found) // 2]
    assert rested(streaming, FILINGS, timepoint=middle) == found[len(found) // 2 :]
    yesterday = stream_events.day_events(WORLD, 0, FILINGS)[0].timepoint
    assert rested(streaming, FILINGS, timepoint=yesterday)[-len(found) :] == found


def test_what_is_told_is_what_has_changed_and_what_rest_answers(streaming, rest):
    """The last word of the stream on each resource is that of REST; what it takes away is gone there."""
    states: dict[str, Event] = {}
    for stream in (COMPANIES, FILINGS):
        states |= {event["resource_uri"]: event for event in rested(streaming, stream)}
    kinds = Counter(event["event"]["type"] for event in states.values())
    assert kinds["deleted"] > 0
    for uri, event in states.items():
        if "/filing-history/" not in uri:
            assert rest.get(uri).json() == event["data"]
        else:
            answer = rest.get(uri)
            is_deleted = event["event"]["type"] == "deleted"
            assert answer.status_code == (404 if is_deleted else 200)
            assert is_deleted or answer.json() == event["data"]
    named = {uri.split("/")[2] for uri in states}
    assert {company.number for company in WORLD.changing("UK", 1) if company.new_accounts} <= named


def test_the_same_comes_again_and_some_of_it_has_not_changed(streaming):
    found = rested(streaming, COMPANIES)
    assert max(Counter(event["resource_uri"] for event in found).values()) > 1
    moving = {company.number for company in WORLD.changing("UK", 1)}
    assert {event["resource_id"] for event in found} - moving
    documents = [event for event in rested(streaming, FILINGS) if "fields_changed" in event["event"]]
    assert {tuple(event["event"]["fields_changed"]) for event in documents} == {("links.document_metadata",)}


def test_the_next_snapshot_agrees_with_the_stream(streaming):
    snapshot = {
        (line["company_number"], line["data"]["links"]["self"]): line["data"]
        for line in map(json.loads, psc.snapshot_lines(WORLD, 1))
        if "company_number" in line
    }
    for stream in (PSC, STATEMENTS):
        last = {event["resource_uri"]: event for event in rested(streaming, stream)}
        for uri, event in last.items():
            held = snapshot.get((uri.split("/")[2], uri))
            assert held == (None if event["event"]["type"] == "deleted" else event["data"])


def test_the_night_ends_every_connection():
    last = stream_events.day_events(WORLD, 0, COMPANIES)[-1].timepoint
    with (
        serve(WORLD) as registry,
        httpx.Client(base_url=registry.url, auth=CREDENTIALS[STREAM], trust_env=False) as client,
    ):
        with client.stream("GET", f"/{COMPANIES}") as answer:
            lines = answer.iter_lines()
            said = [next(lines)]
            registry.advance()
            said += [line for line in lines if line]  # ends, or the test never would
        assert timepoints([json.loads(line) for line in said])[-1] == last
        again = timepoints(rested(client, COMPANIES, timepoint=last))
    assert again == [last, *(event.timepoint for event in stream_events.day_events(WORLD, 1, COMPANIES))]


@pytest.mark.parametrize("timepoint", ["-1", "x", 5, 999_999_999_999])
def test_a_timepoint_that_is_none_or_too_old_is_416(streaming, timepoint):
    assert streaming.get(f"/{FILINGS}", params={"timepoint": timepoint}).status_code == 416


def test_events_are_kept_for_some_days(streaming, registry):
    first = stream_events.day_events(WORLD, 0, PSC)[0].timepoint
    assert rested(streaming, PSC, timepoint=first)
    registry.desk.streams.stream_faults = StreamFaults(retention_days=0)
    assert streaming.get(f"/{PSC}", params={"timepoint": first}).status_code == 416


def test_each_key_opens_its_own_door_only(registry, rest, streaming):
    company = WORLD.company("UK", 1, 1)
    for client, path in ((rest, f"/{FILINGS}"), (streaming, f"/company/{company.number}")):
        answer = client.get(path)
        assert answer.status_code == 401
        assert answer.json() == {"error": "Invalid Authorization", "type": "ch:service"}
    assert httpx.get(f"{registry.url}/{FILINGS}", trust_env=False).status_code == 401


def test_too_many_connections_are_refused():
    with (
        serve(WORLD) as registry,
        httpx.Client(base_url=registry.url, auth=CREDENTIALS[STREAM], trust_env=False) as client,
    ):
        registry.desk.streams.stream_faults = StreamFaults(most=1)
        with client.stream("GET", f"/{COMPANIES}") as answer:
            lines = answer.iter_lines()  # kept: with its lines a stream is closed, and leaves room
            next(lines)
            with client.stream("GET", f"/{FILINGS}") as other:  # never read: one that was let in has no end
                assert other.status_code == 429


def test_a_connection_breaks_in_the_middle_of_a_line(streaming, registry):
    registry.troubles.by_path[f"/{COMPANIES}"] = "cut_off"
    with streaming.stream("GET", f"/{COMPANIES}") as answer, pytest.raises(httpx.RemoteProtocolError):
        answer.read()
    registry.troubles.by_path[f"/{COMPANIES}"] = "html"
    assert streaming.get(f"/{COMPANIES}").headers["content-type"] == "text/html"


def test_streams_of_which_the_world_has_nothing_only_beat(streaming):
    for stream in stream_events.QUIET:
        assert rested(streaming, stream) == []


def test_six_hundred_in_five_minutes_and_then_429_until_the_window_ends(rest, registry):
    now = 1000.0
    registry.desk.rest.quota = RequestQuota(allowed=2, clock=lambda: now)
    number = WORLD.company("UK", 1, 1).number
    answers = [rest.get(f"/company/{number}") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert [answer.headers["X-Ratelimit-Remain"] for answer in answers] == ["1", "0", "0"]
    assert answers[2].headers["X-Ratelimit-Reset"] == "1300"
    now = 1300.0
    assert rest.get(f"/company/{number}").status_code == 200
    assert RequestQuota().allowed == 600


def test_lists_come_in_pages_and_by_category(rest):
    company = max(WORLD.all("UK", 1), key=lambda one: len(one.accounts))
    path = f"/company/{company.number}/filing-history"
    whole = rest.get(path, params={"items_per_page": 100}).json()
    assert whole["total_count"] == len(whole["items"]) > 3
    dates = [item["date"] for item in whole["items"]]
    assert dates == sorted(dates, reverse=True)
    paged = [rest.get(path, params={"items_per_page": 2, "start_index": at}).json() for at in (0, 2)]
    assert [item for page in paged for item in page["items"]] == whole["items"][:4]
    accounts = rest.get(path, params={"category": "accounts,gazette"}).json()["items"]
    assert len([item for item in accounts if item["type"] in {"AA", "AAMD"}]) == len(company.accounts)


def test_holders_statements_exemptions_and_cases_of_one_company(rest):
    seen = Counter[str]()
    for company in WORLD.all("UK", 1):
        links = rest.get(f"/company/{company.number}").json()["links"]
        for name in (
            "persons_with_significant_control",
            "persons_with_significant_control_statements",
            "exemptions",
            "insolvency",
        ):
            path = f"/company/{company.number}/{name.replace('_', '-')}"
            assert rest.get(path).status_code == (200 if name in links else 404)
            seen[name] += name in links
        if company.holders:
            people = rest.get(links["persons_with_significant_control"]).json()
            assert people["active_count"] + people["ceased_count"] == people["total_results"]
            assert people["total_results"] == len(company.holders)
    assert min(seen.values()) > 0
    assert rest.get("/company/01234567").json()["errors"][0]["error"] == "company-profile-not-found"


@pytest.mark.sources
@pytest.mark.parametrize(
    ("stream", "file"),
    [
        (COMPANIES, "companies.jsonl"),
        (FILINGS, "filings.jsonl"),
        (PSC, "persons-with-significant-control.jsonl"),
        (EXEMPTIONS, "company-exemptions.jsonl"),
    ],
)
def test_events_have_the_keys_of_genuine_ones(sources: Path, stream: str, file: str) -> None:
    genuine = [json.loads(line) for line in (sources / "uk/streaming" / file).read_bytes().splitlines() if line]
    ours = [json.loads(event.line) for event in stream_events.day_events(WORLD, 1, stream)]
    assert {tuple(event) for event in ours if "data" in event} == {tuple(genuine[0])}
    assert {key for event in ours for key in event["event"]} <= {key for event in genuine for key in event["event"]} | {
        "fields_changed"
    }
    unknown = {key for event in ours for key in event.get("data", {})} - {
        key for event in genuine for key in event["data"]
    }
    assert unknown <= SHOWN_BY_REST


# Members that the few stored events lack, and stored answers of the REST API or docs/formats/uk.md 5 have.
SHOWN_BY_REST = {
    "action_date",
    "company_status_detail",
    "date_of_cessation",
    "has_charges",
    "has_insolvency_history",
    "is_community_interest_company",
    "previous_company_names",
    "subtype",
}
