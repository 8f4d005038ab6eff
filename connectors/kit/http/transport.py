"""One request and its answer: addresses, redirects, and a body received with its checks.

A failed attempt that may be retried raises `RetryableError`; every other failure is a FetchError. Texts from httpx
reach a message only if they are known to hold no header and no address.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Final

import httpx

from connectors.kit.formats import HEAD, BodyFormat, detect_body_format
from connectors.kit.http.errors import (
    BodyTooLargeError,
    FetchError,
    RequestRejectedError,
    SourceUnavailableError,
    TruncatedBodyError,
    UnexpectedBodyError,
    public_url,
)
from connectors.kit.http.rate_limit import FetchClock
from connectors.kit.http.response import (
    KEPT_HEADERS,
    BodyBuffer,
    FetchedResponse,
    Validators,
    is_busy_response,
    unexpected_body_reason,
)
from connectors.kit.http.retry import parse_http_date

_REDIRECTS: Final = (301, 302, 303, 307, 308)
_HOPS: Final = 5
# Headers that may follow a redirect to another host: a signed address rejects, and must not see, our
# Authorization.
_TRAVELS: Final = ("accept", "accept-encoding", "range", "if-range", "if-none-match", "if-modified-since")

Pace = tuple[int, float, FetchClock]  # minimum bytes per second, seconds of patience, clock


class RetryableError(Exception):
    """A transient failure of an attempt; the last argument is the wait in seconds that the host requested."""

    def __init__(
        self, kind: type[FetchError], status: int | None, reason: str, retry_after_seconds: float | None = None
    ) -> None:
        super().__init__(reason)
        self.kind = kind
        self.status = status
        self.reason = reason
        self.retry_after_seconds = retry_after_seconds


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request. `expect`: accepted formats (none: any); `allow`: status codes accepted besides 200 and 206.

    content: request body; if set, the method is POST.
    """

    url: str
    headers: Mapping[str, str]
    auth: tuple[str, str] | None
    expect: frozenset[BodyFormat]
    allow: frozenset[int]
    content: bytes | None = None


class HttpTransport:
    """Sends requests, mapping documented hosts to the base addresses of this installation."""

    def __init__(self, client: httpx.Client, bases: Mapping[str, str]) -> None:
        self._client = client
        self._bases = bases

    def send(self, request: HttpRequest, more: Mapping[str, str]) -> httpx.Response:
        """The response, with its body not yet read, after at most five redirects."""
        headers = {**request.headers, **more}
        auth = request.auth
        try:
            address = self._address(httpx.URL(request.url))
            for _ in range(_HOPS + 1):
                response = self._send_once(address, headers, auth, request.content)
                location = response.headers.get("location")
                if response.status_code not in _REDIRECTS or location is None:
                    return response
                response.close()
                if request.content is not None:  # the body was not meant for another address
                    raise RequestRejectedError(request.url, response.status_code, "a redirect of a POST")
                target = self._address(address.join(location))
                if target.scheme == "http" and address.scheme == "https":
                    raise RequestRejectedError(request.url, response.status_code, "a redirect out of https")
                if (target.scheme, target.host, target.port) != (address.scheme, address.host, address.port):
                    headers = {name: value for name, value in headers.items() if name.lower() in _TRAVELS}
                    auth = None
                address = target
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.LocalProtocolError) as error:
            # Their messages quote the address or the header.
            raise RequestRejectedError(request.url, None, f"cannot be requested: {type(error).__name__}") from None
        except httpx.TransportError as error:
            raise RetryableError(SourceUnavailableError, None, _public_reason(error)) from None
        raise RequestRejectedError(request.url, None, f"more than {_HOPS} redirects")

    def _send_once(
        self, address: httpx.URL, headers: Mapping[str, str], auth: tuple[str, str] | None, content: bytes | None
    ) -> httpx.Response:
        method = "GET" if content is None else "POST"
        request = self._client.build_request(method, address, headers=dict(headers), content=content)
        credentials = httpx.BasicAuth(*auth) if auth is not None else None
        response = self._client.send(request, stream=True, auth=credentials)
        self._client.cookies.clear()  # no registry needs cookies, and they would outlive a redirect
        return response

    def _address(self, url: httpx.URL) -> httpx.URL:
        base = self._bases.get(url.host)
        if base is None:
            return url
        path = url.raw_path.decode("ascii")
        return httpx.URL(base.rstrip("/") + path)


