"""Finds the transaction day of a notice in Swedish or English.

A release names several days, such as its own and that of receipt. A day counts if a word of trading or crossing
is nearer to it than a word of reporting; with two different such days the result is unknown. Does not belong
here: the position (`sentences`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

_NAMES: Final = (
    "januari februari mars april maj juni juli augusti september oktober november december",
    "january february march april may june july august september october november december",
)
_MONTHS: Final = {word: place for names in _NAMES for place, word in enumerate(names.split(), start=1)}
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY: Final = re.compile(
    rf"(?<![\d/.-])(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th|:?e)?\s+(?:of\s+)?(?P<month>{_MONTH})\s*,?\s+(?P<year>\d{{4}})"
    rf"|(?P<month2>{_MONTH})\s+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year2>\d{{4}})"
    r"|(?P<year3>\d{4})-(?P<month3>\d{2})-(?P<day3>\d{2})"
    r"|(?P<day4>\d{1,2})/(?P<month4>\d{1,2})[/\s](?P<year4>\d{4}))(?![\d/.-]\d)",
    re.IGNORECASE,
)
_MOVED: Final = re.compile(
    r"\b(?:transaktion\w*|affär\w*|passer\w*|överst\w+|underst\w+|översk\w+|undersk\w+|förvärv\w*|köp\w*|sål\w+|avyttr\w*"
    r"|försäljning\w*|gränspassage\w*|öka\w+|minska\w+|innehav\w*|innehar|äger|uppgår|uppgick|transaction\w*|trade\w*|acqui\w+"
    r"|purchase\w*|sold|sale|disposal|disposed|divested|crossed|exceeded|reached|fell|fallen|increased?|decreased?|reduced"
    r"|holds|held|holding|settlement)\b",
    re.IGNORECASE,
)
_SAID: Final = re.compile(
    r"\b(?:mottag\w*|mottog|tagit\s+emot|erhåll\w*|meddela\w*|informera\w*|underrätta\w*|anmäl\w*|flagga(?:t|de)|publicer\w*"
    r"|offentliggör\w*|pressmeddelande|received|notified|informed|disclosed|reported|announced|published|publication|release"
    r"|kl\.?|cet|cest)\b",
    re.IGNORECASE,
)
# «Stockholm den 4 mars 2026 – »: day of the release
_PLACE: Final = re.compile(r"^\W*(?:[A-ZÅÄÖ][\w-]{1,20},?\s+){0,3}(?:den\s+)?$")
_DASH: Final = re.compile(r"\s*(?:[-–—:(,]|kl\b|$)")
_FAR: Final = 10_000  # characters; used if the sentence has no such word


def transaction_day(sentences: list[str]) -> date | None:
    """The transaction day; None if no sentence states it, or sentences disagree."""
    found = {day for sentence in sentences for day in _transaction_days(sentence)}
    return found.pop() if len(found) == 1 else None


def find_first_day(text: str) -> date | None:
    """First day in a text."""
    return next(filter(None, map(_matched_day, _DAY.finditer(text))), None)


def _transaction_days(sentence: str) -> Iterator[date]:
    moved = [match.span() for match in _MOVED.finditer(sentence)]
    said = [match.span() for match in _SAID.finditer(sentence)]
    for match in _DAY.finditer(sentence):
        day = None if _is_dateline(sentence, match) else _matched_day(match)
        if day is not None and _distance_to_words(match.span(), moved) < _distance_to_words(match.span(), said):
            yield day


def _is_dateline(sentence: str, match: re.Match[str]) -> bool:
    return _PLACE.match(sentence[: match.start()]) is not None and _DASH.match(sentence, match.end()) is not None


def _distance_to_words(place: tuple[int, int], words: list[tuple[int, int]]) -> int:
    """Characters from a place to the nearest of the given words."""
    return min((max(start - place[1], place[0] - end, 0) for start, end in words), default=_FAR)


def _matched_day(match: re.Match[str]) -> date | None:
    day, month, year = (
        next(value for name in (part, f"{part}2", f"{part}3", f"{part}4") if (value := match[name]))
        for part in ("day", "month", "year")
    )
    try:
        return date(int(year), _MONTHS.get(month.lower()) or int(month), int(day))
    except ValueError:
        return None
