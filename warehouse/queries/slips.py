"""Words one slip away: a letter missing, added, changed or two swapped, found through a table of deletions.

`slips` holds every word of the index under each spelling that lacks one of its letters, `words` the words
themselves; two words one slip apart meet there. Does not belong here: asking for names (`names`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Final

SHORTEST: Final = 4  # below this, too many words are one slip away
LONGEST: Final = 24
NEAR: Final = 32  # words taken at most


def suits(word: str) -> bool:
    """Whether slips in this word are worth a look: letters only, neither short nor endless."""
    return SHORTEST <= len(word) <= LONGEST and word.isalpha()


def spelled(connection: sqlite3.Connection, word: str) -> tuple[str, ...]:
    """Words of the index one slip away from this one."""
    if not suits(word):
        return ()
    shorter = {word[:place] + word[place + 1 :] for place in range(len(word))}
    found = {
        *_asked(connection, "SELECT word FROM slips WHERE spelling IN", {word, *shorter}),
        *_asked(connection, "SELECT word FROM words WHERE word IN", filter(suits, shorter)),
    }
    return tuple(sorted(near for near in found if one_slip(word, near))[:NEAR])


def _asked(connection: sqlite3.Connection, statement: str, words: Iterable[str]) -> set[str]:
    values = tuple(words)
    marks = ", ".join("?" * len(values))
    return {found for (found,) in connection.execute(f"{statement} ({marks})", values)}


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
