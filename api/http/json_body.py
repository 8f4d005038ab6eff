"""Request bodies: read completely within a limit and parsed strictly (docs/contract/contract.md 4.0, 4.10).

A body is one JSON object in UTF-8 without duplicate keys; anything else is `malformed_json` with the byte offset of
the error. Does not belong here: headers that describe a body (`api.http.content_negotiation`), or the meaning of
members.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, ParamSpec, TypeVar

import msgspec
from litestar.types import Receive

from api.http.content_negotiation import BODY_LIMIT, JSON_TYPES, payload_too_large
from api.http.suggestions import SHOWN
from api.problems.problem import ProblemError, new_problem

Object = Mapping[str, Any]
P = ParamSpec("P")
R = TypeVar("R")

FEW_VALUES: Final = 2_000  # take a parser half a millisecond: no thread is asked
MOST_VALUES: Final = 20_000
MOST_CONTAINERS: Final = 100
MOST_MEMBERS: Final = 100
MOST_DEPTH: Final = 32
MOST_DIGITS: Final = 400
MOST_DIGITS_IN_ALL: Final = 100_000
MOST_BACKSLASHES: Final = 50_000
MOST_BETWEEN_QUOTES: Final = 65_536
"""Values, objects and arrays of a body, members of an object, levels of a body, characters of a number, which takes
more than linear time, and of all numbers, backslashes, and bytes of a text or of what is between two texts.

