"""Masks personal numbers (CPR) in bodies before the archive.

The registers are not meant to have any; reports are texts of their authors. A number is ddmmyy-nnnn with a possible
day and month, or ten digits after the word CPR. The check digit is not asked: numbers without it exist since 2007. Ten
digits alone are unit and P-numbers. Does not belong here: which bodies are masked (`redact` of a dataset).
"""

from __future__ import annotations

import re
from typing import Final

_DAY: Final = rb"(?:0[1-9]|[12][0-9]|3[01])(?:0[1-9]|1[0-2])[0-9]{2}"
_WORD: Final = b"cpr"
_HYPHENED: Final = re.compile(rb"(?<![0-9-])" + _DAY + rb"-[0-9]{4}(?![0-9-])")
_CANDIDATE: Final = re.compile(rb"-(?<=[0-9]{6}-)[0-9]{4}(?![0-9-])")  # found fast: it begins with a sign of its own
_NAMED: Final = re.compile(rb"(\bcpr[^0-9<>]{0,16})" + _DAY + rb"[ -]?[0-9]{4}(?![0-9])", re.IGNORECASE)
MASKED: Final = b"******-****"


def mask_personal_numbers(text: bytes) -> bytes:
    """The text with every personal number as stars."""
    if _CANDIDATE.search(text) is not None:
        text = _HYPHENED.sub(MASKED, text)
    return _NAMED.sub(rb"\g<1>" + MASKED, text) if _WORD in text.lower() else text
