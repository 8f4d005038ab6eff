"""Sortable ids that carry time: `req_`, `acc_`, `key_` and the like with 26 Crockford base32 characters.

Does not belong here: ids that must be the same on every run (`warehouse.schema.ids`).
"""

import random
import re
from collections.abc import Callable
from typing import Final

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS: Final = tuple(high + low for high in _ALPHABET for low in _ALPHABET)
_TIME_SHIFTS: Final = (40, 30, 20, 10, 0)  # 50 bits, of which milliseconds fill 48
_RANDOM_BITS: Final = 80

_REST: Final = re.compile(f"_[{_ALPHABET}]{{26}}")

Randomness = Callable[[int], int]
"""As many random bits as asked. These ids tell apart, they keep no secret."""


def earliest(prefix: str, milliseconds: int) -> str:
    """The lowest id of that millisecond since 1970: ids made in it or later are not below."""
    return f"{prefix}_{_time_part(milliseconds)}{_ALPHABET[0] * (_RANDOM_BITS // 5)}"


def _time_part(milliseconds: int) -> str:
    return "".join([_PAIRS[milliseconds >> shift & 1023] for shift in _TIME_SHIFTS])


def is_ulid(prefix: str, text: str) -> bool:
    """Whether a text is an id of this kind by its form; databases are not asked for anything else."""
    return text.startswith(prefix) and _REST.fullmatch(text, len(prefix)) is not None


class Ulids:
    """Maker of ids; time and randomness are given, so that tests know what comes."""

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
