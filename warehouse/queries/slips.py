"""Words one slip away: a letter missing, added, changed or two swapped, found through a table of deletions.

Every word of the index stands in `slips` under itself and under each spelling that lacks one of its letters;
two words one slip apart share such a spelling. Does not belong here: asking for names (`search`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Final

SHORTEST: Final = 4  # below this, too many words are one slip away
LONGEST: Final = 24
NEAR: Final = 32  # words taken at most


def suits(word: str) -> bool:
    """Whether slips in this word are worth a look: letters only, neither short nor endless."""
    return SHORTEST <= len(word) <= LONGEST and word.isalpha()


def spellings(word: str) -> Iterator[str]:
    """The word and what is left of it without one letter."""
    yield word
    for place in range(len(word)):
        yield word[:place] + word[place + 1 :]


def spelled(connection: sqlite3.Connection, word: str) -> list[str]:
    """Words of the index one slip away from this one."""
    if not suits(word):
        return []
    found: set[str] = set()
    for spelling in set(spellings(word)):
        rows = connection.execute("SELECT word FROM slips WHERE spelling = ?", (spelling,))
        found.update(near for (near,) in rows)
    found.discard(word)
    near = [candidate for candidate in found if one_slip(word, candidate)]
    return sorted(near)[:NEAR]


def one_slip(left: str, right: str) -> bool:
    """Whether one letter missing, added, changed, or one swap of neighbours makes one of the other."""
    if left == right or abs(len(left) - len(right)) > 1:
        return False
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    rest_left, rest_right = left[start:], right[start:]
    if len(left) == len(right):
        swapped = rest_left[:2] == rest_right[:2][::-1] and rest_left[2:] == rest_right[2:]
        return rest_left[1:] == rest_right[1:] or swapped
    longer, shorter = (rest_left, rest_right) if len(left) > len(right) else (rest_right, rest_left)
    return longer[1:] == shorter
