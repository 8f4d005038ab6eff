"""A fetched body, with the checks it has passed and the server's time.

Belongs here: what a fetch returns, and the checks on its bytes. Does not belong here: requests (`client`).
"""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, BinaryIO, Final, cast

import msgspec

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.cursors import from_json_cursor, to_json_cursor
from connectors.kit.formats import HEAD, BodyFormat, detect_body_format

KEPT_HEADERS: Final = (
    "content-type",
    "content-length",
    "content-encoding",
    "content-disposition",
    "date",
    "etag",
    "last-modified",
    "x-rate-limit-remaining",
)
_BUSY: Final = b"too many requests"  # sent with status 200 by at least one registry


class Validators(msgspec.Struct, frozen=True, omit_defaults=True):
    """Validators for the next conditional request, so that an unchanged file gives 304 instead of gigabytes."""

    etag: str | None = None
    last_modified: str | None = None

    def cursor(self) -> Cursor | None:
        """As a dataset's cursor; None if the server sent no validator."""
        if self.etag is None and self.last_modified is None:
            return None
        return to_json_cursor(self)

    @staticmethod
    def of(cursor: Cursor | None) -> Validators | None:
        """From a dataset's cursor; None if it has another format (an earlier release, another feed)."""
        return from_json_cursor(cursor, Validators)

    def headers(self) -> dict[str, str]:
        """The conditional request headers."""
        given = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True, slots=True)
class NotModified:
    """The server reports that the version fetched before is current."""

    url: str
    server_time: datetime


@dataclass(frozen=True, slots=True)
class FetchedResponse:
    """One body. `url` is the documented address without secrets; `body` is positioned at its first byte."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: BinaryIO
    size: int
    format: BodyFormat
    server_time: datetime
    last_modified: datetime | None
    validators: Validators
    session: str | None = field(default=None, repr=False)  # Cookie header with which the session continues

    @property
    def observed_at(self) -> datetime:
        """Time of the content: Last-Modified, else the server's Date, else the local clock."""
        return self.last_modified or self.server_time

    def read(self) -> bytes:
        """The whole body (small bodies)."""
        self.body.seek(0)
        return self.body.read()

    def to_fetched_file(self, name: str, scope: Scope, cursor: Cursor | None = None) -> FetchedFile:
        """The arrival for the archive. The cursor defaults to the body's validators."""
        self.body.seek(0)
        due = cursor or self.validators.cursor()
        return FetchedFile(name, self.body, scope, self.observed_at, due, self.url, self.status, self.headers)


def unexpected_body_reason(head: bytes, content_type: str, expect: Collection[BodyFormat]) -> str | None:
    """Why a body is not of an expected format, by its first bytes and, for text, its content type; else None."""
    if not expect:
        return None
    found = detect_body_format(head)
    due = " or ".join(sorted(expect))
    if found not in expect:
        return f"expected {due}, found {found.value} (content type {content_type or 'not given'})"
    if found is BodyFormat.TEXT and content_type.startswith("text/html") and BodyFormat.HTML not in expect:
        return f"expected {due}, but the content type is HTML"
    return None


def is_busy_response(head: bytes) -> bool:
    """True if the body contains «Too many requests»."""
    return _BUSY in head[:200].lower()


class BodyBuffer:
    """Receives a body as it arrives, in memory or in a file near the archive. Keeps the first bytes."""

    def __init__(self, folder: Path | None, cap: int) -> None:
        self._folder = folder
        self.max_bytes = cap
        self.size = 0
        self.head = b""
        self.etag: str | None = None  # of the version being received, for resuming with a range
        self._file: IO[bytes] = self._new()

    def _new(self) -> IO[bytes]:
        if self._folder is None:
            return io.BytesIO()
        self._folder.mkdir(parents=True, exist_ok=True)
        return tempfile.NamedTemporaryFile(prefix="fetch-", dir=self._folder)

    def restart(self) -> None:
        """Discards what was received."""
        self._file.seek(0)
        self._file.truncate()
        self.size, self.head, self.etag = 0, b"", None

    def write(self, data: bytes) -> None:
        self._file.write(data)
        self.size += len(data)
        if len(self.head) < HEAD:
            self.head += data[: HEAD - len(self.head)]

    def done(self) -> BinaryIO:
        """The whole body, flushed to disk, positioned at its first byte."""
        if self._folder is not None:
            self._file.flush()
            os.fsync(self._file.fileno())
        self._file.seek(0)
        return cast("BinaryIO", self._file)

    def close(self) -> None:
        self._file.close()
