"""Receivers that misbehave, as a process of their own, with the mail server of their owners.

`chaos_endpoints.py CONFIGURATION`: a JSON file with `port` and `endpoints`: address → how it behaves. Each endpoint
has an address of the loopback network to itself, so that nothing is shared between them but this process. On
127.0.0.1: `GET /stats`, `POST /secrets`, `POST /heal`. Uses nothing of ours: it is the other side.
"""

import asyncio
import hashlib
import hmac
import json
import random
import socket
import struct
import sys
import time
from pathlib import Path
from typing import Any, Final

from aiosmtpd.smtp import SMTP

CONTROL: Final = "127.0.0.1"
NOTHING: Final = b"HTTP/1.1 204 No Content\r\n\r\n"
FAILURE: Final = b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 4\r\n\r\nboom"
SHARE_OF_FAILURES: Final = 0.3
DRIP_SECONDS: Final = 0.05


class Book:
    """What came to whom, and what was acknowledged."""

    def __init__(self, endpoints: dict[str, str]) -> None:
        self.behaviours = endpoints
        self.secrets: dict[str, bytes] = {}
        self.events: dict[str, dict[str, list[Any]]] = {one: {} for one in endpoints}
        self.posts = 0
        self.forged = 0
        self.mails: list[tuple[str, str]] = []

    def came(self, address: str, headers: dict[bytes, bytes], body: bytes) -> list[Any]:
        """Counts it; the entry of its event: posts, acknowledgements, when first acknowledged."""
        expected = "sha256=" + hmac.new(self.secrets.get(address, b""), body, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(expected.encode(), headers.get(b"x-service-signature", b"")):
            self.forged += 1
        self.posts += 1
        return self.events[address].setdefault(json.loads(body)["event_id"], [0, 0, None])

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 -- aiosmtpd's name
        lines = envelope.content.decode().splitlines()
        found = {name: next(one for one in lines if one.startswith(name)) for name in ("Subject", "Message-ID")}
        self.mails.append((found["Message-ID"], found["Subject"]))
        return "250 OK"


class Endpoint(asyncio.Protocol):
    """One connection to one endpoint."""

    def __init__(self, book: Book, chance: random.Random) -> None:
        self.book = book
        self.chance = chance
        self.buffer = b""
        self.dripping: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.address = transport.get_extra_info("sockname")[0]

    def connection_lost(self, exc: Exception | None) -> None:
        if self.dripping is not None:
            self.dripping.cancel()

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            first, *lines = self.buffer[:end].split(b"\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines)}
            size = end + 4 + int(headers.get(b"content-length", b"0"))
            if len(self.buffer) < size:
                return
            body, self.buffer = self.buffer[end + 4 : size], self.buffer[size:]
            if self.address == CONTROL:
                self.control(first.split()[1].decode(), body)
            else:
                self.answer(headers, body)

    def control(self, path: str, body: bytes) -> None:
        book = self.book
        if path == "/secrets":
            book.secrets = {address: bytes.fromhex(key) for address, key in json.loads(body).items()}
        elif path == "/heal":
            book.behaviours = dict.fromkeys(book.behaviours, "healthy")
        told = {"posts": book.posts, "forged": book.forged, "mails": book.mails}
        if path == "/stats":
            told["events"] = book.events
        answer = json.dumps(told).encode()
        self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(answer), answer))

    def answer(self, headers: dict[bytes, bytes], body: bytes) -> None:
        entry, behaviour = self.book.came(self.address, headers, body), self.book.behaviours[self.address]
        entry[0] += 1
        if behaviour == "hang":
            return
        if behaviour == "reset":
            linger = struct.pack("ii", 1, 0)
            self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.transport.abort()
        elif behaviour == "drip_head":
            self.dripping = asyncio.ensure_future(self.drip(b"HTTP/1.1 200 " + b"x" * 10_000))
        elif behaviour == "flaky" and self.chance.random() < SHARE_OF_FAILURES:
            self.transport.write(FAILURE)
        elif behaviour == "drip_body":
            self.acknowledge(entry, b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n")
            self.dripping = asyncio.ensure_future(self.drip(b"x" * 10_000))
        else:
            self.acknowledge(entry, NOTHING)

    def acknowledge(self, entry: list[Any], answer: bytes) -> None:
        entry[1] += 1
        entry[2] = entry[2] or time.time()
        self.transport.write(answer)

    async def drip(self, text: bytes) -> None:
        for place in range(len(text)):
            self.transport.write(text[place : place + 1])
            await asyncio.sleep(DRIP_SECONDS)


async def main(given: dict[str, Any]) -> None:
    book, chance = Book(given["endpoints"]), random.Random(given["seed"])
    loop = asyncio.get_running_loop()
    servers = [
        await loop.create_server(
            lambda: Endpoint(book, chance), address, given["port"], backlog=1_024, reuse_address=True
        )
        for address in (CONTROL, *given["endpoints"])
    ]
    servers.append(await loop.create_server(lambda: SMTP(book, loop=loop), CONTROL, given["mail_port"]))
    sys.stdout.write("listening\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(json.loads(Path(sys.argv[1]).read_text())))
