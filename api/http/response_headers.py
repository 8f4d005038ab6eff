"""Entity tags, and headers that all data responses of one release share (built once per release).

Tags of company data depend on content only, so they are the same for every key and process; the tag of a webhook
resource is its revision (docs/contract/contract.md «Conditional requests»). Does not belong here: the definition of
a revision (`api.database.models.webhooks`), or headers that differ between responses (`api.http.responses`).
"""

import hashlib
import logging
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from functools import lru_cache
from typing import Final

from api.http.compression import DOCUMENTS
from api.problems.problem import new_problem
from warehouse.reader.reader import PinnedRelease

_LOGGER: Final = logging.getLogger("firm.api")

Headers = tuple[tuple[bytes, bytes], ...]

VARY: Final = (b"vary", b"Accept-Encoding, Authorization, Origin")
CACHE: Final = (b"cache-control", b"private, max-age=60, must-revalidate")
NO_STORE: Final = (b"cache-control", b"no-store")
JSON: Final = (b"content-type", b"application/json")
LAST_MODIFIED: Final = b"last-modified"
_TAG_LENGTH: Final = 16
_DATE_FORMS: Final = ("%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y")
"""The preferred form of an HTTP date and the two old ones (RFC 9110 5.6.7)."""


def content_digest(*parts: bytes) -> bytes:
    """16 hex characters of SHA-256 over the concatenated parts."""
    return hashlib.sha256(b"".join(parts)).hexdigest()[:_TAG_LENGTH].encode()


document_digest = lru_cache(DOCUMENTS)(content_digest)
"""The same for documents that are served unchanged for as long as the service runs."""


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


def check_if_match(if_match: bytes | None, revision: int, what: str) -> None:
    """412 if an If-Match names other revisions than that of the account's object; `what` it is, in the detail."""
    if if_match is not None and not strongly_matches(if_match, b"%d" % revision):
        raise new_problem("precondition_failed", f"The {what} changed since you read it.")


def format_http_date(at: datetime) -> bytes:
    return format_datetime(at, usegmt=True).encode()


def parse_http_date(value: bytes) -> datetime | None:
    """The instant of an HTTP date in any of its three forms; None for anything else, such as the offsets of mails."""
    text = value.decode("latin-1").strip()
    for form in _DATE_FORMS:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


def is_unmodified_since(value: bytes, last_modified: bytes, now: datetime) -> bool:
    """Whether an If-Modified-Since names an instant from `last_modified` to now; invalid dates are ignored."""
    if value == last_modified:
        return True
    since, modified = parse_http_date(value), parse_http_date(last_modified)
    return since is not None and modified is not None and modified <= since <= now


def modified_at(headers: Headers, at: datetime) -> Headers:
    """The headers with a later Last-Modified, if `at` is later."""
    known = next((parse_http_date(value) for name, value in headers if name == LAST_MODIFIED), None)
    if known is None or at <= known:
        return headers
    later = format_http_date(at)
    return tuple((name, later if name == LAST_MODIFIED else value) for name, value in headers)


def modified_on(headers: Headers, day: date) -> Headers:
    """The headers of a response that changes with the day, even where the release is older."""
    return modified_at(headers, datetime.combine(day, time.min, UTC))


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
    return (
        CACHE,
        VARY,
        (LAST_MODIFIED, format_http_date(snapshot.built_at)),
        (b"firm-release", str(snapshot.release_number).encode()),
    )
