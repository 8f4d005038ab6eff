"""Numbers that compare as the beginnings of texts do: putting millions of names in order, numbers are read first.

Where two texts differ in their initials they compare as these; where not, the texts decide. Does not belong here:
what is put in order (`searching` stores it, `queries.filters` asks).
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from warehouse.schema.codes import MARKETS

BYTES: Final = 7  # of a name: as many as a positive int64 holds
_MARKETS: Final = sorted(MARKETS)
MARKET_PLACES: Final = {market: place for place, market in enumerate(_MARKETS)}
CHARACTERS: Final = 10  # of a number, six bits each; three more bits are the market's
_BITS: Final = 6
BEFORE_HYPHEN: Final = 0x2C  # numbers are of hyphens, digits and capitals
LAST: Final = (1 << _BITS) - 1
_CODES: Final = {chr(sign): min(max(sign - BEFORE_HYPHEN, 0), LAST) for sign in range(1 << 7)}


def of_name(name: str) -> int:
    """Initials of a folded name: its first bytes."""
    return int.from_bytes(name.encode()[:BYTES].ljust(BYTES, b"\0"))


def of_id(company_id: str) -> int:
    """Initials of a company id: its market and how its number begins. ValueError if it is none."""
    _, market, number = company_id.split(":", 2)
    found = bisect_left(_MARKETS, market)
    for place in range(CHARACTERS):
        code = _CODES.get(number[place], LAST) if place < len(number) else 0
        found = (found << _BITS) | code
        if code in (0, LAST):  # ended, or a character of no number: what follows would not compare
            return found << _BITS * (CHARACTERS - place - 1)
    return found
