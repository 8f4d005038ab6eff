"""Identifiers of an item: which values a company can have, and which companies have them.

Check digits: LEI ISO 17442, ISIN ISO 6166. A VAT number that holds the company's number means that company as well as
one whose register states it. Does not belong here: spellings of numbers (`api.companies.number_spellings`), or what
several identifiers say together (`api.lookups.resolve`).
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from stdnum import isin, lei

from api.companies.number_spellings import (
    VAT_LETTERS,
    compact_identifier,
    companies_in_vat_number,
    parse_vat_number,
    plain_number,
)
from api.http.body_validation import json_pointer
from api.lookups.models import IDENTIFIERS, LookupItem
from api.problems.problem import ProblemDetail
from warehouse.reader.reader import PinnedRelease
from warehouse.schema.codes import SERVED
from warehouse.schema.identifiers import CompanyNumber, iso_country, market_code, parse_company_number, parse_scoped
from warehouse.schema.markets import MARKETS

_LEI: Final = re.compile(r"[0-9A-Z]{18}[0-9]{2}")
_MIC: Final = re.compile(r"[0-9A-Z]{4}")
_TICKER: Final = re.compile(r"[0-9A-Z][0-9A-Z .\-]{0,19}")
_LONGEST_NUMBER: Final = 40


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
    market, text = item_market(item), plain_number(item.number)
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
    text = compact_identifier(item.lei)
    if not (_LEI.fullmatch(text) and lei.is_valid(text)):
        raise ItemError("lei", "format", "must be 20 letters and digits with valid check digits")
    return FoundCompanies("lei", text, snapshot.ids_by_identifier(text))


def _by_isin(snapshot: PinnedRelease, item: LookupItem) -> FoundCompanies:
    text = compact_identifier(item.isin)
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
    text = compact_identifier(item.vat)
    vat = parse_vat_number(text)
    if vat is None and item.country is not None:
        vat = parse_vat_number(iso_country(item_market(item)) + text)
    if vat is None:
        raise ItemError("vat", "format", f"must begin with one of {', '.join(VAT_LETTERS)}")
    if not vat.is_valid:
        raise ItemError("vat", "format", f"must be a VAT number of {vat.market} with valid check digits")
    stated = snapshot.ids_by_identifier(vat.value)
    return FoundCompanies("vat", vat.value, tuple(dict.fromkeys((*stated, *companies_in_vat_number(snapshot, vat)))))


_FINDERS: Final[dict[str, Callable[[PinnedRelease, LookupItem], FoundCompanies]]] = {
    "id": _by_id,
    "number": _by_number,
    "lei": _by_lei,
    "isin": _by_isin,
    "ticker": _by_ticker,
    "vat": _by_vat,
}
