"""Trading venues that count as a listing (docs/formats/news.md 3.7): home markets of served countries, by MIC.

Does not belong here: platforms, which trade any share without the issuer's request, and over-the-counter
quotes.
"""

from __future__ import annotations

from typing import Final

from connectors.kit import code_lists

VENUES: Final = code_lists.load_code_list("connectors.listings", "venues")
MICS: Final = sorted(VENUES.codes)
