"""Extracts major holdings from the text of a notice: ESMA's standard form, and the short text with a table.

See docs/formats/no.md 8.

Extracted: holder, date of crossing, share of votes, through instruments, and of capital. A text that cannot be
parsed is signalled and gives nothing; often it only says «see attachment», and images of pages are not read. Does
not belong here: which company it concerns, or shares of capital derived from shares of votes (`mapping`).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import Final

from connectors.kit.columns.percentages import percentage_from_text
from connectors.no.newsweb.period_words import DAY
from connectors.no.newsweb.periods import find_first_date
from connectors.no.register import MARKET
from name_matching.core_name import core_name
from name_matching.folding import fold_nordic_letters
from name_matching.legal_forms import FORMS


def _compile_marks(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


_BLANK: Final = re.compile(r"\s+")
# Text extracted from a printed form is broken at line ends: «reache d», «S tandard», «at- tached».
_FORM: Final = re.compile(r"notification of major holdings", re.IGNORECASE)
# Sections by the marks that enclose them; see `_text_between`
_ISSUER: Final = _compile_marks(r"\b1\. ?Identity of the issuer", r"\b2\. ?Reason")
_PERSON: Final = _compile_marks(
    r"\b3\. ?Details of person",
    r"\bName ?:",
    r"City and country of registered office ?\( ?if applicable ?\) ?:?",
    r"\b4\. ?Full name",
)
_AND: Final = "(?:and|og|&|[+])?"
_FORMS: Final = "|".join(sorted({form.replace(" ", "") for form in FORMS[MARKET]}, key=len, reverse=True))
_DATA: Final = "org|lei|reg|isin|ticker"  # behind the issuer's name
_DATE: Final = _compile_marks(r"\b5\. ?Date on which the threshold was crossed", r"\b6\. ?Total positions")
_RESULT: Final = _compile_marks(
    r"Resulting situation on the date on which ?(?:the )?threshold was ?crossed or reache ?d", r"Position of ?previ"
)
_ORG: Final = re.compile(
    r"\borg(?:anis\w*|aniz\w*)?\.? ?(?:nr|no|number|nummer)?\.? ?:? ?((?:\d ?){9})(?!\d)", re.IGNORECASE
)
_SUFFIX: Final = re.compile(
    r",? ?\b(?:org|reg|lei)\b\.? ?(?:nr|no|number|code)?\.?.*$"
    # a person's date or year of birth, already masked by redaction
    r"|(?<![ ,;(])[ ,;(]*(?<!\w)(?:born|f(?:ødt|\.)|fødselsdato|date of birth|d\.?o\.?b\.?)\W*"
    rf"(?:on|den|in|i)? ?(?:{DAY}|[\d*]).*$",
    re.IGNORECASE,
)
_END: Final = r"(?![\d.,]*\d| \d{3}\b)"  # of a number: no more digits, and no further group of three
_TOTAL: Final = re.compile(
    rf"[ |]*([1-9]\d{{0,2}}(?: \d{{3}}){{1,5}}{_END}|\d{{1,3}}(?:[.,]\d{{3}}){{1,5}}{_END}|\d{{1,18}}{_END})"
)
# digits that go on behind what reads as a number: «125 ,524,889», «125,52 4,889», «125'524'889»
_RUN: Final = re.compile(r"[ |]*(\d[\d.,'’‘`´·_ |]*\d|\d)")
_LONGEST_RUN: Final = 60  # characters of torn digits that a signal names
_FEWEST: Final = 1_000  # voting rights of a listed issuer: fewer are the beginning of a number
_CELL: Final = re.compile(
    r"[ |]*(?:(?P<below>below|under|less than|mindre enn|<) ?)?"
    r"(?P<share>\d{1,3}(?:[.,]\d{1,6})?)(?![\d.,]*\d| 0\d\d\b) ?%?"
    r"|[ |]*(?P<empty>n\.? ?/ ?a\.?(?!\w)|[-–—](?![^\s|])) ?%?",
    re.IGNORECASE,
)
_CELLS: Final = 3
_ROUNDING: Final = Decimal("0.02")
_ALL: Final = Decimal(100)

_SHORT: Final = re.compile(
    r"(?P<name>[^.\n]{3,120}?) (?:has|have)(?:,)? on (?P<day>\d{4}-\d{2}-\d{2}),? "
    r"(?:bought|sold|acquired|disposed of)",
    re.IGNORECASE,
)
_LIMIT: Final = re.compile(r"\d{1,2}(?:[.,]\d+)? ?(?:%|per cent)", re.IGNORECASE)
_COUNT: Final = r"\d+(?: +\d+)*"
_ROW: Final = re.compile(
    rf"^ *(\d{{4}}-\d{{2}}-\d{{2}})[ \t]+{_COUNT}[ \t]+(\d{{1,3}}[.,]\d+)[ \t]+{_COUNT}[ \t]+(\d{{1,3}}[.,]\d+) *$",
    re.MULTILINE,
)
# As written in the forms, in two languages; other names are not treated as countries.
_COUNTRIES: Final = {
    "norway": "NO", "norge": "NO", "sweden": "SE", "sverige": "SE", "denmark": "DK", "danmark": "DK",
    "finland": "FI", "iceland": "IS", "island": "IS", "united kingdom": "GB", "uk": "GB", "england": "GB",
    "great britain": "GB", "storbritannia": "GB", "scotland": "GB", "usa": "US", "u s a": "US", "us": "US",
    "united states": "US", "united states of america": "US", "luxembourg": "LU", "luxemburg": "LU",
    "germany": "DE", "tyskland": "DE", "france": "FR", "frankrike": "FR", "netherlands": "NL",
    "the netherlands": "NL", "nederland": "NL", "belgium": "BE", "belgia": "BE", "switzerland": "CH",
    "sveits": "CH", "austria": "AT", "italy": "IT", "italia": "IT", "spain": "ES", "spania": "ES",
    "ireland": "IE", "irland": "IE", "cyprus": "CY", "kypros": "CY", "malta": "MT", "bermuda": "BM",
    "cayman islands": "KY", "british virgin islands": "VG", "jersey": "JE", "guernsey": "GG", "canada": "CA",
    "japan": "JP", "singapore": "SG", "hong kong": "HK", "china": "CN", "australia": "AU", "monaco": "MC",
    "liechtenstein": "LI", "estonia": "EE", "latvia": "LV", "lithuania": "LT", "poland": "PL",
    "united arab emirates": "AE", "saudi arabia": "SA", "israel": "IL", "south africa": "ZA", "greece": "GR",
    "faroe islands": "FO", "marshall islands": "MH", "isle of man": "IM",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MajorHolding:
    """One holder's position in a notice. Shares in percent; null if not stated.

    `votes_below`: an upper bound, if the share itself is not stated. torn_total: the digits of a total that is torn, so
    that no number can be read from them.
    """

    name: str
    country: str | None
    crossed_on: date
    votes: Decimal | None
    instruments: Decimal | None
    capital: Decimal | None
    total_votes: int | None
    votes_below: Decimal | None = None
    torn_total: str | None = None


def parse_major_holding(text: str) -> MajorHolding | None:
    """Parses the holding of a notice; None if its text cannot be parsed."""
    plain = _BLANK.sub(" ", text)
    return _parse_form(plain) if _FORM.search(plain) else _parse_short_notice(text)


def issuer_number(text: str) -> str | None:
    """The issuer's organisation number as printed in a form; its check digit is not verified."""
    part = _text_between(_BLANK.sub(" ", text), _ISSUER)
    found = None if part is None else _ORG.search(part[0])
    return None if found is None else found[1].replace(" ", "")


