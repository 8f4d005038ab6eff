"""`POST /mcp`: the tools over HTTP, as the protocol's own client and plain requests meet them."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

import httpx
import httpx2
import pytest
from firmdata import mcp_server
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from api.http.content_negotiation import BODY_LIMIT
from api.settings.tiers import DEFAULT, read_tiers
from tests.sdk.conftest import Live

COMPANY, FILER, UNKNOWN = "firm:SE:5599999991", "firm:NO:999999999", "firm:SE:5560000001"
CALLS = [
    ("search_companies", {"country": "SE,NO", "limit": 2}),
    ("lookup_companies", {"items": [{"number": "5599999991", "country": "SE"}]}),
    ("get_company", {"company": COMPANY}),
    ("get_company", {"company": UNKNOWN}),
    ("get_financials", {"company": FILER}),
    ("get_ownership", {"company": COMPANY}),
    ("get_group", {"company": COMPANY}),
    ("list_filings", {"company": FILER}),
    ("list_events", {"since": "2020-01-01", "limit": 3}),
]


async def connected(live: Live, ask: Callable[[Client], Coroutine[Any, Any, Any]], mode: str = "auto") -> Any:
    async with (
        httpx2.AsyncClient(headers=live.service.headers) as http,
        Client(streamable_http_client(f"{live.url}/mcp", http_client=http), mode=mode) as client,
    ):
        return await ask(client)


async def everything(client: Client) -> Any:
    """What a client can learn of the server and from it."""
    tools = [tool.model_dump(mode="json") for tool in (await client.list_tools()).tools]
    answers = [await client.call_tool(name, arguments) for name, arguments in CALLS]
    resources = [one.uri for one in (await client.list_resources()).resources]
    read = [(await client.read_resource(uri)).contents[0].text for uri in resources]  # type: ignore[union-attr]
    return tools, [(one.is_error, one.content, one.structured_content) for one in answers], resources, read


def message(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return message("tools/call", name=name, arguments=arguments)


def used(service: Any) -> int:
    return service.get("/api/v1/usage").json()["requests_used"]


def ask(service: Any, sent: Any, **headers: str) -> Any:
    return service.client.post("/mcp", json=sent, headers=service.headers | headers)


@pytest.fixture(scope="module")
def service(shared_service: Any) -> Any:
    """Has the account of `live`, whose counts it learns of at any time: tests that count take `own_service`."""
    return shared_service


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_both_ways_give_the_same_tools_and_answers(live: Live, mode: str) -> None:
    async def run() -> None:
        async with Client(mcp_server.build_server(live.async_client())) as client:
            expected = await everything(client)
        assert await connected(live, everything, mode) == expected

    asyncio.run(run())


def test_a_tool_counts_as_what_it_asks_and_messages_as_nothing(own_service: Any) -> None:
    before = used(own_service)
    for sent in (message("ping"), message("tools/list"), message("resources/list")):
        assert ask(own_service, sent).status_code == 200
    assert used(own_service) == before
    for made in (call("get_company", company=COMPANY), call("get_company", company=UNKNOWN)):
        assert ask(own_service, made).status_code == 200
    found = used(own_service)
    direct = [own_service.get(f"/api/v1/companies/{one}").status_code for one in (COMPANY, UNKNOWN)]
    assert direct == [200, 404]
    assert found - before == used(own_service) - found == 2


def test_no_answer_is_kept_for_the_next_caller(own_service: Any) -> None:
    before = used(own_service)
    for _ in range(3):
        assert ask(own_service, call("get_company", company=COMPANY)).status_code == 200
    assert used(own_service) - before == 3  # a kept one would be confirmed by its tag, which is not counted


def test_each_caller_at_once_asks_with_its_own_key(live: Live) -> None:
    accounts, lines = live.service.accounts, live.service.lines
    keys = []
    for email in ("first@example.com", "second@example.com"):
        accounts.create_account(email, "pro")
        keys.append(accounts.create_key(email, "live").key)

    async def run() -> None:
        async with httpx.AsyncClient(base_url=live.url) as client:
            calls = [
                client.post(
                    "/mcp", json=call("get_company", company=COMPANY), headers={"Authorization": f"Bearer {key}"}
                )
                for key in keys * 8
            ]
            assert {answer.status_code for answer in await asyncio.gather(*calls)} == {200}

    live.service.parts.access_log.flush()
    lines.clear()
    asyncio.run(run())
    live.service.parts.access_log.flush()
    logged = [json.loads(line) for line in b"".join(lines).splitlines()]
    assert len(logged) == 2 * 16
    of_request = {one["request_id"]: set() for one in logged}
    for one in logged:
        of_request[one["request_id"]].add((one["key_id"], one["client"]))
    assert len(of_request) == 16  # a message and what its tool asks have one id
    assert all(len(callers) == 1 for callers in of_request.values())
    assert len({one["key_id"] for one in logged}) == 2


@pytest.mark.parametrize(
    ("headers", "status", "words"),
    [
        ({"Authorization": "Bearer firm_live_wrong"}, 401, "Check the key"),
        ({"Authorization": ""}, 401, "Send 'Authorization: Bearer <API_KEY>'"),
        ({"Origin": "https://evil.example"}, 403, "Call them from a program"),
        ({"Origin": "null"}, 403, "Call them from a program"),
        ({"Accept": "text/html"}, 406, "Send 'Accept: application/json'"),
        ({"Content-Type": "text/plain"}, 415, "application/json"),
    ],
)
def test_what_is_refused_says_what_to_do_in_the_words_of_the_protocol(
    service: Any, headers: dict[str, str], status: int, words: str
) -> None:
    answer = ask(service, message("tools/list"), **headers)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
    error = answer.json()["error"]
    assert error["code"] == -32600
    assert words in error["message"]
    assert (error["data"]["status"], error["data"]["request_id"]) == (status, answer.headers["x-request-id"])
    assert error["message"].startswith(error["data"]["code"])


def test_publishable_keys_do_not_work(service: Any) -> None:
    key = service.accounts.create_key("owner@example.com", "public", domains=["example.com"]).key
    answer = ask(service, message("tools/list"), Authorization=f"Bearer {key}", Origin="https://example.com")
    assert answer.json()["error"]["data"]["code"] == "key_kind_not_allowed"


def test_pages_of_the_service_itself_may_ask(service: Any) -> None:
    assert ask(service, message("ping"), Origin="https://api.example.com").json() == {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {},
    }


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"[]", 400, "malformed_json"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","id":2}', 400, "malformed_json"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"' + b"x" * BODY_LIMIT + b'"}}', 413, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b"[" * 120 + b"]" * 120 + b"}", 413, None),
    ],
)
def test_bodies_have_the_limits_of_every_route(service: Any, body: bytes, status: int, code: str | None) -> None:
    headers = service.headers | {"Content-Type": "application/json"}
    answer = service.client.post("/mcp", content=body, headers=headers)
    assert answer.status_code == status
    assert answer.json()["error"]["data"]["code"] == (code or "payload_too_large")


def test_other_methods_and_parameters_are_refused(service: Any) -> None:
    for method in ("GET", "DELETE"):
        answer = service.client.request(method, "/mcp", headers=service.headers)
        assert (answer.status_code, answer.headers["allow"]) == (405, "OPTIONS, POST")
    answer = service.client.post("/mcp?key=1", json=message("ping"), headers=service.headers)
    assert answer.json()["error"]["data"]["code"] == "unknown_parameter"


def test_a_spent_quota_and_burst_say_whether_to_try_again(serve: Any, world: Any) -> None:
    small = {"monthly_requests": 1, "burst_per_second": 1, "burst_capacity": 5}
    service = serve(world, tiers=read_tiers({"tiers": dict.fromkeys(DEFAULT.names, small)}))
    get = call("get_company", company=COMPANY)
    texts = [ask(service, get).json()["result"]["content"][0]["text"] for _ in range(2)]
    assert json.loads(texts[0])["id"] == COMPANY
    assert "quota_exceeded" in texts[1]
    assert "tell the user. Do not try again" in texts[1]
    [last] = [ask(service, get).json()["result"]]  # the message has the last token, its tool has none
    assert last["isError"]
    assert "rate_limited" in last["content"][0]["text"]
    assert "Wait for a few seconds, then try once more" in last["content"][0]["text"]
    refused = ask(service, get)
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
    assert refused.json()["error"]["data"]["code"] == "rate_limited"