def receive_body(
    response: httpx.Response, request: HttpRequest, sink: BodyBuffer, now: datetime, pace: Pace
) -> FetchedResponse:
    """Reads the body into the sink and checks it."""
    _prepare_buffer(response, sink, request.url)
    checked = frozenset() if response.status_code in request.allow else request.expect
    content_type = response.headers.get("content-type", "").lower()
    looked = False
    try:
        for data in _paced_blocks(response, pace):
            if sink.size + len(data) > sink.max_bytes:
                raise BodyTooLargeError(request.url, response.status_code, f"more than {sink.max_bytes} bytes")
            sink.write(data)
            if not looked and len(sink.head) >= HEAD:
                _check_head(sink, content_type, checked, request, response.status_code)
                looked = True
    except httpx.DecodingError:
        raise RetryableError(TruncatedBodyError, response.status_code, "a body that does not decode") from None
    except httpx.TransportError as error:
        raise RetryableError(
            TruncatedBodyError, response.status_code, f"the body broke off: {_public_reason(error)}"
        ) from None
    _check_head(sink, content_type, checked, request, response.status_code)
    headers = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
    modified = response.headers.get("last-modified")
    return FetchedResponse(
        url=public_url(request.url),
        status=response.status_code,
        headers=headers,
        body=sink.done(),
        size=sink.size,
        format=detect_body_format(sink.head),
        server_time=now,
        last_modified=parse_http_date(modified),
        validators=Validators(response.headers.get("etag"), modified),
        session=_session_cookies(response),
    )


def _session_cookies(response: httpx.Response) -> str | None:
    """Cookies set by the response, for callers that continue the session; the client keeps none."""
    given = [cookie.partition(";")[0].strip() for cookie in response.headers.get_list("set-cookie")]
    return "; ".join(given) or None


def _prepare_buffer(response: httpx.Response, sink: BodyBuffer, url: str) -> None:
    """Prepares the sink: append to the same version, or start over."""
    etag = response.headers.get("etag")
    if response.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE or (
        response.status_code == HTTPStatus.PARTIAL_CONTENT and not _is_continuation(response, sink, etag)
    ):
        sink.restart()
        raise RetryableError(TruncatedBodyError, response.status_code, "the source changed while it was being fetched")
    if response.status_code != HTTPStatus.PARTIAL_CONTENT:
        sink.restart()
    encoded = response.headers.get("content-encoding", "identity") != "identity"
    strong = etag is not None and not etag.startswith("W/")
    sink.etag = etag if strong and not encoded else None
    announced = response.headers.get("content-length", "")
    if announced.isdecimal() and sink.size + int(announced) > sink.max_bytes:
        raise BodyTooLargeError(url, response.status_code, f"{announced} bytes, more than {sink.max_bytes}")


def _is_continuation(response: httpx.Response, sink: BodyBuffer, etag: str | None) -> bool:
    start = response.headers.get("content-range", "").removeprefix("bytes ").partition("-")[0]
    return sink.size > 0 and etag == sink.etag and start == str(sink.size)


def _paced_blocks(response: httpx.Response, pace: Pace) -> Iterator[bytes]:
    """The body's bytes; raises RetryableError if the server is too slow."""
    slowest, patience, clock = pace
    since, got = clock.monotonic(), 0
    for data in response.iter_bytes():
        yield data
        got += len(data)
        passed = clock.monotonic() - since
        if passed > patience:
            if got < slowest * passed:
                reason = f"slower than {slowest} bytes a second for {passed:.0f} s"
                raise RetryableError(TruncatedBodyError, response.status_code, reason)
            since, got = clock.monotonic(), 0


def _check_head(
    sink: BodyBuffer, content_type: str, expect: frozenset[BodyFormat], asked: HttpRequest, status: int
) -> None:
    if expect and is_busy_response(sink.head) and detect_body_format(sink.head) is BodyFormat.TEXT:
        raise RetryableError(SourceUnavailableError, status, "too many requests, reported with a success status")
    reason = unexpected_body_reason(sink.head, content_type, expect)
    if reason is not None:
        raise UnexpectedBodyError(asked.url, status, reason)


def _public_reason(error: httpx.TransportError) -> str:
    """Describes the failure without any address or header."""
    if isinstance(error, httpx.TimeoutException):
        return f"no response in time ({type(error).__name__})"
    if isinstance(error, httpx.ConnectError):
        return f"no connection ({error})"
    return type(error).__name__
