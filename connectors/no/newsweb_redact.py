"""Masks identity numbers and birth dates in announcements before they are archived (docs/architecture.md 14).

A body that cannot be redacted is replaced by `{"unreadable": reason}`. Does not belong here: the patterns of such
numbers (`identity_numbers`).
"""

from __future__ import annotations

import io
import re
from typing import BinaryIO, Final

import msgspec

from connectors.kit import readable
from connectors.kit.guarded import ArchiveError
from connectors.no.identity_numbers import masked

LARGEST: Final = 256 << 20  # bytes; far more than a day's notices
UNREADABLE: Final = "unreadable"
_DIGIT: Final = re.compile(rb"(?<!\\)((?:\\\\)*)\\u003([0-9])")  # a digit written as a needless escape


def redact(body: BinaryIO) -> BinaryIO:
    """Returns the decompressed body with identity numbers and birth dates masked."""
    try:
        found = readable.whole(body, LARGEST)
    except ArchiveError as error:
        return _withheld(error.reason)
    if b"\x00" in found:
        return _withheld("letters of two bytes, or none at all")
    return io.BytesIO(masked(_DIGIT.sub(rb"\1\2", found)))


def _withheld(reason: str) -> BinaryIO:
    return io.BytesIO(msgspec.json.encode({UNREADABLE: reason}))
