"""Inline XBRL transforms: printed text to canonical values, for all versions of the transformation registry.

A transform is identified by its name alone (no two registries give one name two meanings); hyphenated names are the
fourth registry's, which take any grouping. Text that a transform does not accept raises `UnacceptedTextError`,
never a guess. Does not belong here: scale and sign (`xbrl.inline`), months and calendars (`dates`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Final

from connectors.kit.xbrl.transforms.dates import DATES, UnacceptedTextError, parse_loose_date

_LONGEST: Final = 60  # characters of a printed number; a longer one is an attack
_LONGEST_DATE: Final = 200  # characters of a printed date, with trailing text
_DASHES: Final = "-\u058a\u05be\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_SPACE: Final = "\u0020\u00a0\u2007\u2009\u202f"
_WIDE: Final = {ord("０") + digit: ord("0") + digit for digit in range(10)} | {ord("，"): ",", ord("．"): "."}
_APOSTROPHES: Final = "'`´’′＇"


def _grouped_pattern(separators: str, point: str, *, must: bool = True) -> re.Pattern[str]:
    """Digits plain or in groups of three, then a decimal part: registries one to three.

    must: a separator is required between all groups; in registries two and three each is optional
    («1234,567»).
    """
    group = f"[{re.escape(separators)}]{'' if must else '?'}" if separators else ""
    return re.compile(rf"(\d+|\d{{1,3}}(?:{group}\d{{3}})+)(?:{re.escape(point)}(\d+))?", re.ASCII)


def _free_pattern(separators: str, point: str) -> re.Pattern[str]:
    """Separators anywhere, zero before the point optional: registries four and five."""
    inside = re.escape(separators)
    return re.compile(rf"([\d{inside}{_SPACE}]*)(?:{re.escape(point)}([\d{_SPACE}]+))?", re.ASCII)


_DROP: Final = str.maketrans("", "", f".,{_SPACE}{_APOSTROPHES}")


def _number_transform(pattern: re.Pattern[str]) -> Callable[[str], Decimal]:
    def number(text: str) -> Decimal:
        match = pattern.fullmatch(text)
        if match is None:
            raise UnacceptedTextError
        whole, part = match.groups()
        if not whole.isdecimal():
            whole = whole.translate(_DROP)
        if part is None:
            if not whole:
                raise UnacceptedTextError
            return Decimal(whole)
        part = part.translate(_DROP)
        if not part:
            raise UnacceptedTextError
        return Decimal(f"{whole or '0'}.{part}")

    return number


_UNGROUP: Final = str.maketrans("", "", f",{_SPACE}")
_UNITS: Final = re.compile(rf"([\d.,{_APOSTROPHES}]+)([^\d.,{_APOSTROPHES}]\D*)(\d{{1,2}})\D*", re.ASCII)
_UNITS_IN: Final = re.compile(rf"([\d,{_SPACE}]*\d)(\D+)(\d{{1,2}})\D*", re.ASCII)
_INDIAN: Final = re.compile(rf"(\d+|(?:\d{{1,2}}[,{_SPACE}])?(?:\d{{2}}[,{_SPACE}])*\d{{3}})(?:\.(\d+))?", re.ASCII)


def _units_transform(pattern: re.Pattern[str]) -> Callable[[str], Decimal]:
    """«12 dollars 5 cents»: the second number is hundredths."""

    def number(text: str) -> Decimal:
        match = pattern.fullmatch(text.translate(_WIDE))
        if match is None or not match[1].translate(_DROP):
            raise UnacceptedTextError
        return Decimal(f"{match[1].translate(_DROP)}.{match[3]:0>2}")

    return number


def _dash_as_zero(text: str) -> Decimal:
    if not text or text.strip(_DASHES):
        raise UnacceptedTextError
    return Decimal(0)


def _always_zero(_: str) -> Decimal:
    return Decimal(0)


_SPACED_DOT: Final = _number_transform(_grouped_pattern(_SPACE, "."))
_SPACED_COMMA: Final = _number_transform(_grouped_pattern(_SPACE, ","))
_DOT: Final = _number_transform(_grouped_pattern("," + _SPACE, ".", must=False))
_COMMA: Final = _number_transform(_grouped_pattern("." + _SPACE, ",", must=False))

NUMBERS: Final[Mapping[str, Callable[[str], Decimal]]] = {
    "numcommadot": _DOT,  # comma between thousands, although some notes differ
    "numdotcomma": _number_transform(_grouped_pattern(".", ",")),
    "numspacedot": _SPACED_DOT,
    "numspacecomma": _SPACED_COMMA,
    "numcomma": _number_transform(_grouped_pattern("", ",")),
    "numdotdecimal": _DOT,
    "numcommadecimal": _COMMA,
    "numdotdecimalin": _number_transform(_INDIAN),
    "numunitdecimal": _units_transform(_UNITS),
    "numunitdecimalin": _units_transform(_UNITS_IN),
    "num-dot-decimal": _number_transform(_free_pattern(",", ".")),
    "num-comma-decimal": _number_transform(_free_pattern(".", ",")),
    "num-dot-decimal-apos": _number_transform(_free_pattern("," + _APOSTROPHES, ".")),
    "num-comma-decimal-apos": _number_transform(_free_pattern("." + _APOSTROPHES, ",")),
    "num-unit-decimal": _units_transform(_UNITS),
    "num-unit-decimal-apos": _units_transform(_UNITS),
    "numdash": _dash_as_zero,
    "zerodash": _dash_as_zero,
    "zero-dash": _dash_as_zero,
    "fixed-zero": _always_zero,
    "fixedzero": _always_zero,
}
EMPTY: Final = frozenset({"nocontent", "fixed-empty"})
BOOLEANS: Final = {"booleantrue": "true", "fixed-true": "true", "booleanfalse": "false", "fixed-false": "false"}
_KNOWN: Final = tuple(sorted((*NUMBERS, *EMPTY, *BOOLEANS, *DATES), key=len, reverse=True))
_PLAIN: Final = re.compile(rf"-?(?:\d+|\d{{1,3}}(?:[,{_SPACE}]\d{{3}})+)(?:\.\d+)?|-?\.\d+", re.ASCII)
_TWO_POINTS: Final = re.compile(r"\d{1,3}(?:,\d{3})+\.\d+|\d{1,3}(?:,\d{3}){2,}|\d+", re.ASCII)
_BLANKS: Final = _SPACE + "\t\r\n\u200b\ufeff"


def resolve_name(name: str) -> str | None:
    """The known transform that is a prefix of an unknown name; None if there is none."""
    folded = name.lower()
    return next((known for known in _KNOWN if folded.startswith(known)), None)


def is_blank_transform_input(text: str) -> bool:
    """True for blanks, or a dash that means «no value» unless its transform makes it zero."""
    return not text.strip(_BLANKS + _DASHES)


def is_known_transform(name: str) -> bool:
    """True if a registry has a transform of this name."""
    return name in NUMBERS or name in DATES or name in BOOLEANS or name in EMPTY


def parse_plain_number(text: str) -> Decimal:
    """A number without a transform: digits, optionally grouped by commas or blanks, optionally with a minus."""
    text = text.strip(_BLANKS)
    if len(text) > _LONGEST or _PLAIN.fullmatch(text) is None:
        raise UnacceptedTextError
    return Decimal(text.translate(_UNGROUP))


def _unknown_number(text: str) -> Decimal:
    """A number under an unknown transform, if unambiguous: digits, or groups with commas and a point after them."""
    if _TWO_POINTS.fullmatch(text) is None:
        raise UnacceptedTextError
    return Decimal(text.replace(",", ""))


def parse_number(name: str | None, text: str) -> Decimal:
    """The number printed as `text` under a transform (local name; None: none). Raises UnacceptedTextError."""
    if name is None:
        return parse_plain_number(text)
    text = text.strip(_BLANKS)
    if len(text) > _LONGEST:
        raise UnacceptedTextError
    transform = NUMBERS.get(name)
    if transform is None:
        transform = NUMBERS.get(resolve_name(name) or "", _unknown_number)
    return transform(text)


def text_value(name: str | None, text: str) -> str:
    """The value printed as `text` under transform `name`: ISO dates, true and false. Raises UnacceptedTextError."""
    if name is None:
        return text
    known = name if is_known_transform(name) else resolve_name(name)
    if known is None:
        return _transform_date(parse_loose_date, text)
    if known in BOOLEANS:
        return BOOLEANS[known]
    if known in EMPTY:
        return ""
    if known in DATES:
        return _transform_date(DATES[known], text.strip(_BLANKS))
    return format(parse_number(known, text), "f")


def _transform_date(transform: Callable[[str], str], text: str) -> str:
    if len(text) > _LONGEST_DATE:
        raise UnacceptedTextError
    return transform(text)
