"""Parses values of ownership documents: days, shares, percentages, classes, CUSIPs and names, as filers write them.

Values that cannot be parsed are None, never guessed; the caller raises the signal. Does not belong here:
locating a value in a document.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Final

from stdnum import cusip as stdnum_cusip

from connectors.kit.columns.percentages import round_percentage
from connectors.kit.staging import SignalCounter
from connectors.us.filing_days import OLDEST
from name_matching.folding import fold_text

_ISO: Final = re.compile(r"(\d{4}-\d{2}-\d{2})(?:Z|[+-]\d{2}:\d{2}|T.*)?")
_AMERICAN: Final = re.compile(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})")
_WORDED: Final = re.compile(
    r"(January|February|March|April|May|June|July|August|September|October|November|December)\.?\s+"
    r"(\d{1,2})(?:st|nd|rd|th)?\s*,?\s*(\d{4})",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d*)?|-?\d+(?:\.\d*)?|\.\d+")
_CUSIP: Final = re.compile(r"[0-9A-Z*@#]{8,9}|[0-9]{6,7}")  # spreadsheets drop the zeros in front
_CUSIP_SIGNS: Final = 9
_MISREAD: Final = str.maketrans("OI", "01")
_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8});", re.IGNORECASE)
_NO_NAME: Final = frozenset({"", "n/a", "none", "null", "not applicable"})
_LONGEST: Final = 30  # characters of a number
_LONGEST_TITLE: Final = 500  # characters of a class title that identify the class
_HIGHEST: Final = Decimal(99_999)  # highest percentage that fits a column
# words after the class name: its par value, currency signs, remarks in brackets
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


def parse_day(text: str | None) -> date | None:
    """Parses 2026-03-31, with or without a zone; 03/31/2026 and 03-31-2026; March 31, 2026."""
    value = (text or "").strip()
    found = _ISO.fullmatch(value)
    if found:
        return _parse_format(found.group(1), "%Y-%m-%d")
    found = _AMERICAN.fullmatch(value)
    if found:
        return _parse_format("/".join(found.groups()), "%m/%d/%Y")
    found = _WORDED.fullmatch(value)
    return _parse_format(" ".join(found.groups()), "%B %d %Y") if found else None


def last_signature_day(
    written: Iterable[str | None], observed_on: date, tally: SignalCounter, example: str
) -> date | None:
    """The last day of a signature: a form is signed before it is read, and no earlier than the law."""
    days = [day for text in written if (day := parse_day(text)) is not None]
    possible = [day for day in days if OLDEST <= day <= observed_on + timedelta(days=1)]
    if len(possible) < len(days):
        tally.add("unreadable_value", "day of a signature", example)
    return max(possible, default=None)


def find_days(text: str) -> list[str]:
    """Substrings of a text that look like a day."""
    found = [*_WORDED.finditer(text), *_AMERICAN.finditer(text)]
    return [match.group() for match in sorted(found, key=re.Match.start)]


def _parse_format(text: str, form: str) -> date | None:
    try:
        return datetime.strptime(text, form).date()  # noqa: DTZ007 - a day has no zone
    except ValueError:
        return None


def parse_number(text: str | None) -> Decimal | None:
    """Parses a number: 2100000, 13211928.00, 1,099,168. None for words."""
    value = (text or "").strip()
    if not value or len(value) > _LONGEST or not _NUMBER.fullmatch(value):
        return None
    try:
        return Decimal(value.replace(",", ""))
    except InvalidOperation:
        return None


def parse_shares(text: str | None) -> Decimal | None:
    """Parses a number of shares; None for words and for negative numbers."""
    value = parse_number(text)
    return None if value is None or value < 0 else value


def format_number(value: Decimal | None) -> str | None:
    """A count as stored: no trailing zero decimals, no exponent."""
    if value is None:
        return None
    return format(value.to_integral_value() if value == value.to_integral_value() else value.normalize(), "f")


def parse_percent(text: str | None) -> Decimal | None:
    """Parses a percentage: 49.99, 22.2%. None for words, «o», and values too large for a column."""
    value = parse_number((text or "").strip().removesuffix("%"))
    if value is None or not 0 <= value <= _HIGHEST:
        return None
    return round_percentage(value)


def parse_flag(text: str | None) -> bool | None:
    """Parses Y, 1, true and their opposites; older and newer schemas mix them (docs/formats/us.md 7.3)."""
    value = (text or "").strip().casefold()
    if value in ("y", "1", "true", "yes"):
        return True
    return False if value in ("n", "0", "false", "no") else None


def parse_cusip(text: str | None) -> str | None:
    """Parses eight or nine characters, upper-cased; None for words and for one character repeated.

    No CUSIP has the letters O and I: they are digits where the check digit then holds.
    """
    value = re.sub(r"[\s.'\"-]", "", (text or "").strip().strip("*").upper())
    if not _CUSIP.fullmatch(value) or len(set(value)) == 1:
        return None
    digits = value.translate(_MISREAD)
    return digits if digits != value and _has_check_digit(digits) else value


def _has_check_digit(cusip: str) -> bool:
    return len(cusip) == _CUSIP_SIGNS and stdnum_cusip.calc_check_digit(cusip[:-1]) == cusip[-1]


def padded_cusip(cusip: str) -> str | None:
    """A CUSIP that lost the zeros in front, with them; None if the check digit then does not hold."""
    whole = cusip.zfill(_CUSIP_SIGNS)
    return whole if len(cusip) < _CUSIP_SIGNS and _has_check_digit(whole) else None


def parse_name(text: str | None) -> str | None:
    """A name, without entities that were escaped twice; None for words that stand for none."""
    name = _ENTITY.sub(lambda entity: html.unescape(entity.group()), text or "").strip()
    return None if name.casefold() in _NO_NAME else name


def read_flag(text: str | None, subject: str, tally: SignalCounter, example: str) -> bool | None:
    """`parse_flag`; a value that is neither yes nor no is signalled."""
    found = parse_flag(text)
    if text and found is None:
        tally.add("unknown_code", f"{subject} {text}", example)
    return found


def clean_line(text: str | None) -> str | None:
    """Text on one line, trimmed; None if empty."""
    return " ".join((text or "").split()) or None


def class_key(title: str | None) -> str:
    """Normalised class title for comparing one holder's filings: «common stock» whatever its par value.

    Only text that cannot distinguish two classes is removed: a letter after the par value stays.
    """
    whole = (title or "").strip()[:_LONGEST_TITLE]
    bare = _PAR.sub("", whole) or whole
    key = _COMMON.sub("common stock", fold_text(bare))
    behind = [letter for letter in _LETTER.findall(fold_text(whole)) if letter not in key]
    return " ".join([_SAME.get(key, key), *dict.fromkeys(behind)])


def is_same_class(key: str, other: str) -> bool:
    """Whether two titles with one CUSIP are the same class: an unlisted class may be given a listed one's CUSIP."""
    letters = [set(_LETTER.findall(one)) for one in (key, other)]
    kinds = [bool(_OTHER.search(one)) for one in (key, other)]
    return kinds[0] == kinds[1] and letters[0] == letters[1]
