"""HTTP client for registries: User-Agent, rate limiting, retries, and content sniffing of each response.

Callers use documented addresses everywhere; `HttpSettings.base_urls` maps a documented host to another base
address, which is all the sandbox needs. Errors: see `errors`. Proxies from the environment are ignored unless
enabled.
Does not belong here: the meaning of one registry's pages; storage (the archive stores what
`FetchedResponse.to_fetched_file` returns).
"""

from __future__ import annotations

import logging
import ssl
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import httpx
import msgspec

from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import (
    FetchError,
    MissingResourceError,
    RequestRejectedError,
    SourceUnavailableError,
    TruncatedBodyError,
    UnexpectedBodyError,
    public_url,
)
from connectors.kit.http.line_buffer import LineBuffer
from connectors.kit.http.rate_limit import FetchClock, HostRateLimiter
from connectors.kit.http.response import BodyBuffer, FetchedResponse, NotModified, Validators
from connectors.kit.http.retry import AGAIN, RetryPolicy, parse_http_date, requested_wait_seconds
from connectors.kit.http.transport import HttpRequest, HttpTransport, RetryableError, receive_body

__all__ = ["FetchClock", "FetchedResponse", "HttpClient", "HttpSettings", "NotModified", "Validators"]

T = TypeVar("T")
R = TypeVar("R")

JSON: Final = frozenset({BodyFormat.JSON})
_SAME: Final = 304
_NO_RANGE: Final = 416
_BODIES: Final = (200, 206, _SAME)
_GONE: Final = (404, 410)


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """HTTP settings of this installation. Hosts are documented ones (`data.brreg.no`).

    user_agent: names the product and a contact address. download_folder: for bodies being fetched. base_urls: host
    -> base address used instead. rates: host -> requests per second; `default_rate` for all others.
    shared_limiters: host -> name of the limit that it shares with other hosts. credentials: host -> (user,
    password) for HTTP Basic. max_small_body_bytes, max_large_body_bytes: maximum bytes of a body in memory and on
    disk. min_bytes_per_second: bytes per second; a slower body is given up after `max_wait_seconds` seconds.
    """

    user_agent: str
    download_folder: Path
    base_urls: Mapping[str, str] = field(default_factory=dict)
    rates: Mapping[str, float] = field(default_factory=dict)
    shared_limiters: Mapping[str, str] = field(default_factory=dict)
    default_rate: float = 2.0
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)
    credentials: Mapping[str, tuple[str, str]] = field(default_factory=dict, repr=False)
    max_small_body_bytes: int = 64 << 20
    max_large_body_bytes: int = 32 << 30
    connect_seconds: float = 15.0
    read_seconds: float = 90.0
    min_bytes_per_second: int = 2048
    max_wait_seconds: float = 60.0
    uses_environment_proxies: bool = False


@cache
def _certificates() -> ssl.SSLContext:
    """The certificates that come with httpx, read once by a process; which the environment names may change."""
    return httpx.create_ssl_context(trust_env=False)


