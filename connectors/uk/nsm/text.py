"""Converts the text of an announcement, plain or HTML, to lines.

Does not belong here: parsing the lines (`tr1_form`).
"""

from __future__ import annotations

import re
from typing import Final

from connectors.kit.xml.html_text import html_lines

_MARKUP: Final = re.compile(r"<(?:html|body|table|div|p|br|span|td)\b", re.IGNORECASE)
LONGEST: Final = 1 << 20  # characters; a form has a few thousand


def to_plain_text(text: str) -> str:
    """Text without markup, one line per block and cell."""
    if _MARKUP.search(text) is None:
        return text
    return "\n".join(html_lines(text.encode("utf-8", "replace")))
