"""Company numbers of the six markets: canonical form, accepted spellings, check digits.

See docs/contract/contract.md 4.0.
Belongs here: the one rule per market for how a number is written and recognised. Does not belong here: whether
such a company exists (`reader`), or HTTP errors (`api.http.problems.problem`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from stdnum.dk import cvr
from stdnum.fi import ytunnus
from stdnum.no import orgnr
from stdnum.se import orgnr as se_orgnr

PREFIX: Final = "firm"
_NORWEGIAN_DIGITS: Final = 9
_BRITISH_CHARACTERS: Final = 8


class CompanyNumber(NamedTuple):
    """One recognised company number. A tuple for speed, as every request creates one."""

    market: str
    org_number: str

    @property
    def check(self) -> bool:
        """False if the check digit is wrong; registries have such numbers. Used only for unknown companies."""
        return RULES[self.market].check(self.org_number)

    @property
    def company_id(self) -> str:
        """`firm:<COUNTRY>:<org_number>`."""
        return company_id(self.market, self.org_number)


@dataclass(frozen=True, slots=True)
class NumberRule:
    """Number format of one market.

    `bare` matches a number without its market, `scoped` one with known market.
    """

    market: str
    bare: re.Pattern[str] | None
    scoped: re.Pattern[str]
    canonical: Callable[[str], str]
    check: Callable[[str], bool]


def _only_digits(text: str) -> str:
    if text.isdigit():
        return text
    return re.sub(r"\D", "", text)


def _norwegian_number(text: str) -> str:
    return _only_digits(text)[-9:]


def _finnish_number(text: str) -> str:
    digits = _only_digits(text)
    return f"{digits[:7]}-{digits[7]}"


def _british_number(text: str) -> str:
    """Pads with zeros between prefix and digits: SC1234 becomes SC001234 (docs/formats/uk.md 2)."""
    text = text.upper()
    if len(text) == _BRITISH_CHARACTERS:
        return text
    prefix = re.match(r"[A-Z]{0,2}", text)
    letters = prefix.group() if prefix else ""
    return letters + text[len(letters) :].rjust(_BRITISH_CHARACTERS - len(letters), "0")


def _american_number(text: str) -> str:
    return "US" + _only_digits(text).rjust(10, "0")


def _always_valid(_: str) -> bool:
    return True


def _padded_norwegian_is_valid(text: str) -> bool:
    """The 10-character form is valid only if its nine digits pass mod 11."""
    return len(_only_digits(text)) == _NORWEGIAN_DIGITS or orgnr.is_valid(_norwegian_number(text))


_US: Final = r"(?:US[-: ]?(?:CIK[-: ]?)?|CIK[-: ]?)\d{1,10}"  # docs/formats/us.md 2
RULES: Final[Mapping[str, NumberRule]] = {
    rule.market: rule
    for rule in (
        NumberRule(
            "US",
            re.compile(_US, re.IGNORECASE),
            re.compile(rf"{_US}|\d{{1,10}}", re.IGNORECASE),
            _american_number,
            _always_valid,
        ),
        NumberRule(
            "SE",
            re.compile(r"[1-9]\d{5}-?\d{4}"),
            re.compile(r"[1-9]\d{5}-?\d{4}"),
            _only_digits,
            se_orgnr.is_valid,
        ),
        NumberRule("NO", re.compile(r"0?\d{9}"), re.compile(r"0?\d{9}"), _norwegian_number, orgnr.is_valid),
        NumberRule(
            "FI", re.compile(r"\d{7}-\d"), re.compile(r"\d{7}-?\d"), _finnish_number, ytunnus.is_valid
        ),
        NumberRule(
            "UK",
            re.compile(r"(?!US|CIK\d+$)[A-Z]{2}[0-9A-Z]{6}|\d{8}|[A-Z]\d{7}", re.IGNORECASE),
            re.compile(r"(?!US|CIK\d+$)[A-Z]{2}[0-9A-Z]{1,6}|\d{1,8}|[A-Z]\d{7}", re.IGNORECASE),
            _british_number,
            _always_valid,
        ),
        NumberRule("DK", None, re.compile(r"\d{8}"), _only_digits, cvr.is_valid),
    )
}

# One match instead of one per market, as every request needs it.
_BARE: Final = re.compile(
    "|".join(f"(?P<{rule.market}>{rule.bare.pattern})" for rule in RULES.values() if rule.bare), re.IGNORECASE
)


def market_code(text: str) -> str | None:
    """Market code of a country code from a caller: any case, GB for UK; None if it is none of the six."""
    code = text.upper()
    code = "UK" if code == "GB" else code
    return code if code in RULES else None


def iso_country(market: str) -> str:
    """ISO 3166-1 alpha-2 of a market."""
    return "GB" if market == "UK" else market


def company_id(market: str, org_number: str) -> str:
    """`firm:<COUNTRY>:<org_number>` of canonical parts."""
    return f"{PREFIX}:{market}:{org_number}"


def _parse_if_matching(rule: NumberRule, pattern: re.Pattern[str] | None, text: str) -> CompanyNumber | None:
    if pattern is None or not text.isascii() or not pattern.fullmatch(text):
        return None
    return _to_company_number(rule, text)


def _to_company_number(rule: NumberRule, text: str) -> CompanyNumber | None:
    """Reads the number from a text that matches the market's pattern."""
    if rule.market == "NO" and not _padded_norwegian_is_valid(text):
        return None
    return CompanyNumber(rule.market, rule.canonical(text))


def parse_scoped(market: str, text: str) -> CompanyNumber | None:
    """Parses a number of a known market: more spellings are accepted (bare CIK, short UK digits)."""
    rule = RULES[market]
    return _parse_if_matching(rule, rule.scoped, text)


def parse_id(text: str) -> CompanyNumber | None:
    """Parses a full id `firm:<COUNTRY>:<number>`; the number in any spelling of its market."""
    prefix, _, rest = text.partition(":")
    market, _, number = rest.partition(":")
    code = market_code(market)
    if prefix.lower() != PREFIX or code is None:
        return None
    return parse_scoped(code, number)


def parse(text: str) -> CompanyNumber | None:
    """Parses a bare number or full id without known market; None if it matches no pattern.

    The five bare patterns are disjoint, so at most one market matches. Danish numbers (8 digits, like the UK's)
    are only accepted as full id.
    """
    if text[: len(PREFIX) + 1].lower() == f"{PREFIX}:":
        return parse_id(text)
    found = _BARE.fullmatch(text) if text.isascii() else None
    if found is None or found.lastgroup is None:
        return None
    return _to_company_number(RULES[found.lastgroup], text)
