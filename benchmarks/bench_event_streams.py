"""Open streams of all events: release to receipt, and memory for each stream.

`firm serve` in one process, and clients in this one; every stream gets every event. Does not belong here: the world
(`webhook_world`), deliveries by webhook (`bench_webhooks`).
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
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
_OPENED_AT_ONCE = 50
_RELEASES = 5


def run(streams: int = 1_000, events: int = 50) -> list[dict[str, Any]]:
    """p99 of release to receipt over several releases, and anonymous memory of the service for each idle stream."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder) / "data")
        try:
            with _serving(Path(folder), streams) as (port, process):
                seconds, kib = asyncio.run(_measure(world, port, process, streams, events))
        finally:
            world.close()
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


async def _measure(world: World, port: int, process: int, streams: int, events: int) -> tuple[list[float], float]:
    clock = Clock()
    accounts = AccountService(world.database, world.secrets.pepper, clock, UlidGenerator(clock.wall))
    key = accounts.create_key(OWNER, "live").key
    opened = await _open_streams(port, key, _OPENED_AT_ONCE)  # what the first streams load is no stream's memory
    before = memory(process).own
    for _ in range((streams - _OPENED_AT_ONCE) // _OPENED_AT_ONCE):
        opened += await _open_streams(port, key, _OPENED_AT_ONCE)
    await asyncio.sleep(2)
    kib = (memory(process).own - before) * 1024 / (len(opened) - _OPENED_AT_ONCE)
    seconds: list[float] = []
    for _ in range(_RELEASES):
        waiting = [asyncio.ensure_future(_last_receipt(reader, world.events + events)) for reader, _ in opened]
        began = await asyncio.to_thread(world.publish, range(events))
        seconds += [at - began for at in await asyncio.gather(*waiting)]
    for _, writer in opened:
        writer.close()
    return seconds, kib


async def _open_streams(port: int, key: str, count: int) -> list[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    return await asyncio.gather(*(_open_stream(port, key) for _ in range(count)))


async def _open_stream(port: int, key: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection(HOST, port)
    head = f"GET /api/v1/events/stream HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer {key}\r\n\r\n"
    writer.write(head.encode())
    begun = await reader.readuntil(b"retry: 5000\n\n")
    if not begun.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(begun.decode())
    return reader, writer


async def _last_receipt(reader: asyncio.StreamReader, sequence: int) -> float:
    """When the event of this sequence arrived, the last of a release."""
    while await reader.readuntil(b"id: ") and int((await reader.readline()).strip()) != sequence:
        pass
    return time.monotonic()
