"""The sandbox's files of one small world: as it writes them, and as it answers over its desks.

Does not belong here: what they are compared with (`kinds`).
"""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sandbox import World, write_days
from sandbox.http.routes import RegistryResponder
from sandbox.se import http
from sandbox.shared.response import SandboxResponse
from sandbox.uk import rest_http, stream_events
from sandbox.uk.stream_http import basic_authorization


@dataclass(frozen=True)
class Played:
    """A world on its last day. `folder`: where its files are written."""

    world: World
    folder: Path

    @cached_property
    def desk(self) -> RegistryResponder:
        made = RegistryResponder(self.world, self.folder / "desk")
        for _ in range(self.world.days - 1):
            made.advance()
        return made

    @cached_property
    def days(self) -> list[Path]:
        return write_days(self.world, self.folder / "days")

    def numbers(self, market: str) -> list[str]:
        return [company.number for company in self.world.all(market, self.desk.day)]

    def files(self, pattern: str) -> Iterator[bytes]:
        """Files of all days whose place below the day fits; members of archives for themselves."""
        for day in self.days:
            for path in sorted(day.glob(pattern)):
                yield from members(path.read_bytes())

    def named(self, pattern: str, ending: str) -> Iterator[bytes]:
        """Members with an ending of the archives that fit."""
        for day in self.days:
            for path in sorted(day.glob(pattern)):
                with zipfile.ZipFile(path) as archive:
                    yield from (archive.read(name) for name in archive.namelist() if name.endswith(ending))

    def answer(self, path: str, query: str = "", authorization: str = "", status: int = 200) -> Iterator[bytes]:
        """The body of an answer of this status; nothing where the status is another."""
        found = self.desk.respond(path, query, authorization)
        if isinstance(found, SandboxResponse) and found.status == status and found.body:
            yield from members(found.body if isinstance(found.body, bytes) else found.body.read_bytes())

    def posted(self, path: str, body: bytes, authorization: str = "", status: int = 200) -> Iterator[bytes]:
        found = self.desk.post(path, body, authorization)
        if found.status == status and isinstance(found.body, bytes):
            yield found.body

    def of_each(self, market: str, path: str, status: int = 200) -> Iterator[bytes]:
        """Answers about every company of a market; `{}` in the path is its number."""
        for number in self.numbers(market):
            yield from self.answer(path.format(number), status=status)

    def british(self, path: str) -> Iterator[bytes]:
        """Answers of the keyed interface about every British company."""
        for number in self.numbers("UK"):
            yield from self.answer(path.format(number), authorization=basic_authorization(rest_http.KEY))

    def streamed(self, stream: str) -> Iterator[bytes]:
        """Events of a British stream, of all days."""
        for day in range(1, self.world.days):
            yield from (told.line for told in stream_events.day_events(self.world, day, stream))

    def swedish(self, call: str, asked: dict[str, Any], status: int = 200) -> Iterator[bytes]:
        """Answers of the API for high-value datasets, with a token of the day."""
        form = f"grant_type=client_credentials&client_id={http.CLIENT[0]}&client_secret={http.CLIENT[1]}"
        token = json.loads(next(self.posted("/oauth2/token", form.encode())))["access_token"]
        body = json.dumps(asked).encode()
        yield from self.posted(f"/vardefulla-datamangder/v1/{call}", body, f"Bearer {token}", status)


def members(body: bytes) -> Iterator[bytes]:
    """What is packed in a body, or the body itself. A spreadsheet is a body, though it is a zip."""
    if body.startswith(b"\x1f\x8b"):
        yield gzip.decompress(body)
        return
    if not body.startswith(b"PK\x03\x04") or b"opendocument" in body[:200]:
        yield body
        return
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        for name in archive.namelist():
            yield from members(archive.read(name))
