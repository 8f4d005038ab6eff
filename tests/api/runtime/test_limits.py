"""The table of docs/limits.md, walked against a running service: just within each limit, and just over it."""

import asyncio
import inspect
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from api.runtime.uvicorn_server import build_server
from api.settings.connections import ConnectionSettings
from api.settings.service import ApiSettings
from tests.api.conftest import services_in
from tests.api.dashboard.pages import test_long_tables
from tests.api.fixtures.running import Running
from tests.api.http import test_concurrency_limit, test_errors
from tests.api.runtime import test_http_protocol
from warehouse.settings.area import own_settings

PAGE = Path(__file__).parents[3] / "docs" / "limits.md"
COMPANY = "/api/v1/companies/5599999991"
COMPANIES = "/api/v1/companies"
WEBHOOKS = "/api/v1/webhooks"
LOOKUP = "/api/v1/companies/lookup"
RECONCILE = "/api/v1/reconcile"
REPLAYS = "/api/v1/webhooks/whs_00000000000000000000000000/replays"
SIGN_IN = "/dashboard/sign-in"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}
MET = {  # limits that need other settings, or others than the client: where they are met
    "seconds of a request line and headers": test_http_protocol,
    "seconds of a body": test_http_protocol,
    "bytes of a body for one more second": test_http_protocol,
    "seconds between requests on one connection": test_http_protocol,
    "seconds until a response is taken": test_http_protocol,
    "connections of a process": test_http_protocol,
    "connections of one address": test_http_protocol,
    "connections of a process that wait for a request": test_http_protocol,
    "connections of one address that wait for a request": test_http_protocol,
    "requests that wait on one connection for an earlier response": test_http_protocol,
    "bytes of a request line and headers that do not end": test_http_protocol,
    "searches at once in a process": test_concurrency_limit,
    "seconds that a search waits": test_errors,
    "seconds of a search": test_concurrency_limit,
    "rows of a company's table that the dashboard gives as CSV": test_long_tables,
}


