"""Query parsing and relevance tiers: which names a search matches, and how well (docs/contract/contract.md 4.2).

Tiers, best first: 0 the whole name; 1 the name begins with the query, as whole words; 2 every query word is a
word of the name; 3 the name begins with the query, with a prefix as last word; 4 every query word is a prefix
of a word of the name; 5, only if all these match nothing, words may contain one typo (`serving.name_terms`).
Does not belong here: finding names (`names`, `filters`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from name_matching.folding import fold_text

TIERS: Final = range(5)
SLIPPED: Final = 5
WORDS: Final = 12  # further query words are ignored


@dataclass(frozen=True, slots=True)
class NameQuery:
    """A parsed query: `name` is the whole text folded, `words` its distinct words."""

    name: str
    words: tuple[str, ...]

    def tier(self, name: str) -> int | None:
        """The relevance tier of a folded name, or None if it does not match; typos not considered."""
        spaced = f" {name} "
        if any(f" {word}" not in spaced for word in self.words):
            return None
        if name.startswith(self.name):
            if len(name) == len(self.name):
                return 0
            if name[len(self.name)] == " ":
                return 1
        if all(f" {word} " in spaced for word in self.words):
            return 2
        return 3 if name.startswith(self.name) else 4


def parse_name_query(text: str) -> NameQuery | None:
    """Parses a query; None if it has no word."""
    name = fold_text(text)
    words = tuple(dict.fromkeys(name.split()))
    return NameQuery(name, words[:WORDS]) if words else None
