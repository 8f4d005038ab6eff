"""Masks national identity numbers (fødselsnummer, D-nummer) and birth dates in texts.

A number is found by its date and check digits, a birth date or year by the preceding word.

Belongs here: finding and masking. Does not belong here: which texts are redacted (`redact` of a dataset).
"""

from __future__ import annotations

import re
from typing import Final

_CANDIDATE: Final = re.compile(rb"(?<![0-9])([0-9]{6})([ \-]?)([0-9]{5})(?![0-9])")
# In JSON texts a blank or «ø» may be an escape, or UTF-8 encoded once or twice.
_BLANK: Final = rb"(?:[\s:,(]|\\[nrt]|\\u00a0|\xc2\xa0)"
_MONTH: Final = rb"(?:jan|feb|mar|apr|ma[yi]|jun|jul|aug|sep|o[ck]t|nov|de[cs])[a-z]*\.?"  # two languages
_DAY: Final = (
    rb"(?:[0-9]{1,2}[./ -]{1,2}[0-9]{1,2}[./ -]{1,2}(?:[0-9]{4}|[0-9]{2})|[0-9]{4}[-./][0-9]{1,2}[-./][0-9]{1,2}"
    rb"|[0-9]{1,2}(?:\.|st|nd|rd|th)?" + _BLANK + rb"*" + _MONTH + _BLANK + rb"*[0-9]{4}"
    rb"|" + _MONTH + _BLANK + rb"*[0-9]{1,2}(?:st|nd|rd|th)?" + _BLANK + rb"*[0-9]{4}|[0-9]{8}|[0-9]{6})(?![0-9])"
)
_BORN: Final = (
    rb"(?:(?:born|f(?:\xc3\xb8|\xc3\x83\xc2\xb8|\xf8|\\u00f8|o|oe)(?:dt|dselsdato)|date of birth|dob)"
    + _BLANK
    + rb"*(?:(?:on|den|in|i)"
    + _BLANK
    + rb"+)?|f\."
    + _BLANK
    + rb"*)"
)
_BIRTH: Final = re.compile(
    rb"((?:(?<![0-9a-z])|(?<=\\[nrt]))" + _BORN + rb")(" + _DAY + rb"|(?:19|20)[0-9]{2}(?![0-9]))", re.IGNORECASE
)
_FIRST: Final = (3, 7, 6, 1, 8, 9, 4, 5, 2)
_SECOND: Final = (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)
_MONTHS: Final = 12
_DAYS: Final = 31
_SHIFT: Final = 40  # added to the day of a D-number, and (also twice) to the month of synthetic ones


def mask_identity_numbers(text: bytes) -> bytes:
    """The text with every identity number and birth date as stars."""
    unnumbered = _CANDIDATE.sub(
        lambda found: b"***********" if _is_identity_number(found.group(1) + found.group(3)) else found.group(0), text
    )
    return _BIRTH.sub(lambda found: found.group(1) + b"**********", unnumbered)


def _is_identity_number(digits: bytes) -> bool:
    numbers = [digit - 48 for digit in digits]
    day, month = int(digits[:2]) % _SHIFT, int(digits[2:4]) % _SHIFT
    if not (1 <= day <= _DAYS and 1 <= month <= _MONTHS):
        return False
    first = -sum(map(int.__mul__, _FIRST, numbers)) % 11
    second = -sum(map(int.__mul__, _SECOND, numbers)) % 11
    return (first, second) == (numbers[9], numbers[10])
