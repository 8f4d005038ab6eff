"""Endpoints that answer byte by byte as a test wants, and a sender that may reach them."""

import asyncio
import contextlib
import dataclasses
import ipaddress
import ssl
from datetime import UTC, datetime

from api.common.clock import Clock
from api.settings.webhooks import WebhookSettings
from api.webhooks.egress.http_client import WebhookClient
from api.webhooks.egress.payload import EventPayload, build_request

LOOPBACK = (ipaddress.ip_network("127.0.0.1/32"),)
SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
EVENT = EventPayload("evt_c4cthsej3686j9zsejemb8n4gb", "ownership.changed", b'{"name":"B\xc3\xb8rge AS"}')
STARTED = datetime(2026, 11, 20, 4, 12, 11, 482_000, tzinfo=UTC)
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
PATIENCE = 30.0


@dataclasses.dataclass
class Request:
    line: str
    headers: dict[str, str]
    body: bytes


class Receiver:
    """A server on 127.0.0.1 in the running loop. `answer` is bytes, or a coroutine that is given the two streams."""

    def __init__(self, answer=OK, *, tls: ssl.SSLContext | None = None, host="127.0.0.1", port=0):
        self.answer, self.tls, self.host, self.port = answer, tls, host, port
        self.requests: list[Request] = []
        self.connections = 0
        self.got = asyncio.Event()
        self.talks: set[asyncio.Task] = set()

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._met, self.host, self.port, ssl=self.tls)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self._server.close()
        for talk in self.talks:
            talk.cancel()
        await asyncio.gather(*self.talks, return_exceptions=True)
        for _ in range(3):  # transports close in the loop's next rounds
            await asyncio.sleep(0)

    def url(self, host="127.0.0.1", path="/hook"):
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}{path}"

    def _met(self, reader, writer):
        talk = asyncio.ensure_future(self._talk(reader, writer))
        self.talks.add(talk)
        talk.add_done_callback(self.talks.discard)

    async def _talk(self, reader, writer):
        self.connections += 1
        try:
            while True:
                self.requests.append(await _request(reader))
                self.got.set()
                if callable(self.answer):
                    await self.answer(reader, writer)
                else:
                    writer.write(self.answer)
                    await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


async def _request(reader) -> Request:
    line, *rest = (await reader.readuntil(b"\r\n\r\n")).decode().removesuffix("\r\n\r\n").split("\r\n")
    headers = dict(one.split(": ", 1) for one in rest)
    lengths = [value for name, value in headers.items() if name.lower() == "content-length"]
    return Request(line, headers, await reader.readexactly(int(lengths[0])))


class FrozenLoop(asyncio.SelectorEventLoop):
    """Time passes when a test says so."""

    now = 1_000.0

    def time(self):
        return self.now


def lookup(**hosts):
    """A name server that knows the hosts given, in turn what each of a list of answers says."""
    answers = {host.replace("_", "."): list(told) for host, told in hosts.items()}

    async def ask(host):
        told = answers[host]
        return told.pop(0) if len(told) > 1 else told[0]

    return ask


@contextlib.asynccontextmanager
async def sending(resolver=None, clock=None, **settings):
    sender = WebhookClient(
        WebhookSettings(**({"allow_networks": LOOPBACK, "allow_http": True} | settings)), clock or Clock(), resolver
    )
    try:
        yield sender
    finally:
        await sender.close()


def request_to(url, number=1, secrets=(SECRET,), event=EVENT):
    return build_request(url, secrets, event, "dlv_01kaf49n6m7p8q9r0s1t2v3w4x", number, STARTED)


async def until(condition):
    """Wait for a condition; how long is not what is tested."""
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 -- of any kind; time may stand still
            await asyncio.sleep(0)


def run(scenario, loop=None):
    with asyncio.Runner(loop_factory=loop) as runner:
        return runner.run(scenario)