def is_about_issuer(text: str, name: str | None) -> bool:
    """False if a form states another issuer than the one of this name, under which it was announced.

    Holders announce their notices under themselves too. True without a name, or where no form states the issuer.
    """
    part = _text_between(_BLANK.sub(" ", text), _ISSUER)
    core = core_name(name, MARKET) if name else None
    if part is None or core is None:
        return True
    words = (_AND if word == "and" else re.escape(word) for word in fold_nordic_letters(core).split())
    # blanks tell nothing in the text of a printed form; what follows a name is its form, or no letter
    name_here = rf"(?:{_FORMS})?{''.join(words)}(?:{_FORMS})*"
    named = re.compile(rf"(?:^|[^a-z0-9]|attached|attachedii){name_here}(?:$|[^a-z0-9]|{_DATA})")
    return named.search(_squeezed(part[0])) is not None


def _squeezed(text: str) -> str:
    """Small letters without accents, and signs, without blanks."""
    plain = unicodedata.normalize("NFKD", text.casefold().replace("ø", "o").replace("æ", "ae"))
    return "".join(sign for sign in plain if not (unicodedata.combining(sign) or sign.isspace() or sign in "'’./-"))


def country_of(country_name: str) -> str | None:
    """The country at the end of «City, Country»."""
    last = re.sub(r"[^a-zæøå ]", " ", country_name.rpartition(",")[2].lower()).strip()
    return _COUNTRIES.get(_BLANK.sub(" ", last))


