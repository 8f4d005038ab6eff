"""Finds percentages in the sentences of a notice: number, shares or votes, qualifier.

Belongs here: spellings of numbers, percent, shares and votes in Swedish and English. Does not belong here:
whether a percentage is the current or previous holding or a threshold (`percentage_roles`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from connectors.kit.columns.percentages import round_percentage

_WORDS: Final = {
    "fem": 5, "tio": 10, "femton": 15, "tjugo": 20, "tjugofem": 25, "trettio": 30, "femtio": 50, "nittio": 90,
    "five": 5, "ten": 10, "fifteen": 15, "twenty": 20, "twenty-five": 25, "twenty five": 25, "thirty": 30,
    "fifty": 50, "ninety": 90,
}  # fmt: skip
_TWO_THIRDS: Final = Decimal("66.6667")
_HUNDRED: Final = 100
_NUMBER: Final = (
    r"(?:66\s?\(?2/3\)?|\d{1,3}(?:[.,]\d{1,6})?(?![\d/])|\b(?:" + "|".join(sorted(_WORDS, key=len)[::-1]) + r"))"
)
# Not the end of a longer number, of a date or of a range: «1 0,5», «10:5», «10–12», «10 - 12», «10 eller 12»
_ALONE: Final = r"(?<![\d.,/-])(?<!\d[\s\u00a0])(?<!\d[^\w\s()])(?<!\d\s[-–—]\s)(?<!\d eller )(?<!\d or )"
_UNIT: Final = r"(?:%|procents?(?!e)|per\s?cent\b|percent\b)"
_LIMIT: Final = r"(?:gräns\w*|nivå\w*|tröskel\w*|spärr\w*|threshold\w*|limit\b|mark\b)"
_FIGURE: Final = re.compile(
    rf"{_ALONE}(?P<number>{_NUMBER})\s?[-–]?\s?(?:(?P<points>procentenhet\w*|percentage\s+points?)"
    rf"|{_UNIT}(?:\s?[-–]?\s?(?P<limit>{_LIMIT}))?)",
    re.IGNORECASE,
)
_EITHER: Final = r"(?:respektive|resp\.?|och|and|samt|/|&)"
_PAIR: Final = re.compile(
    rf"{_ALONE}(?P<first>{_NUMBER})\s?(?P<unit>{_UNIT})?\s*(?P<word>{_EITHER})\s*(?P<second>{_NUMBER})\s?{_UNIT}",
    re.IGNORECASE,
)
_SHARES: Final = (
    r"(?:aktie(?:r|rna|kapital\w*|antal\w*|stock\w*)?|kapital(?:et)?|shares?(?:\s+capital)?|capital|equity)"
)
_VOTES: Final = r"(?:röst(?:er|erna|etal\w*|rätt\w*|andel\w*|värdet)?|votes?|voting\s+(?:rights?|power))"
_FILLER: Final = (
    r"(?:det|den|de|the|its|bolagets|företagets|all|samtliga|total\w*|antalet|antal|number|outstanding|utestående"
    r"|utgivna|emitterade|registrerade|issued|registered|existing|company['’]s|issuer['’]s|both|såväl|både|of)"
)
_AND: Final = r"(?:\s*(?:,\s*)?(?:och|and|&|samt|som|såväl\s+som|as\s+well\s+as|respektive|resp\.?|/)\s*)"
_OF: Final = re.compile(
    rf"\s*\)?\s*(?:av|of)\s+(?:{_FILLER}\s+){{0,7}}(?P<one>{_SHARES}|{_VOTES})\b"
    rf"(?:{_AND}(?:(?:av|of)\s+)?(?:{_FILLER}\s+){{0,7}}(?P<other>{_SHARES}|{_VOTES})\b)?(?P<each>,?\s*respective(?:ly)?)?",
    re.IGNORECASE,
)
_CLASS: Final = re.compile(
    r"\s+(?:av|of|i|in)?\s*(?:serie|series|klass|class)\b", re.IGNORECASE
)  # of one share class only
_BARE: Final = re.compile(rf"\s*\)?\s*(?P<one>{_SHARES}|{_VOTES})\b", re.IGNORECASE)  # «5,02 % röster»
_NAMED: Final = re.compile(
    r"(?P<votes>röstandel\w*|rösträttsandel\w*|andel(?:en)?\s+(?:av\s+)?(?:antalet\s+)?röst\w*|rösterna?\s*[:=|]"
    r"|(?:share|percentage|proportion)\s+of\s+(?:the\s+)?(?:votes|voting\s+rights)|(?:votes|voting\s+rights)\s*[:=|(]"
    r"|votes\s+amount\s+to)"
    r"|(?P<shares>kapitalandel\w*|aktieandel\w*|andel(?:en)?\s+(?:av\s+)?(?:antalet\s+)?(?:aktie|kapital)\w*|aktier(?:na)?\s*[:=|]"
    r"|kapital(?:et)?\s*[:=|]|(?:share|percentage|proportion)\s+of\s+(?:the\s+)?(?:shares|share\s+capital|capital)"
    r"|(?:shares|capital)\s*[:=|(])",
    re.IGNORECASE,
)
_ROUGH: Final = re.compile(
    r"(?:\b(?:cirka|circa|ca\.?|omkring|ungefär|runt|about|approximately|approx\.?|around)|[~≈±])\s*$", re.IGNORECASE
)
_AROUND: Final = r"(?:\s+(?:cirka|circa|ca\.?|tröskeln|gränsen|the|threshold|limit|of|om|på|för))*\s*$"
_ABOVE: Final = re.compile(
    r"\b(?:drygt|över|mer\s+än|minst|over|above|(?:more|greater|higher)\s+than|at\s+least)" + _AROUND, re.IGNORECASE
)
_BELOW: Final = re.compile(
    r"(?:\b(?:knappt|nästan|under|mindre\s+än|below|(?:less|lower)\s+than|nearly|almost)|<)" + _AROUND, re.IGNORECASE
)
_REACH: Final = 48  # characters before a number searched for its qualifier


@dataclass(frozen=True, slots=True)
class PercentageFigure:
    """One percentage at a position in a sentence.

    is_of_shares, is_of_votes: what it is a share of; both false if not stated. side: «above» or «below» if the number
    is only a bound. is_limit: a threshold. is_approximate: a whole number given as an approximation.
    is_shares_and_votes: two numbers without a statement which is shares and which is votes.
    """

    start: int
    end: int
    percent: Decimal
    is_of_shares: bool
    is_of_votes: bool
    side: str | None = None
    is_limit: bool = False
    is_approximate: bool = False
    is_shares_and_votes: bool = False


def find_percentages(sentence: str) -> list[PercentageFigure]:
    """Percentages of a sentence in order; percentage points and numbers above 100 are skipped."""
    pairs = list(_paired_percentages(sentence))
    found = list(pairs)
    last = 0
    for match in _FIGURE.finditer(sentence):
        if not any(pair.start <= match.start() < pair.end for pair in pairs) and not match["points"]:
            found += _single_percentage(sentence, match, last)
        last = match.end()
    return sorted(found, key=lambda figure: figure.start)


def _single_percentage(sentence: str, match: re.Match[str], last: int) -> Iterator[PercentageFigure]:
    percent = _parse_number(match["number"])
    if percent is None:
        return
    shares, votes, end = _share_and_vote_kinds(sentence, match.end(), sentence[last : match.start()])
    before = sentence[max(last, match.start() - _REACH) : match.start()]
    yield PercentageFigure(
        match.start(),
        end,
        percent,
        shares,
        votes,
        side="above" if _ABOVE.search(before) else "below" if _BELOW.search(before) else None,
        is_limit=match["limit"] is not None,
        is_approximate=_ROUGH.search(before) is not None and percent == percent.to_integral_value(),
    )


def _paired_percentages(sentence: str) -> Iterator[PercentageFigure]:
    """Yields pairs such as «5,1 respektive 4,2 procent av aktierna och rösterna»; other pairs are ambiguous."""
    for match in _PAIR.finditer(sentence):
        first, second = _parse_number(match["first"]), _parse_number(match["second"])
        of = _OF.match(sentence, match.end())
        if first is None or second is None:
            continue
        is_told = match["word"].casefold().startswith("resp") or (of is not None and of["each"] is not None)
        if match["unit"] and not is_told:
            continue  # two separate figures
        end = of.end() if of else match.end()
        twofold = PercentageFigure(
            match.start(), end, first, is_of_shares=False, is_of_votes=False, is_shares_and_votes=True
        )
        if of is None or of["other"] is None or _is_votes(of["one"]) == _is_votes(of["other"]) or not is_told:
            yield twofold
            continue
        one = replace(twofold, end=match.start() + 1, is_shares_and_votes=False)
        yield replace(one, percent=first, is_of_shares=not _is_votes(of["one"]), is_of_votes=_is_votes(of["one"]))
        yield replace(
            one,
            start=match.start() + 1,
            end=end,
            percent=second,
            is_of_shares=not _is_votes(of["other"]),
            is_of_votes=_is_votes(of["other"]),
        )


def _share_and_vote_kinds(sentence: str, end: int, before: str) -> tuple[bool, bool, int]:
    """Is of shares, is of votes, and the end of that phrase: after the number, else a noun before it."""
    of = _OF.match(sentence, end)
    if of is not None and _CLASS.match(sentence, of.end()):
        return False, False, of.end()
    if of is not None:
        votes = [_is_votes(of["one"]), *([_is_votes(of["other"])] if of["other"] else [])]
        return False in votes, True in votes, of.end()
    bare = _BARE.match(sentence, end)
    if bare is not None:
        return not _is_votes(bare["one"]), _is_votes(bare["one"]), bare.end()
    named = list(_NAMED.finditer(before))
    if not named:
        return False, False, end
    return named[-1]["shares"] is not None, named[-1]["votes"] is not None, end


def _is_votes(word: str) -> bool:
    return word.casefold().startswith(("röst", "vot"))


def _parse_number(text: str) -> Decimal | None:
    plain = " ".join(text.casefold().split())
    if "2/3" in plain:
        return _TWO_THIRDS
    found = Decimal(_WORDS[plain]) if plain in _WORDS else Decimal(plain.replace(",", "."))
    if found > _HUNDRED:
        return None
    return round_percentage(found)
