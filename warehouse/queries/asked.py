"""What the words of a search mean: which names they find, and how well (docs/contract/contract.md 4.2).

Tiers, best first: 0 the whole name; 1 the name begins with the words asked, as whole words; 2 every word asked
is a word of the name; 3 the name begins with the text asked, whose last word may go on; 4 every word asked begins
a word of the name; 5, only where all these find nothing, words may be one slip away (`slips`). Does not belong
here: finding names (`names`, `filters`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from warehouse.folding import folded

TIERS: Final = range(5)
SLIPPED: Final = 5
WORDS: Final = 12  # of more words than these, the rest makes no name narrower


@dataclass(frozen=True, slots=True)
class Asked:
    """A text as asked: `name` folded whole, `words` the different ones in it."""

    name: str
    words: tuple[str, ...]

    def tier(self, name: str) -> int | None:
        """How well a folded name answers; None if it does not, slips aside."""
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


def asked(text: str) -> Asked | None:
    """A text as asked; None where no word is in it."""
    name = folded(text)
    words = tuple(dict.fromkeys(name.split()))
    return Asked(name, words[:WORDS]) if words else None
