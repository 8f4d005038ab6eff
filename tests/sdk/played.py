"""A service that answers what a test says, one answer after the other, and Python clients of it."""

from __future__ import annotations

import asyncio
from typing import Any

import firmdata
import httpx


class Played:
    """Answers one after the other, whatever is asked; `asked`: the requests."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer[0], headers=answer[1], content=answer[2])


def played(*answers: Any, **options: Any) -> tuple[firmdata.Client, Played, list[float]]:
    """A client of a played service, which writes down how long it waits."""
    service, waits = Played(*answers), []
    client = firmdata.Client(
        "key", "https://api.example.com", transport=httpx.MockTransport(service), sleep=waits.append, **options
    )
    return client, service, waits


DONE = (200, {}, b'{"data":[],"next_cursor":null,"has_more":false}')


async def first_awaited(*answers: Any) -> tuple[Any, Played]:
    """The first event of a stream of the client for asyncio."""
    service = Played(*answers)
    options = {"transport": httpx.MockTransport(service), "sleep": lambda _: asyncio.sleep(0)}
    async with firmdata.AsyncClient("key", "https://api.example.com", **options) as client:
        return await anext(client.events.stream()), service
