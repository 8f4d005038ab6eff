"""Derives a company number of a market from the registration fields of an LEI record.

Belongs here: which registration authority is which register, and the spellings of its numbers. A number
counts only under the market's own authority and law (docs/formats/news.md 3.1): branches and funds repeat the
number of another company. Does not belong here: records (`schema`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

import polars as pl

AUTHORITIES: Final[Mapping[str, tuple[str, ...]]] = {
    "SE": ("RA000544", "RA000546", "RA000735", "RA000545"),  # not RA000547: other numbers
    "NO": ("RA000472",),
    "FI": ("RA000188",),
    "UK": ("RA000585", "RA000586", "RA000587"),
    "DK": ("RA000170",),
}
# Northern Ireland and Scotland: their numbers have these prefixes.
_LETTERS: Final = {
    "RA000586": re.compile(r"NI|R0|NC|NF|NL"),
    "RA000587": re.compile(r"S[CFLO]|RS"),
}
_PERSON: Final = re.compile(r"\d{2}[01]\d{7}|302\d{7}|(?:18|19|20)\d{10}")
_SEPARATORS: Final = re.compile(r"[\s.\-]+")
_SWEDISH: Final = AUTHORITIES["SE"]
_LEI: Final = re.compile(r"[0-9A-Z]{18}[0-9]{2}")
_LENGTH: Final = 20
_STRETCH: Final = 9
_LETTER_DIGITS: Final = {chr(ord("A") + place): str(10 + place) for place in range(26)}
_BRITISH: Final = 8  # characters of a number
_SPELLED: Final = pl.Schema({"registered_at": pl.String(), "registered_as": pl.String()})
_VALID: Final = 1  # ISO 7064: remainder of a valid LEI's number modulo 97


def is_lei(text: str | None) -> bool:
    """True for twenty characters with valid check digits (ISO 17442)."""
    if text is None or not _LEI.fullmatch(text):
        return False
    return int("".join(str(int(sign, 36)) for sign in text)) % 97 == _VALID


def are_leis(values: pl.Expr) -> pl.Expr:
    """`is_lei` over a column, false for null.

    Letters become two digits; the remainder is carried over blocks of nine digits, which fit an integer.
    """
    fits = values.str.contains(f"^(?:{_LEI.pattern})$")
    digits = pl.when(fits).then(values).str.replace_many(_LETTER_DIGITS)
    rest = pl.lit("")
    for place in range(0, 2 * _LENGTH, _STRETCH):
        stretch = rest + digits.str.slice(place, _STRETCH)
        rest = (stretch.str.to_integer(strict=False) % 97).cast(pl.String)
    return (rest == str(_VALID)).fill_null(value=False)


def is_personal_number(authority: str | None, number: str | None) -> bool:
    """True if a number under a Swedish authority is, or may be, a person's (docs/formats/se.md 1)."""
    if authority not in _SWEDISH or not number:
        return False
    return _PERSON.fullmatch(_SEPARATORS.sub("", number).replace("+", "")) is not None


def are_personal_numbers(authority: pl.Expr, number: pl.Expr) -> pl.Expr:
    """`is_personal_number` over columns."""
    compact = number.str.replace_all(_SEPARATORS.pattern, "").str.replace_all("+", "", literal=True)
    personal = authority.is_in(_SWEDISH) & compact.str.contains(f"^(?:{_PERSON.pattern})$")
    return personal.fill_null(value=False)


def company_number(market: str, authority: str | None, number: str | None) -> str | None:
    """The canonical number of a company of a market; None if invalid, also by its check digit."""
    row = pl.DataFrame([(authority, number)], _SPELLED, orient="row")
    return company_numbers(market, row).item()


def company_numbers(market: str, rows: pl.DataFrame) -> pl.Series:
    """`company_number` over the columns `registered_at` and `registered_as`.

    The rules are those of `warehouse.schema.identifiers`, applied to whole columns: a golden copy has
    millions of rows.
    """
    authority, number = pl.col("registered_at"), pl.col("registered_as")
    due = authority.is_in(AUTHORITIES[market]) & ~are_personal_numbers(authority, number)
    compact = number.str.replace_all(_SEPARATORS.pattern, "").str.to_uppercase()
    found = _RULES[market](compact)
    for code, letters in _LETTERS.items():
        found = (
            pl.when((authority == code) & ~compact.str.contains(f"^(?:{letters.pattern})"))
            .then(None)
            .otherwise(found)
        )
    return rows.select(pl.when(due).then(found).alias("org_number")).to_series()


def _is_mod11_valid(digits: pl.Expr, weights: tuple[int, ...]) -> pl.Expr:
    """True if the weighted sum of the digits is 0 modulo 11."""
    signs = (digits.str.slice(place, 1).str.to_integer(strict=False) for place in range(len(weights)))
    return pl.sum_horizontal(sign * weight for sign, weight in zip(signs, weights, strict=True)) % 11 == 0


def _norwegian_number(compact: pl.Expr) -> pl.Expr:
    number = compact.str.strip_prefix("NO").str.extract("^0?([0-9]{9})$")
    return pl.when(_is_mod11_valid(number, (3, 2, 7, 6, 5, 4, 3, 2, 1))).then(number)


def _finnish_number(compact: pl.Expr) -> pl.Expr:
    number = compact.str.extract("^([0-9]{8})$")
    written = number.str.slice(0, 7) + "-" + number.str.slice(7)
    return pl.when(_is_mod11_valid(number, (7, 9, 10, 5, 8, 4, 2, 1))).then(written)


def _danish_number(compact: pl.Expr) -> pl.Expr:
    number = compact.str.extract("^([1-9][0-9]{7})$")
    return pl.when(_is_mod11_valid(number, (2, 7, 6, 5, 4, 3, 2, 1))).then(number)


def _swedish_number(compact: pl.Expr) -> pl.Expr:
    """A legal person's number may be preceded by its century (16); its check digit is Luhn's."""
    number = compact.str.extract("^(?:16)?([1-9][0-9]{9})$")
    signs = [number.str.slice(place, 1).str.to_integer(strict=False) for place in range(10)]
    doubled = [sign * (2 - place % 2) for place, sign in enumerate(signs)]
    total = pl.sum_horizontal(value // 10 + value % 10 for value in doubled)
    return pl.when(total % 10 == 0).then(number)


def _british_number(compact: pl.Expr) -> pl.Expr:
    """Pads zeros between letters and digits; rejects numbers of the United States."""
    fits = compact.str.contains("^(?:[A-Z]{2}[0-9A-Z]{1,6}|[0-9]{1,8}|[A-Z][0-9]{7})$")
    foreign = compact.str.contains("^(?:US|CIK[0-9]+$)")
    letters = compact.str.extract("^([A-Z]{0,2})")
    rest = compact.str.slice(letters.str.len_chars())
    zeros = pl.lit("0").repeat_by(_BRITISH - letters.str.len_chars() - rest.str.len_chars()).list.join("")
    padded = pl.when(compact.str.len_chars() >= _BRITISH).then(compact).otherwise(letters + zeros + rest)
    return pl.when(fits & ~foreign).then(padded)


_RULES: Final[Mapping[str, Callable[[pl.Expr], pl.Expr]]] = {
    "SE": _swedish_number,
    "NO": _norwegian_number,
    "FI": _finnish_number,
    "UK": _british_number,
    "DK": _danish_number,
}
