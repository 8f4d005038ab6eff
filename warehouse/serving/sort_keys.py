"""Integer sort keys that compare like the first bytes of texts: sorting millions of names by integers is faster.

If two texts have different keys, these decide the order; if equal, the texts do. Does not belong here: the
sorted columns (stored by `search_table`, queried by `reader.queries.filters`).
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from warehouse.schema.codes import MARKETS

BYTES: Final = 7  # of a name: as many as fit into a positive int64
_MARKETS: Final = sorted(MARKETS)
MARKET_PLACES: Final = {market: place for place, market in enumerate(_MARKETS)}
CHARACTERS: Final = 10  # of a company number, six bits each; three more bits are the market's
_BITS: Final = 6
BEFORE_HYPHEN: Final = 0x2C  # numbers consist of hyphens, digits and capitals
LAST: Final = (1 << _BITS) - 1
_CODES: Final = {chr(sign): min(max(sign - BEFORE_HYPHEN, 0), LAST) for sign in range(1 << 7)}


def name_sort_key(name: str) -> int:
    """Sort key of a folded name: its first bytes."""
    return int.from_bytes(name.encode()[:BYTES].ljust(BYTES, b"\0"))


def id_sort_key(company_id: str) -> int:
    """Sort key of a company id: its market and the first characters of its number. ValueError if malformed."""
    _, market, number = company_id.split(":", 2)
    found = bisect_left(_MARKETS, market)
    for place in range(CHARACTERS):
        code = _CODES.get(number[place], LAST) if place < len(number) else 0
        found = (found << _BITS) | code
        if code in (0, LAST):  # end of the number, or an unexpected character: the rest is ignored
            return found << _BITS * (CHARACTERS - place - 1)
    return found
