"""Twice the input costs at most 2.3 times the work: executed lines are counted, so that no clock decides.

What C code does is timed by `python -m tests.attacks doubling`. Does not belong here: what is read out of the input.
"""

import asyncio
import itertools
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import FrameType
from typing import Any

from api.auth.allowed_origins import parse_origin
from api.billing.errors import ForgedEventError
from api.billing.service import check_signature
from api.common.redaction import redact
from api.companies.query_params import SearchParams
from api.dashboard.html_forms import PageError, read_form
from api.dashboard.routing import DashboardCookies
from api.http.body_validation import ValidationErrors, parse_body
from api.http.client_ip import ClientIpResolver
from api.http.content_negotiation import check_accept, header_problem, oversize_problem
from api.http.form_body import parse_form
from api.http.json_body import MOST_BETWEEN_QUOTES, exceeds_between_quotes, parse_object
from api.http.response_headers import strongly_matches, weakly_matches
from api.lookups.models import read_lookup
from api.problems.problem import ProblemError
from api.reconcile.requests import read_request
from api.webhooks.subscriptions.requests import NewSubscription
from tests.tables import check_cases

MOST_RATIO = 2.3
RESOLVER = ClientIpResolver(("127.0.0.0/8",))
NUMBERS = itertools.count()  # what urlsplit has parsed before it answers from its cache
FORM = {b"content-type": b"application/x-www-form-urlencoded"}


def executed_lines(work: Callable[[], object]) -> int:
    """Lines of Python that are executed; errors of input are part of the work."""
    count = 0

    def trace(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    former = sys.gettrace()
    sys.settrace(trace)
    try:
        with suppress(ProblemError, PageError, ForgedEventError):
            work()
    finally:
        sys.settrace(former)
    return count


def client_of(name: bytes, value: bytes) -> object:
    return RESOLVER.client(("127.0.0.1", 1), {name: value})


def form_of(body: bytes) -> object:
    async def receive() -> Any:
        return {"type": "http.request", "body": body, "more_body": False}

    return asyncio.run(read_form(FORM, receive, 1 << 20))


def array(item: bytes, count: int) -> bytes:
    return b'{"a":[' + b",".join([item] * count) + b"]}"


KINDS: dict[str, tuple[int, Callable[[int], object]]] = {
    "JSON numbers": (9_000, lambda count: parse_object(array(b"1", count))),
    "JSON texts": (9_000, lambda count: parse_object(array(b'"a"', count))),
    "JSON long texts": (
        8,
        lambda count: exceeds_between_quotes((b"a" * MOST_BETWEEN_QUOTES + b'"') * count, MOST_BETWEEN_QUOTES),
    ),
    "JSON quotation marks": (1 << 19, lambda count: exceeds_between_quotes(b'"' * count, MOST_BETWEEN_QUOTES)),
    "JSON objects": (40, lambda count: parse_object(array(b'{"a":1}', count))),
    "JSON members": (
        45,
        lambda count: parse_object(b"{" + b",".join(b'"m%d":1' % number for number in range(count)) + b"}"),
    ),
    "unknown members": (
        200,
        lambda count: parse_body(NewSubscription, {f"m{number}": 1 for number in range(count)}, ValidationErrors(), 10),
    ),
    "companies": (
        500,
        lambda count: parse_body(
            NewSubscription,
            {"entity_ids": [f"firm:NO:{900_000_000 + number}" for number in range(count)]},
            ValidationErrors(),
            10**6,
        ),
    ),
    "no companies": (
        500,
        lambda count: parse_body(NewSubscription, {"entity_ids": ["x"] * count}, ValidationErrors(), 10**6),
    ),
    "look-up items": (200, lambda count: read_lookup({"items": [{"vat": "x"}] * count})),
    "no look-up items": (40, lambda count: read_lookup({"items": [{"nome": "x"}] * count})),
    "reconciliation queries": (
        20,
        lambda count: read_request(
            json.dumps({f"q{number}": {"properties": [{"pid": "lei", "v": "x"}]} for number in range(count)}), None
        ),
    ),
    "extended companies": (200, lambda count: read_request(None, json.dumps({"ids": ["x"] * count, "properties": []}))),
    "form of the API": (20, lambda count: parse_form(b"&".join(b"f%d=1" % number for number in range(count)), 0)),
    "query parameters": (45, lambda count: SearchParams.read(b"limit=1&" * count)),
    "query list": (2_000, lambda count: SearchParams.read(b"industry=" + b"62," * count)),
    "query escapes": (2_000, lambda count: SearchParams.read(b"q=" + b"%41" * count)),
    "X-Forwarded-For": (2_000, lambda count: client_of(b"x-forwarded-for", b"127.0.0.1," * count)),
    "Forwarded pairs": (2_000, lambda count: client_of(b"forwarded", b"for=127.0.0.1;" * count)),
    "Forwarded blanks": (4_000, lambda count: client_of(b"forwarded", b"for=" + b" " * count + b"x")),
    "Accept": (2_000, lambda count: check_accept(b"a/b;q=0," * count)),
    "If-None-Match": (2_000, lambda count: weakly_matches(b'"a",' * count, b'"b"')),
    "If-Match": (2_000, lambda count: strongly_matches(b'"a",' * count, b'"b"')),
    "Cookie": (2_000, lambda count: DashboardCookies(True).read(b"a=b;" * count, "session")),
    "Origin": (2_000, lambda count: parse_origin(f"https://{next(NUMBERS)}." + "a." * count)),
    "Host": (2_000, lambda count: header_problem([], {b"host": b"a." * count}, "1.1")),
    "Stripe-Signature": (2_000, lambda count: check_signature(b"", b"v1=a," * count, "secret", 0)),
    "headers": (2_000, lambda count: oversize_problem(b"/", b"", [(b"a", b"b")] * count)),
    "form": (20, lambda count: form_of(b"&".join(b"f%d=1" % number for number in range(count)))),
    "path": (2_000, lambda count: redact("/firm_live_" * count)),
}


@check_cases("name", KINDS)
def test_twice_the_input_executes_at_most_so_many_times_the_lines(name: str) -> None:
    count, work = KINDS[name]
    work_of = [
        executed_lines(lambda size=size: work(size)) for size in (count, count, 2 * count)
    ]  # the first fills caches
    assert work_of[2] <= MOST_RATIO * work_of[1]


def test_a_quadratic_reader_is_noticed() -> None:
    def joined(count: int) -> Iterator[int]:
        return (one for number in range(count) for one in range(number))

    short, long = (executed_lines(lambda size=size: sum(joined(size))) for size in (50, 100))
    assert long > MOST_RATIO * short
