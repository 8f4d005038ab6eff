"""Names of a place: as a register writes it, its parts in two languages, and its names in other languages.

Does not belong here: which places companies have (`search_table`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from warehouse.schema.markets import MARKETS

_LANGUAGES: Final = re.compile(r"\s+[-–—]\s+|\s*/\s*")  # «Kárášjohka - Karasjok»


def names_in_every_language(country: str, name: str) -> Iterator[str]:
    """A place's name as served, its parts if it is written in two languages, and its names in other languages."""
    yield name
    parts = _LANGUAGES.split(name)
    yield from parts if len(parts) > 1 else ()
    market = MARKETS.get(country)
    yield from market.place_names.get(name, ()) if market is not None else ()
