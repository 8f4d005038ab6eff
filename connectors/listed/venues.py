"""The venues that a listing is made of: home markets of the countries served, by MIC (docs/formats/news.md 3.7).

Does not belong here: platforms, which trade any share without its issuer's asking, and over-the-counter quotes.
"""

from __future__ import annotations

from typing import Final

from connectors.kit import codes

VENUES: Final = codes.load("connectors.listed", "venues")
MICS: Final = sorted(VENUES.codes)
