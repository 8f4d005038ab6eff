"""Decides whether two versions of one record are about the same subject: a person, a company, an issuer.

A register may give a record id to somebody else, or move an identifier to another company. Numbers decide where both
versions state one; else names, by a fold and a tolerance for corrected spelling. What only one version states says
nothing: a missing number or name is no other subject. Does not belong here: which columns state the subject
(`warehouse.schema.types.Subject`), or which company a name means (`decide`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from rapidfuzz.distance import OSA

from name_matching.folding import fold_text

Versions = tuple[str | None, str | None]
"""A value before and after."""

_NOT_IN_NUMBERS: Final = re.compile(r"[\W_]+")
# Words that distinguish otherwise equal names: Fund 1 and Fund 2, Holding I and Holding II
_COUNTING: Final = re.compile(r"\d|^[ivx]+$")
_LETTERS_PER_TYPO: Final = 8
_SHORTEST: Final = 4  # letters of a name in which a typo is told from another name
_FEWEST_WORDS: Final = 2  # of a name that a fuller spelling may extend


def is_same_subject(numbers: Iterable[Versions], names: Iterable[Versions]) -> bool:
    """True unless the first number, or else the first name, that both versions state is another's.

    numbers, names: in the order of their weight.
    """
    for before, after in numbers:
        if before and after:
            return _fold_number(before) == _fold_number(after)
    for before, after in names:
        if before and after:
            return is_same_name(before, after)
    return True


def has_other_number(numbers: Iterable[Versions]) -> bool:
    """True if the first number that both versions state is another one."""
    first = next(((before, after) for before, after in numbers if before and after), None)
    return first is not None and _fold_number(first[0]) != _fold_number(first[1])


def has_other_mark(marks: Iterable[Versions]) -> bool:
    """True if both versions have a person mark of one key, and the marks differ: two dates of birth."""
    return any(
        before and after and before != after and before.partition("-")[0] == after.partition("-")[0]
        for before, after in marks
    )


def is_same_name(before: str, after: str) -> bool:
    """True if one name may be a corrected or fuller spelling of the other.

    Case, accents, punctuation and the order of words do not count; a fuller name (a title, a middle name, a legal form)
    and one typo per eight letters are the same name, unless a number in the name or an initial changes.
    """
    one, other = fold_text(before).split(), fold_text(after).split()
    if sorted(one) == sorted(other):
        return True
    if not one or not other or _counting_words(one) != _counting_words(other):
        return False
    if _have_other_initials(one, other):
        return False
    if min(len(one), len(other)) >= _FEWEST_WORDS and (set(one) <= set(other) or set(other) <= set(one)):
        return True
    first, second = " ".join(one), " ".join(other)
    shortest = min(len(first), len(second))
    allowed = max(1, shortest // _LETTERS_PER_TYPO) if shortest >= _SHORTEST else 0
    return OSA.distance(first, second, score_cutoff=allowed) <= allowed


def _have_other_initials(one: Iterable[str], other: Iterable[str]) -> bool:
    """True for Trust A and Trust B, John A Smith and John B Smith; a fuller name has more initials."""
    first, second = ({word for word in words if len(word) == 1} for words in (one, other))
    return not (first <= second or second <= first)


def _fold_number(number: str) -> str:
    return _NOT_IN_NUMBERS.sub("", number).casefold().lstrip("0")


def _counting_words(words: Iterable[str]) -> list[str]:
    return sorted(word for word in words if _COUNTING.search(word))
