"""Masks identity numbers and birth dates in announcements before they are archived (docs/architecture.md 14).

A body that cannot be redacted is replaced by `{"unreadable": reason}`. Does not belong here: the patterns of such
numbers (`identity_numbers`).
"""

from __future__ import annotations

import io
import re
from typing import BinaryIO, Final

import msgspec

from connectors.kit.archive.bounded_stream import ArchiveError
from connectors.kit.redact import text
from connectors.no.identity_numbers import mask_identity_numbers

LARGEST: Final = 256 << 20  # bytes; far more than a day's notices
UNREADABLE: Final = "unreadable"
_DIGIT: Final = re.compile(rb"(?<!\\)((?:\\\\)*)\\u003([0-9])")  # a digit written as a needless escape


def redact(body: BinaryIO) -> BinaryIO:
    """Returns the decompressed body with identity numbers and birth dates masked."""
    try:
        found = text.read_text(body, LARGEST)
    except ArchiveError as error:
        return _withheld_body(error.reason)
    if b"\x00" in found:
        return _withheld_body("letters of two bytes, or none at all")
    return io.BytesIO(mask_identity_numbers(_DIGIT.sub(rb"\1\2", found)))


def _withheld_body(reason: str) -> BinaryIO:
    return io.BytesIO(msgspec.json.encode({UNREADABLE: reason}))
