"""HTTP client for deliveries; the only egress, of tests too: `WebhookClient.send` (docs/contract/delivery.md 5).

The guard runs where sockets are created: however a host is spelled, and whatever DNS returned before, the
address actually connected to is checked, and all addresses of a name must be allowed. A kept connection is
reused only for its own host and port. Redirects are not followed, environment proxies are not used, no request
is silently repeated. Does not belong here: when to send, the classification of results
(`api.webhooks.egress.attempt_result`) or their meaning for the schedule.
"""

import asyncio
import functools
import logging
import resource
import socket
import ssl
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from api.common.clock import Clock
from api.settings.webhooks import WebhookSettings
from api.webhooks.egress import attempt_result
from api.webhooks.egress.attempt_result import AttemptResult, EndpointResponse
from api.webhooks.egress.dns import DnsResolver, Lookup
from api.webhooks.egress.ip_guard import NO_ROOM, BlockedAddressError, IpGuard
from api.webhooks.egress.payload import OutgoingRequest
from api.webhooks.egress.received_bytes import ReceivedBytes, parse_status_line
from api.webhooks.egress.url_policy import InvalidTargetError, parse_endpoint_url

READ_BYTES: Final = 64 * 1024
"""Maximum bytes read of a response body."""
SOCKET_WAIT_SECONDS: Final = 0.25
"""Wait before retrying an attempt for which the machine had no socket."""

_KEEP_SECONDS: Final = 1.5
"""Idle connections are closed before common servers do it (2 s and more), which avoids that race."""
_BUFFER_BYTES: Final = 16 * 1024
_MOST_PARSED: Final = 10_000
_LOGGER: Final = logging.getLogger("firm.webhooks")
_NO_TIMEOUT: Final = aiohttp.ClientTimeout(total=None, connect=None, sock_connect=None, sock_read=None)


@dataclass(slots=True)
class _Exchange:
    """One request and its response, as far as received within the time limit."""

    remote_ip: str | None = None
    opened: bool = False
    """True if a new connection was opened for it."""
    received: ReceivedBytes | None = None
    """What arrived on its connection since the request."""
    response: aiohttp.ClientResponse | None = None
    answered_at: float = 0.0
    body: bytearray = field(default_factory=bytearray)
    is_complete: bool = False

    def answer(self) -> EndpointResponse | None:
        """What the client read of the response, else its status line; None without one."""
        if self.response is not None:
            return EndpointResponse(self.response.status, self.response.headers, bytes(self.body), self.is_complete)
        return None if self.received is None else parse_status_line(self.received.first_bytes)


_WAY: Final[ContextVar[_Exchange]] = ContextVar("way")


