"""A sandbox response, and large bodies that are generated once a day and cached.

Belongs here: the response type, and the cache folder. Does not belong here: any registry's responses
(`no.http_bulk`, `uk.http_bulk`, …), or routing (`http.routes`).
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sandbox.world import World

HTML: Final = {"Content-Type": "text/html"}
JSON: Final = {"Content-Type": "application/json"}


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """One response; `body` is a file if large.

    `fixed`: has validators and supports range requests.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes | Path
    is_cacheable: bool = False
    tag: str | None = None


@dataclass(slots=True)
class CachedResponses:
    """Cache of one day's bodies. `removed`: numbers that Enhetsregisteret removed for legal reasons."""

    world: World
    folder: Path
    day: int = 0
    removed: frozenset[str] = frozenset()
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _tags: dict[Path, str] = field(default_factory=dict)

    def cached_body(self, name: str, write: Callable[[Path], None], kind: str) -> CachedResponse:
        """A large body, generated on first request. One at a time: a second caller finds it ready."""
        path = self.folder / str(self.day) / name
        with self._lock:
            if path not in self._tags:
                path.parent.mkdir(parents=True, exist_ok=True)
                write(path)
                with path.open("rb") as file:
                    self._tags[path] = hashlib.file_digest(file, "sha256").hexdigest()[:32]
        return CachedResponse(200, {"Content-Type": kind}, path, is_cacheable=True, tag=self._tags[path])
