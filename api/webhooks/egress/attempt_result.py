"""Result of one attempt: the ten errors of docs/contract/contract.md 4.8, and the stored part of the response.

Texts are our own: library messages contain addresses. For a blocked target no remote detail is stored, so that
attempts cannot be used to probe a network. Does not belong here: what a result means for the schedule
(`api.webhooks.delivery.retry_policy`).
"""

import errno
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

import aiohttp

from api.webhooks.egress.ip_guard import BlockedAddressError

KEPT_BYTES: Final = 2_048
"""Bytes of a response body that are stored."""

_KEPT_HEADERS: Final = 40
_KEPT_HEADER_CHARACTERS: Final = 500
_UNTOLD_HEADERS: Final = frozenset(("set-cookie", "set-cookie2", "www-authenticate", "proxy-authenticate"))
_BUSY: Final = frozenset((429, 503))

Failure = tuple[str, str]
"""Error code and detail."""

BLOCKED: Final[Failure] = ("blocked_address", "The host is not a public internet address.")
_RESET: Final[Failure] = ("connection_reset", "The connection was closed before a response arrived.")
_REFUSED: Final[Failure] = ("connection_refused", "The connection was refused.")
_MALFORMED: Final[Failure] = (
    "protocol_error",
    "The response is not valid HTTP/1.1, or its status line and headers are too large.",
)
NO_RESPONSE: Final = _RESET
_FAULTS: Final = {
    "protocol_error": "what follows it is not valid HTTP/1.1",
    "connection_reset": "the connection was closed before the response was complete",
    "timeout": "its headers were not complete in time",
}


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """Result of an attempt: success, or the error, and the stored part of the response."""

    has_succeeded: bool
    duration_ms: int
    """Time until the response headers arrived, or until it failed."""
    error: str | None = None
    error_detail: str | None = None
    remote_ip: str | None = None
    response_status: int | None = None
    response_headers: dict[str, str] | None = None
    response_body: str | None = None
    response_body_truncated: bool = False
    retry_after: float | None = None
    """Retry-After in seconds of a 429 or 503 response."""

    @property
    def outcome(self) -> str:
        return "succeeded" if self.has_succeeded else "failed"


@dataclass(frozen=True, slots=True)
class EndpointResponse:
    """An endpoint's response: all headers, and the beginning of the body."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    is_complete: bool


def result_of_response(
    response: EndpointResponse, remote_ip: str | None, duration_ms: int, now: datetime, fault: Failure | None = None
) -> AttemptResult:
    """Classifies a response: any 2xx is success; redirects are not followed (docs/contract/delivery.md 4 and 9).

    `fault`: what went wrong after the status line. It fails no attempt, and is told in the detail.
    """
    failure = _status_failure(response.status)
    error, detail = (None, None) if failure is None else failure
    if fault is not None:
        told = f"Only the status line counts: {_FAULTS.get(fault[0], _FAULTS['protocol_error'])}."
        detail = told if detail is None else f"{detail} {told}"
    return AttemptResult(
        has_succeeded=failure is None,
        error=error,
        error_detail=detail,
        remote_ip=remote_ip,
        response_status=response.status,
        response_headers=_stored_headers(response.headers),
        response_body=_stored_text(response.body),
        response_body_truncated=not response.is_complete or len(response.body) > KEPT_BYTES,
        retry_after=_retry_after(response.headers.get("Retry-After"), now) if response.status in _BUSY else None,
        duration_ms=duration_ms,
    )


def result_of_failure(failure: Failure, remote_ip: str | None, duration_ms: int) -> AttemptResult:
    error, detail = failure
    shown_ip = None if error in ("blocked_address", "invalid_url") else remote_ip
    return AttemptResult(False, duration_ms, error, detail, shown_ip)


def timeout_failure(seconds: float) -> Failure:
    return "timeout", f"No 2xx response within {seconds:g} s."


def invalid_url_failure(reason: str) -> Failure:
    return "invalid_url", f"The endpoint's URL is not allowed: {reason}."


def classify_client_error(error: "aiohttp.ClientError | OSError") -> Failure:
    if isinstance(error, aiohttp.ClientConnectorError):
        return _connect_failure(error)
    if isinstance(error, aiohttp.InvalidURL | aiohttp.NonHttpUrlClientError):
        return invalid_url_failure("it has no reachable host")
    if isinstance(error, aiohttp.ClientResponseError | aiohttp.ClientPayloadError):
        return _MALFORMED
    return _RESET


def _connect_failure(error: aiohttp.ClientConnectorError) -> Failure:
    cause = error.os_error
    if isinstance(cause, BlockedAddressError):
        return BLOCKED
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "dns_error", "The host's name could not be resolved."
    if isinstance(cause, ssl.SSLError):
        told = f"The TLS connection failed ({cause.reason or 'unknown reason'})."
        if isinstance(cause, ssl.SSLCertVerificationError):
            told = f"The certificate is not valid: {cause.verify_message.rstrip('.')}."
        return "tls_error", told[:KEPT_BYTES]
    if cause.errno == errno.ETIMEDOUT:
        return "timeout", "Connecting took too long."
    if isinstance(cause, ConnectionResetError | ConnectionAbortedError | BrokenPipeError):
        return _RESET
    return _REFUSED


def _status_failure(status: int) -> Failure | None:
    if 200 <= status < 300:  # noqa: PLR2004
        return None
    if 300 <= status < 400:  # noqa: PLR2004
        return "redirect", f"Endpoint returned {status}; redirects are not followed."
    return "http_status", f"Endpoint returned {status}."


def _stored_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Response headers to store, with lower-case names and without credential headers."""
    kept: dict[str, str] = {}
    for name, value in headers.items():
        key = _clean_header(name.lower())
        if key in _UNTOLD_HEADERS or (len(kept) >= _KEPT_HEADERS and key not in kept):
            continue
        both = _clean_header(value) if key not in kept else f"{kept[key]}, {_clean_header(value)}"
        kept[key] = both[:_KEPT_HEADER_CHARACTERS]
    return kept


def _stored_text(body: bytes) -> str:
    """The first bytes as text; invalid bytes are replaced, and so is NUL, which PostgreSQL cannot store."""
    return body[:KEPT_BYTES].decode("utf-8", "replace").replace("\x00", "�")


def _clean_header(value: str) -> str:
    """Replaces surrogates, which the client's header decoding may produce, and NUL."""
    if value.isascii() and "\x00" not in value:
        return value
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace").replace("\x00", "�")


def _retry_after(written: str | None, now: datetime) -> float | None:
    """Parses Retry-After, seconds or a date (RFC 9110, 10.2.3); None if invalid."""
    if written is None:
        return None
    text = written.strip()
    if text.isascii() and text.isdigit():
        return float(text[:10])
    try:
        then = parsedate_to_datetime(text)
        return max(0.0, ((then if then.tzinfo else then.replace(tzinfo=UTC)) - now).total_seconds())
    # OverflowError: ten-digit hours, or a zone that shifts the date out of the calendar
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
