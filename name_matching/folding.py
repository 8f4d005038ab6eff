"""Folds names: the one rule by which two spellings are the same name, for search, links and holder ids.

Two strengths of one fold, and one weaker key:

- `fold_text`: letters a to z. Search, holder ids of notices, holders of one company compared with each other.
- `fold_except_nordic`: å ä ö ø æ stay letters of their own, since a register of a million companies has both Båt
  AB and Bat AB; names are linked to companies by it (docs/formats/news.md 5).
- `spelling_key`: case and blanks alone, for records of a register that spells each name itself.

Does not belong here: whole columns (`name_columns`), legal forms (`core_name`), or transliterations among holders
(`pipelines.transforms.holders.name_features`).
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

NORDIC: Final = {"å": "a", "ä": "a", "ö": "o", "ø": "o", "æ": "ae"}
_NORDIC_TABLE: Final = str.maketrans(NORDIC)
# letters that no decomposition turns into others, and apostrophes, which leave no gap
_SPECIAL: Final = {
    "œ": "oe", "ß": "ss", "ð": "d", "đ": "d", "þ": "th", "ł": "l", "ı": "i",
    "'": "", "’": "", "‘": "", "`": "", "ʼ": "",
}  # fmt: skip
_HIDDEN: Final = "Cf"  # soft hyphens, blanks without width, marks of direction: inside a word they leave no gap
_ABBREVIATION: Final = re.compile(r"(?<!\w)(\w)(?:[./](\w)(?!\w))+\.?")
_GAP: Final = re.compile(r"[\W_]+")


class _LetterTable(dict[int, str]):
    """A table for `str.translate`, filled letter by letter as texts need it."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        if letter in NORDIC:
            folded = letter
        elif letter in _SPECIAL:
            folded = _SPECIAL[letter]
        elif unicodedata.category(letter) == _HIDDEN:
            folded = ""
        else:
            parts = unicodedata.normalize("NFKD", letter).casefold()
            bases = (part for part in parts if not unicodedata.combining(part))
            folded = "".join(NORDIC.get(part) or _SPECIAL.get(part, part) for part in bases)
        return self.setdefault(code, folded)


_LETTERS: Final = _LetterTable()


def fold_text(text: str) -> str:
    """Words in lower case without accents or punctuation, separated by one space; may be empty.

    `hakon invest ab publ` for «Håkon Invest AB (publ)»; dots and slashes inside abbreviations leave no gap, so
    A/S and AS are one word.
    """
    return fold_nordic_letters(fold_except_nordic(text))


def fold_except_nordic(text: str) -> str:
    """`håkon invest ab publ` for «Håkon Invest AB (publ)»: `fold_text` with Nordic letters kept."""
    text = text.casefold()
    if text.isascii():  # the fast path for most of ten million names
        text = text.replace("'", "").replace("`", "")
    else:
        # casefolded again: compatibility characters may hold capitals (™ is TM, № is No); ´ would become a blank
        text = unicodedata.normalize("NFKC", text.replace("´", "")).casefold().translate(_LETTERS)
    if "." in text or "/" in text:
        text = _ABBREVIATION.sub(lambda found: re.sub(r"[./]", "", found.group()), text)
    return _GAP.sub(" ", text).strip()


def fold_nordic_letters(folded: str) -> str:
    """A folded name with its Nordic letters folded too: `østlandet` and `ostlandet` are equal."""
    return folded if folded.isascii() else folded.translate(_NORDIC_TABLE)


def spelling_key(name: str) -> str:
    """The name as spelled, ignoring case and repeated blanks."""
    return " ".join(name.casefold().split())
