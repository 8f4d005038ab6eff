"""Company numbers of the markets: canonical form, accepted spellings, check digits.

See docs/contract/contract.md 4.0.
Belongs here: recognising a number by its market's declared format. Does not belong here: the formats
(`connectors/<cc>/market.toml`), whether such a company exists (`reader`), or HTTP errors
(`api.problems.problem`).
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from warehouse.schema.markets import MARKETS

PREFIX: Final = "firm"


class CompanyNumber(NamedTuple):
    """One recognised company number. A tuple for speed, as every request creates one."""

    market: str
    org_number: str

    @property
    def has_valid_check_digit(self) -> bool:
        """False if the check digit is wrong; registries have such numbers. Used only for unknown companies."""
        return MARKETS[self.market].number.is_valid(self.org_number)

    @property
    def company_id(self) -> str:
        """`firm:<COUNTRY>:<org_number>`."""
        return company_id(self.market, self.org_number)


_MARKET_OF_CODE: Final = {code: market.code for market in MARKETS.values() for code in market.codes}
_CANONICAL: Final = {code: re.compile(market.number.canonical_pattern) for code, market in MARKETS.items()}
_SCOPED: Final = {code: re.compile(market.number.scoped_pattern, re.IGNORECASE) for code, market in MARKETS.items()}
# One match instead of one per market, as every request needs it.
_BARE: Final = re.compile(
    "|".join(f"(?P<{code}>{market.number.bare})" for code, market in MARKETS.items() if market.number.bare),
    re.IGNORECASE,
)

# Markets in the order in which their numbers are described: letters before the digits last, then announced ones.
BY_FORM: Final = sorted(MARKETS.values(), key=lambda one: (one.state != "served", bool(one.number.prefix)))


def market_code(text: str) -> str | None:
    """Market code of a country code from a caller: any case, GB for UK; None if it is no market's."""
    return _MARKET_OF_CODE.get(text.upper())


def iso_country(market: str) -> str:
    """ISO 3166-1 alpha-2 of a market."""
    return MARKETS[market].codes[-1] if market in MARKETS else market


def company_id(market: str, org_number: str) -> str:
    """`firm:<COUNTRY>:<org_number>` of canonical parts."""
    return f"{PREFIX}:{market}:{org_number}"


def _checked_number(market: str, text: str) -> CompanyNumber | None:
    """Reads the number from a text that matches the market's pattern."""
    if _CANONICAL[market].fullmatch(text):  # as most requests write it
        return CompanyNumber(market, text)
    number = CompanyNumber(market, MARKETS[market].number.canonical(text))
    return None if MARKETS[market].number.is_padded(text) and not number.has_valid_check_digit else number


def parse_scoped(market: str, text: str) -> CompanyNumber | None:
    """Parses a number of a known market: more spellings are accepted (bare CIK, short UK digits)."""
    if not text.isascii() or not _SCOPED[market].fullmatch(text):
        return None
    return _checked_number(market, text)


def parse_company_id(text: str) -> CompanyNumber | None:
    """Parses a full id `firm:<COUNTRY>:<number>`; the number in any spelling of its market."""
    prefix, _, rest = text.partition(":")
    market, _, number = rest.partition(":")
    code = market_code(market)
    if prefix.lower() != PREFIX or code is None:
        return None
    return parse_scoped(code, number)


def market_of_bare_number(text: str) -> str | None:
    """The market whose bare numbers have the form of a text, whatever its check digit."""
    found = _BARE.fullmatch(text) if text.isascii() else None
    return None if found is None else found.lastgroup


def parse_company_number(text: str) -> CompanyNumber | None:
    """Parses a bare number or full id without known market; None if it matches no pattern.

    The bare patterns are disjoint, so at most one market matches. Numbers of a market without a bare pattern are
    only accepted as full id.
    """
    if text[: len(PREFIX) + 1].lower() == f"{PREFIX}:":
        return parse_company_id(text)
    market = market_of_bare_number(text)
    return None if market is None else _checked_number(market, text)
