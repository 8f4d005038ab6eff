"""The stream of all events over a real server: what it sends, where it begins, when and how it ends."""

import json
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import httpx
import pytest
from httpx_sse import connect_sse

from api.events.routes import event_stream
from api.runtime.uvicorn_server import build_server
from api.settings.service import ApiSettings
from api.settings.tiers import read_tiers
from tests.api.conftest import AMPLE
from tests.api.fixtures.running import Running
from tests.tables import check_cases
from warehouse.reader.reader import PinnedRelease
from warehouse.reader.types import LedgerPage

STREAM = "/api/v1/events/stream"
SE, NO = "firm:SE:5599999991", "firm:NO:999999999"


class Scene:
    """A service under uvicorn over a world of two companies, into which tests publish."""

    def __init__(self, maker: Any, serve: Any, **settings: Any) -> None:
        self.maker = maker
        self.number = 0
        self.publish(4)
        self.service = serve(maker.world, with_client=False, **settings)
        self.running = Running(build_server(self.service.app, ApiSettings(shutdown_seconds=5), port=0))
        self.url = f"http://127.0.0.1:{self.running.port}"
        self.http = httpx.Client(timeout=20, verify=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()
        self.running.__exit__()

    def publish(self, count: int) -> None:
        kinds = ("status.changed", "filing.added")
        numbers = range(self.number, self.number + count)
        events = [self.maker.event((SE, NO)[one % 2], one, kinds[one // 2 % 2]) for one in numbers]
        self.number += count
        listed = self.maker.company(SE, f"A{self.number}", is_listed=True, industry_code="70100")
        self.maker.publish([listed, self.maker.company(NO, "B")], events=events)

    def ledger(self) -> list[Any]:
        return self.http.get(f"{self.url}/api/v1/events?limit=500", headers=self.service.headers).json()["data"]

    @contextmanager
    def stream(self, query: str = "", key: str = "", **headers: str) -> Iterator[httpx.Response]:
        sent = {"Authorization": f"Bearer {key or self.service.key}"} | headers
        with self.http.stream("GET", f"{self.url}{STREAM}?{query}", headers=sent) as answer:
            yield answer

    def used(self) -> int:
        return self.http.get(f"{self.url}/api/v1/usage", headers=self.service.headers).json()["requests_used"]


@pytest.fixture
def scene(make: Any, serve: Any) -> Iterator[Scene]:
    made = Scene(make(), serve)
    with made:
        yield made


def messages(answer: httpx.Response) -> Iterator[dict[str, str]]:
    """The messages of a stream as fields, `comment` and `retry` among them; a message cut off is none."""
    fields: dict[str, str] = {}
    for line in answer.iter_lines():
        if line:
            name, _, value = line.partition(":")
            fields[name or "comment"] = value.removeprefix(" ")
        elif fields:
            yield fields
            fields = {}


def events(answer: httpx.Response, count: int) -> list[Any]:
    """The next events."""
    found: list[Any] = []
    for message in messages(answer):
        if "data" in message:
            found.append(json.loads(message["data"]))
            assert message["id"] == str(found[-1]["sequence"])
            assert message["event"] == found[-1]["event_type"]
        if len(found) == count:
            break
    return found


def test_whoever_is_cut_before_the_first_event_goes_on_where_the_stream_began(scene: Scene) -> None:
    with scene.stream("") as answer:
        begun = next(messages(answer))["id"]
    scene.publish(3)
    assert begun == str(scene.ledger()[-4]["sequence"])
    with scene.stream("", **{"Last-Event-ID": begun}) as answer:
        assert events(answer, 3) == scene.ledger()[-3:]


def test_a_stream_is_the_ledger_then_what_is_published(scene: Scene) -> None:
    with scene.stream("since=0") as answer:
        assert answer.headers["content-type"] == "text/event-stream"
        assert "content-encoding" not in answer.headers
        assert "content-length" not in answer.headers
        told = messages(answer)
        assert next(told) == {"retry": "5000", "id": "0"}
        first = [json.loads(next(told)["data"]) for _ in range(4)]
        scene.publish(3)
        later = [json.loads(next(told)["data"]) for _ in range(3)]
    assert [*first, *later] == scene.ledger()


def test_without_a_beginning_only_new_events_are_sent(scene: Scene) -> None:
    with scene.stream() as answer:
        told = messages(answer)
        next(told)
        scene.publish(2)
        assert [next(told)["id"] for _ in range(2)] == ["5", "6"]


@check_cases(
    ("query", "headers", "first"),
    [
        ("since=2", {}, 3),
        ("since=2000-01-01T00:00:00Z", {}, 1),
        ("since=0", {"Last-Event-ID": "3"}, 4),
        ("", {"Last-Event-ID": "1"}, 2),
        ("since=1&country=NO", {}, 2),
        ("since=0&industry=70&country=SE&event_type=filing.added", {}, 3),
        ("since=0&is_listed=false", {}, 2),
    ],
)
def test_where_a_stream_begins(scene: Scene, query: str, headers: dict[str, str], first: int) -> None:
    with scene.stream(query, **headers) as answer:
        assert [one["sequence"] for one in events(answer, 1)] == [first]


def test_new_events_are_matched_by_each_stream(scene: Scene) -> None:
    with scene.stream("is_listed=true") as of_se, scene.stream("event_type=filing.added&country=NO") as of_no:
        told = [messages(one) for one in (of_se, of_no)]
        assert [next(one)["retry"] for one in told] == ["5000", "5000"]
        scene.publish(8)
        assert [next(told[0])["id"] for _ in range(4)] == ["5", "7", "9", "11"]
        assert [next(told[1])["id"] for _ in range(2)] == ["8", "12"]


@pytest.mark.slow
def test_a_client_that_is_cut_200_times_gets_every_event_once(scene: Scene) -> None:
    """A client of a library, whose connection is closed after any number of events, none too, while others come."""
    choice, received = random.Random(5), []
    for number in range(201):
        if number % 8 == 0:
            scene.publish(choice.randint(1, 25))
        left = scene.number - len(received)
        received += _cut_after(scene, received[-1]["sequence"] if received else None, choice.randint(0, min(left, 4)))
    received += _cut_after(scene, received[-1]["sequence"], scene.number - len(received))
    assert received == scene.ledger()
    assert len(received) > 200


def _cut_after(scene: Scene, last: int | None, count: int) -> list[Any]:
    """So many events after the last one; the connection is then closed as it is."""
    headers = scene.service.headers | ({} if last is None else {"Last-Event-ID": str(last)})
    found: list[Any] = []
    with (
        httpx.Client(timeout=20, verify=False) as http,
        connect_sse(http, "GET", scene.url + STREAM + "?since=0", headers=headers) as one,
    ):
        if one.response.status_code == 429:  # the stream before is still counted
            return found
        arriving = one.iter_sse()
        while len(found) < count:
            event = next(arriving)
            if event.data:
                found.append(json.loads(event.data))
    return found


def test_an_account_has_two_streams_on_pro_and_a_closed_one_makes_room(scene: Scene) -> None:
    with scene.stream(), scene.stream() as second:
        with scene.stream() as third:
            assert third.status_code == 429
            body = json.loads(third.read())
        assert (body["code"], body["violated-policies"]) == ("rate_limited", ["streams"])
        assert third.headers["retry-after"] == "5"
        second.close()
        for _ in range(200):
            with scene.stream() as again:
                if again.status_code == 200:
                    return
    pytest.fail("a closed stream still counts")


def test_shutdown_ends_a_stream_with_bye(scene: Scene) -> None:
    with scene.stream("since=4") as answer:
        told = messages(answer)
        next(told)
        scene.running.server.should_exit = True
        assert list(told) == [{"event": "bye", "data": '{"reason":"shutdown"}'}]


def test_a_quiet_stream_sends_comments_and_ends_when_the_key_is_revoked(
    make: Any, serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "HEARTBEAT_SECONDS", 0.05)
    scene = Scene(make(), serve, key_cache_seconds=0)
    with scene, scene.stream() as answer:
        told = messages(answer)
        next(told)
        assert next(told) == {"comment": ""}
        accounts = scene.service.accounts
        (key,) = accounts.keys("owner@example.com")
        accounts.revoke_key(key.key_id)
        assert [one for one in told if one != {"comment": ""}] == [{"event": "bye", "data": '{"reason":"access"}'}]


def test_a_stream_that_reads_the_ledger_for_long_sends_comments_and_ends_when_the_key_is_revoked(
    make: Any, serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy that sees no byte for long cuts the connection, and the next one begins at the same place."""
    monkeypatch.setattr(event_stream, "HEARTBEAT_SECONDS", 0.05)
    scene = Scene(make(), serve, key_cache_seconds=0)

    def stretch_without_a_match(*_: object) -> LedgerPage:
        time.sleep(0.02)
        return LedgerPage((), 1, has_more=True)

    monkeypatch.setattr(PinnedRelease, "ledger_events", stretch_without_a_match)
    with scene, scene.stream("since=0") as answer:
        told = messages(answer)
        assert "retry" in next(told)
        assert [next(told) for _ in range(2)] == [{"comment": ""}, {"comment": ""}]
        accounts = scene.service.accounts
        (key,) = accounts.keys("owner@example.com")
        accounts.revoke_key(key.key_id)
        assert [one for one in told if one != {"comment": ""}] == [{"event": "bye", "data": '{"reason":"access"}'}]


def test_each_further_hundred_events_count_as_a_request_and_the_quota_ends_the_stream(make: Any, serve: Any) -> None:
    pro = {"monthly_requests": 3, "burst_per_second": 10_000, "burst_capacity": 100_000}
    scene = Scene(make(), serve, tiers=read_tiers({"tiers": {"pro": pro}}))
    scene.publish(346)
    with scene:
        with scene.stream("since=0") as answer:
            told = [one for one in messages(answer) if "retry" not in one]
        assert [one["id"] for one in told[:-1]] == [str(number) for number in range(1, 300)][: len(told) - 1]
        assert 200 <= len(told) - 1 < 300
        assert told[-1] == {"event": "bye", "data": '{"reason":"quota"}'}
        assert scene.used() == 3
    assert AMPLE.by_name["pro"].event_streams == 2


@check_cases(
    ("query", "headers", "status", "code"),
    [
        ("", {"Last-Event-ID": "x"}, 400, "invalid_parameter"),
        ("", {"Last-Event-ID": "-1"}, 400, "invalid_parameter"),
        ("since=x", {}, 400, "invalid_parameter"),
        ("cursor=x", {}, 400, "unknown_parameter"),
        ("limit=1", {}, 400, "unknown_parameter"),
        ("industry=70", {}, 400, "invalid_parameter"),
        ("", {"Accept": "application/json"}, 406, "not_acceptable"),
    ],
)
def test_wrong_requests_are_refused(scene: Scene, query: str, headers: dict[str, str], status: int, code: str) -> None:
    with scene.stream(query, **headers) as answer:
        assert (answer.status_code, json.loads(answer.read())["code"]) == (status, code)


def test_a_stream_is_for_secret_keys_of_large_tiers(scene: Scene) -> None:
    scene.service.accounts.create_account("small@example.com", "starter")
    small = scene.service.accounts.create_key("small@example.com", "live").key
    with scene.stream(key=small) as answer:
        assert (answer.status_code, json.loads(answer.read())["code"]) == (403, "tier_required")
    public = scene.service.accounts.create_key("owner@example.com", "public", domains=("example.com",)).key
    with scene.stream(key=public, Origin="https://example.com") as answer:
        assert (answer.status_code, json.loads(answer.read())["code"]) == (403, "key_kind_not_allowed")


def test_head_has_the_headers_and_ends(scene: Scene) -> None:
    answer = scene.http.head(f"{scene.url}{STREAM}", headers=scene.service.headers)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/event-stream")


def test_a_stream_of_a_watchlist_follows_it_and_ends_with_it(scene: Scene, monkeypatch: Any) -> None:
    """Caught up and from the shared tail; changes of the list act on the next event."""
    monkeypatch.setattr(event_stream, "HEARTBEAT_SECONDS", 0.2)
    headers, lists = scene.service.headers, f"{scene.url}/api/v1/watchlists"
    listed = scene.http.post(lists, headers=headers, json={"name": "Suppliers"}).json()["id"]
    members = f"{lists}/{listed}/companies"
    scene.http.put(f"{members}/{SE}", headers=headers)
    assert scene.http.get(f"{scene.url}{STREAM}?watchlist=wl_{'0' * 26}", headers=headers).status_code == 400
    with scene.stream(f"since=0&watchlist={listed}") as answer:
        told = messages(answer)
        found = [json.loads(one["data"]) for one in (next(told), next(told), next(told)) if "data" in one]
        scene.http.post(members, headers=headers, json={"add": [NO], "remove": [SE]})
        scene.publish(2)
        while len(found) < 3:
            message = next(told)
            found += [json.loads(message["data"])] if "data" in message else []
        assert [row["company_id"] for row in found] == [SE, SE, NO]
        scene.http.delete(f"{lists}/{listed}", headers=headers)
        while (message := next(told)).get("event") != "bye":
            pass
        assert json.loads(message["data"]) == {"reason": "watchlist"}
