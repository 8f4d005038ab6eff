"""The one egress: every attempt, real or test, retry or replay, leaves through `Sender.send`.

See docs/contract/delivery.md 5.

The guard stands where sockets are made: whatever spelling a host has, whatever a name server said before and says
now, the address that a connection is opened to is judged, and all that a name stands for must be allowed. A
connection that is kept is used for the host and port it was opened for and nothing else. Redirects are not
followed, proxies of the environment not used, no request is repeated unseen. Does not belong here: when to send,
what an outcome is (`api.webhooks.outcomes`) or what it means for the schedule.
"""

import asyncio
import functools
import logging
import socket
import ssl
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from api.clock import Clock
from api.webhooks import outcomes
from api.webhooks.addresses import BlockedAddressError, Guard
from api.webhooks.names import Lookup, Names
from api.webhooks.open_files import make_room
from api.webhooks.outcomes import Answer, Outcome
from api.webhooks.posts import Post
from api.webhooks.settings import WebhookSettings
from api.webhooks.targets import InvalidTargetError, parse

READ_BYTES: Final = 64 * 1024
"""Of an answer's body; the rest is not waited for."""
SOCKET_WAIT_SECONDS: Final = 0.25
"""Before an attempt begins again that the machine had no socket for."""

_KEEP_SECONDS: Final = 1.5
"""An unused connection is closed before common servers close it (2 s and more): no attempt meets that moment."""
_BUFFER_BYTES: Final = 16 * 1024
_MOST_PARSED: Final = 10_000
_LOGGER: Final = logging.getLogger("firm.webhooks")
_NO_TIMEOUT: Final = aiohttp.ClientTimeout(total=None, connect=None, sock_connect=None, sock_read=None)


@dataclass(slots=True)
class _Way:
    """Where an attempt has come to."""

    remote_ip: str | None = None
    opened: bool = False
    """A connection was opened for it."""


_WAY: Final[ContextVar[_Way]] = ContextVar("way")


