"""Identifiers of an item: which values a company can have, and which companies have them.

Check digits: LEI ISO 17442, ISIN ISO 6166, VAT numbers by their country's rule (`stdnum`). A VAT number that holds the
company's number (`vat_number` of `connectors/<cc>/market.toml`) means that company as well as one whose register states
it: the form alone does not say that the company is liable. Does not belong here: what several identifiers say
together (`api.lookups.resolve`).
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import stdnum
from stdnum import isin, lei
from stdnum.util import clean

from api.http.body_validation import json_pointer
from api.lookups.models import IDENTIFIERS, LookupItem
from api.problems.problem import ProblemDetail
from warehouse.reader.reader import PinnedRelease
from warehouse.schema.codes import SERVED
from warehouse.schema.identifiers import CompanyNumber, iso_country, market_code, parse_company_number, parse_scoped
from warehouse.schema.markets import MARKETS

_SEPARATORS: Final = re.compile(r"[\s.\-]+")
_LEI: Final = re.compile(r"[0-9A-Z]{18}[0-9]{2}")
_MIC: Final = re.compile(r"[0-9A-Z]{4}")
_TICKER: Final = re.compile(r"[0-9A-Z][0-9A-Z .\-]{0,19}")
_LONGEST_NUMBER: Final = 40
_COUNTRY_LETTERS: Final = 2
_VAT: Final = {
    letters: (market.code, module)
    for market in MARKETS.values()
    for letters in market.codes
    if (module := stdnum.get_cc_module(iso_country(market.code).lower(), "vat")) is not None
}
"""Market and rule of VAT numbers, by the letters before them."""


class ItemError(ValueError):
    """A value that no company can have, or one that lacks; `detail` says what it must be. `member`: None: the item."""

    def __init__(self, member: str | None, code: str, detail: str) -> None:
        super().__init__(detail)
        self.member = () if member is None else (member,)
        self.code = code

    def told(self, place: int) -> ProblemDetail:
        """The error as `errors[]` has it, for the item at a place."""
        return ProblemDetail(self.code, str(self), pointer=json_pointer("items", place, *self.member))


@dataclass(frozen=True, slots=True)
class FoundCompanies:
    """Companies that one identifier means: none, one or several. `scheme`: id, number, lei, isin, ticker, vat."""

    scheme: str
    value: str
    company_ids: tuple[str, ...]


def item_market(item: LookupItem) -> str:
    """The market of an item's `country`."""
    if item.country is None:
        raise ItemError("country", "missing", "is required with number and name")
    code = market_code(item.country.strip())
    if code is None:
        raise ItemError("country", "unknown_value", f"must be one of {', '.join(SERVED)}")
    if code not in SERVED:
        raise ItemError("country", "market_not_available", f"{MARKETS[code].name} is not served yet")
    return code


def found_by_identifiers(snapshot: PinnedRelease, item: LookupItem) -> Iterator[FoundCompanies]:
    """What each identifier of an item means. Raises ItemError at the first value that lacks or no company can have."""
    if all(getattr(item, name) is None for name in IDENTIFIERS):
        raise ItemError(None, "missing", f"one of {', '.join(IDENTIFIERS)} is required")
    for scheme, find in _FINDERS.items():
        if getattr(item, scheme) is not None:
            yield find(snapshot, item)


def _by_id(snapshot: PinnedRelease, item: LookupItem) -> FoundCompanies:
    text = item.id.strip()
    number = parse_company_number(text) if len(text) <= _LONGEST_NUMBER else None
    if number is None:
        raise ItemError("id", "format", "must be a company id or number, for example firm:SE:5599999991")
    return _by_company_number(snapshot, "id", number)


def _by_number(snapshot: PinnedRelease, item: LookupItem) -> FoundCompanies:
    market = item_market(item)
    text = "".join(clean(item.number).split())  # a point stays: 1234567.0 of a spreadsheet is not 12345670
    number = parse_scoped(market, text) if len(text) <= _LONGEST_NUMBER else None
    if number is None:
        number = parse_company_number(text) if len(text) <= _LONGEST_NUMBER else None
        if number is None or number.market != market:
            raise ItemError("number", "format", f"must be a number of {market}: {MARKETS[market].number.in_words}")
    return _by_company_number(snapshot, "number", number)


