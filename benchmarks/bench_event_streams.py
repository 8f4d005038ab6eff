"""Open streams of all events: release to receipt, memory for each stream, and what another client notices of them.

`firm serve` in one process, and clients in this one; every stream gets every event. Does not belong here: the world
(`webhook_world`), deliveries by webhook (`bench_webhooks`).
"""

import asyncio
import http.client
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Any

from api.accounts.service import AccountService
from api.common.clock import Clock
from api.common.ids import UlidGenerator
from benchmarks.api_servers import HOST, end_process, free_port, until_listening
from benchmarks.load import percentile
from benchmarks.processes import memory
from benchmarks.webhook_world import OWNER, World

MOST_SECONDS = 2.0
MOST_KIB = 60.0
MOST_SLOWER = 3.0
_OPENED_AT_ONCE = 50
_BEGINNING = b"retry: 5000\n"  # the first line of every stream
_FIRST_SECONDS = 60
_RELEASES = 5
_READ_SECONDS = 5.0
_READ_RATE = 40.0  # profiles a second


def run(streams: int = 1_000, events: int = 50) -> list[dict[str, Any]]:
    """p99 of release to receipt over several releases, anonymous memory for each idle stream, and p99 of a profile."""
    with tempfile.TemporaryDirectory() as folder, multiprocessing.get_context("spawn").Pool(1) as pool:
        world = World(Path(folder) / "data")
        try:
            with _serving(Path(folder), streams) as (port, process):
                seconds, kib, quiet, beside = asyncio.run(_measure(world, port, process, streams, events, pool))
        finally:
            world.close()
    slower = percentile(beside, 0.99) / percentile(quiet, 0.99)
    slowest = percentile(seconds, 0.99)
    shown = {"seconds_p50": round(percentile(seconds, 0.5), 3), "receipts": len(seconds)}
    return [
        {
            "name": f"{streams:,} open streams, releases of {events} events: release to receipt, p99",
            "ours_s": round(slowest, 3),
            "asked": f"<= {MOST_SECONDS:g} s",
            "met": slowest <= MOST_SECONDS,
            "unit": "s",
        }
        | shown,
        {
            "name": f"{streams:,} open streams, memory for each",
            "ours_kib": round(kib, 1),
            "asked": f"<= {MOST_KIB:g} KiB",
            "met": kib <= MOST_KIB,
            "unit": "KiB",
        },
        {
            "name": f"a profile beside {streams:,} open streams and releases, p99",
            "against": "before the streams are opened",
            "ours_ms": round(percentile(beside, 0.99) * 1_000, 2),
            "peer_ms": round(percentile(quiet, 0.99) * 1_000, 2),
            "ratio": round(slower, 2),
            "asked": f"<= {MOST_SLOWER:g} times",
            "met": slower <= MOST_SLOWER,
            "unit": "ms",
        },
    ]


@contextmanager
def _serving(folder: Path, streams: int) -> Iterator[tuple[int, int]]:
    """Port and process of a service whose tier allows so many streams."""
    plenty = {"event_streams": streams, "burst_per_second": 10**6, "burst_capacity": 10**6, "monthly_requests": 10**9}
    tiers = folder / "tiers.json"
    tiers.write_text(json.dumps({"tiers": {"business": plenty}}))
    port = free_port()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("FIRM_")},
        "FIRM_DATA": str(folder / "data"),
        "FIRM_TIERS": str(tiers),
        "FIRM_CONNECTIONS_PER_ADDRESS": str(streams + 100),
        "FIRM_ACCESS_LOG": "false",
    }
    log = folder / "log.txt"
    command = [sys.executable, "-m", "firm", "serve", "--host", HOST, "--port", str(port)]
    with log.open("wb") as told:
        process = subprocess.Popen(command, env=environment, stdout=told, stderr=told)
        try:
            until_listening(process, port, log)
            yield port, process.pid
        finally:
            end_process(process)


async def _measure(
    world: World, port: int, process: int, streams: int, events: int, pool: Pool
) -> tuple[list[float], float, list[float], list[float]]:
    """Seconds of release to receipt, KiB for a stream, seconds of a profile before the streams and beside them."""
    clock = Clock()
    accounts = AccountService(world.database, world.secrets.pepper, clock, UlidGenerator(clock.wall))
    key = accounts.create_key(OWNER, "live").key
    quiet = await asyncio.to_thread(pool.apply, _read_profiles, (port, key))
    opened = await _open_streams(port, key, _OPENED_AT_ONCE)  # what the first streams load is no stream's memory
    before = memory(process).own
    for _ in range((streams - _OPENED_AT_ONCE) // _OPENED_AT_ONCE):
        opened += await _open_streams(port, key, _OPENED_AT_ONCE)
    await asyncio.sleep(2)
    kib = (memory(process).own - before) * 1024 / (len(opened) - _OPENED_AT_ONCE)
    seconds: list[float] = []
    reading = pool.apply_async(_read_profiles, (port, key))
    while len(seconds) < _RELEASES * len(opened) or not reading.ready():
        waiting = [asyncio.ensure_future(_last_receipt(reader, world.events + events)) for reader, _ in opened]
        began = await asyncio.to_thread(world.publish, range(events))
        seconds += [at - began for at in await asyncio.gather(*waiting)]
    for _, writer in opened:
        writer.close()
    return seconds, kib, quiet, reading.get()


def _read_profiles(port: int, key: str) -> list[float]:
    """Reads one profile after the other at a steady rate, from a process of its own: seconds that each took."""
    connection = http.client.HTTPConnection(HOST, port, timeout=60)
    headers = {"Authorization": f"Bearer {key}"}
    connection.request("GET", "/api/v1/companies?limit=1", headers=headers)
    path = f"/api/v1/companies/{json.loads(connection.getresponse().read())['data'][0]['id']}"
    taken: list[float] = []
    begun = time.perf_counter()
    while (due := begun + len(taken) / _READ_RATE) < begun + _READ_SECONDS:
        time.sleep(max(0.0, due - time.perf_counter()))
        asked = time.perf_counter()
        connection.request("GET", path, headers=headers)
        if connection.getresponse().read() == b"":
            raise RuntimeError("a profile is empty")
        taken.append(time.perf_counter() - asked)
    connection.close()
    return taken


async def _open_streams(port: int, key: str, count: int) -> list[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    return await asyncio.gather(*(_open_stream(port, key) for _ in range(count)))


async def _open_stream(port: int, key: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection(HOST, port)
    head = f"GET /api/v1/events/stream HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer {key}\r\n\r\n"
    writer.write(head.encode())
    begun = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _FIRST_SECONDS)
    if not begun.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(begun.decode())
    await asyncio.wait_for(reader.readuntil(_BEGINNING), _FIRST_SECONDS)
    return reader, writer


async def _last_receipt(reader: asyncio.StreamReader, sequence: int) -> float:
    """When the event of this sequence arrived, the last of a release."""
    while await reader.readuntil(b"id: ") and int((await reader.readline()).strip()) != sequence:
        pass
    return time.monotonic()
