"""Converts HTML to text: pages to lines, fragments in a feed's fields to one line.

Belongs here: what breaks a line, what is not text, and that a hostile page does not take hours. Does not belong
here: parsing the lines (a form's reader), or the tree of a page (`html`).
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from lxml import etree
from lxml.html import HTMLParser

from connectors.kit.xml.html import parse_fragment

_PRE: Final = frozenset({"pre"})
_TAG: Final = re.compile(r"<[a-zA-Z/!?][^<>]{0,2000}>")  # «p<0.01» begins none
_WITHIN_WORDS: Final = re.compile(r"</?(?:b|i|u|em|strong|sub|sup|small|mark)>", re.IGNORECASE)
_FOOTNOTE: Final = re.compile(r"[\d*†]{1,2}")
_CELLS: Final = frozenset({"td", "th"})
_BREAKS: Final = _CELLS.union(
    ("body", "br", "center", "div", "h1", "h2", "h3", "h4", "hr", "li", "ol", "p", "pre", "section", "table"),
    ("title", "tr", "ul"),
)
NOT_TEXT: Final = frozenset({"script", "style", "noscript"})
NOT_CONTENT: Final = NOT_TEXT | {"title"}


def to_single_line(markup: str) -> str:
    """Text of a fragment without tags and entities, with single blanks."""
    return " ".join(html.unescape(_TAG.sub(" ", markup)).split())


def headline_text(markup: str) -> str:
    """The same for a headline, whose words marks of emphasis do not part: «CO<sub>2</sub>» is one."""
    return to_single_line(_WITHIN_WORDS.sub("", markup))


def html_lines(body: bytes, cell_end: str = "", skipped: AbstractSet[str] = NOT_CONTENT) -> list[str]:
    """Lines of a page, one per block; none for a page that does not parse. `pre` keeps its lines and blanks.

    A footnote mark, a superscript number or star, is put in brackets: it would be read as part of the number.

    Args:
        body: in UTF-8, or else in Windows-1252.
        cell_end: written after each cell of a table, whose row is one line; if empty, each cell is a line.
        skipped: tags whose text is left out.
    """
    parser = HTMLParser(
        encoding=page_encoding(body), no_network=True, remove_comments=True, remove_pis=True, huge_tree=True
    )
    try:
        root = parse_fragment(body, parser)
    except (etree.ParserError, ValueError):
        return []
    lines = _LineBuilder(cell_end, skipped)
    found = [line for event, element in etree.iterwalk(root, ("start", "end")) for line in lines.add(event, element)]
    return [*found, *lines.end_line()]


def page_encoding(body: bytes) -> str:
    """UTF-8, or else Windows-1252, as browsers read pages that do not say."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return "windows-1252"
    return "utf-8"


class _LineBuilder:
    """Lines of a page from its elements in order. Not recursive: pages may nest arbitrarily deep."""

    def __init__(self, cell_end: str, skipped: AbstractSet[str]) -> None:
        self._cell_end = cell_end
        self._cells = _CELLS if cell_end else frozenset[str]()
        self._line: list[str] = []
        self._states: Final[tuple[tuple[str, AbstractSet[str]], ...]] = (
            ("cells", self._cells),
            ("pre", _PRE),
            ("skipped", skipped),
        )
        self._inside = dict.fromkeys((name for name, _ in self._states), 0)  # elements that are open

    def add(self, event: str, element: etree._Element) -> Iterator[str]:
        """Adds the start or end of an element, and the text after it; yields the lines that this completes."""
        tag, step = element.tag, 1 if event == "start" else -1
        if tag in self._cells and step < 0 and self._inside["cells"] == 1:
            self._line.append(self._cell_end)
        elif tag in _BREAKS and (tag not in self._cells or self._inside["cells"]):
            yield from self.end_line()
        for name, tags in self._states:
            if tag in tags:
                self._inside[name] += step
        text = element.text if step > 0 else element.tail
        if text and not self._inside["skipped"]:
            yield from self._add_text(text, step > 0 and tag == "sup")

    def end_line(self) -> Iterator[str]:
        """The text since the last line; within a cell of a row it goes on after a blank."""
        if self._inside["cells"]:
            self._line.append(" ")
            return
        text = "".join(self._line)
        self._line.clear()
        line = text if self._inside["pre"] else " ".join(text.split())
        if line:
            yield line

    def _add_text(self, text: str, is_raised: bool) -> Iterator[str]:
        if is_raised and _FOOTNOTE.fullmatch(text.strip()):
            self._line.append(f" ({text.strip()}) ")
        elif self._inside["pre"] and not self._inside["cells"]:
            *ended, rest = text.split("\n")
            for line in ended:
                yield "".join((*self._line, line))
                self._line.clear()
            self._line.append(rest)
        else:
            self._line.append(text)