def _text_between(text: str, marks: tuple[re.Pattern[str], ...]) -> tuple[str, ...] | None:
    """Stripped texts between consecutive marks; None if a mark is missing.

    Marks are searched one by one: a single pattern would backtrack quadratically in a text without the last mark.
    """
    found: list[re.Match[str]] = []
    for mark in marks:
        one = mark.search(text, found[-1].end() if found else 0)
        if one is None:
            return None
        found.append(one)
    return tuple(text[before.end() : after.start()].strip() for before, after in pairwise(found))


def _parse_form(plain: str) -> MajorHolding | None:
    person, crossed, result = (_text_between(plain, marks) for marks in (_PERSON, _DATE, _RESULT))
    if person is None or crossed is None or result is None:
        return None
    _, named, place = person
    name, day, position = (
        _SUFFIX.sub("", named).strip(" ,;:"),
        find_first_date(crossed[0]),
        _parse_position(result[0]),
    )
    if not name or day is None or position is None:
        return None
    votes, instruments, total, torn = position
    return MajorHolding(
        name, country_of(place), day, votes.exact, instruments.exact, None, total, votes.below, torn_total=torn
    )


@dataclass(frozen=True, slots=True)
class _ShareCell:
    """One cell of the row: a share, an upper bound, or neither («N/A», «-»)."""

    exact: Decimal | None = None
    below: Decimal | None = None


def _parse_position(text: str) -> tuple[_ShareCell, _ShareCell, int | None, str | None] | None:
    """Votes attached to shares, through instruments, all votes or their torn digits, from a row of up to four cells.

    The third cell must be the sum of the first two, otherwise the row was misread. Digit groups («2 390 749 040»)
    look like cells: the reading that adds up is used.
    """
    cells = _share_cells(text)
    for count in range(len(cells), 0, -1):
        shares, end = [share for share, _ in cells[:count]], cells[count - 1][1]
        position = _votes_and_instruments(shares)
        total = _parse_total(text[end:])
        # one or two cells followed by more shares: a row cut in the middle
        is_cut = count < _CELLS and count < len(cells) and (total is None or total <= _ALL)
        if position is not None and not is_cut:
            torn = _torn_digits(text[end:], total)
            return *position, None if torn else total, torn
    return None


def _share_cells(text: str) -> list[tuple[_ShareCell, int]]:
    """The first cells that may be shares, each with its end position."""
    cells: list[tuple[_ShareCell, int]] = []
    end = 0
    while len(cells) < _CELLS and (found := _CELL.match(text, end)) is not None:
        share = None if found["empty"] else percentage_from_text(found["share"])
        if share is not None and share > _ALL:
            break
        end = found.end()
        cells.append((_ShareCell(below=share) if found["below"] else _ShareCell(share), end))
    return cells


def _votes_and_instruments(shares: list[_ShareCell]) -> tuple[_ShareCell, _ShareCell] | None:
    match shares:
        case [votes, instruments, both] if _is_possible_sum(votes, instruments, both):
            return votes, instruments
        case [votes, both] if votes == both != _ShareCell():
            return votes, _ShareCell()
        case [votes] if votes != _ShareCell():
            return votes, _ShareCell()
        case _:
            return None


def _is_possible_sum(votes: _ShareCell, instruments: _ShareCell, both: _ShareCell) -> bool:
    """True if the sum can equal the third cell. A bound covers any value up to it, an empty cell counts as zero."""
    parts = (votes, instruments)
    low = sum((part.exact or Decimal(0) for part in parts), Decimal(0))
    high = low + sum((part.below or Decimal(0) for part in parts), Decimal(0))
    if both.below is not None:
        return low <= both.below
    return both.exact is not None and low - _ROUNDING <= both.exact <= high + _ROUNDING


def _parse_total(text: str) -> int | None:
    found = _TOTAL.match(text)
    return None if found is None else int(re.sub("[., ]", "", found[1]))


def _torn_digits(text: str, total: int | None) -> str | None:
    """The digits of a total that no number can be read from whole; None for a whole number and for no digits."""
    run = _RUN.match(text)
    if run is None or (total is not None and total >= _FEWEST and re.sub(r"\D", "", run[1]) == str(total)):
        return None
    return run[1][:_LONGEST_RUN]


def _parse_short_notice(text: str) -> MajorHolding | None:
    """Parses «… has on 2026-06-04 bought … passed the 5% disclosure threshold» and the table after it."""
    told = _SHORT.search(text)
    if told is None or _LIMIT.search(text, told.end()) is None:
        return None
    rows = [found for found in _ROW.findall(text) if found[0] == told["day"]]
    if len(rows) != 1:
        return None
    capital, votes = (percentage_from_text(share) for share in rows[0][1:])
    day = find_first_date(told["day"])
    if max(capital, votes) > _ALL or day is None:
        return None
    name = told["name"].strip(" ,;:\t")
    return MajorHolding(name, None, day, votes, None, capital, None)
