"""Normalises texts of notifications: HTML, ASCII-drawn and flattened tables all become lines of cells.

Cells end with ` |` in every case. Does not belong here: parsing the lines (`form`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from connectors.kit.xml.html_text import NOT_TEXT, html_lines

_RULE: Final = re.compile(r"^\s*\+[-=+\s]{3,}\+?\s*$")
_DRAWN: Final = re.compile(r"^\s*\|.*\|\s*$")
_BROKEN: Final = re.compile(r"(?<=\d[.,]) (?=\d)")  # «5.» and «00%» on two lines of a narrow cell
_BLANKS: Final = re.compile(r"[^\S\n]{40,}+")  # possessive, so that it does not retry at each blank
_WIDEST: Final = " " * 40


def html_to_text(body: bytes) -> str:
    """The text of a page: a line per paragraph and row, cells ended by bars, drawn tables unchanged."""
    return "\n".join(html_lines(body, " | ", NOT_TEXT))


def tables_to_cells(text: str) -> str:
    """The text with its drawn tables as rows of cells, and no gap of more than 40 blanks."""
    return "\n".join(_cell_lines(_BLANKS.sub(_WIDEST, text.replace("\r", "")).split("\n")))


def _cell_lines(lines: list[str]) -> Iterator[str]:
    row: list[list[str]] = []
    drawing = False
    for line in lines:
        if _RULE.match(line):
            drawing = True
            yield from _joined_row(row)
            row = []
        elif drawing and _DRAWN.match(line):
            row.append([cell.strip() for cell in line.strip().strip("|").split("|")])
        else:
            drawing = False
            yield from _joined_row(row)
            row = []
            yield line
    yield from _joined_row(row)


def _joined_row(row: list[list[str]]) -> Iterator[str]:
    """Joins the pieces of each cell, which a drawn table splits over lines."""
    if row:
        cells = (" ".join(filter(None, pieces)) for pieces in zip_longest(*row, fillvalue=""))
        yield _BROKEN.sub("", " | ".join(cells)) + " |"
