"""From what an LEI record says of its registration to a company number of a market.

Belongs here: which registration authority is which register, and the spellings its numbers come in. A number
counts only under the market's own authority and law (FORMAT news 3.1): branches and funds repeat the number of
somebody else. Does not belong here: records (`records`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from warehouse.schema import identifiers

AUTHORITIES: Final[Mapping[str, tuple[str, ...]]] = {
    "SE": ("RA000544", "RA000546", "RA000735", "RA000545"),  # not RA000547: other numbers
    "NO": ("RA000472",),
    "FI": ("RA000188",),
    "UK": ("RA000585", "RA000586", "RA000587"),
    "DK": ("RA000170",),
}
# Northern Ireland and Scotland: what is registered there says so by its first letters.
_LETTERS: Final = {
    "RA000586": re.compile(r"NI|R0|NC|NF|NL"),
    "RA000587": re.compile(r"S[CFLO]|RS"),
}
_LONG: Final = re.compile(r"16(\d{10})")  # the number of a legal person with its century
_PERSON: Final = re.compile(r"\d{2}[01]\d{7}|302\d{7}|(?:18|19|20)\d{10}")
_SEPARATORS: Final = re.compile(r"[\s.\-]+")
_SWEDISH: Final = AUTHORITIES["SE"]
_LEI: Final = re.compile(r"[0-9A-Z]{18}[0-9]{2}")
_VALID: Final = 1  # ISO 7064: the number made of an LEI, modulo 97


def is_lei(text: str | None) -> bool:
    """Twenty characters whose check digits hold (ISO 17442)."""
    if text is None or not _LEI.fullmatch(text):
        return False
    return int("".join(str(int(sign, 36)) for sign in text)) % 97 == _VALID


def is_personal(authority: str | None, number: str | None) -> bool:
    """Whether a number under a Swedish authority is, or may be, a person's (FORMAT se 1)."""
    if authority not in _SWEDISH or not number:
        return False
    return _PERSON.fullmatch(_SEPARATORS.sub("", number).replace("+", "")) is not None


def company_number(market: str, authority: str | None, number: str | None) -> str | None:
    """The canonical number of a company of a market; None for what is none, or has a wrong check digit."""
    if not number or not authority or authority not in AUTHORITIES[market] or is_personal(authority, number):
        return None
    compact = _SEPARATORS.sub("", number).upper()
    if market == "NO":
        compact = compact.removeprefix("NO")
    if market == "SE" and (long := _LONG.fullmatch(compact)):
        compact = long[1]
    letters = _LETTERS.get(authority)
    if letters is not None and not letters.match(compact):
        return None
    found = identifiers.parse_scoped(market, compact)
    return found.org_number if found is not None and found.check else None
