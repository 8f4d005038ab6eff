"""Spellings of company numbers, and VAT numbers that hold one.

VAT numbers are checked by their country's rule (`stdnum`). One that holds the company's number (`vat_number` of
`connectors/<cc>/market.toml`) means that company, whether its register states it or not: the form alone does not say
that the company is liable. Does not belong here: which spellings a market's numbers have
(`warehouse.schema.identifiers`).
"""

import re
from dataclasses import dataclass
from typing import Any, Final

import stdnum
from stdnum.util import clean

from warehouse.reader.reader import PinnedRelease
from warehouse.schema.identifiers import iso_country, parse_scoped
from warehouse.schema.markets import MARKETS

_SEPARATORS: Final = re.compile(r"[\s.\-]+")
_COUNTRY_LETTERS: Final = 2
_LONGEST_VAT_NUMBER: Final = 40
_RULES: Final = {
    letters: (market.code, module)
    for market in MARKETS.values()
    for letters in market.codes
    if (module := stdnum.get_cc_module(iso_country(market.code).lower(), "vat")) is not None
}
"""Market and rule of VAT numbers, by the letters before them."""
VAT_LETTERS: Final = tuple(sorted(_RULES))


@dataclass(frozen=True, slots=True)
class VatNumber:
    """A number with the letters of a market's country; `plain`: without them."""

    market: str
    plain: str
    rule: Any

    @property
    def value(self) -> str:
        return iso_country(self.market) + self.plain

    @property
    def is_valid(self) -> bool:
        """Whether it follows its country's rule, check digits included."""
        valid: bool = self.rule.is_valid(self.value)
        return valid


def plain_number(text: str) -> str:
    """A company number without blanks, its digits and dashes as their rules read them."""
    return "".join(clean(text).split())  # a point stays: 1234567.0 of a spreadsheet is not 12345670


def compact_identifier(text: str) -> str:
    """An identifier without separators, its digits and dashes as the rules of check digits read them."""
    return _SEPARATORS.sub("", clean(text)).upper()


def parse_vat_number(text: str) -> VatNumber | None:
    """The VAT number in a compact text; None if it does not begin with the letters of a market's country."""
    if len(text) > _LONGEST_VAT_NUMBER:
        return None
    market, rule = _RULES.get(_letters_before(text), (None, None))
    return None if market is None or rule is None else VatNumber(market, text[_COUNTRY_LETTERS:], rule)


def companies_in_vat_number(snapshot: PinnedRelease, vat: VatNumber) -> tuple[str, ...]:
    """The company whose number a VAT number holds; none if such numbers hold none, or there is no such company."""
    pattern = MARKETS[vat.market].vat_number
    holds = re.fullmatch(pattern, vat.plain) if pattern is not None else None
    number = parse_scoped(vat.market, holds[1]) if holds else None
    known = number is not None and snapshot.company_header(number.company_id) is not None
    return (number.company_id,) if number is not None and known else ()


def _letters_before(text: str) -> str:
    """The letters before a VAT number; its market's, if the rule of that takes others too (Northern Ireland's)."""
    letters, plain = text[:_COUNTRY_LETTERS], text[_COUNTRY_LETTERS:]
    if letters in _RULES or not plain:
        return letters
    return next((one for one, (_, rule) in _RULES.items() if rule.compact(text) == plain), letters)
