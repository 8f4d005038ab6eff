"""The tools for agents, asked by the protocol's own client: answers are those of the API, bounded, with their sources."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import firmdata
import httpx
import pytest
from firmdata import mcp_server
from mcp import Client, StdioServerParameters

from tests.sdk.conftest import Live
from tests.sdk.played import Played

COMPANY, FILER = "firm:SE:5599999991", "firm:NO:999999999"
NAMES = {
    "search_companies",
    "get_company",
    "get_financials",
    "get_ownership",
    "get_group",
    "list_events",
    "list_filings",
    "lookup_companies",
}


def asked(live: Live, ask: Callable[[Client], Coroutine[Any, Any, Any]], **options: Any) -> Any:
    async def run() -> Any:
        server = mcp_server.build_server(live.async_client(**options))
        async with Client(server) as client:
            return await ask(client)

    return asyncio.run(run())


async def called(client: Client, name: str, **arguments: Any) -> Any:
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    return result.structured_content


def served(live: Live, path: str) -> Any:
    return httpx.get(live.url + path, headers=live.service.headers).json()


def test_the_tools_change_nothing_and_say_what_they_are(live: Live) -> None:
    async def ask(client: Client) -> Any:
        return (await client.list_tools()).tools

    tools = asked(live, ask)
    assert {tool.name for tool in tools} == NAMES
    for tool in tools:
        assert tool.description
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        for name, schema in tool.input_schema["properties"].items():
            assert schema.get("description"), (tool.name, name)


@pytest.mark.parametrize(
    ("name", "arguments", "path"),
    [
        ("get_company", {"company": "5599999991"}, f"{COMPANY}?include=detail,identifiers,address,sources"),
        ("get_financials", {"company": FILER}, f"{FILER}/financials?period_type=annual&years=5&include=sources"),
        ("get_ownership", {"company": COMPANY}, f"{COMPANY}/ownership"),
        ("get_group", {"company": COMPANY, "depth": 2}, f"{COMPANY}/group?depth=2&limit=10"),
        ("list_filings", {"company": FILER}, f"{FILER}/filings"),
        ("list_events", {"company": COMPANY}, f"{COMPANY}/events"),
    ],
)
def test_answers_are_those_of_the_api(live: Live, name: str, arguments: dict[str, Any], path: str) -> None:
    found = asked(live, lambda client: called(client, name, **arguments))
    expected = served(live, f"/api/v1/companies/{path}")
    assert json.loads(json.dumps(found)) == expected


def test_a_question_of_several_steps_can_be_cited(live: Live) -> None:
    """«What did this Norwegian company earn in its last year, and where does it say so?»: two calls."""
    [name] = [one["name"] for one in served(live, "/api/v1/companies?country=NO")["data"] if one["id"] == FILER]

    async def ask(client: Client) -> Any:
        found = await called(client, "search_companies", query=name, country="NO", limit=1)
        return await called(client, "get_financials", company=found["data"][0]["id"], years=1)

    newest = asked(live, ask)["data"][0]
    assert (newest["period"], newest["revenue"], newest["version"]) == ("2025", 7, 2)
    assert newest["filing_id"]
    assert {"register", "native_id", "url", "retrieved_at"} <= newest["sources"][0].keys()


def test_identifiers_are_looked_up(live: Live) -> None:
    items = [{"number": "5599999991", "country": "SE"}, {"id": "firm:SE:5560000001"}]
    found = asked(live, lambda client: called(client, "lookup_companies", items=items))
    assert [one["match"] for one in found["data"]] == ["exact", "none"]
    assert found["data"][0]["company"]["id"] == COMPANY


def test_pages_are_continued_and_never_too_long(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(client: Client) -> list[Any]:
        found, cursor = [], None
        while True:
            page = await called(client, "search_companies", limit=25, **({} if cursor is None else {"cursor": cursor}))
            assert len(page["data"]) == 1 or len(json.dumps(page, ensure_ascii=False)) <= mcp_server.MOST_CHARACTERS
            found += page["data"]
            cursor = page["next_cursor"]
            if cursor is None:
                return found

    everything = asked(live, ask)
    monkeypatch.setattr(mcp_server, "MOST_CHARACTERS", 700)
    assert asked(live, ask) == everything == served(live, "/api/v1/companies?limit=100")["data"]


@pytest.mark.parametrize("of", [{"company": COMPANY}, {}])
def test_events_since_a_day_are_continued(live: Live, of: dict[str, str]) -> None:
    async def ask(client: Client) -> list[Any]:
        page = await called(client, "list_events", since="2020-01-01", limit=2, **of)
        more = await called(client, "list_events", since="2020-01-01", limit=2, cursor=page["next_cursor"], **of)
        return page["data"] + more["data"]

    found = [event["sequence"] for event in asked(live, ask)]
    assert len(set(found)) == 4
    assert found == sorted(found, reverse=bool(of))


@pytest.mark.parametrize(
    ("options", "name", "arguments", "words"),
    [
        ({"api_key": "firm_live_wrong"}, "get_company", {"company": COMPANY}, "ask the user for a valid key"),
        ({}, "get_company", {"company": "firm:SE:5560000001"}, "Find the company with search_companies"),
        ({}, "search_companies", {"country": "XX"}, "country"),
        ({}, "list_events", {"since": "yesterday"}, "since"),
        ({"base_url": "http://127.0.0.1:9"}, "get_company", {"company": COMPANY}, "does not answer"),
    ],
)
def test_errors_say_what_to_do(
    live: Live, options: dict[str, Any], name: str, arguments: dict[str, Any], words: str
) -> None:
    async def ask(client: Client) -> Any:
        return await client.call_tool(name, arguments)

    result = asked(live, ask, retries=firmdata.retries.RetryPolicy(attempts=1), **options)
    assert result.is_error
    assert words in result.content[0].text


def test_a_spent_quota_is_told_once(live: Live) -> None:
    spent = (429, {"Retry-After": "86400"}, b'{"code":"quota_exceeded","detail":"All requests are used."}')
    service = Played(spent)

    async def ask(client: Client) -> Any:
        return await client.call_tool("get_company", {"company": COMPANY})

    result = asked(live, ask, transport=httpx.MockTransport(service))
    assert "Do not try again. It may be tried again in 86400 seconds." in result.content[0].text
    assert len(service.asked) == 1


def test_resources_are_the_dictionary_and_the_sources(live: Live) -> None:
    async def ask(client: Client) -> tuple[str, str]:
        read = [await client.read_resource(f"firmdata://{name}") for name in ("data-dictionary", "sources")]
        return read[0].contents[0].text, read[1].contents[0].text

    dictionary, sources = asked(live, ask)
    assert "- `latest_revenue`: " in dictionary
    assert json.loads(sources)["data"][0]["datasets"] is not None


@pytest.mark.slow
def test_the_command_serves_over_standard_input_and_output(live: Live) -> None:
    root = Path(__file__).parents[2]
    path = os.pathsep.join((str(root), str(root / "sdk/python/src")))
    told = {"FIRMDATA_API_KEY": live.service.key, "FIRMDATA_BASE_URL": live.url, "PYTHONPATH": path}
    command = StdioServerParameters(command=sys.executable, args=["-m", "firm", "mcp"], env=dict(os.environ) | told)

    async def run() -> Any:
        async with Client(command) as client:
            return await called(client, "get_company", company=COMPANY)

    assert asyncio.run(run())["id"] == COMPANY
