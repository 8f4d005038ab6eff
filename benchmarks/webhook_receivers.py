"""Receivers of the webhook benchmarks: many endpoints in one process, as cheap as they can be made.

Each endpoint is a port of its own, so that a client keeps connections to it as to a host of its own. They answer
204 and note when which event came; commands on standard input ask what came. Does not belong here: verifying
signatures (tests do), or what is sent (`webhook_peers`, the service).
"""

import asyncio
import json
import subprocess
import sys
import time
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

from benchmarks.api_servers import HOST, Server
from benchmarks.load import running

_END = b"\r\n\r\n"
_LENGTH = b"content-length:"
_ID = b"webhook-id:"
_ANSWER = b"HTTP/1.1 204 No Content\r\nServer: receiver\r\n\r\n"
_MARKS = 100


class _Arrivals:
    """What came since the last `forget`; instants are monotonic ones, which all processes share."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self.times = array("d")
        self.first: dict[tuple[int, bytes], float] = {}

    def see(self, place: int, event: bytes | None) -> None:
        now = time.monotonic()
        self.times.append(now)
        if event is not None:
            self.first.setdefault((place, event), now)

    def told(self, command: str) -> dict[str, Any]:
        if command == "forget":
            self.forget()
        elif command == "times":
            return {"times": [(event.decode(), at) for (_, event), at in self.first.items()]}
        elif command == "marks":
            last = len(self.times) - 1
            return {"marks": [self.times[last * mark // _MARKS] for mark in range(_MARKS + 1)]}
        return {"count": len(self.times), "distinct": len(self.first)}


class _Endpoint(asyncio.Protocol):
    """One connection to one endpoint."""

    def __init__(self, place: int, arrivals: _Arrivals) -> None:
        self._place = place
        self._arrivals = arrivals
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._buffer = self._buffer + data if self._buffer else data
        end = self._buffer.find(_END)
        if end < 0:
            return
        head = self._buffer[:end].lower()
        if len(self._buffer) < end + len(_END) + int(_value(head, _LENGTH) or 0):
            return
        self._buffer = b""
        self._arrivals.see(self._place, _value(head, _ID))
        self._transport.write(_ANSWER)


def _value(head: bytes, name: bytes) -> bytes | None:
    place = head.find(name)
    if place < 0:
        return None
    end = head.find(b"\r\n", place)
    return head[place + len(name) : end if end >= 0 else len(head)].strip()


async def _serve(count: int) -> None:
    """Tells its ports, then answers commands until standard input ends."""
    loop = asyncio.get_running_loop()
    arrivals = _Arrivals()
    servers = [
        await loop.create_server(lambda place=place: _Endpoint(place, arrivals), HOST, 0) for place in range(count)
    ]
    print(json.dumps([server.sockets[0].getsockname()[1] for server in servers]), flush=True)
    while command := await loop.run_in_executor(None, sys.stdin.readline):
        print(json.dumps(arrivals.told(command.strip())), flush=True)


@dataclass(frozen=True, slots=True)
class Receivers:
    """The receivers as the benchmark sees them."""

    ports: tuple[int, ...]
    process: "subprocess.Popen[str]"

    @property
    def urls(self) -> list[str]:
        return [f"http://{HOST}:{port}/hooks/company-events" for port in self.ports]

    @property
    def server(self) -> Server:
        return Server("receivers", 0, "", self.process.pid)

    def ask(self, command: str) -> dict[str, Any]:
        """`count`, `times`, `marks` or `forget`."""
        if self.process.stdin is None or self.process.stdout is None:
            raise RuntimeError("the receivers have no pipes")
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


@contextmanager
def receiving(count: int) -> Iterator[Receivers]:
    """Starts `count` endpoints in a process of their own; it ends with the block."""
    command = [sys.executable, "-m", "benchmarks.webhook_receivers", str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        if process.stdout is None:
            raise RuntimeError("the receivers have no pipes")
        try:
            yield Receivers(tuple(json.loads(process.stdout.readline())), process)
        finally:
            process.terminate()


if __name__ == "__main__":
    running(_serve(int(sys.argv[1])))
