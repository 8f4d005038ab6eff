"""What a body may consist of is counted before it is parsed: by a plain reading, and on hostile bodies.

Does not belong here: the messages of malformed bodies (`test_body_validation.py`), or the limits' numbers
(`tests/api/runtime/test_limits.py`).
"""

import asyncio
import json
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.http.json_body import (
    FEW_VALUES,
    MOST_BACKSLASHES,
    MOST_BETWEEN_QUOTES,
    MOST_DIGITS,
    MOST_DIGITS_IN_ALL,
    MOST_VALUES,
    BodyPolicy,
    exceeds_between_quotes,
    parse_object,
    read_object,
)
from api.problems.problem import ProblemError
from tests.tables import check_cases

MIB = 1 << 20
FEW = 5  # of the plain comparison
TEXTS = st.text(alphabet='a"\\/ \n\u00e4\ud7ff\U0001f600', max_size=12)
OBJECTS = st.dictionaries(TEXTS, TEXTS | st.integers() | st.lists(TEXTS, max_size=4), max_size=4)


def array(*items: bytes) -> bytes:
    return b'{"a":[' + b",".join(items) + b"]}"


def between_quotes(body: bytes) -> list[int]:
    """Bytes of each text and of what is between two texts, read one after the other."""
    lengths, is_escaped = [0], False
    for byte in body:
        if byte == ord('"') and not is_escaped:
            lengths.append(0)
        else:
            lengths[-1] += 1
        is_escaped = byte == ord("\\") and not is_escaped
    return lengths


SEARCHED: dict[str, bytes] = {
    "texts of the limit": (b"a" * MOST_BETWEEN_QUOTES + b'"') * 16,
    "empty texts": b'"' * MIB,
    "an empty text after each long one": (b'""' + b"a" * MOST_BETWEEN_QUOTES) * 15,
    "nothing else": b"a" * MIB,
}
REFUSED: dict[str, bytes] = {
    "a text": b'{"a":"' + b"a" * MIB + b'"}',
    "a text with quotation marks": b'{"a":"' + b'aaaa\\"' * 20_000 + b'"}',
    "a text of escapes": b'{"a":"' + b"\\u00e4" * (MIB // 6) + b'"}',
    "short texts of escapes": array(*[b'"' + b"\\n" * 6 + b'"'] * 19_000),
    "a name of a member": b'{"' + b"a" * MIB + b'":1}',
    "a number": b'{"a":' + b"1" * MIB + b"}",
    "long numbers": array(*[b"1" * MOST_DIGITS, b'""'] * 1_300),
    "long fractions": array(*[b"0." + b"1" * (MOST_DIGITS - 2), b'""'] * 1_300),
    "blanks": b'{"a":1' + b" " * MIB + b"}",
    "blanks behind": b'{"a":"a"}' + b" " * MIB,
    "open brackets": b"[" * MIB,
    "many small members": b"{" + b",".join(b'"%d":1' % number for number in range(90_000)) + b"}",
}
PARSED: dict[str, bytes] = {
    "a text of the limit": b'{"a":"' + b"a" * MOST_BETWEEN_QUOTES + b'"}',
    "an escaped quotation mark within": b'{"a":"' + b"a" * 60_000 + b'\\"' + b"a" * 5_000 + b'"}',
    "a backslash before the end": array(b'"' + b"a" * 60_000 + b'\\\\"', b'"' + b"a" * 60_000 + b'"'),
    "backslashes of the limit": array(*[b'"' + b"\\u00e4" * 5_000 + b'"'] * (MOST_BACKSLASHES // 5_000)),
    "digits of the limit": array(*[b"1" * MOST_DIGITS, b'""'] * (MOST_DIGITS_IN_ALL // MOST_DIGITS)),
    "companies": json.dumps({"a": [f"firm:NO:{number}" for number in range(900_000_000, 900_010_000)]}).encode(),
}


@given(OBJECTS, st.booleans(), st.integers(0, 40))
def test_the_longest_stretch_is_that_of_a_plain_reading(value: Any, is_ascii: bool, most: int) -> None:
    body = json.dumps(value, ensure_ascii=is_ascii).encode()
    assert exceeds_between_quotes(body, most) == (max(between_quotes(body)) > most)


@given(st.lists(st.sampled_from([b'"', b"a", b"aa", b"aaaaaa"]), max_size=30), st.integers(1, FEW))
def test_the_longest_stretch_of_any_bytes(parts: list[bytes], most: int) -> None:
    body = b"".join(parts)
    assert exceeds_between_quotes(body, most) == (max(map(len, body.split(b'"'))) > most)


class _Counted(bytes):
    """Bytes that count how often they are searched, and how far."""

    searches = looked_at = 0

    def rfind(self, sought: bytes, start: int, end: int) -> int:  # type: ignore[override]
        found = super().rfind(sought, start, end)
        type(self).searches += 1
        type(self).looked_at += min(end, len(self)) - max(start, found)
        return found


@check_cases("name", SEARCHED)
def test_the_search_looks_at_every_byte_at_most_twice(name: str) -> None:
    body = SEARCHED[name]
    _Counted.searches = _Counted.looked_at = 0
    exceeds_between_quotes(_Counted(body), MOST_BETWEEN_QUOTES)
    assert _Counted.searches <= 2 * len(body) / MOST_BETWEEN_QUOTES + 1
    assert _Counted.looked_at <= 2 * len(body) + _Counted.searches


@check_cases("name", REFUSED)
def test_what_takes_a_parser_long_is_refused(name: str) -> None:
    with pytest.raises(ProblemError) as refused:
        parse_object(REFUSED[name])
    assert (refused.value.status, refused.value.problem_type.code) == (413, "payload_too_large")


@check_cases("name", PARSED)
def test_what_is_within_every_limit_is_parsed(name: str) -> None:
    assert parse_object(PARSED[name]) == json.loads(PARSED[name])


def test_many_values_are_parsed_beside_the_event_loop() -> None:
    """20,000 numbers in 40 KB take a parser as long as a long body does."""
    threads = []

    def parse(received: bytes, _most_containers: int) -> Any:
        threads.append(threading.current_thread())
        return parse_object(received)

    for values in (FEW_VALUES, FEW_VALUES + 1, MOST_VALUES - 1):
        body = array(*[b"1"] * values)

        async def receive(body: bytes = body) -> Any:
            return {"type": "http.request", "body": body, "more_body": False}

        assert asyncio.run(read_object(receive, BodyPolicy(parse=parse))) == {"a": [1] * values}
    assert [one is threading.main_thread() for one in threads] == [True, False, False]
