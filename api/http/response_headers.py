"""Entity tags, and headers that all data responses of one release share (built once per release).

Tags of company data depend on content only, so they are the same for every key and process; the tag of a webhook
resource is its revision (docs/contract/contract.md «Conditional requests»). Does not belong here: the definition of
a revision (`api.database.models.webhooks`), or headers that differ between responses (`api.http.responses`).
"""

import hashlib
import logging
from email.utils import format_datetime
from typing import Final

from warehouse.reader.reader import PinnedRelease

_LOGGER: Final = logging.getLogger("firm.api")

Headers = tuple[tuple[bytes, bytes], ...]

VARY: Final = (b"vary", b"Accept-Encoding, Authorization, Origin")
CACHE: Final = (b"cache-control", b"private, max-age=60, must-revalidate")
NO_STORE: Final = (b"cache-control", b"no-store")
JSON: Final = (b"content-type", b"application/json")
_TAG_LENGTH: Final = 16


def content_digest(*parts: bytes) -> bytes:
    """16 hex characters of SHA-256 over the concatenated parts."""
    return hashlib.sha256(b"".join(parts)).hexdigest()[:_TAG_LENGTH].encode()


def weak_etag(tag: bytes) -> bytes:
    return b'W/"' + tag + b'"'


def weakly_matches(if_none_match: bytes, tag: bytes) -> bool:
    """Weak comparison of one header value (`*`, one tag or a list) with a bare tag."""
    return names_tag(if_none_match, tag) or b"*" in map(bytes.strip, if_none_match.split(b","))


def names_tag(if_none_match: bytes, tag: bytes) -> bool:
    """The same without `*`: true if the caller has been given this tag."""
    if if_none_match == weak_etag(tag):
        return True
    asked = (entry.strip() for entry in if_none_match.split(b","))
    return any(entry.removeprefix(b"W/") == b'"' + tag + b'"' for entry in asked)


def strongly_matches(if_match: bytes, tag: bytes) -> bool:
    """Strong comparison of an If-Match (`*`, one tag or a list) with a bare tag: weak tags match nothing."""
    asked = [entry.strip() for entry in if_match.split(b",")]
    return b"*" in asked or b'"' + tag + b'"' in asked


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
