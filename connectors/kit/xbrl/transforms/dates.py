"""Parses printed dates, in the order and language given by an inline XBRL transform, to ISO 8601.

Does not belong here: numbers and booleans (`xbrl.transforms`), other calendars (`calendars`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import partial
from typing import Final

from connectors.kit.xbrl.transforms.calendars import CALENDARS, UnacceptedTextError, ascii_digits

__all__ = ["DATES", "UnacceptedTextError", "parse_loose_date"]

# Stems of the months of each language, January first; alternatives separated by `|`; accents removed.
_MONTHS: Final = {
    "bg": "ян фев мар апр маи|май юни юли авг сеп окт ное дек",
    "cs": "led uno bre dub kve cervn|cerven|cvn cervenc|cervenec|cvc srp zar rij lis pro",
    "cy": "ion chwe maw|faw ebr mai|fai meh|feh gor|ngor aws med|fed hyd tach|dach|nhach|thach rhag|rag",
    "da": "jan feb mar apr maj jun jul aug sep okt nov dec",
    "de": "jan|jaen feb mar|maer|mrz apr mai jun jul aug sep okt nov dez",
    "el": "ιαν φεβ μαρ απρ|αριλ μαι ιουν ιουλ αυγ σεπ οκτ νοε δεκ",
    "en": "jan feb mar apr may jun jul aug sep oct nov dec",
    "es": "ene feb mar abr may jun jul ago sep oct nov dic",
    "et": "jaan veebr marts apr mai juuni juuli aug sept okt nov dets",
    "fi": "tam hel maa huh tou kes hei elo syy lok mar jou",
    "fr": "janv fevr mars avr mai juin juil aout sept oct nov dec",
    "hi": "जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर",
    "hr": "sij velj ozu tra svi lip srp kol ruj lis stu pro",
    "hu": "jan feb marc apr maj jun jul aug szept okt nov dec",
    "it": "gen feb mar apr mag giu lug ago set ott nov dic",
    "lt": "sau vas kov bal geg bir lie rugp|rgp rugs|rgs spa|spl lap gru|grd",
    "lv": "janv febr marts apr maijs jun jul aug sept okt nov dec",
    "nl": "jan feb maa|mrt apr mei jun jul aug sep okt nov dec",
    "no": "jan feb mar apr mai jun jul aug sep okt nov des",
    "pl": "sty lut mar kwi maj cze lip sie wrz paz lis gru",
    "pt": "jan fev mar abr mai jun jul ago set out nov dez",
    "ro": "ian feb mar apr mai iun iul aug sep oct|octom noi|noie dec",
    "sk": "jan feb mar apr maj jun jul aug sep okt nov dec",
    "sl": "jan feb mar apr maj jun jul avg sep okt nov dec",
    "sv": "jan feb mar apr maj jun jul aug sep okt nov dec",
}
_ROMAN: Final = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_WORD: Final = r"([^\W\d_](?:[^\W\d_]|[\u0300-\u036f\u093a-\u094f])*)"
_ORDINAL: Final = r"(?:st|nd|rd|th)?"
_GAP: Final = r"[\s.,'’/\-]*(?:de\s+|of\s+|ta['’]\s*)?"
_DAY: Final = rf"(\d{{1,2}})(?:{_ORDINAL})"
_YEAR: Final = r"(\d{4}|\d{1,2})"
_TAIL: Final = r"[^\d]*"
_ISO: Final = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:T[\d:.Z+-]*)?", re.ASCII)


def _month_stems(language: str) -> list[tuple[str, int]]:
    pairs = [
        (stem, month)
        for month, alternatives in enumerate(_MONTHS[language].split(), start=1)
        for stem in alternatives.split("|")
    ]
    return sorted(pairs, key=lambda pair: -len(pair[0]))  # cervenec before cerven


def _fold_word(word: str) -> str:
    if not word.isascii():
        folded = unicodedata.normalize("NFD", word)
        word = "".join(sign for sign in folded if not 0x300 <= ord(sign) <= 0x36F)  # noqa: PLR2004 - accents
    return word.lower()


def _month_number(word: str, language: str) -> int:
    plain = _fold_word(word)
    if language == "roman":
        if plain in _ROMAN:
            return _ROMAN.index(plain) + 1
        raise UnacceptedTextError
    for stem, month in _STEMS[language]:
        if plain.startswith(stem):
            return month
    raise UnacceptedTextError


def _iso_date(year: str | None, month: int, day: str | None) -> str:
    """ISO text of the given parts; a day outside the month is not accepted."""
    checked = int(year or 2000)  # a leap year: 29 February is valid without a year
    if year is not None and len(year) <= 2:  # noqa: PLR2004 - the registry's rule for short years
        checked += 2000
    try:
        found = date(checked, month, 1 if day is None else int(day))
    except ValueError:
        raise UnacceptedTextError from None
    if year is None:
        return f"--{month:02}-{found.day:02}"
    return f"{checked:04}-{month:02}" if day is None else found.isoformat()


def _date_transform(pattern: re.Pattern[str], order: str, month_of: Callable[[str], int]) -> Callable[[str], str]:
    """The transform of texts that match a pattern with day, month and year in some order («dmy», «my»)."""

    def transform(text: str) -> str:
        match = pattern.fullmatch(ascii_digits(text))
        if match is None:
            raise UnacceptedTextError
        found = dict(zip(order, match.groups(), strict=True))
        return _iso_date(found.get("y"), month_of(found["m"]), found.get("d"))

    return transform


def _numeric_transform(order: str) -> Callable[[str], str]:
    part = {"d": r"(\d{1,2})", "m": r"(\d{1,2})", "y": _YEAR}
    pattern = re.compile(r"[^\d]+".join(part[letter] for letter in order) + _TAIL, re.ASCII)
    return _date_transform(pattern, order, int)


def _named_transform(order: str, language: str) -> Callable[[str], str]:
    part = {"d": _DAY, "m": rf"{_WORD}\.?", "y": _YEAR}
    pattern = re.compile(r"\s*" + _GAP.join(part[letter] for letter in order) + _TAIL, re.IGNORECASE)
    return _date_transform(pattern, order, partial(_month_number, language=language))


_FIRST: Final = {  # registry one: name -> order; the months are English words or numbers
    "dateslashus": "mdy",
    "dateslasheu": "dmy",
    "datedotus": "mdy",
    "datedoteu": "dmy",
    "dateslashdaymontheu": "dm",
    "dateslashmonthdayus": "md",
}
_FIRST_WORDS: Final = {
    "datelongus": "mdy",
    "dateshortus": "mdy",
    "datelonguk": "dmy",
    "dateshortuk": "dmy",
    "datelongdaymonthuk": "dm",
    "dateshortdaymonthuk": "dm",
    "datelongmonthdayus": "md",
    "dateshortmonthdayus": "md",
    "datelongyearmonth": "ym",
    "dateshortyearmonth": "ym",
    "datelongmonthyear": "my",
    "dateshortmonthyear": "my",
}
_PARTS: Final = {"d": "day", "m": "month", "y": "year"}


def _later_transforms() -> Iterator[tuple[str, Callable[[str], str]]]:
    """Names of registries two to five: datedaymonthyearen, date-day-monthname-year-sv, date-month-year."""
    for order in ("dmy", "mdy", "ymd", "dm", "md", "my", "ym"):
        words = [_PARTS[letter] for letter in order]
        numeric = _numeric_transform(order)
        yield "date" + "".join(words), numeric
        yield "date-" + "-".join(words), numeric
        for short, language in (("en", "en"), ("dk", "da"), ("in", "hi")):
            yield "date" + "".join(words) + short, _named_transform(order, language)
        if order in {"dmy", "dm", "my"}:
            yield "date-" + "-".join(words).replace("month", "monthroman"), _named_transform(order, "roman")
    for order in ("dmy", "mdy", "ymd", "ydm", "dm", "md", "my", "ym"):
        stem = "date-" + "-".join(_PARTS[letter] for letter in order).replace("month", "monthname")
        for language in _MONTHS:
            yield f"{stem}-{language}", _named_transform(order, language)


_STEMS: Final[Mapping[str, list[tuple[str, int]]]] = {language: _month_stems(language) for language in _MONTHS}
DATES: Final[Mapping[str, Callable[[str], str]]] = {
    **{name: _numeric_transform(order) for name, order in _FIRST.items()},
    **{name: _named_transform(order, "en") for name, order in _FIRST_WORDS.items()},
    **dict(_later_transforms()),
    **CALENDARS,
}


def parse_loose_date(text: str) -> str:
    """A date without a known transform: ISO, or day, English month and four-digit year.

    Raises UnacceptedTextError.
    """
    text = text.strip()
    match = _ISO.fullmatch(text)
    if match is not None:
        return _iso_date(match[1], int(match[2]), match[3])
    if not re.search(r"\d{4}\D*$", text):  # a short year or a bare number is ambiguous
        raise UnacceptedTextError
    return _LOOSE(text)


_LOOSE: Final = _named_transform("dmy", "en")
