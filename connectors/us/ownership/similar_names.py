"""Compares two names of ownership filings, which abbreviate («INTL BUSINESS MACHS», «IBM»).

Does not belong here: what follows for a row (`form13f.linked_rows`) or a person (`schedule13.rows`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from connectors.us.register import MARKET
from name_matching.core_name import core_name
from name_matching.folding import fold_text

_LETTERS: Final = 3  # at the beginning of a word


def is_similar(name: str, other: str) -> bool:
    """Whether two names have the beginning of a word, or their initials, in common."""
    return not _marks(name).isdisjoint(_marks(other))


@lru_cache(maxsize=65_536)
def _marks(name: str) -> frozenset[str]:
    words = (core_name(name, MARKET) or fold_text(name)).split()
    initials = ("".join(word[0] for word in words),) if len(words) > 1 else ()  # one letter says nothing
    return frozenset((*(word[:_LETTERS] for word in words), *initials))
