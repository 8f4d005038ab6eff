"""Clients that post the same bodies to the same receivers and do nothing else: what delivery is measured against.

The bare aiohttp loop: 64 connections kept alive, no database, no signature, no log, on the fastest event loop there
is. The httpx loop: the same with what most Python services would take. Each is a process of its own. Does not
belong here: the receivers, or the service.
"""

import asyncio
import json
import resource
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import aiohttp
import httpx

from benchmarks.load import running

CONNECTIONS = 64
_HEADERS = {"content-type": "application/json"}
Send = Callable[[str, bytes], Awaitable[int]]


@dataclass(frozen=True, slots=True)
class Told:
    """Seconds and processor seconds of so many posts."""

    posts: int
    seconds: float
    work: float


def posting(peer: str, urls: list[str], bodies: list[str], posts: int) -> Told:
    """Runs a peer in a process of its own; raises where an answer is not 204."""
    job = json.dumps({"urls": urls, "bodies": bodies, "posts": posts})
    command = [sys.executable, "-m", "benchmarks.webhook_peers", peer]
    done = subprocess.run(command, input=job, stdout=subprocess.PIPE, text=True, check=True)
    return Told(**json.loads(done.stdout))


async def _aiohttp(urls: list[str], bodies: list[bytes], posts: int) -> Told:
    connector = aiohttp.TCPConnector(limit=CONNECTIONS)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def send(url: str, body: bytes) -> int:
            async with session.post(url, data=body, headers=_HEADERS) as answer:
                await answer.read()
                return answer.status

        return await _measured(send, urls, bodies, posts)


async def _httpx(urls: list[str], bodies: list[bytes], posts: int) -> Told:
    limits = httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS)
    async with httpx.AsyncClient(limits=limits, trust_env=False) as client:

        async def send(url: str, body: bytes) -> int:
            return (await client.post(url, content=body, headers=_HEADERS)).status_code

        return await _measured(send, urls, bodies, posts)


async def _measured(send: Send, urls: list[str], bodies: list[bytes], posts: int) -> Told:
    """Every connection posts once before the clock runs."""
    await _all(send, urls, bodies, CONNECTIONS)
    began, worked = time.perf_counter(), _worked()
    await _all(send, urls, bodies, posts)
    return Told(posts, time.perf_counter() - began, _worked() - worked)


async def _all(send: Send, urls: list[str], bodies: list[bytes], posts: int) -> None:
    async def one(place: int) -> None:
        url = urls[place % len(urls)]
        for number in range(place, posts, CONNECTIONS):
            status = await send(url, bodies[number % len(bodies)])
            if status != 204:
                raise RuntimeError(f"{url} answered {status}")

    await asyncio.gather(*map(one, range(CONNECTIONS)))


def _worked() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


_PEERS = {"aiohttp": _aiohttp, "httpx": _httpx}


def main() -> None:
    job = json.load(sys.stdin)
    bodies = [body.encode() for body in job["bodies"]]
    told: list[Told] = []

    async def post() -> None:
        told.append(await _PEERS[sys.argv[1]](job["urls"], bodies, job["posts"]))

    running(post())
    print(json.dumps({name: getattr(told[0], name) for name in Told.__slots__}))


if __name__ == "__main__":
    main()
