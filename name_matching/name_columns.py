"""Whole columns of names by the rules of `folding` and `core_name`, null staying null.

Ten million names take minutes in Python, and nearly all consist of letters, digits and gaps, which polars folds
at once; the rest are folded one by one. Does not belong here: the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import polars as pl

from name_matching.core_name import core_name
from name_matching.folding import fold_except_nordic, fold_text

_LETTERS: Final = [chr(sign) for sign in range(0xC0, 0x100) if chr(sign).isalpha()]  # of western Europe
# Letters and digits can be folded without looking at their neighbours; so can signs that are always gaps.
_SIGNS: Final = f"A-Za-z0-9{''.join(_LETTERS)}"
_PLAIN: Final = f"^[{_SIGNS}]+( [{_SIGNS}]+)*$"
_GAPS: Final = r' &(),+:;"!?\-'
_GAPPED: Final = f"^[{_SIGNS}{_GAPS}]*$"
_FOLDED: Final = {letter: fold_text(letter) for letter in _LETTERS}
_EXCEPT_NORDIC: Final = {letter: fold_except_nordic(letter) for letter in _LETTERS}


def fold_texts(names: pl.Series) -> pl.Series:
    """Each name by `folding.fold_text`."""
    return _fold(names, _FOLDED, fold_text)


def fold_texts_except_nordic(names: pl.Series) -> pl.Series:
    """Each name by `folding.fold_except_nordic`."""
    return _fold(names, _EXCEPT_NORDIC, fold_except_nordic)


def core_names(names: pl.Series, country: str) -> pl.Series:
    """Each name by `core_name.core_name`; null where nothing is left."""
    return pl.Series([core_name(name, country) if name else None for name in names], dtype=pl.String)


def _fold(names: pl.Series, letters: dict[str, str], fold_one: Callable[[str], str]) -> pl.Series:
    words = names.str.to_lowercase()
    western = (words.str.len_bytes() != words.str.len_chars()).arg_true()
    words.scatter(western, words[western].str.replace_many(letters))
    gapped = (~names.str.contains(_PLAIN)).arg_true()
    given, folded = names[gapped], words[gapped].str.replace_all(f"[{_GAPS}]+", " ").str.strip_chars(" ")
    others = (~given.str.contains(_GAPPED)).arg_true()
    folded.scatter(others, [fold_one(name) for name in given[others]])
    return words.scatter(gapped, folded)
