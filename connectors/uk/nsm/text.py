"""Converts the text of an announcement, plain or HTML, to lines.

Does not belong here: parsing the lines (`tr1_form`).
"""

from __future__ import annotations

import re
from typing import Final

from lxml import etree, html

from connectors.kit.xml import html as xml_html

_MARKUP: Final = re.compile(r"<(?:html|body|table|div|p|br|span|td)\b", re.IGNORECASE)
LONGEST: Final = 1 << 20  # characters; a form has a few thousand
_SKIPPED: Final = ("script", "style", "noscript", "title")


def to_plain_text(text: str) -> str:
    """Text without markup, one line per block."""
    if _MARKUP.search(text) is None:
        return text
    parser = html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = xml_html.parse_fragment(text.encode("utf-8", "replace"), parser)
    except (etree.ParserError, ValueError):
        return ""
    etree.strip_elements(root, *_SKIPPED, with_tail=False)
    # within a cell or paragraph one phrase may be split over several spans
    return "\n".join(" ".join("".join(part).split()) for part in _text_blocks(root))


_BLOCKS: Final = frozenset(
    ("p", "div", "td", "th", "tr", "li", "table", "br", "h1", "h2", "h3", "h4", "body", "section")
)


def _text_blocks(root: etree._Element) -> list[list[str]]:
    """Runs of text between block boundaries, in order; not recursive, since pages may nest arbitrarily deep."""
    found: list[list[str]] = [[]]
    for event, element in etree.iterwalk(root, events=("start", "end")):
        is_block = element.tag in _BLOCKS
        if is_block and found[-1]:
            found.append([])
        found[-1].append((element.text if event == "start" else element.tail) or "")
    return [part for part in found if any(piece.strip() for piece in part)]
