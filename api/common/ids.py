"""Prefixed ULIDs: `req_`, `acc_`, `key_` and the like with 26 Crockford base32 characters, sortable by time.

Does not belong here: ids that must be the same on every run (`warehouse.schema.ids`).
"""

import random
import re
from collections.abc import Callable
from typing import Final

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS: Final = tuple(high + low for high in _ALPHABET for low in _ALPHABET)
_TIME_SHIFTS: Final = (40, 30, 20, 10, 0)  # 50 bits, of which the milliseconds use 48
_RANDOM_BITS: Final = 80

_REST: Final = re.compile(f"_[{_ALPHABET}]{{26}}")

Randomness = Callable[[int], int]
"""Returns the given number of random bits. The ids must be unique, not secret."""


def earliest_id(prefix: str, milliseconds: int) -> str:
    """The lowest id of a millisecond since 1970: ids created then or later are not lower."""
    return f"{prefix}_{_time_part(milliseconds)}{_ALPHABET[0] * (_RANDOM_BITS // 5)}"


def _time_part(milliseconds: int) -> str:
    return "".join([_PAIRS[milliseconds >> shift & 1023] for shift in _TIME_SHIFTS])


def is_ulid(prefix: str, text: str) -> bool:
    """True if a text has the form of such an id; anything else is rejected without a database query."""
    return text.startswith(prefix) and _REST.fullmatch(text, len(prefix)) is not None


class UlidGenerator:
    """Creates ids; time and randomness are injected, so that tests are deterministic."""

    __slots__ = ("_milliseconds", "_randomness", "_time", "_wall")

    def __init__(self, wall: Callable[[], float], randomness: Randomness | None = None) -> None:
        self._wall = wall
        self._randomness = randomness or random.Random().getrandbits  # noqa: S311 -- no secret
        self._milliseconds = -1
        self._time = ""

    def make(self, prefix: str) -> str:
        milliseconds = int(self._wall() * 1000)
        if milliseconds != self._milliseconds:  # many ids share a millisecond
            self._time = _time_part(milliseconds)
            self._milliseconds = milliseconds
        bits, pairs = self._randomness(_RANDOM_BITS), _PAIRS
        return (
            f"{prefix}_{self._time}{pairs[bits >> 70]}{pairs[bits >> 60 & 1023]}{pairs[bits >> 50 & 1023]}"
            f"{pairs[bits >> 40 & 1023]}{pairs[bits >> 30 & 1023]}{pairs[bits >> 20 & 1023]}"
            f"{pairs[bits >> 10 & 1023]}{pairs[bits & 1023]}"
        )