@dataclass(frozen=True)
class Sent:
    """A request; its body, if there is one, is sent in one chunk."""

    path: str = COMPANY
    headers: dict[str, str] | None = None
    body: bytes | None = None
    method: str = "GET"

    def written(self, key: str) -> bytes:
        given = {"Host": "localhost", "Authorization": f"Bearer {key}", **(self.headers or {})}
        if self.body is not None:
            given["Content-Length"] = str(len(self.body))
        lines = [f"{self.method} {self.path} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items())]
        return "\r\n".join([*lines, "", ""]).encode() + (self.body or b"")


def header_bytes(size: int) -> Sent:
    """One long header, besides those of every request."""
    others = len("Host" + "localhost" + "Authorization" + "Bearer " + "X-Long") + KEY_LENGTH + 3 * 4
    return Sent(headers={"X-Long": "a" * (size - others)})


KEY_LENGTH = 52  # of a live key


def posted(path: str, body: bytes, headers: dict[str, str]) -> Sent:
    return Sent(path, headers, body, "POST")


def replay(members: Any) -> Sent:
    return posted(REPLAYS, members if isinstance(members, bytes) else json.dumps(members).encode(), JSON)


def look_up(items: list[Any]) -> Sent:
    return posted(LOOKUP, json.dumps({"items": items}).encode(), JSON)


def reconcile(field: str, value: Any) -> Sent:
    return posted(RECONCILE, urlencode({field: json.dumps(value)}).encode(), FORM)


def subscription(**members: Any) -> Sent:
    given = {"endpoint_url": "https://hooks.example.com/x", "event_types": ["filing.published"], **members}
    return posted(WEBHOOKS, json.dumps(given).encode(), JSON)


def padded(path: str, size: int, headers: dict[str, str]) -> Sent:
    """A body of so many bytes: as JSON, texts of a thousand each; it is malformed, so that nothing follows."""
    texts = b"{" + (b'"' + b" " * 999) * (size // 1_000 + 1)
    return posted(path, texts[:size] if headers is JSON else b"a" * size, headers)


PROBES: dict[str, Callable[[int], Sent]] = {
    "URL: bytes of path and query": lambda size: Sent(f"{COMPANIES}?q=".ljust(size, "a")),
    "bytes of headers: names, values, and 4 for each": header_bytes,
    "headers": lambda count: Sent(headers={f"X-{number}": "a" for number in range(count - 2)}),
    "bytes of a body": lambda size: padded(REPLAYS, size, JSON),
    "bytes of a body that creates or changes a subscription": lambda size: padded(WEBHOOKS, size, JSON),
    "bytes of a body of look-ups": lambda size: padded(LOOKUP, size, JSON),
    "objects and arrays in a body of look-ups": lambda count: look_up([[]] * (count - 2)),
    "items of a look-up": lambda count: look_up([{"id": "x"}] * count),
    "bytes of a body of reconciliation": lambda size: padded(RECONCILE, size, FORM),
    "objects and arrays in the JSON of a body of reconciliation": lambda count: reconcile(
        "queries", {"q": [[]] * (count - 2)}
    ),
    "fields of a body of reconciliation": lambda count: posted(
        RECONCILE, "&".join(f"f{number}=1" for number in range(count)).encode(), FORM
    ),
    "queries of a reconciliation": lambda count: reconcile(
        "queries", {f"q{number}": {"query": "x"} for number in range(count)}
    ),
    "characters of the JSON in a body of reconciliation": lambda size: posted(
        RECONCILE, b"queries=" + b"a" * size, FORM
    ),
    "characters of the JSON in a query of reconciliation": lambda size: Sent(f"{RECONCILE}?queries=" + "a" * size),
    "companies of an extension": lambda count: reconcile("extend", {"ids": ["x"] * count, "properties": []}),
    "bytes of an event from Stripe": lambda size: padded("/billing/stripe", size, JSON),
    "bytes of a dashboard form": lambda size: padded(SIGN_IN, size, FORM),
    "fields of a dashboard form": lambda count: posted(
        SIGN_IN, "&".join(f"f{number}=1" for number in range(count)).encode(), FORM
    ),
    "values in a body, counted by commas": lambda count: replay({"a": [1] * count}),
    "objects and arrays in a body, counted by their beginnings": lambda count: replay({"a": [[]] * (count - 2)}),
    "members of an object": lambda count: replay({f"m{number}": 1 for number in range(count)}),
    "bytes in a body of one text, or between two texts": lambda size: posted(
        WEBHOOKS, b'{"a":"' + b"a" * size + b'"}', JSON
    ),
    "backslashes in a body": lambda count: posted(
        WEBHOOKS, b'{"a":"' + b"\\n" * (count // 2) + b'","b":"' + b"\\n" * (count - count // 2) + b'"}', JSON
    ),
    "characters of all numbers in a body": lambda digits: posted(
        WEBHOOKS, b'{"a":[' + b'1,"",' * (digits % 400) + b",".join([b"1" * 400, b'""'] * (digits // 400)) + b"]}", JSON
    ),
    "levels of objects and arrays in a body": lambda depth: replay(
        b'{"a":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"
    ),
    "characters of a number": lambda digits: replay(b'{"a":' + b"1" * digits + b"}"),
    "characters of an endpoint URL": lambda size: subscription(
        endpoint_url="https://hooks.example.com/".ljust(size, "a")
    ),
    "characters of a description": lambda size: subscription(description="a" * size),
    "parameters of a query": lambda count: Sent(f"{COMPANIES}?" + "&" * (count - 1)),
    "characters of `q`": lambda size: Sent(f"{COMPANIES}?q=" + "a" * size),
    "codes in `industry`": lambda count: Sent(f"{COMPANIES}?country=SE&industry=" + ",".join(["62"] * count)),
    "rows of a page, `limit`": lambda count: Sent(f"{COMPANIES}?limit={count}"),
    "rows of a page of `/api/v1/events`, `limit`": lambda count: Sent(f"/api/v1/events?limit={count}"),
    "characters of an Idempotency-Key": lambda size: posted(REPLAYS, b"{}", JSON | {"Idempotency-Key": "a" * size}),
}


def rows() -> list[list[str]]:
    """Limit, number, setting and answer of each row."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def number(text: str) -> int:
    return int(text.replace(",", ""))


async def exchange(port: int, request: bytes) -> tuple[bytes, bytes]:
    """Head and body of the response; the connection is kept, so that what was not read does not destroy the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)
    length = re.search(rb"content-length: (\d+)", head)
    body = await reader.readexactly(int(length[1])) if length else b""
    writer.transport.abort()
    return head, body


def answer_of(running: Running, sent: Sent, key: str) -> str:
    """As the table words it: status and code, or status and `page`."""
    head, body = asyncio.run(exchange(running.port, sent.written(key)))
    status = head.split(b" ")[1].decode()
    if b"problem+json" in head:
        return f"{status} {json.loads(body)['code']}"
    return f"{status} page" if b"text/html" in head else status


@pytest.fixture(scope="module")
def service(world: Any, migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    services = services_in(tmp_path_factory.mktemp("limits"), migrated)
    yield next(services)(world, with_client=False)
    next(services, None)


@pytest.fixture(scope="module")
def running(service: Any) -> Any:
    with Running(build_server(service.app, ApiSettings(), port=0)) as served:
        yield served


def test_every_limit_of_the_page_is_walked_or_met() -> None:
    apart = {"errors listed of one body", "characters of a cursor", "characters of an X-Request-Id"}
    assert {row[0] for row in rows()} == PROBES.keys() | MET.keys() | apart


def test_just_within_each_limit_is_accepted_and_just_over_it_gets_the_stated_answer(
    running: Running, service: Any
) -> None:
    key, told = service.key, {}
    assert len(key) == KEY_LENGTH
    for limit, most, _, stated in rows():
        if limit in PROBES:
            within, over = (PROBES[limit](number(most) + more) for more in (0, 1))
            told[limit] = (stated == answer_of(running, within, key), answer_of(running, over, key))
    assert told == {limit: (False, stated) for limit, _, _, stated in rows() if limit in PROBES}


def test_limits_whose_two_sides_look_alike(running: Running, service: Any) -> None:
    """A cursor of any length is invalid, as is a body with any number of errors; a long request id is replaced."""
    most = {limit: number(one) for limit, one, _, _ in rows()}
    key = service.key
    for length in (most["characters of a cursor"], most["characters of a cursor"] + 1):
        assert answer_of(running, Sent(f"{COMPANIES}?cursor=" + "A" * length), key) == "400 invalid_cursor"
    errors = most["errors listed of one body"]
    wrong = subscription(entity_ids=[f"x{number}" for number in range(2 * errors)])
    assert len(json.loads(asyncio.run(exchange(running.port, wrong.written(key)))[1])["errors"]) == errors
    longest = most["characters of an X-Request-Id"]
    heads = [
        asyncio.run(exchange(running.port, Sent(headers={"X-Request-Id": "a" * length}).written(key)))[0]
        for length in (longest, longest + 1)
    ]
    kept = [b"x-request-id: aa" in head for head in heads]
    assert kept == [True, False]


def test_settings_of_the_page_are_those_of_the_service_with_their_defaults() -> None:
    defaults = {
        setting: getattr(area(), field)
        for area in (ApiSettings, ConnectionSettings)
        for field, setting in own_settings(area).items()
    }
    stated = {row[2].strip("`"): number(row[1]) for row in rows() if row[2]}
    assert stated == {setting: defaults[setting] for setting in stated}
    assert set(own_settings(ConnectionSettings).values()) <= stated.keys()


def test_limits_that_are_met_elsewhere_are_set_by_the_tests_there() -> None:
    fields = {setting: field for field, setting in own_settings(ConnectionSettings).items()}
    settings = {row[0]: row[2].strip("`") for row in rows() if row[2].strip("`") in fields}
    unset = [
        limit
        for limit, setting in settings.items()
        if not re.search(rf"\b{fields[setting]}\b", inspect.getsource(MET[limit]))
    ]
    assert unset == []
