"""Trading venues that count as a listing (docs/formats/news.md 3.7): declared by the markets, by MIC.

Does not belong here: platforms, which trade any share without the issuer's request, and over-the-counter
quotes, which have no level.
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.markets import MARKETS

LEVELS: Final = {
    mic: exchange.level
    for market in MARKETS.values()
    for mic, exchange in market.exchanges.items()
    if exchange.level is not None
}
MICS: Final = sorted(LEVELS)
