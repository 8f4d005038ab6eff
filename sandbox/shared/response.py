"""A sandbox response before HTTP, the routes that lead to one, and large bodies that are cached for a day.

Does not belong here: the content of any response (`sandbox.<cc>.http`), routing between registries and faults
(`http.routes`, `http.server`).
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from sandbox.world import World

JSON: Final = "application/json"
HTML: Final = "text/html"
ZIP: Final = "application/zip"
Query = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SandboxResponse:
    """One response: status, content type and body, which is a file if large; further headers.

    `is_cacheable`: unchanged until the next day; has validators and supports range requests.
    """

    status: int
    kind: str
    body: bytes | Path
    is_cacheable: bool = False
    tag: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


NOT_FOUND: Final = SandboxResponse(404, HTML, b"<html><body>404 Not Found</body></html>")


def json_response(
    value: object, status: int = 200, kind: str = JSON, headers: Mapping[str, str] | None = None
) -> SandboxResponse:
    """A value as JSON."""
    body = json.dumps(value, ensure_ascii=False).encode()
    return SandboxResponse(status, kind, body, headers=headers or {})


Handler = Callable[..., SandboxResponse]
Routes = tuple[tuple[re.Pattern[str], Handler], ...]


def compile_routes(handlers: Mapping[str, Handler]) -> Routes:
    """Routes by the pattern of their path; the pattern's groups are the last arguments of the handler."""
    return tuple((re.compile(pattern), handler) for pattern, handler in handlers.items())


def find_handler(routes: Routes, path: str) -> Handler | None:
    """The handler of a path, with the path's groups filled in; None if no route has the path."""
    for pattern, handler in routes:
        found = pattern.fullmatch(path)
        if found:
            groups = found.groups()
            return lambda *arguments: handler(*arguments, *groups)
    return None


@dataclass(slots=True)
class CachedResponses:
    """Cache of one day's bodies. `removed`: numbers that Enhetsregisteret removed for legal reasons."""

    world: World
    folder: Path
    day: int = 0
    removed: frozenset[str] = frozenset()
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _tags: dict[Path, str] = field(default_factory=dict)

    def cached_body(self, name: str, write: Callable[[BinaryIO], object], kind: str = ZIP) -> SandboxResponse:
        """A large body, generated on first request. One at a time: a second caller finds it ready."""
        path = self.folder / str(self.day) / name
        with self._lock:
            if path not in self._tags:
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("wb") as file:
                    write(file)
                with path.open("rb") as file:
                    self._tags[path] = hashlib.file_digest(file, "sha256").hexdigest()[:32]
        return SandboxResponse(200, kind, path, is_cacheable=True, tag=self._tags[path])


def archive_handler(name: str, write: Callable[[World, int, BinaryIO], object]) -> Handler:
    """Handler for an archive of a whole register, as it is on the day."""

    def respond(desk: CachedResponses) -> SandboxResponse:
        return desk.cached_body(name, lambda file: write(desk.world, desk.day, file))

    return respond
