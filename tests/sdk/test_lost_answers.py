"""Answers that are lost, that are none, or that come twice: what the Python client makes of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import firmdata
import httpx
import pytest
from firmdata.retries import RetryPolicy

from tests.sdk.played import DONE, Played, first_awaited, played

DOCUMENT = json.loads((Path(__file__).parents[1] / "architecture" / "openapi.json").read_text(encoding="utf-8"))
FEED = DOCUMENT["paths"]["/api/v1/events"]["get"]["responses"]["200"]["content"]["application/json"]["example"]
EVENTS = FEED["data"]
PROBLEM = {"Content-Type": "application/problem+json"}
UNDER_WAY = (409, PROBLEM | {"Retry-After": "1"}, b'{"code":"idempotency_in_progress","detail":"wait"}')
GONE = (404, PROBLEM, b'{"code":"watchlist_not_found","detail":"no"}')


def test_a_change_that_meets_its_own_first_attempt_gets_the_answer_of_that() -> None:
    made = b'{"id":"wl_1","name":"x","company_count":0,"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}'
    client, service, waits = played(httpx.ReadTimeout("slow"), UNDER_WAY, UNDER_WAY, (201, {}, made))
    assert client.watchlists.create("x").id == "wl_1"
    assert (waits[1:], len({request.headers["Idempotency-Key"] for request in service.asked})) == ([1.0, 1.0], 1)
    client, service, _ = played((409, PROBLEM, b'{"code":"watchlist_in_use","detail":"no"}'))
    with pytest.raises(firmdata.ApiError, match="watchlist_in_use"):
        client.watchlists.delete("wl_1")


@pytest.mark.parametrize("awaited", [False, True])
def test_a_deletion_whose_answer_was_lost_is_done_when_nothing_is_left(awaited: bool) -> None:
    delete = deleted_awaited if awaited else lambda *answers: played(*answers)[0].watchlists.delete("wl_1")
    delete(httpx.ReadError("cut"), GONE)
    delete((502, {}, b"<html>"), (429, {"Retry-After": "0"}, b"{}"), GONE)
    for answers in ((GONE,), ((429, {"Retry-After": "0"}, b"{}"), GONE)):
        with pytest.raises(firmdata.ApiError, match="watchlist_not_found"):
            delete(*answers)


def deleted_awaited(*answers: Any) -> None:
    async def delete() -> None:
        options = {"transport": httpx.MockTransport(Played(*answers)), "sleep": lambda _: asyncio.sleep(0)}
        async with firmdata.AsyncClient("key", "https://api.example.com", **options) as client:
            await client.watchlists.delete("wl_1")

    asyncio.run(delete())


@pytest.mark.parametrize("content", [b"", b"<html>Sign in", b'{"page":1}'])
def test_an_answer_that_is_none_is_told_and_not_kept(content: bytes) -> None:
    """As of a proxy, of a page for sign-in, or of another address."""
    client, service, _ = played((200, {"ETag": '"a"'}, content), DONE)
    with pytest.raises(firmdata.ApiError, match="200 unreadable_response"):
        client.companies.search("x").data  # noqa: B018
    assert client.companies.search("x").data == []
    assert "If-None-Match" not in service.asked[1].headers
    client, _, _ = played((200, {}, b"<html>Sign in"))
    with pytest.raises(firmdata.ApiError, match="200 unreadable_response"):
        client.watchlists.delete("wl_1")


def test_an_answer_that_cannot_be_unpacked_is_read_again() -> None:
    client, service, _ = played((200, {"Content-Encoding": "gzip"}, b"no gzip"), DONE)
    assert client.companies.search("x").data == []
    assert len(service.asked) == 2


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize(
    ("status", "headers"), [(200, {"Content-Type": "text/html"}), (308, {"Location": "https://x"}), (204, {})]
)
def test_a_stream_that_is_none_is_told_and_not_waited_on(status: int, headers: dict[str, str], awaited: bool) -> None:
    answer = (status, headers, b"")

    def ask() -> None:
        if awaited:
            asyncio.run(first_awaited(answer))
        else:
            next(played(answer)[0].events.stream())

    with pytest.raises(firmdata.ApiError, match=f"{status} unreadable_response"):
        ask()


def test_a_stream_that_fails_is_asked_for_more_and_more_seldom() -> None:
    [event] = EVENTS
    text = f"id: {event['sequence']}\ndata: {json.dumps(event)}\n\n".encode()
    found = (200, {"Content-Type": "text/event-stream"}, text)
    for attempts in (1, 4):
        client, _, waits = played(*[(502, {}, b"<html>")] * 6, found, retries=RetryPolicy(attempts=attempts))
        next(client.events.stream())
        assert len(waits) == 6
        assert all(0.25 * 2**place <= wait <= 0.5 * 2**place for place, wait in enumerate(waits))


def test_a_stream_that_is_closed_ends_its_connection_at_once() -> None:
    [event] = EVENTS

    class Body(httpx.AsyncByteStream):
        is_closed = False

        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield f"id: {event['sequence']}\ndata: {json.dumps(event)}\n\n".encode()
            await asyncio.Event().wait()

        async def aclose(self) -> None:
            self.is_closed = True

    async def run() -> bool:
        body = Body()
        answer = httpx.MockTransport(
            lambda _: httpx.Response(200, headers={"Content-Type": "text/event-stream"}, stream=body)
        )
        async with firmdata.AsyncClient("key", "https://api.example.com", transport=answer) as client:
            stream = client.events.stream()
            await anext(stream)
            await stream.aclose()
            return body.is_closed

    assert asyncio.run(run())
