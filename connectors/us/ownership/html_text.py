"""Older forms as plain text on one line: HTML with its cells separated, ASCII with whitespace collapsed.

Does not belong here: interpreting the text (`schedule13.parse_text`).
"""

from __future__ import annotations

import re
from typing import Final

from connectors.kit.xml.html_text import html_lines, page_encoding

_MARKUP: Final = re.compile(rb"<(?:html|body|div|table|p|font|pre|br)\b", re.IGNORECASE)
_REACH: Final = 20_000


def document_line(body: bytes) -> str:
    """The text of a document on one line; empty where there is none."""
    is_page = _MARKUP.search(body[:_REACH]) is not None
    text = " ".join(html_lines(body)) if is_page else body.decode(page_encoding(body), "replace")
    return " ".join(text.split())
