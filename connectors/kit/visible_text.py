"""A text without what its readers do not see: hidden signs, and letters in two parts.

Word processors and content systems leave soft hyphens, blanks without width and marks of direction in headlines, and
some write å as an a and a ring: two wires then give one headline in other characters, and words are not found in it.
Does not belong here: markup and entities (`xml.html_text`), or how names are compared (`name_matching.folding`).
"""

from __future__ import annotations

import unicodedata
from typing import Final

_DIRECTIONS: Final = (*range(0x200E, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x061C)
_WITHOUT_WIDTH: Final = (0x00AD, 0x200B, 0x2060, 0xFEFF)
_CONTROLS: Final = (code for code in (*range(0x20), *range(0x7F, 0xA0)) if not chr(code).isspace())
HIDDEN_SIGNS: Final = dict.fromkeys((*_DIRECTIONS, *_WITHOUT_WIDTH, *_CONTROLS))


def visible_text(text: str) -> str:
    """The text in composed letters and with single blanks; empty if nothing of it is visible."""
    return " ".join(unicodedata.normalize("NFC", text.translate(HIDDEN_SIGNS)).split())
