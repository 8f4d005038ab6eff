"""A body that was fetched: checked before it is believed, with the time the server gave it.

Belongs here: what a fetch hands on, and the checks on its bytes. Does not belong here: asking for it
(`http`).
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

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit.formats import HEAD, Format, sniff

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
_BUSY: Final = b"too many requests"  # said with status 200 by at least one registry


class Validators(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the next fetch of the same address sends along, to hear «not modified» instead of gigabytes."""

    etag: str | None = None
    last_modified: str | None = None

    def cursor(self) -> Cursor | None:
        """As a dataset's cursor; None where the server gave nothing to compare."""
        if self.etag is None and self.last_modified is None:
            return None
        return Cursor(msgspec.json.encode(self).decode())

    @staticmethod
    def of(cursor: Cursor | None) -> Validators | None:
        """From a dataset's cursor; None where it is not one of these (an earlier release, another feed)."""
        try:
            return None if cursor is None else msgspec.json.decode(cursor.value, type=Validators)
        except msgspec.MsgspecError:
            return None

    def headers(self) -> dict[str, str]:
        """The conditional request headers."""
        given = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True, slots=True)
class NotModified:
    """The server says that what we have is what there is."""

    url: str
    server_time: datetime


@dataclass(frozen=True, slots=True)
class Fetched:
    """One body. `url` is the documented address without secrets; `body` stands at its first byte."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: BinaryIO
    size: int
    format: Format
    server_time: datetime
    last_modified: datetime | None
    validators: Validators
    session: str | None = field(default=None, repr=False)  # the Cookie header that goes on with the session

    @property
    def observed_at(self) -> datetime:
        """When the source said so: Last-Modified, else the server's Date, else our clock."""
        return self.last_modified or self.server_time

    def read(self) -> bytes:
        """All of it (small bodies)."""
        self.body.seek(0)
        return self.body.read()

    def arrival(self, name: str, scope: Scope, cursor: Cursor | None = None) -> Arrival:
        """What an origin hands to the archive. A file's cursor, where it has no other, is its validators."""
        self.body.seek(0)
        due = cursor or self.validators.cursor()
        return Arrival(name, self.body, scope, self.observed_at, due, self.url, self.status, self.headers)


def doubt(head: bytes, content_type: str, expect: Collection[Format]) -> str | None:
    """Why a body is not what was due, by its first bytes and, for text, its content type; else None."""
    if not expect:
        return None
    found = sniff(head)
    due = " or ".join(sorted(expect))
    if found not in expect:
        return f"{due} was due, the body is {found.value} (content type {content_type or 'not given'})"
    if found is Format.TEXT and content_type.startswith("text/html") and Format.HTML not in expect:
        return f"{due} was due, the server says it is HTML"
    return None


def is_busy(head: bytes) -> bool:
    """«Too many requests» said in the body."""
    return _BUSY in head[:200].lower()


class Sink:
    """Where a body goes while it arrives: memory, or a file beside the archive. Remembers its first bytes."""

    def __init__(self, folder: Path | None, cap: int) -> None:
        self._folder = folder
        self.cap = cap
        self.size = 0
        self.head = b""
        self.etag: str | None = (
            None  # of the version these bytes belong to, where a range may go on from them
        )
        self._file: IO[bytes] = self._new()

    def _new(self) -> IO[bytes]:
        if self._folder is None:
            return io.BytesIO()
        self._folder.mkdir(parents=True, exist_ok=True)
        return tempfile.NamedTemporaryFile(prefix="fetch-", dir=self._folder)

    def restart(self) -> None:
        """Forget what arrived."""
        self._file.seek(0)
        self._file.truncate()
        self.size, self.head, self.etag = 0, b"", None

    def write(self, data: bytes) -> None:
        self._file.write(data)
        self.size += len(data)
        if len(self.head) < HEAD:
            self.head += data[: HEAD - len(self.head)]

    def done(self) -> BinaryIO:
        """The whole body on disk, at its first byte."""
        if self._folder is not None:
            self._file.flush()
            os.fsync(self._file.fileno())
        self._file.seek(0)
        return cast("BinaryIO", self._file)

    def close(self) -> None:
        self._file.close()
