"""Terms on which the name index and its queries agree: prefix lengths, and words one typo apart.

A typo is one letter missing, added, changed or two swapped, found by a table of deletions: `slips` has every word
of the index under each spelling with one letter removed, `words` the words themselves; two words one typo apart
share a spelling. Does not belong here: building the index (`serving.name_index`), name queries
(`reader.queries.names`). Imports no engine.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Final

PREFIX_LENGTHS: Final = (1, 2, 3, 4, 5, 6)
"""Lengths of prefixes that the index has ready-made lists of."""
SHORTEST: Final = 4  # shorter words have too many neighbours
LONGEST: Final = 24
NEAR: Final = 32  # at most so many words are used


def allows_typos(word: str) -> bool:
    """True if typo tolerance applies to this word: letters only, of limited length."""
    return SHORTEST <= len(word) <= LONGEST and word.isalpha()


def words_one_typo_away(connection: sqlite3.Connection, schemas: Sequence[str], word: str) -> tuple[str, ...]:
    """Words one typo away from this one, of the name indexes in these schemas."""
    if not allows_typos(word):
        return ()
    shorter = {word[:place] + word[place + 1 :] for place in range(len(word))}
    found = {
        near
        for schema in schemas
        for near in (
            *_query_words(connection, f"SELECT word FROM {schema}.slips WHERE spelling IN", {word, *shorter}),
            *_query_words(connection, f"SELECT word FROM {schema}.words WHERE word IN", filter(allows_typos, shorter)),
        )
    }
    return tuple(sorted(near for near in found if is_one_typo_apart(word, near))[:NEAR])


def _query_words(connection: sqlite3.Connection, statement: str, words: Iterable[str]) -> set[str]:
    values = tuple(words)
    marks = ", ".join("?" * len(values))
    return {found for (found,) in connection.execute(f"{statement} ({marks})", values)}


def is_one_typo_apart(left: str, right: str) -> bool:
    """True if the words differ by one missing, added or changed letter, or by one swap of neighbours."""
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