class WebhookClient:
    """Sends attempts. Opens nothing until first use; belongs to the event loop that uses it."""

    def __init__(self, settings: WebhookSettings, clock: Clock, resolver: Lookup | None = None) -> None:
        self._settings = settings
        self._clock = clock
        self._guard = IpGuard(settings.allow_networks, settings.deny_networks)
        self._resolver = GuardedResolver(self._guard, resolver or DnsResolver())
        parse = functools.partial(parse_endpoint_url, allow_http=settings.allow_http)
        self._parse_url = functools.lru_cache(_MOST_PARSED)(parse)
        self._session: aiohttp.ClientSession | None = None

    async def send(self, request: OutgoingRequest) -> AttemptResult:
        """Makes one attempt; every failure becomes its result. Raises only on cancellation."""
        try:
            url = self._parse_url(request.url)
        except InvalidTargetError as error:
            return attempt_result.result_of_failure(attempt_result.invalid_url_failure(str(error)), None, 0)
        way, begun = _Exchange(), self._clock.monotonic()
        _WAY.set(way)
        failure = await self._attempt_failure(way, url, request)
        ended_at = self._clock.monotonic() if way.response is None else way.answered_at
        duration_ms = max(0, round((ended_at - begun) * 1_000))
        if (answer := way.answer()) is not None:
            return attempt_result.result_of_response(answer, way.remote_ip, duration_ms, self._clock.now(), failure)
        return attempt_result.result_of_failure(failure or attempt_result.NO_RESPONSE, way.remote_ip, duration_ms)

    async def close(self) -> None:
        """Closes all connections; running attempts must have ended."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _attempt_failure(self, way: _Exchange, url: URL, post: OutgoingRequest) -> attempt_result.Failure | None:
        """Returns what went wrong; None if nothing did, or only the body took longer than there was time for it."""
        try:
            async with asyncio.timeout(self._settings.ack_seconds):
                await self._run_exchange(way, url, post)
        except TimeoutError:
            return attempt_result.timeout_failure(self._settings.ack_seconds) if way.response is None else None
        except (aiohttp.ClientError, OSError) as error:
            return attempt_result.classify_client_error(error)
        return None

    async def _run_exchange(self, way: _Exchange, url: URL, post: OutgoingRequest) -> None:
        """Retries if nothing was sent yet: on another connection, or when a socket is available again."""
        while True:
            try:
                return await self._request(way, url, post)
            except _SpentConnectionError:
                continue
            except aiohttp.ClientConnectorError as error:
                if error.os_error.errno not in NO_ROOM:
                    raise
            _LOGGER.error(
                "no socket is free for a delivery: raise the limit of open files or lower FIRM_WEBHOOK_IN_FLIGHT"
            )
            await asyncio.sleep(SOCKET_WAIT_SECONDS)

    async def _request(self, way: _Exchange, url: URL, post: OutgoingRequest) -> None:
        async with self._open_session().request(
            post.method, url, data=post.body, headers=post.headers, allow_redirects=False
        ) as response:
            way.answered_at, way.response = self._clock.monotonic(), response
            while part := await response.content.read(READ_BYTES - len(way.body)):
                way.body += part
            way.is_complete = response.content.at_eof()  # a connection with unread data is closed, not kept

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            raise_open_file_limit()
            connector = aiohttp.TCPConnector(
                ssl=tls_context(),
                resolver=self._resolver,
                use_dns_cache=False,
                limit=0,  # the caller limits concurrency
                keepalive_timeout=_KEEP_SECONDS,
                socket_factory=self._make_socket,
            )
            self._session = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                request_class=_TracedRequest,
                timeout=_NO_TIMEOUT,
                auto_decompress=False,
                trust_env=False,
                read_bufsize=_BUFFER_BYTES,
            )
        return self._session

    def _make_socket(self, where: Any) -> socket.socket:
        """Creates the socket after checking the very address that is connected to next."""
        family, kind, protocol, _, address = where
        self._guard.check(address[0])
        way = _WAY.get()
        way.remote_ip, way.opened = address[0], True
        return socket.socket(family, kind, protocol)


class _SpentConnectionError(aiohttp.ClientConnectionError):
    """A kept connection that has become unusable; nothing was sent on it."""


class _TracedRequest(aiohttp.ClientRequest):
    """Checks the connection before anything is sent on it, and records its peer address."""

    async def send(self, conn: Any) -> aiohttp.ClientResponse:
        way = _WAY.get()
        if not way.opened and (conn.protocol is None or conn.protocol.should_close):
            # it was closed, or holds an unsolicited response, which the client would take for ours
            raise _SpentConnectionError
        peer = conn.transport.get_extra_info("peername") if conn.transport else None
        way.remote_ip = peer[0] if peer else way.remote_ip
        way.received = ReceivedBytes.watch(conn.transport) if conn.transport else None
        return await super().send(conn)


class GuardedResolver(AbstractResolver):
    """Resolver that requires every address of a name to be allowed."""

    def __init__(self, guard: IpGuard, lookup: Lookup) -> None:
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
        if not all(map(self._guard.is_permitted, addresses)):
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
        """Does nothing: no resources are held."""


@functools.cache  # the system's CA store is large: read once
def tls_context() -> ssl.SSLContext:
    """TLS context: certificates and host names are verified with the system's CAs; TLS 1.2 or later."""
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(("http/1.1",))
    return context


ENOUGH: Final = 65_536


def raise_open_file_limit() -> int:
    """Raises this process's soft limit of open files as far as allowed; returns the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH if hard == resource.RLIM_INFINITY else min(ENOUGH, hard)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted
