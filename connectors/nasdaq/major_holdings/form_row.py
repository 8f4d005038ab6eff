"""Parses one row of the supervisor's form into its columns.

A row has three columns, total of A, total of B, and both, and then a number of shares (docs/formats/fi.md 6.3).
Cells end at bars, or at line ends where a row has no bars. Does not belong here: which row is which
(`form`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from connectors.kit.columns.percentages import percentage_from_text

_SIDE: Final = r"(?:(?:(?P<below>below|under|less\s+than|alle|[<‹≤])|(?P<above>above|over|more\s+than|yli|[>›≥]))\s*)?"
_WORD: Final = r"(?:(?:(?<![^\W\d_])[^\W\d_]+(?:-[^\W\d_]+)?\s*)?\(\s*)?"  # «five (5) %»
_LABEL: Final = (
    r"(?:\s*(?:of\s+)?(?:the\s+)?(?:shares\s+and\s+(?:the\s+)?(?:votes|voting\s+rights)|osakkeista\s+ja\s+äänistä"
    r"|(?P<label>shares|osakkeista|voting\s+rights|votes|äänistä)))?"
)
_FIGURE: Final = re.compile(
    rf"{_SIDE}{_WORD}(?P<value>(?<![\d.,])\d{{1,3}}(?:[.,]\d+)?)\s*(?:\)\s*%|%\s*\)?){_LABEL}", re.IGNORECASE
)
# a number with three decimals may have a thousands separator instead
_BARE: Final = re.compile(
    rf"{_SIDE}(?P<value>(?<![\d.,])\d{{1,3}}[.,](?:\d{{1,2}}|\d{{4}}))(?![\d.,])(?P<label>)", re.IGNORECASE
)
_ZERO: Final = re.compile(r"0(?:[.,]0+)?")
_COUNT: Final = re.compile(r"[\s.,]*\d[\d\s.,]*")
_MARK: Final = re.compile(r"[-–—−]|n/a", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"[\s,;:/]*(?:and|ja|&)?[\s,;:/]*", re.IGNORECASE)
_EMPTY_BEFORE: Final = re.compile(r"\s*(?:[-–—−]|n/a)\s+", re.IGNORECASE)
_VOTES: Final = ("vot", "ään")
_HUNDRED: Final = 100
_COLUMNS: Final = 3


class NotFlaggingFormError(Exception):
    """Raised for a text without the rows of the form; the message names the missing part."""


@dataclass(frozen=True, slots=True)
class PercentageLevel:
    """One percentage; `below` and `above` are limits where no figure is given."""

    exact: Decimal | None = None
    below: Decimal | None = None
    above: Decimal | None = None


@dataclass(frozen=True, slots=True)
class FormColumn:
    """Shares and votes of one column of the form; None where not given."""

    shares: PercentageLevel | None
    votes: PercentageLevel | None


def parse_columns(row: str) -> list[FormColumn | None]:
    """The columns in order, None for an empty one. Fewer than three are figures in unknown columns.

    Raises NotFlaggingFormError for a cell that is neither figure nor empty.
    """
    pattern = _FIGURE if "%" in row else _BARE
    cells = _split_cells(row)
    found: list[FormColumn | None] = []
    for place, cell in enumerate(cells):
        if _is_past_columns(cell, found, pattern):
            _reject_extra_percentages(cells[place:], pattern, len(found))
            break
        read = _read_cell(cell, pattern)
        if any(found) and len(read) > 1:
            raise NotFlaggingFormError(f"expected one column, found «{cell.strip()}»")
        _append_columns(found, read)
    if len(found) > _COLUMNS:
        raise NotFlaggingFormError(f"expected three percentages in a row of the form, found {len(found)}")
    return found


def has_figure(text: str) -> bool:
    """Whether a text contains a percentage."""
    return (_FIGURE if "%" in text else _BARE).search(text) is not None


def _split_cells(row: str) -> list[str]:
    """The cells after the row's label; blank lines are not cells, blanks between bars are."""
    if "|" in row:
        cells = row.split("|")
        cells = cells if cells[-1].strip() else cells[:-1]
    else:
        cells = [line for line in row.splitlines() if line.strip()]
    if cells and not _MARK.fullmatch(cells[0].strip()) and not re.search(r"\d", cells[0]):
        return cells[1:]  # the rest of the label
    return cells


def _is_past_columns(cell: str, found: list[FormColumn | None], pattern: re.Pattern[str]) -> bool:
    """Whether the columns ended before this cell: it has the number of shares, or follows a whole row."""
    if len(found) >= _COLUMNS and not _is_votes_cell(cell, pattern):
        return True
    return bool(_COUNT.fullmatch(cell)) and not _ZERO.fullmatch(cell.strip()) and not pattern.search(cell)


def _is_votes_cell(cell: str, pattern: re.Pattern[str]) -> bool:
    figure = pattern.search(cell)
    return figure is not None and (figure["label"] or "").casefold().startswith(_VOTES)


def _reject_extra_percentages(cells: list[str], pattern: re.Pattern[str], count: int) -> None:
    more = sum(1 for cell in cells for _ in pattern.finditer(cell) if "%" in cell)
    if more:
        raise NotFlaggingFormError(f"expected three percentages in a row of the form, found {count + more}")


def _read_cell(cell: str, pattern: re.Pattern[str]) -> list[FormColumn | None]:
    """The columns of one cell: one, or all of a flattened row."""
    text = cell.strip()
    if not text or _MARK.fullmatch(text):
        return [None]
    if _ZERO.fullmatch(text):
        zero = PercentageLevel(exact=Decimal(0))
        return [FormColumn(zero, zero)]
    return _scan_figures(text, pattern)


def _scan_figures(text: str, pattern: re.Pattern[str]) -> list[FormColumn | None]:
    """Figures in sequence; a shares figure followed by a votes figure is one column."""
    found: list[FormColumn | None] = []
    last = 0
    for figure in pattern.finditer(text):
        gap, last = text[last : figure.start()], figure.end()
        if _EMPTY_BEFORE.fullmatch(gap):
            found.append(None)
        elif not _BETWEEN.fullmatch(gap):
            raise NotFlaggingFormError(f"«{gap.strip()}» in front of a percentage")
        _append_columns(found, [_to_column(figure)])
    if not found:
        raise NotFlaggingFormError(f"expected a percentage, found «{text}»")
    return found


def _to_column(figure: re.Match[str]) -> FormColumn:
    number = percentage_from_text(figure["value"])
    if number > _HUNDRED:
        raise NotFlaggingFormError(f"expected a percentage, found {number}")
    level = PercentageLevel(exact=number)
    if figure["below"] or figure["above"]:
        level = PercentageLevel(below=number) if figure["below"] else PercentageLevel(above=number)
    label = (figure["label"] or "").casefold()
    return FormColumn(
        None if label.startswith(_VOTES) else level, level if not label or label.startswith(_VOTES) else None
    )


def _append_columns(found: list[FormColumn | None], read: list[FormColumn | None]) -> None:
    """Appends columns; votes in a cell of their own are joined with the shares of the previous cell."""
    before = found[-1] if found else None
    first = read[0] if read else None
    if before is None or first is None or before.votes is not None or first.shares is not None:
        found += read
    else:
        found[-1:] = [FormColumn(before.shares, first.votes), *read[1:]]
