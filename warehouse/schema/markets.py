"""The markets, as their connectors' folders declare them (`connectors/<cc>/market.toml`).

A declaration is plain data, so that the service and the reader know every market without importing a connector.
`connectors/markets.toml` lists the markets in the order in which they are shown. A market in preview is announced, and
served where FIRM_PREVIEW_MARKETS names it; that is read once, with the declarations, since everything that is made of
them (patterns of numbers, code lists, the OpenAPI document) is made when it is imported. Belongs here: the shape of a
declaration and reading it. Does not belong here: any market, or what a field is used for.
"""

from __future__ import annotations

import importlib.util
import os
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

_PACKAGE: Final = "connectors"
_LIST: Final = "markets.toml"
_DECLARATION: Final = "market.toml"
PREVIEW_SETTING: Final = "FIRM_PREVIEW_MARKETS"
_PREVIEW: Final = "preview"  # a state of declarations; a market is announced or served
_SEPARATORS: Final = re.compile(r"[\s,]+")
LUHN: Final = 10  # modulo of check digits for which the digits of each product are summed
_NO_LETTER_OR_DIGIT: Final = re.compile(r"[^0-9A-Z]")
_NO_DIGIT: Final = re.compile(r"\D")


class NumberFormat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a market writes its company numbers (docs/contract/contract.md 4.0).

    bare: regular expression of a number without its market, in any case; None: always given with the market.
    scoped: the same where the market is known; by default `bare`.
    length: letters and digits of a canonical number without `prefix`; missing zeros stand before the digits.
    letters: how many letters of its own a number may begin with; they count in `length`.
    prefix: letters before the digits of every canonical number.
    hyphen: position of a hyphen in canonical numbers.
    weights, modulo: check digit. The weighted sum of the digits is a multiple of `modulo`; with modulo 10 the
    digits of each product are summed (Luhn). No weights: numbers have no check digit.
    published_bare, published_scoped: the two expressions in the OpenAPI document, which has no flags; by default
    the same. An empty one: the other markets' expressions cover it. in_words: the format for people.
    """

    length: int
    in_words: str
    bare: str | None = None
    scoped: str | None = None
    letters: int = 0
    prefix: str = ""
    hyphen: int | None = None
    weights: tuple[int, ...] = ()
    modulo: int = 11
    published_bare: str | None = None
    published_scoped: str | None = None

    @property
    def scoped_pattern(self) -> str:
        """`scoped`, or `bare` where there is one spelling only."""
        return self.scoped or self.bare or ""

    @property
    def canonical_pattern(self) -> str:
        """Regular expression of numbers that are canonical already: the usual ones, of letters and then digits."""
        before = self.length if self.hyphen is None else self.hyphen - len(self.prefix)
        hyphen = "" if self.hyphen is None else f"-[0-9]{{{self.length - before}}}"
        heads = (f"[A-Z]{{{count}}}[0-9]{{{before - count}}}" for count in range(self.letters + 1))
        return f"{self.prefix}(?:{'|'.join(heads)}){hyphen}"

    def canonical(self, text: str) -> str:
        """The one spelling of a number in any accepted spelling."""
        written = _NO_LETTER_OR_DIGIT.sub("", text.upper())
        letters = written[: self.letters].rstrip("0123456789")
        digits = written[len(letters) :] if self.letters else _NO_DIGIT.sub("", written)
        width = self.length - len(letters)
        number = self.prefix + letters + digits[-width:].rjust(width, "0")
        return number if self.hyphen is None else f"{number[: self.hyphen]}-{number[self.hyphen :]}"

    def is_valid(self, number: str) -> bool:
        """Whether the check digit of a canonical number is right; True without check digits."""
        if not self.weights:
            return True
        digits = [int(digit) for digit in number if digit.isdigit()]
        products = [digit * weight for digit, weight in zip(digits, self.weights, strict=True)]
        if self.modulo == LUHN:
            products = [sum(divmod(product, LUHN)) for product in products]
        return sum(products) % self.modulo == 0

    def is_padded(self, text: str) -> bool:
        """Whether a spelling has more digits than a number: it counts only with a valid check digit."""
        return len(text) > self.length and len(_NO_DIGIT.sub("", text)) > self.length


class LegalForms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Legal forms in names of a market's companies (docs/formats/news.md 5).

    spellings: each form -> how it is written, in lower case without dots and slashes.
    foreign: forms declared by other markets that occur in this one too.
    equal: forms that are another form in a second language. renamed: the same, in this market only.
    only_here: further spellings that mark a form in this market only.
    conjunctions: words for «and». english_renderings: English forms in names are translations.
    after_comma: whether a form may follow a comma.
    """

    spellings: Mapping[str, tuple[str, ...]] = {}
    foreign: tuple[str, ...] = ()
    equal: Mapping[str, str] = {}
    renamed: Mapping[str, str] = {}
    only_here: Mapping[str, str] = {}
    conjunctions: tuple[str, ...] = ()
    english_renderings: bool = False
    after_comma: bool = False