class Sender:
    """Makes attempts. Opens nothing until it is used; belongs to the event loop that uses it."""

    def __init__(self, settings: WebhookSettings, clock: Clock, resolver: Lookup | None = None) -> None:
        self._settings = settings
        self._clock = clock
        self._guard = Guard(settings.allow_networks, settings.deny_networks)
        self._resolver = GuardedResolver(self._guard, resolver or Names())
        self._parsed: dict[str, URL] = {}
        self._session: aiohttp.ClientSession | None = None

    async def send(self, post: Post) -> Outcome:
        """Make one attempt; whatever goes wrong on its way is its outcome. Raises when it is canceled alone."""
        try:
            url = self._parse(post.url)
        except InvalidTargetError as error:
            return outcomes.unanswered(outcomes.invalid_url(str(error)), None, 0)
        exchange = _Exchange(self._opened(), self._clock)
        way, begun = _Way(), self._clock.monotonic()
        _WAY.set(way)
        failure = await self._failure(exchange, url, post)
        if failure is None:
            took = _milliseconds(exchange.answered_at - begun)
            return outcomes.answered(exchange.answer(), way.remote_ip, took, self._clock.now())
        return outcomes.unanswered(failure, way.remote_ip, _milliseconds(self._clock.monotonic() - begun))

    async def close(self) -> None:
        """Close all connections; attempts under way must have ended."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _failure(self, exchange: "_Exchange", url: URL, post: Post) -> outcomes.Failure | None:
        """None once headers have come in time: what happens to the rest of the answer decides nothing."""
        try:
            async with asyncio.timeout(self._settings.ack_seconds):
                await self._run(exchange, url, post)
        except TimeoutError:
            failure = outcomes.timeout(self._settings.ack_seconds)
        except (aiohttp.ClientError, OSError) as error:
            failure = outcomes.failure_of(error)
        else:
            return None
        return failure if exchange.response is None else None

    async def _run(self, exchange: "_Exchange", url: URL, post: Post) -> None:
        """Begins again where nothing has been sent yet: on another connection, or when there is a socket again."""
        while True:
            try:
                return await exchange.run(url, post)
            except _SpentConnectionError:
                continue
            except aiohttp.ClientConnectorError as error:
                if not outcomes.is_ours(error):
                    raise
            _LOGGER.error(
                "no socket left for a delivery: raise the limit of open files, or lower FIRM_WEBHOOK_IN_FLIGHT"
            )
            await asyncio.sleep(SOCKET_WAIT_SECONDS)

    def _parse(self, written: str) -> URL:
        url = self._parsed.get(written)
        if url is None:
            url = parse(written, allow_http=self._settings.allow_http)
            if len(self._parsed) >= _MOST_PARSED:
                self._parsed.clear()
            self._parsed[written] = url
        return url

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            make_room()
            connector = aiohttp.TCPConnector(
                ssl=tls_context(),
                resolver=self._resolver,
                use_dns_cache=False,
                limit=0,  # how many at once is the caller's to keep
                keepalive_timeout=_KEEP_SECONDS,
                socket_factory=self._make_socket,
            )
            self._session = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                request_class=_Request,
                timeout=_NO_TIMEOUT,
                auto_decompress=False,
                trust_env=False,
                read_bufsize=_BUFFER_BYTES,
            )
        return self._session

    def _make_socket(self, where: Any) -> socket.socket:
        """The choke point: called with the very address that is connected to next."""
        family, kind, protocol, _, address = where
        self._guard.check(address[0])
        way = _WAY.get()
        way.remote_ip, way.opened = address[0], True
        return socket.socket(family, kind, protocol)


class _Exchange:
    """One request and its answer, as far as it has come when the time is up."""

    __slots__ = ("_body", "_clock", "_complete", "_session", "answered_at", "response")

    def __init__(self, session: aiohttp.ClientSession, clock: Clock) -> None:
        self._session = session
        self._clock = clock
        self._body = bytearray()
        self._complete = False
        self.response: aiohttp.ClientResponse | None = None
        self.answered_at = 0.0

    async def run(self, url: URL, post: Post) -> None:
        async with self._session.post(
            url, data=post.body, headers=post.headers, allow_redirects=False
        ) as response:
            self.answered_at = self._clock.monotonic()
            self.response = response
            content = response.content
            while len(self._body) < READ_BYTES:
                part = await content.read(READ_BYTES - len(self._body))
                if not part:
                    break
                self._body += part
            self._complete = content.at_eof()  # a connection with a rest in it is closed, not kept

    def answer(self) -> Answer:
        response = self.response
        if response is None:
            raise ValueError("there is no answer")
        return Answer(response.status, response.headers, bytes(self._body), self._complete)


class _SpentConnectionError(aiohttp.ClientConnectionError):
    """A kept connection that cannot be used any more; nothing has been sent on it."""


class _Request(aiohttp.ClientRequest):
    """Looks at the connection before anything is sent on it, and notes whom it leads to."""

    async def send(self, conn: Any) -> aiohttp.ClientResponse:
        way = _WAY.get()
        if not way.opened and (conn.protocol is None or conn.protocol.should_close):
            # it ended, or an answer stands in it that belongs to no request: the client would take it for ours
            raise _SpentConnectionError
        peer = conn.transport.get_extra_info("peername") if conn.transport else None
        way.remote_ip = peer[0] if peer else way.remote_ip
        return await super().send(conn)


class GuardedResolver(AbstractResolver):
    """Names to addresses, of which every one must be allowed: one public address excuses no private one."""

    def __init__(self, guard: Guard, lookup: Lookup) -> None:
        self._guard = guard
        self._lookup = lookup

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_UNSPEC,  # noqa: ARG002 -- never asked for but «any»
    ) -> list[ResolveResult]:
        addresses = await self._lookup(host)
        if not addresses:
            raise OSError("the name has no address")
        if not all(map(self._guard.permits, addresses)):
            raise BlockedAddressError
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for address in addresses
        ]

    async def close(self) -> None:
        """Nothing is held."""


@functools.cache  # the system's authorities are many: read once
def tls_context() -> ssl.SSLContext:
    """Certificates are checked against the system's authorities, and their names; TLS 1.2 and later."""
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(("http/1.1",))
    return context


def _milliseconds(seconds: float) -> int:
    return max(0, round(seconds * 1_000))
