"""Issuer evidence in an item: numbers, LEIs, ISINs, tickers; and whether the issuer is of one market.

Belongs here: spellings and check digits, exchanges by their names, which market an item belongs to. Does not
belong here: finding the company (`Jurisdiction.links`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import polars as pl
from stdnum import isin as stdnum_isin

from connectors.gleif.level1.registration_numbers import AUTHORITIES, company_number, is_lei
from warehouse.schema.identifiers import iso_country, market_code
from warehouse.schema.markets import MARKETS

_LONGEST: Final = 40
_ISIN: Final = re.compile(r"[A-Z]{2}[A-Z0-9]{9}[0-9]")
_TICKER: Final = re.compile(r"[A-Z0-9][A-Z0-9.\- ]{0,11}")
MOST_SYMBOLS: Final = 3  # of a market's own exchanges: a class and its warrants
_SEPARATOR: Final = ";"
_EXCHANGES: Final = [
    (code, mic, exchange) for code, market in MARKETS.items() for mic, exchange in market.exchanges.items()
]
# operating MIC by the exchange names that wires use, without blanks
EXCHANGES: Final = {
    **dict.fromkeys(("xtse", "tsx"), "XTSE"),
    **{name.replace(" ", ""): mic for _, mic, exchange in _EXCHANGES for name in exchange.names},
}
OF_MARKET: Final = {
    code: tuple(mic for market, mic, exchange in _EXCHANGES if market == code and exchange.names) for code in MARKETS
}
_MARKET_OF: Final = {mic: market for market, mics in OF_MARKET.items() for mic in mics}
_BLANKS: Final = re.compile(r"[\s\-–®™.]+")
_CALLED: Final = re.compile(r"(?: (?:llc|ab|asa|plc))?(?: (?:ticker|stock|trading))?(?: (?:ticker|symbol|code))?\Z")
_OF_CUSIPS: Final = "US"
_NOWHERE: Final = re.compile(r"X|EU")  # ISINs of no country's agency: international bonds


@dataclass(frozen=True, slots=True)
class IssuerEvidence:
    """Evidence in one item. `numbers`: (market, number as written); `country`: the market of its feed."""

    numbers: tuple[tuple[str, str], ...] = ()
    leis: tuple[str, ...] = ()
    isins: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    country: str | None = None

    def markets(self) -> frozenset[str]:
        """The markets given by numbers, else by ISINs and exchanges."""
        if self.numbers:
            return frozenset(market for market, _ in self.numbers)
        by_isin = {market for isin in self.isins if (market := market_code(isin[:2]))}
        by_exchange = {market for symbol in self.symbols if (market := _MARKET_OF.get(symbol[:4]))}
        return frozenset(by_isin | by_exchange)


@dataclass(frozen=True, slots=True)
class MarketIssuer:
    """An item's issuer as one market knows it. `near`: the item itself places the company in this market."""

    number: str | None
    lei: str | None
    isin: str | None
    symbol: str | None
    near: bool

    def columns(self) -> dict[str, str | bool | None]:
        """The columns of a wire's row that say who issued it."""
        return {"org_number": self.number, "lei": self.lei, "isin": self.isin, "symbol": self.symbol, "near": self.near}


def issuer_for_market(market: str, evidence: IssuerEvidence, home: str) -> MarketIssuer | None:
    """The issuer for one market; None if it is of another. Items without evidence go to the wire's home market."""
    markets = evidence.markets()
    is_told_of = market in markets or (evidence.country == market and not evidence.numbers)
    nowhere = not markets & MARKETS.keys() and evidence.country is None and not evidence.numbers
    if not is_told_of and not (nowhere and market == home):
        return None
    return MarketIssuer(
        number=next(
            filter(None, (_market_number(market, number) for code, number in evidence.numbers if code == market)), None
        ),
        lei=evidence.leis[0] if evidence.leis else None,
        isin=_market_isin(market, evidence.isins),
        symbol=_market_symbols(market, evidence.symbols),
        near=_is_surely_of_market(market, evidence),
    )


def _is_surely_of_market(market: str, said: IssuerEvidence) -> bool:
    """Whether the strongest evidence of an item points to this market.

    A company listed here may be another country's: its ISIN shows it, whatever the exchange, and the exchange
    whatever the feed. Its name would lead to a subsidiary or to a namesake.
    """
    if said.numbers:
        return any(code == market for code, _ in said.numbers)
    countries = {isin[:2] for isin in said.isins if not _NOWHERE.match(isin)}
    if countries:
        return iso_country(market) in countries
    exchanges = {_MARKET_OF.get(symbol[:4]) for symbol in said.symbols}
    return market in exchanges if exchanges else said.country == market


def _market_isin(market: str, isins: tuple[str, ...]) -> str | None:
    """The first ISIN of the market, else the first; None where those of the market are of several issuers.

    A release on a merger is tagged with both companies. American ISINs show their issuer, in a CUSIP's first six signs.
    """
    own = [isin for isin in isins if isin[:2] == iso_country(market)]
    if iso_country(market) == _OF_CUSIPS and len({isin[2:8] for isin in own}) > 1:
        return None
    return next(iter((*own, *isins)), None)


def _market_symbols(market: str, symbols: tuple[str, ...]) -> str | None:
    """The symbols at the market's own exchanges, each of which may be the one that a list has; else the first."""
    own = [symbol for symbol in symbols if _MARKET_OF.get(symbol[:4]) == market]
    return _SEPARATOR.join(own[:MOST_SYMBOLS] or symbols[:1]) or None


def nth_symbol(symbols: pl.Expr, place: int) -> pl.Expr:
    """One of the symbols of a row; null if it has fewer."""
    return symbols.str.split(_SEPARATOR).list.get(place, null_on_oob=True)


def _market_number(market: str, text: str) -> str | None:
    authorities = AUTHORITIES.get(market)
    return company_number(market, authorities[0], text) if authorities else None


def parse_references(texts: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Markets and numbers of references (SE:556536-7488); countries outside our markets keep their code."""
    found: list[tuple[str, str]] = []
    for text in texts:
        country, _, number = text.strip().partition(":")
        if number and len(text) <= _LONGEST:
            found.append((market_code(country) or country.upper(), number.strip()))
    return tuple(found)


def valid_leis(texts: Iterable[str]) -> tuple[str, ...]:
    """LEIs with valid check digits."""
    return tuple(text for text in (one.strip().upper() for one in texts) if is_lei(text))


def valid_isins(texts: Iterable[str]) -> tuple[str, ...]:
    """ISINs with a valid check digit."""
    upper = (one.strip().upper() for one in texts)
    return tuple(text for text in upper if _ISIN.fullmatch(text) and stdnum_isin.is_valid(text))


def parse_symbols(texts: Iterable[str]) -> tuple[str, ...]:
    """`XSTO:DUNI` from exchange and ticker in any spelling; unknown exchanges are dropped."""
    found: list[str] = []
    for text in texts:
        exchange, _, ticker = text.strip().partition(":")
        mic, symbol = exchange_mic(exchange), ticker.strip().upper()
        if mic is not None and _TICKER.fullmatch(symbol):
            found.append(f"{mic}:{symbol}")
    return tuple(dict.fromkeys(found))


def exchange_mic(written: str) -> str | None:
    """The MIC of an exchange as wires write it, with or without blanks, hyphens and an article; None if unknown.

    What follows its name says only that a symbol comes: «NASDAQ Ticker Symbol».
    """
    name = _BLANKS.sub("", _CALLED.sub("", written.casefold().strip()).removeprefix("the "))
    return EXCHANGES.get(name)
