"""HTTP access to the SEC: rate limit, required User-Agent, and whether a refusal means a missing file or a block.

See docs/formats/us.md 1.

All SEC hosts count one caller's requests together, ten a second at most (`LIMITS`).
Requests must identify the caller (FIRM_USER_AGENT with a contact). Does not belong here: which files are
requested.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from connectors.contract.dataset import HostLimit
from connectors.contract.pieces import Cursor, FetchedFile, NotApplicable
from connectors.kit.formats import HEAD, BodyFormat, decompressed_head, detect_body_format
from connectors.kit.http.conditional import ConditionalFile
from connectors.kit.http.errors import FetchError, MissingResourceError, RequestRejectedError
from connectors.us.register import DATA_HOST, FILES_HOST

if TYPE_CHECKING:
    from connectors.kit.http.client import FetchedResponse, HttpClient

# more than ten requests per second to all hosts together are answered with a block of ten minutes
LIMITS: Final = tuple(HostLimit(host, 8.0, "sec.gov") for host in (DATA_HOST, FILES_HOST))
_FORBIDDEN: Final = 403
_MISSING: Final = 404
_STORE: Final = (b"<Code>NoSuchKey</Code>", b"<Code>AccessDenied</Code>")
_BLOCKS: Final = {
    b"request rate threshold exceeded": "too many requests: send no requests for ten minutes",
    b"undeclared automated tool": "the request has no contact: set FIRM_USER_AGENT='name (you@example.com)'",
}
_ALWAYS_THERE: Final = (
    "status 403 for a file that always exists: the SEC rejects this client; check FIRM_USER_AGENT, and send no "
    "requests for ten minutes"
)
_UNKNOWN_BLOCK: Final = "an HTML page with status 403: the SEC rejects this client; check FIRM_USER_AGENT"


class BlockedError(RequestRejectedError):
    """The SEC has blocked this caller; further requests prolong the block."""


def fetch_if_exists(http: HttpClient, url: str, expect: Collection[BodyFormat]) -> FetchedResponse | None:
    """Fetches a small body; None if the SEC has no such file (404, or 403 with a short XML body)."""
    try:
        answer = http.get(url, expect=expect, allow=(_FORBIDDEN,))
    except MissingResourceError:
        return None
    if answer.status != _FORBIDDEN:
        return answer
    body = answer.read()
    if is_missing_file(body):
        return None
    raise BlockedError(url, _FORBIDDEN, block_reason(body) or _UNKNOWN_BLOCK)


def fetch_existing_file(
    file: ConditionalFile, http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]
) -> Iterator[FetchedFile]:
    """Fetches a file of any size that always exists, so a 403 can only be a block; nothing if it is unchanged."""
    try:
        yield from file.fetch(http, cursor, subjects)
    except FetchError as error:
        if error.status != _FORBIDDEN:
            raise
        raise BlockedError(file.url, _FORBIDDEN, _ALWAYS_THERE) from error


def is_missing_file(body: bytes) -> bool:
    """Whether a body is the storage service's error for a missing file."""
    head = decompressed_head(body)[:HEAD]
    return detect_body_format(head) is BodyFormat.XML and any(code in head for code in _STORE)


def block_reason(body: bytes) -> str | None:
    """Reason for the block as given on the SEC's page; None for other bodies."""
    head = decompressed_head(body)[:65_536].lower()
    if detect_body_format(head) is not BodyFormat.HTML:
        return None
    return next((reason for words, reason in _BLOCKS.items() if words in head), None)


def reason_left_out(name: str, head: bytes, folders: Mapping[str, str]) -> NotApplicable | None:
    """Why a file is none of a dataset: by its folder (-> reason), or because it is an error body; else None."""
    reason = folders.get(name.split("/", 1)[0]) or error_body_reason(head)
    return None if reason is None else NotApplicable(reason)


def error_body_reason(head: bytes) -> str | None:
    """Describes an error body that was stored as a file; None for what may be data."""
    if detect_body_format(decompressed_head(head)) is BodyFormat.EMPTY:
        return "empty body: no response"
    if is_missing_file(head):
        return "answer of the SEC's store: it has no such file"
    if detect_body_format(decompressed_head(head)) is BodyFormat.HTML:
        reason = block_reason(head) or "out of service, or not the requested data"
        return f"page of the SEC instead of data: {reason}"
    return None
