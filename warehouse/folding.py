"""Names as they are searched and compared: one folding for what is indexed and asked, one for whom a name means.

Case, accents, the letters of our markets that have no accent to take off (ø æ ß and the like), and
punctuation go; dots and strokes inside abbreviations go without leaving a gap (A/S and AS are one word). Does
not belong here: the index (`serving`) or the query (`queries`).
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


def folded(text: str) -> str:
    """Words in lower case without accents or punctuation, one space between them; empty if there is none."""
    text = text.casefold()
    if text.isascii():  # as most of ten million are, and then there is one letter to look for
        text = text.replace("'", "")
    else:
        # folded again: what is taken apart may bring capitals (™ is TM, № is No)
        text = "".join(
            char for char in unicodedata.normalize("NFKD", text).casefold() if not unicodedata.combining(char)
        ).translate(_LETTERS)
    if "." in text or "/" in text:
        text = _ABBREVIATION.sub(lambda found: re.sub(r"[./]", "", found.group()), text)
    return _GAP.sub(" ", text).strip()


def comparable(name: str | None) -> str:
    """A holder's name without case, accents and signs: NORBIT ASA and Norbit asa are one name."""
    plain = unicodedata.normalize("NFKD", (name or "").casefold().replace("ø", "o").replace("æ", "ae"))
    letters = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return _SIGNS.sub(" ", letters).strip()
