"""Taking identity numbers and birth dates out of announcements before they are archived (docs/architecture.md 14).

What cannot be looked through is not kept: `{"unreadable": reason}` stands for it. Does not belong here: what such a
number looks like (`identity_numbers`).
"""

from __future__ import annotations

import io
import re
from typing import BinaryIO, Final

import msgspec

from connectors.kit import readable
from connectors.kit.guarded import ArchiveError
from connectors.no.identity_numbers import masked

LARGEST: Final = 256 << 20  # bytes of a day's notices, and far more
UNREADABLE: Final = "unreadable"
_DIGIT: Final = re.compile(rb"(?<!\\)((?:\\\\)*)\\u003([0-9])")  # written as an escape, which need not be


def redact(body: BinaryIO) -> BinaryIO:
    """The body, unpacked, with identity numbers and birth dates masked."""
    try:
        found = readable.whole(body, LARGEST)
    except ArchiveError as error:
        return _withheld(error.reason)
    if b"\x00" in found:
        return _withheld("letters of two bytes, or none at all")
    return io.BytesIO(masked(_DIGIT.sub(rb"\1\2", found)))


def _withheld(reason: str) -> BinaryIO:
    return io.BytesIO(msgspec.json.encode({UNREADABLE: reason}))
