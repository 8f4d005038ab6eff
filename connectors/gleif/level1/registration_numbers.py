"""Derives a company number of a market from the registration fields of an LEI record.

Belongs here: the declared authorities and spellings, over whole columns, and check digits of LEIs. A number
counts only under the market's own authority and law (docs/formats/news.md 3.1): branches and funds repeat the
number of another company. Does not belong here: records (`schema`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import polars as pl

from warehouse.schema.markets import LUHN, MARKETS, NumberFormat

_REGISTRATIONS: Final = {code: market.lei for code, market in MARKETS.items() if market.lei is not None}
AUTHORITIES: Final[Mapping[str, tuple[str, ...]]] = {
    code: registration.authorities for code, registration in _REGISTRATIONS.items()
}
# By authority: its numbers that are, or may be, persons'.
PERSONAL: Final[Mapping[str, re.Pattern[str]]] = {
    authority: re.compile(registration.person)
    for registration in _REGISTRATIONS.values()
    if registration.person is not None
    for authority in registration.authorities
}
_FLOAT: Final = r"^\s*[0-9]+\.0+\s*$"  # read as a number elsewhere: its point separates nothing
_SEPARATORS: Final = re.compile(r"[\s.\-]+")
_LEI: Final = re.compile(r"[0-9A-Z]{18}[0-9]{2}")
_LENGTH: Final = 20
_STRETCH: Final = 9
_LETTER_DIGITS: Final = {chr(ord("A") + place): str(10 + place) for place in range(26)}
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
    """True if a number is, or may be, a person's, by the register it is from (docs/formats/se.md 1)."""
    pattern = PERSONAL.get(authority or "")
    if pattern is None or not number:
        return False
    return pattern.fullmatch(_SEPARATORS.sub("", number).replace("+", "")) is not None


def are_personal_numbers(authority: pl.Expr, number: pl.Expr) -> pl.Expr:
    """`is_personal_number` over columns."""
    compact = number.str.replace_all(_SEPARATORS.pattern, "").str.replace_all("+", "", literal=True)
    authorities: dict[str, list[str]] = {}
    for name, pattern in PERSONAL.items():
        authorities.setdefault(pattern.pattern, []).append(name)
    return pl.any_horizontal(
        pl.lit(value=False),
        *(
            (authority.is_in(names) & compact.str.contains(f"^(?:{pattern})$")).fill_null(value=False)
            for pattern, names in authorities.items()
        ),
    )


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
    registration, written = _REGISTRATIONS[market], MARKETS[market].number
    due = authority.is_in(registration.authorities) & ~are_personal_numbers(authority, number)
    due &= ~number.str.contains(_FLOAT)
    compact = number.str.replace_all(_SEPARATORS.pattern, "").str.to_uppercase()
    found = compact.str.extract(registration.number)
    if not written.letters:
        found = found.str.zfill(written.length)  # the check digit weighs places
    if registration.excluded is not None:
        due &= ~compact.str.contains(registration.excluded)
    for code, letters in registration.prefixes.items():
        due &= (authority != code) | compact.str.contains(f"^(?:{letters})")
    if written.weights:
        due &= _is_valid(found, written)
    return rows.select(pl.when(due).then(_canonical(found, written)).alias("org_number")).to_series()


def _is_valid(number: pl.Expr, written: NumberFormat) -> pl.Expr:
    """`NumberFormat.is_valid` over a column of digits."""
    digits = (number.str.slice(place, 1).str.to_integer(strict=False) for place in range(len(written.weights)))
    products = [digit * weight for digit, weight in zip(digits, written.weights, strict=True)]
    if written.modulo == LUHN:
        products = [product // LUHN + product % LUHN for product in products]
    return pl.sum_horizontal(products) % written.modulo == 0


def _canonical(number: pl.Expr, written: NumberFormat) -> pl.Expr:
    """`NumberFormat.canonical` over a column of letters and digits."""
    full = pl.lit(written.prefix) + (
        _pad_digits(number, written) if written.letters else number.str.zfill(written.length)
    )
    if written.hyphen is None:
        return full
    return full.str.slice(0, written.hyphen) + "-" + full.str.slice(written.hyphen)


def _pad_digits(number: pl.Expr, written: NumberFormat) -> pl.Expr:
    """Zeros between leading letters and digits; longer numbers are left as they are."""
    letters = number.str.extract(f"^([A-Z]{{0,{written.letters}}})")
    rest = number.str.slice(letters.str.len_chars())
    missing = written.length - letters.str.len_chars() - rest.str.len_chars()
    zeros = pl.lit("0").repeat_by(missing).list.join("")
    return pl.when(number.str.len_chars() >= written.length).then(number).otherwise(letters + zeros + rest)
