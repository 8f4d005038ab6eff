"""Headers that all data responses of one release share, built once per release.

Does not belong here: headers that differ between responses (`api.http.responses`).
"""

import logging
from email.utils import format_datetime
from typing import Final

from warehouse.reader.types import PinnedRelease

_LOGGER: Final = logging.getLogger("firm.api")

Headers = tuple[tuple[bytes, bytes], ...]

VARY: Final = (b"vary", b"Accept-Encoding, Authorization, Origin")
CACHE: Final = (b"cache-control", b"private, max-age=60, must-revalidate")
NO_STORE: Final = (b"cache-control", b"no-store")
JSON: Final = (b"content-type", b"application/json")


class ReleaseHeaders:
    """Caches the headers of the latest release; thread-safe (one assignment)."""

    __slots__ = ("_latest",)

    def __init__(self) -> None:
        self._latest: tuple[int, Headers] = (-1, ())

    def of(self, snapshot: PinnedRelease) -> Headers:
        number, headers = self._latest
        if number != snapshot.release_number:
            headers = _build_headers(snapshot)
            if number < snapshot.release_number:  # requests pinned to the previous release may still arrive
                self._latest = (snapshot.release_number, headers)
                _LOGGER.info("serving release %d", snapshot.release_number)
        return headers


def _build_headers(snapshot: PinnedRelease) -> Headers:
    modified = format_datetime(snapshot.built_at, usegmt=True)
    return (
        CACHE,
        VARY,
        (b"last-modified", modified.encode()),
        (b"firm-release", str(snapshot.release_number).encode()),
    )
