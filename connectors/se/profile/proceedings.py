"""Finds the proceedings of a company that go on, in a list that has those that have ended, too.

The end of a proceeding has a code of its own (`codes/proceeding_ends.csv`) and a day, and is one element of the
list, as its beginning is (docs/formats/se.md 2.3). Does not belong here: what a proceeding means for a status
(`status`).
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final, NamedTuple

import polars as pl

from connectors.se import code_lists

_BETWEEN: Final = "|"
_DAY: Final = re.compile(r"\$(\d{4}-\d{2}-\d{2})(?!\d)")


class _ListedProceeding(NamedTuple):
    """One element of a list: a proceeding that began on a day, or the end of one; `text` as written."""

    code: str
    day: date | None
    text: str


def proceedings_under_way(lists: pl.Series, today: date) -> pl.Series:
    """The proceedings of each list that go on, as written; null for a list of which all have ended."""
    found = [None if text is None else _ongoing_text(text, today) for text in lists]
    return pl.Series(lists.name, found, dtype=pl.String)


def _ongoing_text(text: str, today: date) -> str | None:
    """Of each kind the proceeding that began last, unless it has ended; None if there is none.

    An end to come ends nothing yet. One of an unknown day ends every proceeding of its kind, and a proceeding of an
    unknown day is ended by any: only a later beginning shows that another one goes on.
    """
    elements = [_parse_element(one) for one in text.split(_BETWEEN) if one.strip()]
    ends: dict[str, list[date | None]] = {}
    newest: dict[str, _ListedProceeding] = {}
    for one in elements:
        ended = code_lists.PROCEEDING_ENDS.get(one.code, "of")
        if ended is None:
            known = newest.get(one.code)
            if known is None or (one.day or date.min) > (known.day or date.min):
                newest[one.code] = one
        elif one.day is None or one.day <= today:
            ends.setdefault(ended, []).append(one.day)
    ongoing = [one.text for one in newest.values() if not _has_ended(one, ends.get(one.code, []))]
    return _BETWEEN.join(ongoing) or None


def _parse_element(text: str) -> _ListedProceeding:
    """The code without its suffix, which answers of the API lack, and the day if it is one."""
    code = text.partition("$")[0].partition("-")[0].strip()
    found = _DAY.search(text)
    try:
        day = date.fromisoformat(found[1]) if found else None
    except ValueError:
        day = None
    return _ListedProceeding(code, day, text)


def _has_ended(one: _ListedProceeding, ends: list[date | None]) -> bool:
    return any(end is None or one.day is None or one.day <= end for end in ends)
