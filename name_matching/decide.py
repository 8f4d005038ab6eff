"""Decides which candidate a name means: exactly one, or none (docs/formats/news.md 5).

Belongs here: scores, limits, the description of a decision. In a closed set (the issuers of an exchange) one
misspelling is accepted; in a whole register only the exact core matches. Does not belong here: numbers (a
number is not a name), or where candidates come from.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rapidfuzz import fuzz, process

from name_matching.core_name import is_weak_core, split_core_and_forms
from name_matching.folding import fold_nordic_letters
from name_matching.legal_forms import RENDERED_IN, RENDERINGS
from name_matching.spelling_variants import loose_key

RULE: Final = "names-3"  # raised when a rule below changes, to distinguish earlier decisions
AUTOMATIC: Final = 0.95  # score from which a match is automatic
REVIEWED: Final = 0.85  # score from which a match is shown for review
CLOSEST: Final = 3.0  # points by which the runner-up must be behind
_EXACT: Final = 1.0
_FOLDED: Final = 0.98  # equal except for Nordic letters
_VARIANT: Final = 0.96  # equal except for transliteration, abbreviated words, words for «and», blanks
_UNSTATED: Final = 0.01  # less where one of two equal cores states no form
_UNSURE: Final = 0.94  # possibly right: decided by a person
_NUMBERS: Final = re.compile(r"\d+|\b[ivx]+\b|\b[^\W\d]\b")  # Roman ones and single letters too: Fund II, Series B


class CandidateSet(StrEnum):
    """Kind of a candidate set."""

    CLOSED = "closed"  # complete: issuers of a market
    OPEN = "open"  # a whole register


@dataclass(frozen=True, slots=True)
class Candidate:
    """A company that the name may mean. `is_listed`: None if unknown."""

    company_id: str
    name: str
    is_listed: bool | None = None


@dataclass(frozen=True, slots=True)
class MatchDecision:
    """The matched company and the reason.

    company_id: set from score AUTOMATIC on. matched_name: the best candidate's. method: exact_name, exact_core,
    folded_core, spelling_variant, listed_of_family, similar, none. score: 0 to 1. evidence: the compared keys, or why
    there is no match.
    """

    company_id: str | None
    method: str
    score: float
    evidence: str
    matched_name: str | None
    candidate_count: int
    rule_version: str = RULE

    @property
    def is_for_review(self) -> bool:
        """True if a person should review it."""
        return self.company_id is None and self.score >= REVIEWED


@dataclass(frozen=True, slots=True)
class ComparedCandidate:
    """How like a name one company's name is.

    method: exact_name, exact_core (a form is not stated), folded_core, spelling_variant, other_form, similar.
    score: 0 to 1.
    """

    company_id: str
    method: str
    score: float


@dataclass(frozen=True, slots=True)
class _SplitCandidate:
    one: Candidate
    core: str
    forms: str


class CandidateMatcher:
    """Candidates of one country, parsed once for many names.

    Raises ValueError for a country without a table of legal forms.
    """

    def __init__(self, country: str, candidates: Sequence[Candidate]) -> None:
        self._country = country
        self._known = [_SplitCandidate(one, *split_core_and_forms(one.name, country)) for one in candidates]

    def decide(self, name: str, among: CandidateSet) -> MatchDecision:
        """Matches `name` against the candidates."""
        asked = _SplitCandidate(Candidate("", name), *split_core_and_forms(name, self._country))
        if not asked.core:
            return _no_match_decision("the name consists of legal forms only", len(self._known))
        if same := [one for one in self._known if one.core == asked.core]:
            return _decide_same_core(asked, same, self._country, _EXACT, "exact_core")
        second = fold_nordic_letters(asked.core)
        if same := [one for one in self._known if fold_nordic_letters(one.core) == second]:
            return _decide_same_core(asked, same, self._country, _FOLDED, "folded_core")
        third = loose_key(asked.core, self._country)
        if third and (same := [one for one in self._known if loose_key(one.core, self._country) == third]):
            return _decide_same_core(asked, same, self._country, _VARIANT, "spelling_variant")
        return _decide_similar(asked, self._known, among)

    def compare(self, name: str) -> list[ComparedCandidate]:
        """Each candidate alone beside the name, best first; what they say of each other is left to `decide`."""
        asked = _SplitCandidate(Candidate("", name), *split_core_and_forms(name, self._country))
        compared = [_compare_alone(asked, one, self._country) for one in self._known]
        return sorted(compared, key=lambda one: (-one.score, one.company_id))


def _compare_alone(asked: _SplitCandidate, known: _SplitCandidate, country: str) -> ComparedCandidate:
    method, score = _same_core_method(asked.core, known.core, country)
    if method is None:
        score = min(fuzz.token_sort_ratio(asked.core, known.core) / 100, _UNSURE)
        return ComparedCandidate(known.one.company_id, "similar", score)
    if _has_form_conflict(asked.forms, known.forms, country):
        return ComparedCandidate(known.one.company_id, "other_form", _UNSURE)
    if asked.forms == known.forms:
        return ComparedCandidate(known.one.company_id, "exact_name" if score == _EXACT else method, score)
    return ComparedCandidate(known.one.company_id, method, round(score - _UNSTATED, 2))


def _same_core_method(asked: str, known: str, country: str) -> tuple[str | None, float]:
    if asked == known:
        return "exact_core", _EXACT
    if fold_nordic_letters(asked) == fold_nordic_letters(known):
        return "folded_core", _FOLDED
    if loose_key(asked, country) == loose_key(known, country):
        return "spelling_variant", _VARIANT
    return None, 0.0


def _decide_same_core(
    asked: _SplitCandidate, same: list[_SplitCandidate], country: str, score: float, method: str
) -> MatchDecision:
    """Chooses among candidates with the same core: the one with the stated form, else the listed one, else none."""
    stated = [one for one in same if one.forms == asked.forms]
    count = len(same)
    is_weak = is_weak_core(asked.core)
    # Mon AS is not Moen AS: a weak core is spelled as the register has it
    if len(stated) == 1 and asked.forms and (score == _EXACT or not is_weak):
        return _accepted_decision(stated[0], score, "exact_name" if score == _EXACT else method, asked, count)
    if is_weak:
        return _review_decision(same[0], "a core shared by many companies needs the whole name or a number", count)
    able = [one for one in (stated or same) if not _has_form_conflict(asked.forms, one.forms, country)]
    if len(able) == 1:
        return _accepted_decision(able[0], score, method, asked, count)
    listed = [one for one in able if one.one.is_listed]
    if len(listed) == 1:
        return _accepted_decision(listed[0], score, "listed_of_family", asked, count)
    if not able:
        return _review_decision(same[0], f"states {asked.forms}, which {same[0].one.name} is not", count)
    return _review_decision(able[0], f"{len(able)} companies have the core {asked.core}", count)


def _has_form_conflict(asked: str, known: str, country: str) -> bool:
    """True if two legal forms mean different companies. Abroad a company may translate its form into English."""
    if not asked or not known or asked == known:
        return False
    words = {*asked.split(), *known.split()}
    return country not in RENDERED_IN or words.isdisjoint(RENDERINGS)


def _decide_similar(asked: _SplitCandidate, known: list[_SplitCandidate], among: CandidateSet) -> MatchDecision:
    cores = [one.core for one in known]
    found = process.extract(asked.core, cores, scorer=fuzz.token_sort_ratio, limit=2, score_cutoff=80)
    if not found:
        return _no_match_decision("no candidate is similar", len(known))
    (core, score, place), *others = found
    best = known[place]
    if others and score - others[0][1] < CLOSEST:
        return _review_decision(best, f"{core} and {others[0][0]} are equally close", len(known), score / 100)
    sure = among is CandidateSet.CLOSED and score / 100 >= AUTOMATIC and _is_possible_misspelling(asked, best)
    if not sure:
        return _review_decision(best, f"{score:.0f} of 100 like {core}", len(known), score / 100)
    return _accepted_decision(best, score / 100, "similar", asked, len(known))


def _is_possible_misspelling(asked: _SplitCandidate, best: _SplitCandidate) -> bool:
    """True if two cores may differ by a misspelling: same first word, same numbers, and same form if stated."""
    same_start = asked.core.split()[0] == best.core.split()[0]
    same_numbers = _NUMBERS.findall(asked.core) == _NUMBERS.findall(best.core)
    same_forms = not asked.forms or not best.forms or asked.forms == best.forms
    return same_start and same_numbers and same_forms and not is_weak_core(asked.core)


def _accepted_decision(
    found: _SplitCandidate, score: float, method: str, asked: _SplitCandidate, count: int
) -> MatchDecision:
    evidence = f"{asked.core} | {asked.forms} = {found.core} | {found.forms}"
    return MatchDecision(found.one.company_id, method, score, evidence, found.one.name, count)


def _review_decision(found: _SplitCandidate, why: str, count: int, score: float = _UNSURE) -> MatchDecision:
    return MatchDecision(None, "none", min(score, _UNSURE), why, found.one.name, count)


def _no_match_decision(why: str, count: int) -> MatchDecision:
    return MatchDecision(None, "none", 0.0, why, None, count)
