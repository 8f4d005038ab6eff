"""What can go wrong between asking and having a body. No message holds a secret: addresses are cleaned first.

FetchError                 url, status (None: no answer), reason, wait (seconds the source asked for, or None)
├── Missing                404 or 410: the source says it has no such thing
├── Refused                another status that asking again will not change (400, 401, 403, 500 …)
├── Unavailable            429, 502, 503, 504 or no connection, after the last attempt
├── WrongBody              an answer that is not what was due: HTML for a zip, too-many-requests with 200
├── TooLarge               more bytes than the cap
└── CutOff                 the body ended early or came too slowly, after the last attempt
"""

from __future__ import annotations

from typing import Final
from urllib.parse import SplitResult, urlsplit, urlunsplit

_SECRET_WORDS: Final = ("key", "token", "secret", "sig", "auth", "password", "credential", "x-amz")


class FetchError(Exception):
    """A fetch that did not give a body to believe."""

    unanswered = "no answer: "  # what stands for a status where there is none

    def __init__(self, url: str, status: int | None, reason: str, wait: float | None = None) -> None:
        self.url = public_url(url)
        self.status = status
        self.reason = reason
        self.wait = wait
        said = self.unanswered if status is None else f"status {status}: "
        super().__init__(f"{self.url}: {said}{reason}")

    def __reduce__(self) -> tuple[type[FetchError], tuple[str, int | None, str, float | None]]:
        return type(self), (self.url, self.status, self.reason, self.wait)


class Missing(FetchError):  # noqa: N818 - the tree above reads better
    """The source says it has no such thing."""


class Refused(FetchError):  # noqa: N818 - the tree above reads better
    """Asking again will not help."""

    unanswered = ""  # where the source was not asked, or went round in circles: the reason says it


class Unavailable(FetchError):  # noqa: N818 - the tree above reads better
    """The source did not answer in the attempts allowed."""


class WrongBody(FetchError):  # noqa: N818 - the tree above reads better
    """An answer that is not what was due."""


class TooLarge(FetchError):  # noqa: N818 - the tree above reads better
    """More bytes than the cap."""


class CutOff(FetchError):  # noqa: N818 - the tree above reads better
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