class LeiRegistration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How LEI records name the companies of a market (docs/formats/news.md 3.1).

    authorities: registration authorities that are the market's register, the main one first.
    number: regular expression of a number there, in capitals without separators; its group is the number.
    excluded: numbers that match, but are another register's. prefixes: how numbers of an authority begin.
    person: numbers of the register that are, or may be, a person's.
    """

    authorities: tuple[str, ...]
    number: str
    excluded: str | None = None
    prefixes: Mapping[str, str] = {}
    person: str | None = None


class Exchange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A trading venue by its MIC. level: None where its quotes are no listing (docs/formats/news.md 3.7).

    names: how newswires call it, in lower case; none: it is not recognised in news.
    """

    label: str
    level: Literal["regulated", "growth"] | None = None
    names: tuple[str, ...] = ()


class RegisterScheme(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How other data sets name the register whose numbers the market's companies have.

    name: the register's, or the number's, own name. code: its code at https://org-id.guide; empty: that list has none.
    """

    name: str
    code: str = ""


class Market(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One market. `code` is its folder's name in capitals; `iso` its ISO 3166-1 code, an accepted alias.

    in_text: its name inside a sentence. time_zone: its IANA name, in which the market's days end. personal_number:
    regular expression of the numbers of persons, which are removed from logs. vat_number: regular expression of a VAT
    number without its country's letters, in capitals without separators; its group is the company's number; None: VAT
    numbers do not hold it. place_names: a place's name as served -> its names in the country's other languages, by
    which search finds it, too. classification: which family of industry codes its companies have; the same digits mean
    the same industry within one family. register: whose numbers the companies have.
    """

    code: str
    name: str
    state: Literal["served", "announced"]
    time_zone: str
    classification: str
    number: NumberFormat
    register: RegisterScheme
    iso: str = ""
    in_text: str = ""
    personal_number: str | None = None
    vat_number: str | None = None
    place_names: Mapping[str, tuple[str, ...]] = {}
    legal_forms: LegalForms = LegalForms()
    lei: LeiRegistration | None = None
    exchanges: Mapping[str, Exchange] = {}
    industry_schemes: Mapping[str, Literal["NACE Rev. 2", "NACE Rev. 2.1"]] = {}
    has_preview: bool = False

    def __post_init__(self) -> None:
        number, lei = self.number, self.lei
        if not number.scoped_pattern:
            raise ValueError("number has neither `bare` nor `scoped`: no number would be accepted")
        if number.weights and len(number.weights) != number.length:
            raise ValueError(f"number has {len(number.weights)} weights for {number.length} digits")
        try:
            ZoneInfo(self.time_zone)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise ValueError(f"{self.time_zone} is no time zone: {error}") from error
        patterns = (
            number.bare,
            number.scoped,
            self.personal_number,
            self.vat_number,
            *((lei.number, lei.person) if lei else ()),
        )
        for pattern in filter(None, patterns):
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"{pattern} is not a regular expression: {error}") from error

    @property
    def codes(self) -> tuple[str, ...]:
        """The accepted codes: the market's own, and its ISO code where that differs."""
        return tuple(dict.fromkeys((self.code, self.iso or self.code)))


class MarketDeclarationError(ValueError):
    """A market's declaration is missing or wrong; the message names the file."""


def preview_codes(text: str) -> frozenset[str]:
    """The codes of markets that a text lists, separated by blanks or commas, in any case."""
    return frozenset(code.upper() for code in _SEPARATORS.split(text) if code)


def read_markets(folder: Path, previewed: Collection[str] = ()) -> tuple[Market, ...]:
    """The markets declared below a folder, in the order of its list; those in preview served where `previewed`."""
    try:
        listed = tomllib.loads((folder / _LIST).read_text(encoding="utf-8"))["markets"]
    except (OSError, tomllib.TOMLDecodeError, KeyError) as error:
        raise MarketDeclarationError(f"{folder / _LIST} must be a list `markets`: {error}") from error
    declared = {path.parent.name for path in folder.glob(f"*/{_DECLARATION}")}
    if len(set(listed)) != len(listed) or set(listed) != declared:
        raise MarketDeclarationError(
            f"{folder / _LIST} must list every folder with a {_DECLARATION} once: {', '.join(sorted(declared))}"
        )
    markets = tuple(_read_market(folder / name, previewed) for name in listed)
    codes = Counter(code for market in markets for code in market.codes)
    if shared := sorted(code for code, count in codes.items() if count > 1):
        raise MarketDeclarationError(f"{folder / _LIST}: two markets have the code {', '.join(shared)}")
    return markets


def _read_market(folder: Path, previewed: Collection[str]) -> Market:
    path, code = folder / _DECLARATION, folder.name.upper()
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
        if values.get("state") == _PREVIEW:
            values |= {"state": "served" if code in previewed else "announced", "has_preview": True}
        return msgspec.convert({**values, "code": code}, Market)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise MarketDeclarationError(f"{path}: {error}") from error


def _connectors_folder() -> Path:
    """The folder of the connectors, found without importing them."""
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise MarketDeclarationError(f"the package {_PACKAGE} is not installed")
    return Path(spec.origin).parent


PREVIEWED: Final = preview_codes(os.environ.get(PREVIEW_SETTING, ""))
MARKETS: Final[Mapping[str, Market]] = {market.code: market for market in read_markets(_connectors_folder(), PREVIEWED)}