class HttpClient:
    """One client for all registries, thread-safe. Close it, or use it as a context manager."""

    def __init__(self, settings: HttpSettings, clock: FetchClock | None = None) -> None:
        self.settings = settings
        self._clock = clock or FetchClock()
        self._rates = HostRateLimiter(settings.rates, settings.default_rate, self._clock, settings.shared_limiters)
        # httpx logs every address with its query at INFO, secrets included.
        logging.getLogger("httpx").setLevel(logging.WARNING)
        self._client = httpx.Client(
            headers={"User-Agent": settings.user_agent},
            timeout=httpx.Timeout(settings.read_seconds, connect=settings.connect_seconds),
            trust_env=settings.uses_environment_proxies,
            verify=True if settings.uses_environment_proxies else _certificates(),
            follow_redirects=False,
        )
        self._exchange = HttpTransport(self._client, settings.base_urls)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._client.close()

    def now(self) -> datetime:
        """Current time of the injected clock, which also measures waits; for fetching by date."""
        return self._clock.now()

    def pause(self, url: str, seconds: float) -> None:
        """Makes the next request to the host of an address wait, as an outage that lasts makes retries useless."""
        self._rates.pause(httpx.URL(url).host, seconds * self.settings.retry_policy.outage_share)

    def _credentials_for(self, url: str) -> tuple[str, str] | None:
        """The configured credentials for a documented host."""
        return self.settings.credentials.get(httpx.URL(url).host)

    def get(
        self,
        url: str,
        *,
        expect: Collection[BodyFormat] = JSON,
        headers: Mapping[str, str] | None = None,
        auth: tuple[str, str] | None = None,
        allow: Collection[int] = (),
        key_header: str | None = None,
    ) -> FetchedResponse:
        """Fetches a small body into memory. `allow`: status codes accepted besides 200, bodies unchecked.

        key_header: the header in which the host takes its configured key, instead of HTTP Basic.
        """
        given, credentials = self._with_key(headers, auth or self._credentials_for(url), key_header)
        return self._small_body(HttpRequest(url, given, credentials, frozenset(expect), frozenset(allow)))

    @staticmethod
    def _with_key(
        headers: Mapping[str, str] | None, credentials: tuple[str, str] | None, key_header: str | None
    ) -> tuple[dict[str, str], tuple[str, str] | None]:
        """Headers and credentials of a request; a key for a header is the user of the credentials."""
        given = dict(headers or {})
        if key_header is None or credentials is None:
            return given, credentials
        return given | {key_header: credentials[0]}, None

    def post(
        self,
        url: str,
        content: bytes,
        media_type: str,
        *,
        expect: Collection[BodyFormat] = JSON,
        headers: Mapping[str, str] | None = None,
        allow: Collection[int] = (),
    ) -> FetchedResponse:
        """Posts `content` and returns the small answer. It may be retried, so the request must be idempotent."""
        given = {"Content-Type": media_type, **(headers or {})}
        return self._small_body(
            HttpRequest(url, given, self._credentials_for(url), frozenset(expect), frozenset(allow), content)
        )

    def _small_body(self, asked: HttpRequest) -> FetchedResponse:
        sink = BodyBuffer(None, self.settings.max_small_body_bytes)
        answer = self._with_retries(asked.url, lambda: self._body(asked, sink, None))
        if isinstance(answer, NotModified):
            raise RequestRejectedError(asked.url, 304, "status 304 without a conditional request")
        return answer

    def has_credentials(self, url: str) -> bool:
        """True if credentials are configured for the host of an address."""
        return self._credentials_for(url) is not None

    def json(
        self,
        url: str,
        kind: type[T] | Any = Any,
        *,
        headers: Mapping[str, str] | None = None,
        auth: tuple[str, str] | None = None,
    ) -> T:
        """Fetches a small JSON body and decodes it."""
        fetched = self.get(url, headers=headers, auth=auth)
        try:
            return msgspec.json.decode(fetched.read(), type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise UnexpectedBodyError(url, fetched.status, f"unexpected JSON: {error}") from None

    def download(
        self,
        url: str,
        *,
        expect: Collection[BodyFormat],
        since: Validators | None = None,
        headers: Mapping[str, str] | None = None,
        auth: tuple[str, str] | None = None,
    ) -> FetchedResponse | NotModified:
        """Fetches a body of any size to disk. Resumes where it broke off while the ETag stays the same."""
        # Ranges count bytes as sent: resuming requires a body without content encoding.
        given = {"Accept-Encoding": "identity", **(headers or {})}
        asked = HttpRequest(url, given, auth or self._credentials_for(url), frozenset(expect), frozenset())
        sink = BodyBuffer(self.settings.download_folder, self.settings.max_large_body_bytes)
        try:
            answer = self._with_retries(url, lambda: self._body(asked, sink, since))
        except BaseException:
            sink.close()
            raise
        if isinstance(answer, NotModified):
            sink.close()
        return answer

    def stream_lines(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        auth: tuple[str, str] | None = None,
        key_header: str | None = None,
    ) -> Iterator[bytes]:
        """Yields lines of a streaming response; heartbeats are empty. Raises TruncatedBodyError on a read timeout.

        No retries: reconnecting is the caller's job. An oversized line is truncated, so it is not valid JSON;
        the lines after it are still yielded.
        """
        # a content encoding would delay heartbeats until its block is full; the connection of an ended stream
        # is not reused
        named, credentials = self._with_key(headers, auth or self._credentials_for(url), key_header)
        given = {"Accept-Encoding": "identity", "Connection": "close", **named}
        asked = HttpRequest(url, given, credentials, frozenset(), frozenset())
        self._rates.wait(httpx.URL(url).host)
        try:
            response = self._opened(asked, {})
        except RetryableError as again:
            raise again.kind(url, again.status, again.reason, again.retry_after_seconds) from None
        yield from self._lines(url, response)

    def _lines(self, url: str, response: httpx.Response) -> Iterator[bytes]:
        """Lines as they arrive, blank ones empty."""
        line = LineBuffer(self._clock)
        try:
            for data in response.iter_bytes():
                *ends, rest = data.split(b"\n")
                for end in ends:
                    line.add(end)
                    yield line.taken()
                line.add(rest)
                if line.is_over_limit():
                    raise UnexpectedBodyError(url, response.status_code, "a line without end")
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise TruncatedBodyError(
                url, response.status_code, f"the stream broke off: {type(error).__name__}"
            ) from None
        finally:
            response.close()
        if last := line.taken():
            yield last

    def _with_retries(self, url: str, once: Callable[[], R]) -> R:
        host = httpx.URL(url).host
        retry = self.settings.retry_policy
        for attempt in range(1, retry.attempts + 1):
            self._rates.wait(host)
            try:
                return once()
            except RetryableError as again:
                pause = retry.backoff_seconds(attempt, self._clock.random_fraction(), again.retry_after_seconds)
                if attempt == retry.attempts or pause > retry.max_total_seconds:
                    asks = f"; Retry-After {pause:.0f} s" if again.retry_after_seconds is not None else ""
                    raise again.kind(url, again.status, f"{again.reason} (attempt {attempt}{asks})") from None
                if again.retry_after_seconds is None:
                    self._clock.sleep(pause)
                else:
                    self._rates.pause(host, pause)
        raise SourceUnavailableError(url, None, "no attempt was allowed")

    def _opened(self, asked: HttpRequest, more: Mapping[str, str]) -> httpx.Response:
        """Sends a request and returns an accepted response; other status codes raise their errors."""
        response = self._exchange.send(asked, more)
        status = response.status_code
        # 416 answers our range; on a stream it means an outdated cursor, which a retry does not fix.
        if status in asked.allow or status in _BODIES or (status == _NO_RANGE and "Range" in more):
            return response
        response.close()
        if status in AGAIN:
            now = parse_http_date(response.headers.get("date")) or self._clock.now()
            raise RetryableError(
                SourceUnavailableError, status, "not now", requested_wait_seconds(response.headers, now)
            )
        kind: type[FetchError] = MissingResourceError if status in _GONE else RequestRejectedError
        raise kind(asked.url, status, response.reason_phrase or "refused")

    def _body(self, asked: HttpRequest, sink: BodyBuffer, since: Validators | None) -> FetchedResponse | NotModified:
        more = since.headers() if since is not None else {}
        if sink.size and sink.etag is not None:
            more = {"Range": f"bytes={sink.size}-", "If-Range": sink.etag}
        else:
            sink.restart()
        response = self._opened(asked, more)
        now = parse_http_date(response.headers.get("date")) or self._clock.now()
        try:
            if response.status_code == _SAME:
                return NotModified(public_url(asked.url), now)
            pace = (self.settings.min_bytes_per_second, self.settings.max_wait_seconds, self._clock)
            return receive_body(response, asked, sink, now, pace)
        finally:
            response.close()
