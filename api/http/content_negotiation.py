"""Checks request headers and sizes: Host (400), Accept (406), Content-Type (415), sizes (413, 414, 431).

Does not belong here: the content of a body, or query parameters (`api.http.query.model`).
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final

from api.problems.problem import ProblemDetail, ProblemError, new_problem

URL_LIMIT: Final = 8192
HEADERS_LIMIT: Final = 16384
HEADER_COUNT: Final = 100
BODY_LIMIT: Final = 65536
LARGEST_BODY: Final = 1 << 20
"""The largest limit that any operation or page sets."""

_HEADER_OVERHEAD: Final = 4  # ": " and the line end
_JSON: Final = b"application/json"
_PROBLEM: Final = b"application/problem+json"
_WEIGHT: Final = re.compile(rb"[01](?:\.[0-9]{0,3})?")
EVENT_STREAM: Final = b"text/event-stream"
HTML: Final = b"text/html"
_ACCEPTABLE: Final = {
    _JSON: (b"*/*", b"application/*", _JSON, _PROBLEM),
    EVENT_STREAM: (b"*/*", b"text/*", EVENT_STREAM),
    HTML: (b"*/*", b"text/*", HTML),
}
"""Media ranges that allow each media type of responses."""
JSON_TYPES: Final = (_JSON,)
MERGE_PATCH_TYPES: Final = (_JSON, b"application/merge-patch+json")
_HOST: Final = re.compile(rb"(?:[0-9A-Za-z._~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]{0,5})?")
_HOST_REQUIRED: Final = "1.1"
_SINGLE: Final = (b"host", b"authorization", b"content-type", b"content-length", b"origin", b"referer")
_LENGTH_DIGITS: Final = 18
_CACHED: Final = 256
_MOST_RANGES: Final = 100


def oversize_problem(raw_path: bytes, query: bytes, headers: Sequence[tuple[bytes, bytes]]) -> ProblemError | None:
    """Problem if the URL or the headers exceed the limits; checked before they are parsed."""
    path, _, _ = raw_path.partition(b"?")  # some servers include the query
    if len(path) + (len(query) + 1 if query else 0) > URL_LIMIT:
        return url_problem()
    size = sum(map(len, chain.from_iterable(headers))) + _HEADER_OVERHEAD * len(headers)
    return headers_problem() if size > HEADERS_LIMIT or len(headers) > HEADER_COUNT else None


def url_problem() -> ProblemError:
    return new_problem("uri_too_long", f"At most {URL_LIMIT} bytes.", limit=URL_LIMIT)


def headers_problem() -> ProblemError:
    detail = f"At most {HEADERS_LIMIT} bytes in {HEADER_COUNT} headers."
    return new_problem("headers_too_large", detail, limit=HEADERS_LIMIT)


def header_problem(
    sent: Sequence[tuple[bytes, bytes]], headers: Mapping[bytes, bytes], http_version: str | None
) -> ProblemError | None:
    """Problem if Host is missing or malformed, or a header that has one value was sent several times.

    A proxy may read the first of two values where we read the last, so neither counts (RFC 9110 5.3, RFC 9112 3.2).
    `headers`: the same headers by name.
    """
    host = headers.get(b"host")
    if host is None:
        return _header_refusal(b"host", "required", "is required") if http_version == _HOST_REQUIRED else None
    if not _is_host(host):
        return _header_refusal(b"host", "format", "must be a host with an optional port")
    if len(headers) == len(sent):
        return None
    names = [name for name, _ in sent]
    repeated = next((name for name in _SINGLE if names.count(name) > 1), None)
    return None if repeated is None else _header_refusal(repeated, "duplicate", "may be sent only once")


def _header_refusal(name: bytes, code: str, requirement: str) -> ProblemError:
    shown = name.decode().title()
    error = ProblemDetail(code, requirement, header=shown)
    return new_problem("invalid_parameter", f"The header {shown} {requirement}.", error)


@lru_cache(_CACHED)
def _is_host(host: bytes) -> bool:
    return _HOST.fullmatch(host) is not None


def check_accept(accept: bytes | None, served: bytes = _JSON) -> None:
    """Rejects a caller that does not accept what is served: JSON, an event stream or a page."""
    acceptable = _ACCEPTABLE[served]
    if accept is None or accept in acceptable or not accept.strip():
        return
    judged = [(media_type, weight > 0) for media_type, weight in _parse_accept(accept)]
    refused = (served, False) in judged and (served, True) not in judged  # explicit entries override wildcards
    if refused or not any(taken and media_type in acceptable for media_type, taken in judged):
        raise new_problem("not_acceptable", f"Only {served.decode()} is served.")


def prefers_html(accept: bytes | None) -> bool:
    """Whether an Accept header prefers a page to JSON, as browsers do; without a preference JSON is served."""
    if accept is None:
        return False
    judged = _parse_accept(accept)
    return _weight_of(HTML, judged) > max(_weight_of(_JSON, judged), _weight_of(_PROBLEM, judged))


def _weight_of(media_type: bytes, judged: Sequence[tuple[bytes, float]]) -> float:
    """The weight of the most specific range that includes a media type; 0 if none does (RFC 9110 12.5.1)."""
    weights = dict(judged)
    ranges = (media_type, media_type.partition(b"/")[0] + b"/*", b"*/*")
    return next((weights[one] for one in ranges if one in weights), 0.0)


def _parse_accept(accept: bytes) -> list[tuple[bytes, float]]:
    """The media ranges of an Accept header with their weights; 0 refuses a range."""
    return [_parse_media_range(choice) for choice in accept.split(b",", _MOST_RANGES)[:_MOST_RANGES]]


def _parse_media_range(choice: bytes) -> tuple[bytes, float]:
    media_type, *settings = [part.strip().lower() for part in choice.split(b";")]
    weights = [weight[2:] for one in settings if (weight := one.replace(b" ", b"")).startswith(b"q=")]
    return media_type, float(weights[0]) if weights and _WEIGHT.fullmatch(weights[0]) else 1.0


def check_body(
    headers: Mapping[bytes, bytes], limit: int = BODY_LIMIT, media_types: Sequence[bytes] = JSON_TYPES
) -> None:
    """Rejects a body that is too large or not of these media types, by its headers."""
    if b"content-length" not in headers and b"transfer-encoding" not in headers:
        return
    length = headers.get(b"content-length", b"0")
    announced = int(length[:_LENGTH_DIGITS]) if length.isdigit() else 0
    if announced > limit:
        raise payload_too_large(limit)
    if not announced and b"transfer-encoding" not in headers:
        return
    media_type = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if media_type not in media_types:
        raise new_problem("unsupported_media_type", f"Send {media_types[0].decode()}.")
    if headers.get(b"content-encoding", b"identity").strip().lower() != b"identity":
        raise new_problem("unsupported_media_type", "Send the body without Content-Encoding.")


def payload_too_large(limit: int) -> ProblemError:
    """413, for a declared and for an actual length."""
    return new_problem("payload_too_large", f"At most {limit} bytes.", limit=limit)
