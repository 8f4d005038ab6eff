"""Processor time of the service for one request, at some length of a client's input and at twice that length.

The service's own processor time is read, so other programs of the machine disturb little; lengths alternate, and the ratio is
a median. Does not belong here: counted operations (`tests/api/http/test_doubling.py`), which a test asserts.
"""

import http.client
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.attacks.service import HOST, Target

MOST_RATIO = 2.3
ROUNDS = 9
REQUESTS = 20
COMPANIES = "/api/v1/companies"
JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@dataclass(frozen=True)
class Request:
    path: str = COMPANIES
    headers: dict[str, str] | None = None
    body: bytes | None = None


@dataclass(frozen=True)
class Kind:
    """One thing that a client sends, of `length` bytes or `2 * length`, which is just within its limit."""

    name: str
    length: int
    request: Callable[[int], Request]


@dataclass(frozen=True)
class Doubled:
    """Processor seconds of a request of the longer input, and how many times those of the shorter."""

    length: int
    seconds: float
    ratio: float


def _header(name: str, unit: str, start: str = "") -> Kind:
    return Kind(name, 7_500, lambda size: Request(headers={name: (start + unit * size)[:size]}))


def _body(name: str, length: int, make: Callable[[int], bytes], path: str = "/api/v1/webhooks") -> Kind:
    return Kind(name, length, lambda size: Request(path, FORM if path.startswith("/dash") else JSON, make(size)))


def _array(item: bytes) -> Callable[[int], bytes]:
    return lambda size: b'{"entity_ids":[' + b",".join([item] * (size // (len(item) + 1))) + b"]}"


KINDS = (
    _body("JSON: one text", 500_000, lambda size: b'{"a":"' + b"a" * size + b'"}'),
    _body("JSON: escapes", 500_000, lambda size: b'{"a":"' + b"\\u00e4" * (size // 6) + b'"}'),
    _body("JSON: texts with escapes", 500_000, _array(b'"\\u00e4a\\u00e4a' + b"a" * 32 + b'"')),
    _body("JSON: quotation marks", 500_000, lambda size: b"{" + b'"' * size),
    _body("JSON: numbers", 9_000, _array(b"1")),
    _body("JSON: company ids", 95_000, _array(b'"firm:SE:5599999991"')),
    _body("JSON: not company ids", 50_000, _array(b'"firm:SE:x"')),
    _body("JSON: long numbers", 500_000, _array(b"1" * 4_000)),
    _body("JSON: blanks", 500_000, lambda size: b"{" + b" " * size + b"}"),
    _body(
        "JSON: unknown members", 400, lambda size: b"{" + b",".join(b'"m%05d":1' % n for n in range(size // 10)) + b"}"
    ),
    _body("form: one field", 8_000, lambda size: b"a=" + b"%41" * (size // 3), "/dashboard/sign-in"),
    _body("form: not a form", 8_000, lambda size: b"%" * size, "/dashboard/sign-in"),
    Kind(
        "multipart",
        8_000,
        lambda size: Request(
            "/dashboard/sign-in", {"Content-Type": "multipart/form-data; boundary=a"}, b"--a\r\n" * (size // 5)
        ),
    ),
    _body("Stripe event", 500_000, lambda size: b'{"a":"' + b"a" * size + b'"}', "/billing/stripe"),
    Kind("query: one value", 3_900, lambda size: Request(f"{COMPANIES}?q=" + "%41" * (size // 3))),
    Kind("query: parameters", 3_900, lambda size: Request(f"{COMPANIES}?" + "a&" * (size // 2))),
    Kind("query: list", 3_900, lambda size: Request(f"{COMPANIES}?industry=" + "62," * (size // 3))),
    Kind("query: cursor", 3_900, lambda size: Request(f"{COMPANIES}?cursor=" + "A" * size)),
    Kind("path: one segment", 3_900, lambda size: Request(f"{COMPANIES}/" + "1" * size)),
    Kind("path: segments", 3_900, lambda size: Request("/" + "a/" * (size // 2))),
    Kind("path: escapes", 3_900, lambda size: Request("/" + "%2f" * (size // 3))),
    _header("Forwarded", " ", "for="),
    _header("Forwarded", "for=1.1.1.1;"),
    _header("X-Forwarded-For", "1,"),
    _header("If-None-Match", '"a",'),
    _header("If-None-Match", '"'),
    _header("Accept", "a/b;q=0,"),
    _header("Accept-Encoding", "gzip;q=0,"),
    _header("Cookie", "a=b;"),
    _header("Origin", "a", "https://"),
    _header("Host", "a."),
    _header("Idempotency-Key", "\\"),
    _header("X-Request-Id", "a"),
    _header("Authorization", "a", "Bearer firm_live_"),
    _header("Stripe-Signature", "v1=a,"),
)


def doubling_of(kind: Kind, target: Target) -> Doubled:
    """Sends both lengths in turn."""
    connection = http.client.HTTPConnection(HOST, target.port, timeout=60)
    pairs = [
        [_seconds_of(connection, kind.request(size), target) for size in (kind.length, 2 * kind.length)]
        for _ in range(ROUNDS)
    ]
    connection.close()
    return Doubled(
        2 * kind.length,
        statistics.median(long for _, long in pairs),
        statistics.median(long / short for short, long in pairs),
    )


def _seconds_of(connection: http.client.HTTPConnection, request: Request, target: Target) -> float:
    headers = {"Authorization": f"Bearer {target.key}"} | (request.headers or {})
    before = _processor_seconds(target.process_id)
    for _ in range(REQUESTS):
        connection.request("GET" if request.body is None else "POST", request.path, request.body, headers)
        connection.getresponse().read()
    return (_processor_seconds(target.process_id) - before) / REQUESTS


def _processor_seconds(process_id: int) -> float:
    threads = Path(f"/proc/{process_id}/task").glob("*/schedstat")
    return sum(int(thread.read_text(encoding="ascii").split()[0]) for thread in threads) / 1e9
