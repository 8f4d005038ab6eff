"""Both clients through the same faults, played in front of a running service (`scenarios`): neither loses anything."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import firmdata
import httpx
import pytest

from tests.sdk.conftest import Live
from tests.sdk.faulty import FaultyService, faulty
from tests.sdk.scenarios import ASKED_WAITS, COMPANY, SCENARIOS, deliveries

CHANCE = 0.5  # seconds; what a wait may be longer than asked


@pytest.fixture(scope="module")
def expected(live: Live) -> dict[str, Any]:
    """What the service says without a fault."""

    def get(path: str) -> Any:
        return httpx.get(live.url + path, headers=live.service.headers).json()

    return {"company": get(f"/api/v1/companies/{COMPANY}"), "events": get("/api/v1/events?limit=3")["data"]}


@pytest.fixture
def played(live: Live) -> Iterator[FaultyService]:
    with faulty(live.url, SCENARIOS) as service:
        yield service


def plain(model: Any) -> Any:
    return json.loads(model.model_dump_json(by_alias=True, exclude_unset=True))


@dataclass(frozen=True)
class Patient:
    """A Python client of a scenario, and the waits that it made in no time."""

    client: firmdata.Client
    waits: list[float]


@pytest.fixture
def patient(played: FaultyService, live: Live) -> Iterator[Callable[[str], Patient]]:
    with ExitStack() as opened:

        def begin(scenario: str) -> Patient:
            waits: list[float] = []
            client = live.client(base_url=f"{played.url}/{scenario}", sleep=waits.append)
            return Patient(opened.enter_context(client), waits)

        yield begin


def check_stream_requests(service: FaultyService, sequences: list[int]) -> None:
    begun = [request.headers.get("last-event-id") for request in service.received("stream")]
    assert begun == [None, *[str(sequences[0])] * 3]


def check_one_key(service: FaultyService) -> None:
    posts = [request for request in service.received("lost") if request.method == "POST"]
    assert len(posts) == 2
    assert len({request.headers["idempotency-key"] for request in posts}) == 1


@pytest.mark.parametrize("scenario", ["limited", "unavailable", "skewed", "cut"])
def test_python_reads_through_a_fault(
    played: FaultyService, patient: Callable[[str], Patient], expected: Any, scenario: str
) -> None:
    one = patient(scenario)
    assert plain(one.client.companies.get(COMPANY)) == expected["company"]
    assert len(played.received(scenario)) == 1 + len(SCENARIOS[scenario]) == 1 + len(one.waits)
    if scenario in ASKED_WAITS:
        assert ASKED_WAITS[scenario] <= one.waits[0] <= ASKED_WAITS[scenario] + CHANCE


def test_python_repeats_a_change_whose_answer_was_lost_without_doing_it_twice(
    played: FaultyService, patient: Callable[[str], Patient]
) -> None:
    client = patient("lost").client
    made = client.watchlists.create("Lost answer")
    assert [one.id for one in client.watchlists.list() if one.name == "Lost answer"] == [made.id]
    client.watchlists.delete(made.id)
    check_one_key(played)


def test_python_reads_what_is_unchanged_for_nothing(
    played: FaultyService, patient: Callable[[str], Patient], expected: Any
) -> None:
    client = patient("unchanged").client
    assert plain(client.companies.get(COMPANY)) == expected["company"]
    before = client.usage().requests_used
    assert plain(client.companies.get(COMPANY)) == expected["company"]
    assert client.usage().requests_used == before
    first, *_, again, _ = played.received("unchanged")
    assert "if-none-match" not in first.headers
    assert again.headers["if-none-match"].startswith('W/"')


def test_python_streams_every_event_once_through_cuts(
    played: FaultyService, patient: Callable[[str], Patient], expected: Any
) -> None:
    one = patient("stream")
    with closing(one.client.events.stream(since=0)) as events:
        found = [plain(event) for event in islice(events, 3)]
    assert found == expected["events"]
    assert 4 <= one.waits[1] <= 4 + CHANCE
    check_stream_requests(played, [event["sequence"] for event in found])


def test_python_says_what_it_does_not_wait_for(patient: Callable[[str], Patient]) -> None:
    with pytest.raises(firmdata.ApiError, match="quota_exceeded") as caught:
        patient("exhausted").client.companies.get(COMPANY)
    assert caught.value.retry_after == 90_000


def test_python_names_why_a_delivery_of_another_time_is_refused() -> None:
    reasons: list[str] = []
    for one in deliveries(int(time.time())):
        try:
            event = firmdata.webhooks.verify(one["body"], one["headers"], one["secret"])
            reasons.append(event["event_type"])
        except firmdata.webhooks.SignatureError as error:
            reasons.append(error.reason)
    assert reasons == ["status.changed", "too_old", "in_the_future"]


@pytest.mark.slow
def test_typescript_from_its_tarball_through_the_same_faults(
    played: FaultyService, live: Live, expected: Any, tarball: Path
) -> None:
    program = tarball / "faults.mjs"
    program.write_text(Path(__file__).with_name("faults.mjs").read_text())
    given = {"url": played.url, "key": live.service.key, "company": COMPANY, "deliveries": deliveries(int(time.time()))}
    ran = subprocess.run(
        ["node", program], cwd=tarball, input=json.dumps(given), capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.returncode == 0, ran.stderr
    seen = json.loads(ran.stdout)
    for scenario in ("limited", "unavailable", "skewed", "cut"):
        assert seen[scenario]["answer"] == expected["company"]
        assert len(played.received(scenario)) == 1 + len(SCENARIOS[scenario]) == 1 + len(seen[scenario]["waits"])
    for scenario, seconds in ASKED_WAITS.items():
        assert seen[scenario]["waits"] == [seconds]
    assert seen["lost"]["lists"] == [seen["lost"]["id"]]
    check_one_key(played)
    assert seen["unchanged"] == {"same": True, "answer": expected["company"]}
    first, again = played.received("unchanged")
    assert "if-none-match" not in first.headers
    assert again.headers["if-none-match"].startswith('W/"')
    assert seen["stream"]["events"] == expected["events"]
    check_stream_requests(played, [event["sequence"] for event in expected["events"]])
    refused = {"name": "ApiError", "code": "quota_exceeded", "retryAfter": 90_000}
    assert seen["exhausted"] == refused
    genuine, old, ahead = seen["deliveries"]
    assert genuine["event"]["event_type"] == "status.changed"
    assert [one["name"] for one in (old, ahead)] == ["SignatureError"] * 2
    assert [one["reason"] for one in (old, ahead)] == ["too_old", "in_the_future"]
