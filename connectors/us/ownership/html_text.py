"""Older forms as plain text on one line: HTML with its cells separated, ASCII with whitespace collapsed.

Does not belong here: interpreting the text (`schedule13.parse_text`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lxml import etree, html

from connectors.kit.xml import html as xml_html

_MARKUP: Final = re.compile(rb"<(?:html|body|div|table|p|font|pre|br)\b", re.IGNORECASE)
_REACH: Final = 20_000
_SKIPPED: Final = frozenset({"script", "style", "noscript", "title"})
_APART: Final = frozenset(
    {
        "p",
        "div",
        "br",
        "tr",
        "td",
        "th",
        "table",
        "li",
        "ul",
        "ol",
        "hr",
        "h1",
        "h2",
        "h3",
        "h4",
        "pre",
        "center",
    }
)
_RAISED: Final = frozenset({"sup"})


def to_single_line(body: bytes) -> str:
    """The text of a document on one line; empty where there is none."""
    if _MARKUP.search(body[:_REACH]) is None:
        text = body.decode("latin-1" if not _is_utf8(body) else "utf-8")
        return " ".join(text.split())
    parser = html.HTMLParser(
        encoding="utf-8" if _is_utf8(body) else "windows-1252",
        no_network=True,
        remove_comments=True,
        remove_pis=True,
        huge_tree=True,
    )
    try:
        root = xml_html.parse_fragment(body, parser)
    except (etree.ParserError, ValueError):
        return ""
    return " ".join("".join(_text_pieces(root)).split())


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _text_pieces(root: etree._Element) -> Iterator[str]:
    """Text in order, with a blank at the end of each block or cell. Not recursive: a hostile page is deep."""
    hidden = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if element.tag in _APART:
            yield " "
        if element.tag in _SKIPPED:
            hidden += 1 if event == "start" else -1
        if hidden:
            continue
        if event == "end":
            yield element.tail or ""
        else:
            yield f" ({element.text}) " if _is_footnote_mark(element) else element.text or ""


def _is_footnote_mark(element: etree._Element) -> bool:
    """A superscript number or star, i.e. a footnote mark, which would be read as part of the preceding number."""
    return element.tag in _RAISED and re.fullmatch(r"[\d*†]{1,2}", (element.text or "").strip()) is not None
