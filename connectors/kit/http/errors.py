"""Fetch errors. URLs are stripped of secrets before they enter a message.

FetchError                 url, status (None: no answer), reason, wait (seconds the source requested, or None)
├── MissingResourceError    404 or 410: the source has no such resource
├── RequestRefusedError     another status that a retry will not change (400, 401, 403, 500 …)
├── SourceUnavailableError  429, 502, 503, 504 or no connection, after the last attempt
├── UnexpectedBodyError     an answer of an unexpected format: HTML for a zip, too-many-requests with 200
├── BodyTooLargeError       more bytes than the cap
└── TruncatedBodyError      the body ended early or came too slowly, after the last attempt
"""

from __future__ import annotations

from typing import Final
from urllib.parse import SplitResult, urlsplit, urlunsplit

_SECRET_WORDS: Final = ("key", "token", "secret", "sig", "auth", "password", "credential", "x-amz")


class FetchError(Exception):
    """A fetch that gave no acceptable body."""

    no_answer_text = "no answer: "  # used in the message in place of a status

    def __init__(self, url: str, status: int | None, reason: str, wait_seconds: float | None = None) -> None:
        self.url = public_url(url)
        self.status = status
        self.reason = reason
        self.wait = wait_seconds
        said = self.no_answer_text if status is None else f"status {status}: "
        super().__init__(f"{self.url}: {said}{reason}")

    def __reduce__(self) -> tuple[type[FetchError], tuple[str, int | None, str, float | None]]:
        return type(self), (self.url, self.status, self.reason, self.wait)


class MissingResourceError(FetchError):
    """The source has no such resource (404, 410)."""


class RequestRejectedError(FetchError):
    """A retry will not help."""

    no_answer_text = ""  # no request was made, or redirects went in circles: the reason is enough


class SourceUnavailableError(FetchError):
    """The source did not answer within the allowed attempts."""


class UnexpectedBodyError(FetchError):
    """An answer of an unexpected format."""


class BodyTooLargeError(FetchError):
    """More bytes than the cap."""


class TruncatedBodyError(FetchError):
    """The body ended early or came too slowly."""


def public_url(url: str) -> str:
    """An address without user, password, fragment and the values of secret query fields."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "(an address that does not parse)"
    query = "&".join(_public_field(field) for field in parts.query.split("&")) if parts.query else ""
    return urlunsplit(SplitResult(parts.scheme, host + port, parts.path, query, ""))


def _public_field(field: str) -> str:
    name, equals, _ = field.partition("=")
    return f"{name}{equals}…" if any(word in name.lower() for word in _SECRET_WORDS) else field
