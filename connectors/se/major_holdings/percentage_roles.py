"""Classifies each percentage of a notice: held now, held before, traded, or a threshold.

A sentence is read from left to right; a number takes the role of the last verb of holding, trading or crossing
before it, and «före» and «efter» place a holding before or after the transaction. Does not belong here: numbers
(`percentages`), or which of several figures counts (`sentences`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from connectors.se.major_holdings.percentages import PercentageFigure, find_percentages


class PercentageRole(StrEnum):
    """Role of a percentage. UP, DOWN and LIMIT are thresholds; UNKNOWN if no word decides."""

    AFTER = "after"
    BEFORE = "before"
    MOVED = "moved"
    UP = "up"
    DOWN = "down"
    LIMIT = "limit"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class FigureWithRole:
    """One percentage with its role. has_instruments: the sentence mentions financial instruments."""

    figure: PercentageFigure
    role: PercentageRole
    has_instruments: bool


_SOME: Final = r"(?:\s+\S{1,40}){0,9}?\s+"
_CUE: Final = re.compile(
    r"(?P<before>\b(?:före|innan|tidigare|dessförinnan|föregående|previous(?:ly)?|prior\s+to|before|earlier|formerly)\b)"
    r"|(?P<after>\b(?:efter(?:åt)?|därefter|numera|nu|nuvarande|after|following|thereafter|now|currently|subsequent(?:ly)?"
    r"|resulting)\b)"
    rf"|(?P<holds>\b(?:uppg(?:år|ick){_SOME}till|uppgående{_SOME}till|innehar|äger|kontrollerar|har\s+nu"
    rf"|amount(?:s|ed|ing)?{_SOME}to|total(?:s|led|ling)|holds|owns|controls|stands\s+at)\b)"
    r"|(?P<held>\b(?:innehade|ägde|kontrollerade|innehaft|ägt|held|owned|controlled)\b)"
    r"|(?P<traded>\b(?:förvärvat|förvärvade|köpt|köpte|sålt|sålde|avyttrat|avyttrade|tecknat|tecknade|överlåtit"
    r"|(?:förvärv|köp|försäljning|avyttring|överlåtelse)\s+av|acquired|purchased|bought|sold|divested|disposed|subscribed"
    r"|transferred|(?:acquisition|purchase|sale|disposal|transfer)\s+of)\b)"
    r"|(?P<moves>\b(?:öka(?:r|t|de)|minska(?:r|t|de)|ändrats?|sjunkit|stigit|gått|höjt|sänkt|increase[sd]?|decrease[sd]?"
    r"|reduce[sd]?|raised|risen|rose|fallen|fell|changed|gone|dropped)\b)"
    r"|(?P<up>\b(?:överstig\w*|översteg|överskrid\w*|överskred\w*|exceed\w*|uppnå\w*|nått|nådde|reach\w*)\b)"
    r"|(?P<down>\b(?:understig\w*|understeg|underskrid\w*|underskred\w*)\b)"
    r"|(?P<limit>\b(?:\w*gräns\w*|\w*tröskel\w*|threshold\w*|passer\w*|cross\w*|flaggar|flaggat|flagged)\b)"
    r"|(?P<holding>\b(?:\w*innehav(?:et|en)?|ägande(?:t)?|ägarandel\w*|\w*holding|ownership|stake)\b)",
    re.IGNORECASE,
)
_UPWARDS: Final = re.compile(
    r"\b(?:uppåt|ökat|ökar|ökade|ökning|upp|överst\w+|översk\w+|exceed\w*|upwards?|increase[sd]?|increasing|risen|rose)\b",
    re.IGNORECASE,
)
_DOWNWARDS: Final = re.compile(
    r"\b(?:nedåt|neråt|ned|ner|minskat|minskar|minskade|minskning|underst\w+|undersk\w+|downwards?|decrease[sd]?|decreasing|reduced|fallen|fell)\b",
    re.IGNORECASE,
)
_FROM: Final = re.compile(
    r"\b(?:från|from)\s+(?:(?:cirka|ca\.?|about|approximately|totalt|tidigare|previously|över|under|above|below)\s+){0,3}$",
    re.IGNORECASE,
)
_TO: Final = re.compile(
    r"\b(?:till|to)\s+(?:(?:cirka|ca\.?|about|approximately|totalt|en|ett|över|under|drygt|knappt|strax|just|mer|mindre|än"
    r"|below|above|over|less|more|than|slightly)\s+){0,4}$",
    re.IGNORECASE,
)
_BY: Final = re.compile(r"\b(?:med|by)\s+(?:(?:cirka|ca\.?|about|approximately|totalt)\s+)?$", re.IGNORECASE)
_OF_WHICH: Final = re.compile(r"\b(?:varav|of\s+which)\b[^.;]{0,60}$", re.IGNORECASE)
_INSTRUMENTS: Final = re.compile(
    r"\b(?:finansiella\s+instrument|financial\s+instruments?|derivat\w*|derivatives?|\w*swap\w*|optioner\w*|(?:call\s+|put\s+)?options"
    r"|teckningsoption\w*|warrants?|konvertib\w*|convertible\w*|lånade\s+aktier|aktielån\w*|borrowed\s+shares|on\s+loan)\b",
    re.IGNORECASE,
)
# negated, future or conditional statements
_UNSURE: Final = re.compile(
    r"\b(?:inte|ej|icke|aldrig|not|never|no\s+longer|neither|nor|kommer\s+att|skulle|avser|planerar|förväntas|beräknas|kan\s+komma"
    r"|will|would|could|may|intends?|expected|plans?\s+to|upon\s+completion|villkorat|conditional|förutsatt|provided\s+that)\b",
    re.IGNORECASE,
)
# «innehar därefter inga aktier», «has sold its entire holding»: no shares or votes are left
_NOTHING: Final = re.compile(
    r"\b(?:(?:innehar|äger|har|holds|owns|has)\s+(?:(?:därefter|nu|numera|thereafter|now|efter|after|transaktionen|the|transaction)"
    r"\s+){0,3}(?:inga|no)\s+(?:aktier|shares)"
    r"|(?:sålt|avyttrat|överlåtit|sold|divested|disposed\s+of)\s+(?:hela\s+sitt|samtliga\s+sina|alla\s+sina|its\s+entire"
    r"|all\s+(?:of\s+)?its)\s+(?:aktie)?(?:innehav|aktier|(?:share)?holding|shares|stake))\b"
    r"(?!\s+(?:(?:av|of|in)\s+)?(?:class|series|serie|klass|teckningsoption|option|warrant|konvertib|convertib))",
    re.IGNORECASE,
)
# the statutory list of thresholds: «5, 10, 15, 20 …»
_LAW: Final = re.compile(
    r"(?<!\d)5\s*(?:%|procent|per\s?cent|percent)?\s*,\s*10\s*(?:%|procent|per\s?cent|percent)?\s*,\s*15\b",
    re.IGNORECASE,
)
_HEADING: Final = re.compile(
    r"^\W*(?:(?P<before>före|innan|before|prior\s+to)|(?P<after>efter|after|following))\b[^.|:\d]{0,60}[:|\s]*$",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(r"^[^:|]{3,80}[:|]\s*(?:cirka\s+|ca\.?\s+)?$", re.IGNORECASE)
_LONGEST_LABEL: Final = 100  # characters; a longer line is prose and ends the scope of a heading


@dataclass(slots=True)
class _SentenceState:
    """State while reading a sentence: the last words that decide a role."""

    side: PercentageRole | None = None  # BEFORE or AFTER the transaction
    verb: str | None = None
    held_over: PercentageRole | None = None  # role of the previous figure, until another word


def assign_roles(sentences: list[str]) -> Iterator[FigureWithRole]:
    """Yields every percentage with its role; a heading «Efter transaktionen:» applies to labels below it."""
    heading: PercentageRole | None = None
    for sentence in sentences:
        if len(sentence) > _LONGEST_LABEL:
            heading = None
        if _LAW.search(sentence):
            continue
        head = _HEADING.match(sentence)
        if head is not None:
            heading = PercentageRole.BEFORE if head["before"] else PercentageRole.AFTER
            continue
        yield from _roles_in_sentence(sentence, heading)


def has_sold_everything(sentences: list[str]) -> bool:
    """True if the text states that the holder has nothing left."""
    return any(_NOTHING.search(one) is not None and _UNSURE.search(one) is None for one in sentences)


def _roles_in_sentence(sentence: str, heading: PercentageRole | None) -> Iterator[FigureWithRole]:
    state = _SentenceState()
    is_unsure = _UNSURE.search(sentence) is not None
    has_instruments = _INSTRUMENTS.search(sentence) is not None
    place = 0
    for figure in find_percentages(sentence):
        _apply_words(state, sentence[place : figure.start])
        role = PercentageRole.UNKNOWN if is_unsure else _figure_role(state, sentence[: figure.start], figure, heading)
        state.held_over = role
        place = figure.end
        yield FigureWithRole(figure, _with_direction(role, figure, sentence), has_instruments)


def _apply_words(state: _SentenceState, text: str) -> None:
    """Updates the state with the words before a figure."""
    for cue in _CUE.finditer(text):
        kind = str(cue.lastgroup)
        if kind in ("before", "after"):
            state.side = PercentageRole.BEFORE if kind == "before" else PercentageRole.AFTER
        elif kind == "holding":
            # «har sålt sitt innehav om», «har minskat sitt innehav, motsvarande»: not the current holding
            if state.verb in ("traded", "moves"):
                continue
            state.verb = kind
        else:
            state.verb = kind
        state.held_over = None


def _figure_role(
    state: _SentenceState, before: str, figure: PercentageFigure, heading: PercentageRole | None
) -> PercentageRole:
    if figure.is_limit:
        return {"up": PercentageRole.UP, "down": PercentageRole.DOWN}.get(state.verb or "", PercentageRole.LIMIT)
    labelled = heading if _LABEL.match(before) else None
    return _role_by_adjacent_word(state, before) or state.held_over or labelled or _role_by_verb(state, before, figure)


def _role_by_adjacent_word(state: _SentenceState, before: str) -> PercentageRole | None:
    """Role by the word directly before the number."""
    if _BY.search(before) or _OF_WHICH.search(before):
        return PercentageRole.MOVED
    if _FROM.search(before):
        return PercentageRole.BEFORE
    # «uppgår till» takes the side of the transaction it is mentioned with, «ökat till» always means after
    return PercentageRole.AFTER if _TO.search(before) and state.verb not in ("traded", "holds") else None


def _role_by_verb(state: _SentenceState, before: str, figure: PercentageFigure) -> PercentageRole:
    match state.verb:
        case "holds" | "holding":
            return state.side or PercentageRole.AFTER
        case "held":
            return state.side or PercentageRole.UNKNOWN
        case "traded":
            return PercentageRole.MOVED
        case "moves":  # «har gått över 5 procent»
            return {"above": PercentageRole.UP, "below": PercentageRole.DOWN}.get(
                figure.side or "", PercentageRole.UNKNOWN
            )
        case "up" | "down" | "limit":
            return PercentageRole.BEFORE if state.side is PercentageRole.BEFORE else PercentageRole(state.verb)
        case _:
            return state.side if state.side is not None and _LABEL.match(before) else PercentageRole.UNKNOWN


def _with_direction(role: PercentageRole, figure: PercentageFigure, sentence: str) -> PercentageRole:
    """Direction of a threshold that has none: from the word at the number, else the only one in the sentence."""
    if role is not PercentageRole.LIMIT:
        return role
    if figure.side is not None:
        return PercentageRole.UP if figure.side == "above" else PercentageRole.DOWN
    is_up, is_down = _UPWARDS.search(sentence) is not None, _DOWNWARDS.search(sentence) is not None
    if is_up == is_down:
        return PercentageRole.LIMIT
    return PercentageRole.UP if is_up else PercentageRole.DOWN
