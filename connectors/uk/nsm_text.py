"""The text of an announcement: what the search keeps is plain or HTML, and both become lines.

Does not belong here: what the lines say (`tr1`).
"""

from __future__ import annotations

import re
from typing import Final

from lxml import etree, html

from connectors.kit import pages

_MARKUP: Final = re.compile(r"<(?:html|body|table|div|p|br|span|td)\b", re.IGNORECASE)
LONGEST: Final = 1 << 20  # characters: a form has a few thousand
_SKIPPED: Final = ("script", "style", "noscript", "title")


def plain(text: str) -> str:
    """The text, with markup taken off and a line for each piece of it."""
    if _MARKUP.search(text) is None:
        return text
    parser = html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = pages.fragment(text.encode("utf-8", "replace"), parser)
    except (etree.ParserError, ValueError):
        return ""
    etree.strip_elements(root, *_SKIPPED, with_tail=False)
    # within a cell or paragraph the pieces of one phrase stand in spans of their own
    return "\n".join(" ".join("".join(part).split()) for part in _pieces(root))


_BLOCKS: Final = frozenset(
    ("p", "div", "td", "th", "tr", "li", "table", "br", "h1", "h2", "h3", "h4", "body", "section")
)


def _pieces(root: etree._Element) -> list[list[str]]:
    """Runs of text between the borders of blocks, in order; without recursion: pages nest at will."""
    found: list[list[str]] = [[]]
    for event, element in etree.iterwalk(root, events=("start", "end")):
        is_block = element.tag in _BLOCKS
        if is_block and found[-1]:
            found.append([])
        found[-1].append((element.text if event == "start" else element.tail) or "")
    return [part for part in found if any(piece.strip() for piece in part)]
