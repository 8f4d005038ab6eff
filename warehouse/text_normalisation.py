"""Text normalisation of names: `fold_text` for indexing and search, `comparable_name` for comparing holders.

Removed are case, accents, letters without a decomposition in our markets (ø æ ß and the like), and punctuation;
dots and slashes inside abbreviations are removed without a gap (A/S and AS are one word). Does not belong here:
the index (`serving.documents_db`) or the query (`reader.queries`).
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_LETTERS: Final = str.maketrans(
    {
        "ø": "o",
        "æ": "ae",
        "œ": "oe",
        "ß": "ss",
        "ð": "d",
        "đ": "d",
        "þ": "th",
        "ł": "l",
        "ı": "i",
        "'": "",
        "’": "",
    }
)
_ABBREVIATION: Final = re.compile(r"(?<!\w)(\w)(?:[./](\w)(?!\w))+\.?")
_GAP: Final = re.compile(r"[\W_]+")
_SIGNS: Final = re.compile(r"[^\w]+")


def fold_text(text: str) -> str:
    """Words in lower case without accents or punctuation, separated by one space; may be empty."""
    text = text.casefold()
    if text.isascii():  # the fast path for most of ten million names
        text = text.replace("'", "")
    else:
        # casefolded again: decomposition may produce capitals (™ is TM, № is No)
        text = "".join(
            char for char in unicodedata.normalize("NFKD", text).casefold() if not unicodedata.combining(char)
        ).translate(_LETTERS)
    if "." in text or "/" in text:
        text = _ABBREVIATION.sub(lambda found: re.sub(r"[./]", "", found.group()), text)
    return _GAP.sub(" ", text).strip()


def comparable_name(name: str | None) -> str:
    """A holder's name without case, accents and punctuation: NORBIT ASA and Norbit asa compare equal."""
    plain = unicodedata.normalize("NFKD", (name or "").casefold().replace("ø", "o").replace("æ", "ae"))
    letters = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return _SIGNS.sub(" ", letters).strip()