While a parser works no other request goes on, in a thread neither. What takes it longest is limited, so that it needs
little longer for a body of the largest size than for one with 10,000 companies."""

_BODY_THREAD: Final = ThreadPoolExecutor(1, thread_name_prefix="firm-bodies")
_TRAILING: Final = "JSON is malformed: trailing characters (byte "
_KINDS: Final = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}


async def in_body_thread(work: Callable[P, R], *given: P.args, **named: P.kwargs) -> R:
    """Works on a long body while other requests go on; on one body at a time."""
    return await asyncio.get_running_loop().run_in_executor(_BODY_THREAD, partial(work, *given, **named))


async def read_full_body(receive: Receive, limit: int) -> bytes | None:
    """Reads the whole body; 413 if too large, None if the client disconnected."""
    received = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        received += message["body"]
        if len(received) > limit:
            raise payload_too_large(limit)
        if not message["more_body"]:
            return bytes(received)


def parse_object(received: bytes, most_containers: int = MOST_CONTAINERS) -> Object:
    """Parses a JSON object; 400 with the byte offset on failure, 413 for more values than are parsed."""
    _check_parts(received, most_containers)
    try:
        _check_members(received.decode())
        value = msgspec.json.decode(received)
    except UnicodeDecodeError as error:
        raise new_problem("malformed_json", f"The body is not UTF-8 at byte {error.start}.") from None
    except msgspec.DecodeError as error:
        raise _malformed_problem(str(error), len(received)) from None
    except RecursionError:
        raise _too_deep_problem() from None
    if not isinstance(value, dict):
        raise new_problem("malformed_json", f"Send one JSON object, not {_KINDS.get(type(value), 'a number')}.")
    if _depth(value) > MOST_DEPTH:
        raise _too_deep_problem()
    return value


@dataclass(frozen=True, slots=True)
class BodyPolicy:
    """Describes the body that an operation accepts. `is_optional`: an empty body counts as an empty object.

    limit: bytes. most_containers: objects and arrays. parse: the object of a body and `most_containers`.
    """

    limit: int = BODY_LIMIT
    most_containers: int = MOST_CONTAINERS
    media_types: tuple[bytes, ...] = JSON_TYPES
    is_optional: bool = False
    parse: Callable[[bytes, int], Object] = parse_object


async def read_object(receive: Receive, body: BodyPolicy) -> Object:
    """Reads the object that a body is, a large one in a thread; 413 or 400 on failure.

    Nothing past the limit is kept, whatever Content-Length says.
    """
    received = await read_full_body(receive, body.limit)
    if received is None:
        raise new_problem("malformed_json", "The request ended before its body was complete.")
    if body.is_optional and not received:
        return {}
    if len(received) <= BODY_LIMIT and received.count(b",") < FEW_VALUES:
        return body.parse(received, body.most_containers)
    return await in_body_thread(body.parse, received, body.most_containers)


def _check_members(text: str) -> None:
    """Checks what a decoder does not: repeated and numerous members, and long numbers. Malformed JSON is its task."""
    numbers = _NumberLengths()
    with suppress(json.JSONDecodeError):
        json.loads(text, object_pairs_hook=reject_duplicate_members, parse_int=numbers.check, parse_float=numbers.check)


class _NumberLengths:
    """The characters of the numbers of one body."""

    __slots__ = ("_total",)

    def __init__(self) -> None:
        self._total = 0

    def check(self, number: str) -> None:
        """Raises where this number is too long, or all until here together are."""
        length = len(number)
        if length > MOST_DIGITS:
            raise new_problem("malformed_json", f"A number has more than {MOST_DIGITS} characters.")
        self._total += length
        if self._total > MOST_DIGITS_IN_ALL:
            raise _too_many_problem(MOST_DIGITS_IN_ALL, "characters of numbers")


def _too_deep_problem() -> ProblemError:
    return new_problem("malformed_json", "The body is nested too deeply.")


def _check_parts(received: bytes, most_containers: int) -> None:
    """Counts what a body may consist of before it is parsed; within texts too, whose lengths are limited anyway."""
    if received.count(b",") >= MOST_VALUES:
        raise _too_many_problem(MOST_VALUES, "values")
    if received.count(b"{") + received.count(b"[") > most_containers:
        raise _too_many_problem(most_containers, "objects and arrays")
    if received.count(b"\\") > MOST_BACKSLASHES:
        raise _too_many_problem(MOST_BACKSLASHES, "backslashes")
    if exceeds_between_quotes(received, MOST_BETWEEN_QUOTES):
        raise _too_many_problem(MOST_BETWEEN_QUOTES, "bytes in one text, or between two texts")


def exceeds_between_quotes(received: bytes, most: int) -> bool:
    """True if a text, or what is between two texts, has more bytes than `most`, escapes as they are sent.

    Looks for the last quotation mark within reach of the one before. Two steps go further than `most`, so the number of
    steps is at most twice the length by `most`, and every byte is looked at twice.
    """
    if len(received) <= most:
        return False
    if b"\\" in received:
        received = received.replace(rb"\\", b"--").replace(rb"\"", b"--")  # left are marks that begin or end a text
    last = -1
    while len(received) - last - 1 > most:
        last = received.rfind(b'"', last + 1, last + most + 2)
        if last < 0:
            return True
    return False


def _depth(value: Any) -> int:
    """Levels of objects and arrays."""
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max((_depth(one) for one in inner if isinstance(one, dict | list)), default=0)


def reject_duplicate_members(pairs: list[tuple[str, Any]]) -> None:
    """Rejects duplicate keys: parsers differ in which of the values they take."""
    if len(pairs) > MOST_MEMBERS:
        raise _too_many_problem(MOST_MEMBERS, "members in one object")
    if len(dict(pairs)) < len(pairs):
        times = Counter(name for name, _ in pairs)
        name = next(name for name, count in times.items() if count > 1)
        raise new_problem("malformed_json", f"'{name[:SHOWN]}' appears twice in one object.")


def _too_many_problem(limit: int, what: str) -> ProblemError:
    return new_problem("payload_too_large", f"At most {limit} {what}.", limit=limit)


def _malformed_problem(said: str, length: int) -> ProblemError:
    """Converts the parser's error message to the contract's wording."""
    if said == "Input data was truncated":
        return new_problem("malformed_json", f"Unexpected end of data at byte {length}.")
    if said.startswith(_TRAILING):  # the only message in which the parser reports the byte after the error
        return new_problem("malformed_json", f"Trailing characters at byte {int(said[len(_TRAILING) : -1]) - 1}.")
    reason = said.removeprefix("JSON is malformed: ").partition(" - at ")[0]
    reason = reason.replace(" (byte ", " at byte ").removesuffix(")")
    return new_problem("malformed_json", f"{reason[:1].upper()}{reason[1:]}.")