def _by_company_number(snapshot: PinnedRelease, scheme: str, number: CompanyNumber) -> FoundCompanies:
    is_known = snapshot.company_header(number.company_id) is not None
    if not is_known and not number.has_valid_check_digit:
        raise ItemError(scheme, "check_digit", f"the check digit of {number.org_number} is wrong")
    return FoundCompanies(scheme, number.org_number, (number.company_id,) if is_known else ())


def _by_lei(snapshot: PinnedRelease, item: LookupItem) -> FoundCompanies:
    text = _compact(item.lei)
    if not (_LEI.fullmatch(text) and lei.is_valid(text)):
        raise ItemError("lei", "format", "must be 20 letters and digits with valid check digits")
    return FoundCompanies("lei", text, snapshot.ids_by_identifier(text))


def _by_isin(snapshot: PinnedRelease, item: LookupItem) -> FoundCompanies:
    text = _compact(item.isin)
    if not isin.is_valid(text):
        raise ItemError("isin", "format", "must be an ISIN with a valid check digit")
    return FoundCompanies("isin", text, snapshot.ids_by_identifier(text))


def _by_ticker(snapshot: PinnedRelease, item: LookupItem) -> FoundCompanies:
    if item.exchange_mic is None:
        raise ItemError("exchange_mic", "missing", "is required with ticker")
    ticker, exchange = item.ticker.strip().upper(), item.exchange_mic.strip().upper()
    if not _MIC.fullmatch(exchange):
        raise ItemError("exchange_mic", "format", "must be a MIC of four letters and digits, for example XSTO")
    if not _TICKER.fullmatch(ticker):
        raise ItemError("ticker", "format", "must be a symbol of at most 20 letters, digits, points and dashes")
    symbol = f"{exchange}:{ticker}"
    return FoundCompanies("ticker", symbol, snapshot.ids_by_identifier(symbol))


def _by_vat(snapshot: PinnedRelease, item: LookupItem) -> FoundCompanies:
    text = _compact(item.vat)
    letters = _letters_before(text)
    if letters not in _VAT and item.country is not None:
        letters = iso_country(item_market(item))
        text = letters + text
    market, rule = _VAT.get(letters, (None, None))
    if market is None or rule is None:
        raise ItemError("vat", "format", f"must begin with one of {', '.join(sorted(_VAT))}")
    plain = text[_COUNTRY_LETTERS:]
    number = iso_country(market) + plain
    if not rule.is_valid(number):
        raise ItemError("vat", "format", f"must be a VAT number of {market} with valid check digits")
    stated = snapshot.ids_by_identifier(number)
    held = _company_in_vat_number(snapshot, market, plain)
    return FoundCompanies("vat", number, tuple(dict.fromkeys((*stated, *held))))


def _letters_before(text: str) -> str:
    """The letters before a VAT number; its market's, if the rule of that takes others too (Northern Ireland's)."""
    letters, plain = text[:_COUNTRY_LETTERS], text[_COUNTRY_LETTERS:]
    if letters in _VAT or not plain:
        return letters
    return next((one for one, (_, rule) in _VAT.items() if rule.compact(text) == plain), letters)


def _company_in_vat_number(snapshot: PinnedRelease, market: str, plain: str) -> tuple[str, ...]:
    pattern = MARKETS[market].vat_number
    holds = re.fullmatch(pattern, plain) if pattern is not None else None
    number = parse_scoped(market, holds[1]) if holds else None
    known = number is not None and snapshot.company_header(number.company_id) is not None
    return (number.company_id,) if number is not None and known else ()


def _compact(text: str) -> str:
    """An identifier without separators, its digits and dashes as the rules of check digits read them."""
    return _SEPARATORS.sub("", clean(text)).upper()


_FINDERS: Final[dict[str, Callable[[PinnedRelease, LookupItem], FoundCompanies]]] = {
    "id": _by_id,
    "number": _by_number,
    "lei": _by_lei,
    "isin": _by_isin,
    "ticker": _by_ticker,
    "vat": _by_vat,
}
