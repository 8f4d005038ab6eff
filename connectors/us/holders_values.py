"""Values of ownership documents: days, shares, percentages, classes, CUSIPs and names, as filers write them.

What does not read is None, never guessed; who reads it raises the signal. Does not belong here: where in a document
a value stands.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Final

from warehouse.folding import folded

_ISO: Final = re.compile(r"(\d{4}-\d{2}-\d{2})(?:Z|[+-]\d{2}:\d{2}|T.*)?")
_AMERICAN: Final = re.compile(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})")
_WORDED: Final = re.compile(
    r"(January|February|March|April|May|June|July|August|September|October|November|December)\.?\s+"
    r"(\d{1,2})(?:st|nd|rd|th)?\s*,?\s*(\d{4})",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d*)?|-?\d+(?:\.\d*)?|\.\d+")
_CUSIP: Final = re.compile(r"[0-9A-Z*@#]{8,9}")
_LONGEST: Final = 30  # characters of a number
_LONGEST_TITLE: Final = 500  # characters of a class's title within which it says which class it is
_HIGHEST: Final = Decimal(99_999)  # of a percentage that a column holds
_PLACES: Final = Decimal("0.0001")
# what stands behind the class itself: its par value, currency signs, remarks in brackets
_PAR: Final = re.compile(
    r"[,;]?\s*(?:[$£€]|(?:of\s+)?(?:with(?:out)?\s+)?(?:no\s+|stated\s+)?\b(?:par|nominal)\b|\bper\s+share\b"
    r"|\((?![^)]*\b(?:class|series|vot))).*",
    re.IGNORECASE | re.DOTALL,
)
_SAME: Final = {
    "com": "common stock",
    "shares of common stock": "common stock",
    "shares of ordinary shares": "ordinary shares",
    "ordinary share": "ordinary shares",
}
_COMMON: Final = re.compile(r"\bcommon(?: (?:stock )?shares?| stocks?)?$")
_LETTER: Final = re.compile(r"\b(?:class|series)\s+[a-z0-9]{1,3}\b")
_OTHER: Final = re.compile(r"\b(?:prefer\w+|warrants?|units?|notes?|debentures?|rights?|options?)\b")


def day(text: str | None) -> date | None:
    """2026-03-31, with or without a zone; 03/31/2026 and 03-31-2026; March 31, 2026."""
    value = (text or "").strip()
    found = _ISO.fullmatch(value)
    if found:
        return _formed(found.group(1), "%Y-%m-%d")
    found = _AMERICAN.fullmatch(value)
    if found:
        return _formed("/".join(found.groups()), "%m/%d/%Y")
    found = _WORDED.fullmatch(value)
    return _formed(" ".join(found.groups()), "%B %d %Y") if found else None


def worded_days(text: str) -> list[str]:
    """What in a text looks like a day."""
    found = [*_WORDED.finditer(text), *_AMERICAN.finditer(text)]
    return [match.group() for match in sorted(found, key=re.Match.start)]


def _formed(text: str, form: str) -> date | None:
    try:
        return datetime.strptime(text, form).date()  # noqa: DTZ007 - a day has no zone
    except ValueError:
        return None


def number(text: str | None) -> Decimal | None:
    """A count: 2100000, 13211928.00, 1,099,168. None for words."""
    value = (text or "").strip()
    if not value or len(value) > _LONGEST or not _NUMBER.fullmatch(value):
        return None
    try:
        return Decimal(value.replace(",", ""))
    except InvalidOperation:
        return None


def plain(value: Decimal | None) -> str | None:
    """A count as it is stored: no blank decimals, no exponent."""
    if value is None:
        return None
    return format(value.to_integral_value() if value == value.to_integral_value() else value.normalize(), "f")


def percent(text: str | None) -> Decimal | None:
    """A percentage: 49.99, 22.2%. None for words, «o», and what no column holds."""
    value = number((text or "").strip().removesuffix("%"))
    if value is None or not 0 <= value <= _HIGHEST:
        return None
    return value.quantize(_PLACES)


def flag(text: str | None) -> bool | None:
    """Y, 1, true and their opposites; older and newer schemas mix them (docs/formats/us.md 7.3)."""
    value = (text or "").strip().casefold()
    if value in ("y", "1", "true", "yes"):
        return True
    return False if value in ("n", "0", "false", "no") else None


def cusip(text: str | None) -> str | None:
    """Eight or nine signs, in capitals; None for words and for a row of zeros."""
    value = re.sub(r"[\s.-]", "", (text or "").strip().strip("*").upper())
    return value if _CUSIP.fullmatch(value) and value.strip("0") else None


def clean(text: str | None) -> str | None:
    """One line without blanks at its ends; None for nothing."""
    return " ".join((text or "").split()) or None


def class_key(title: str | None) -> str:
    """The class that a title means, for comparing filings of one holder: «common stock» of every par value.

    Only what cannot tell two classes apart is taken off: a letter behind the par value stays.
    """
    whole = (title or "").strip()[:_LONGEST_TITLE]
    bare = _PAR.sub("", whole) or whole
    key = _COMMON.sub("common stock", folded(bare))
    behind = [letter for letter in _LETTER.findall(folded(whole)) if letter not in key]
    return " ".join([_SAME.get(key, key), *dict.fromkeys(behind)])


def are_one_class(key: str, other: str) -> bool:
    """Whether two titles with one CUSIP are of one class: an unlisted class may be given that of a listed one."""
    letters = [set(_LETTER.findall(one)) for one in (key, other)]
    kinds = [bool(_OTHER.search(one)) for one in (key, other)]
    return kinds[0] == kinds[1] and letters[0] == letters[1]


def name_key(name: str) -> str:
    """A holder's name as it is compared."""
    return folded(name)
