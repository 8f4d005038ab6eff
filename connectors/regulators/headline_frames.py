"""Finds the respondent in a headline, between opening and closing patterns, in one pass each.

Belongs here: matching in time linear in the length of the headline, whatever it repeats. Does not belong here:
the words of any language (`headline_grammar`), or whether a respondent is a company (`headline_feeds`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

LONGEST: Final = 251  # characters of a respondent; longer matches are not names
_NEAR: Final = 120  # characters between an act and the word before its respondent


@dataclass(frozen=True, slots=True)
class HeadlineFrame:
    """One phrasing. A respondent begins where `opens` ends and ends where `closes` begins.

    act: must match before `opens`, within a short sentence's distance; None if `opens` alone is enough.
    """

    opens: re.Pattern[str]
    closes: re.Pattern[str]
    act: re.Pattern[str] | None = None


def compile_frame(opens: str, closes: str, act: str | None = None) -> HeadlineFrame:
    """Builds a frame from patterns. An empty `opens` matches the start of the headline."""
    return HeadlineFrame(re.compile(opens or "^"), re.compile(closes), None if act is None else re.compile(act))


def find_respondent(text: str, frames: tuple[HeadlineFrame, ...]) -> str | None:
    """The respondent of the first frame that matches; None if none does."""
    return next((found for one in frames if (found := _within_frame(text, one)) is not None), None)


def _within_frame(text: str, one: HeadlineFrame) -> str | None:
    """The text between an opening and the closing nearest to it."""
    ends = [found.start() for found in one.closes.finditer(text)]
    acts = None if one.act is None else [found.end() for found in one.act.finditer(text)]
    for found in one.opens.finditer(text):
        begin = found.end()
        if begin >= len(text) or text[begin].isspace() or not _is_near_act(acts, found.start()):
            continue
        place = bisect_right(ends, begin)
        if place < len(ends) and ends[place] - begin <= LONGEST:
            return text[begin : ends[place]]
    return None


def _is_near_act(acts: list[int] | None, opening: int) -> bool:
    """Whether an act is close enough before an opening to belong to it."""
    if acts is None:
        return True
    place = bisect_right(acts, opening)
    return place > 0 and opening - acts[place - 1] <= _NEAR
