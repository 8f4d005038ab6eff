"""A case made small as long as it shows the same finding: lines, then stretches, then signs that stand for others.

Every try is judged in this process, or in one of its own where the case hangs or kills. Digits and letters become
`1` and `a` where that changes nothing, so that what a genuine body said is gone; what is left is looked at by whoever
commits it. Does not belong here: judging.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

Shows = Callable[[bytes], bool]

TRIES: Final = 3_000
_LETTERS: Final = re.compile(rb"[b-z]+")
_DIGITS: Final = re.compile(rb"[02-9]+")


def reduced(body: bytes, shows: Shows, tries: int = TRIES) -> bytes:
    """The smallest body found within so many tries."""
    left = [tries]

    def still(candidate: bytes) -> bool:
        left[0] -= 1
        return left[0] >= 0 and shows(candidate)

    before = None
    while before != body and left[0] > 0:
        before = body
        body = _without_parts(body, still, _lines)
        body = _without_parts(body, still, _stretches)
    return _plain(body, still)


def _without_parts(body: bytes, shows: Shows, parted: Callable[[bytes, int], list[bytes]]) -> bytes:
    """Leaves out one part after another, of ever smaller parts."""
    for count in (2, 4, 8, 16, 32, 64, 128, 256):
        parts, at = parted(body, count), 0
        while len(parts) > 1 and at < len(parts):
            candidate = b"".join(parts[:at] + parts[at + 1 :])
            if shows(candidate):
                del parts[at]
            else:
                at += 1
        body = b"".join(parts)
    return body


def _lines(body: bytes, count: int) -> list[bytes]:
    lines = body.splitlines(keepends=True)
    each = max(1, len(lines) // count)
    return [b"".join(lines[at : at + each]) for at in range(0, len(lines), each)]


def _stretches(body: bytes, count: int) -> list[bytes]:
    each = max(1, len(body) // count)
    return [body[at : at + each] for at in range(0, len(body), each)]


def _plain(body: bytes, shows: Shows) -> bytes:
    """Words without their letters and numbers without their digits, where these do not matter."""
    for pattern, sign in ((_LETTERS, b"a"), (_DIGITS, b"1")):
        for found in reversed(list(pattern.finditer(body))):
            candidate = body[: found.start()] + sign * len(found[0]) + body[found.end() :]
            if shows(candidate):
                body = candidate
    return body


def halves(body: bytes) -> Iterator[bytes]:
    """The few smaller bodies that are tried where each try costs seconds."""
    for part in (2, 4, 8):
        size = max(1, len(body) // part)
        for at in range(0, len(body), size):
            yield body[:at] + body[at + size :]
