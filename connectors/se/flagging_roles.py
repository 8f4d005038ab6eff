"""Classifies each percentage of a notice: held now, held before, traded, or a threshold.

A sentence is read from left to right; a number takes the role of the last verb of holding, trading or crossing
before it, and «före» and «efter» place a holding before or after the transaction. Does not belong here: numbers
(`flagging_figures`), or which of several figures counts (`flagging_prose`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from connectors.se.flagging_figures import Figure, figures


class Role(StrEnum):
    """Role of a percentage. UP, DOWN and LIMIT are thresholds; UNKNOWN if no word decides."""

    AFTER = "after"
    BEFORE = "before"
    MOVED = "moved"
    UP = "up"
    DOWN = "down"
    LIMIT = "limit"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Told:
    """One percentage with its role. has_instruments: the sentence mentions financial instruments."""

    figure: Figure
    role: Role
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
class _State:
    """State while reading a sentence: the last words that decide a role."""

    side: Role | None = None  # BEFORE or AFTER the transaction
    verb: str | None = None
    held_over: Role | None = None  # role of the previous figure, until another word


def roles(sentences: list[str]) -> Iterator[Told]:
    """Yields every percentage with its role; a heading «Efter transaktionen:» applies to labels below it."""
    heading: Role | None = None
    for sentence in sentences:
        if len(sentence) > _LONGEST_LABEL:
            heading = None
        if _LAW.search(sentence):
            continue
        head = _HEADING.match(sentence)
        if head is not None:
            heading = Role.BEFORE if head["before"] else Role.AFTER
            continue
        yield from _of(sentence, heading)


def has_left(sentences: list[str]) -> bool:
    """True if the text states that the holder has nothing left."""
    return any(_NOTHING.search(one) is not None and _UNSURE.search(one) is None for one in sentences)


def _of(sentence: str, heading: Role | None) -> Iterator[Told]:
    state = _State()
    is_unsure = _UNSURE.search(sentence) is not None
    has_instruments = _INSTRUMENTS.search(sentence) is not None
    place = 0
    for figure in figures(sentence):
        _hear(state, sentence[place : figure.start])
        role = Role.UNKNOWN if is_unsure else _role(state, sentence[: figure.start], figure, heading)
        state.held_over = role
        place = figure.end
        yield Told(figure, _bounded(role, figure, sentence), has_instruments)


def _hear(state: _State, text: str) -> None:
    """Updates the state with the words before a figure."""
    for cue in _CUE.finditer(text):
        kind = str(cue.lastgroup)
        if kind in ("before", "after"):
            state.side = Role.BEFORE if kind == "before" else Role.AFTER
        elif kind == "holding":
            # «har sålt sitt innehav om», «har minskat sitt innehav, motsvarande»: not the current holding
            if state.verb in ("traded", "moves"):
                continue
            state.verb = kind
        else:
            state.verb = kind
        state.held_over = None


def _role(state: _State, before: str, figure: Figure, heading: Role | None) -> Role:
    if figure.is_limit:
        return {"up": Role.UP, "down": Role.DOWN}.get(state.verb or "", Role.LIMIT)
    labelled = heading if _LABEL.match(before) else None
    return _by_word(state, before) or state.held_over or labelled or _by_verb(state, before, figure)


def _by_word(state: _State, before: str) -> Role | None:
    """Role by the word directly before the number."""
    if _BY.search(before) or _OF_WHICH.search(before):
        return Role.MOVED
    if _FROM.search(before):
        return Role.BEFORE
    # «uppgår till» takes the side of the transaction it is mentioned with, «ökat till» always means after
    return Role.AFTER if _TO.search(before) and state.verb not in ("traded", "holds") else None


def _by_verb(state: _State, before: str, figure: Figure) -> Role:
    match state.verb:
        case "holds" | "holding":
            return state.side or Role.AFTER
        case "held":
            return state.side or Role.UNKNOWN
        case "traded":
            return Role.MOVED
        case "moves":  # «har gått över 5 procent»
            return {"above": Role.UP, "below": Role.DOWN}.get(figure.side or "", Role.UNKNOWN)
        case "up" | "down" | "limit":
            return Role.BEFORE if state.side is Role.BEFORE else Role(state.verb)
        case _:
            return state.side if state.side is not None and _LABEL.match(before) else Role.UNKNOWN


def _bounded(role: Role, figure: Figure, sentence: str) -> Role:
    """Direction of a threshold that has none: from the word at the number, else the only one in the sentence."""
    if role is not Role.LIMIT:
        return role
    if figure.side is not None:
        return Role.UP if figure.side == "above" else Role.DOWN
    is_up, is_down = _UPWARDS.search(sentence) is not None, _DOWNWARDS.search(sentence) is not None
    if is_up == is_down:
        return Role.LIMIT
    return Role.UP if is_up else Role.DOWN
