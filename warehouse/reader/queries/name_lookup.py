"""Companies meant by a name (docs/contract/contract.md 4.8d): candidates from the name index, one or none decided.

Candidates are the names with the same core in any spelling that `name_matching.spelling_variants` knows, looked up
in the sorted names of each segment; only where there is none, those one typo away. Which of them is meant is decided
as everywhere (`name_matching.decide`), in a register, where a similar name is no match. Municipality and industry
choose between namesakes if they fit exactly one and contradict all others, and a match that they contradict is
none. What a company does not state neither confirms nor contradicts.

Each name costs a bounded number of index look-ups, whatever its words. Does not belong here: search for people
(`names`), or identifiers (`profiles`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from name_matching.core_name import core_name
from name_matching.decide import REVIEWED, Candidate, CandidateMatcher, CandidateSet, ComparedCandidate
from name_matching.folding import fold_text
from name_matching.spelling_variants import (
    consists_of_forms,
    core_spellings,
    form_prefixes,
    form_suffixes,
    other_core_spellings,
)
from warehouse.reader.queries import profiles
from warehouse.reader.queries.market_dump import market_id_bounds
from warehouse.reader.types import MatchCandidate, NameMatch, NameQuestion
from warehouse.serving.codec_read import DocumentsConnection
from warehouse.serving.name_terms import words_one_typo_away
from warehouse.serving.place_names import names_in_every_language
from warehouse.serving.segment_views import NameIndex

MOST_NAMES: Final = (
    100  # names that begin with a core, above which whole names are looked up; namesakes to decide among
)
MOST_CANDIDATES: Final = 10
MOST_TYPO_WORDS: Final = 6  # words of a name that may hold the typo
MOST_CORRECTED: Final = 8  # names with one word corrected
LONGEST: Final = 300
_AFTER_BLANK: Final = "!"
_SAME_NAME: Final = ("exact_name", "exact_core", "folded_core", "spelling_variant")
_DIVISION: Final = 2  # digits of an industry's division
_DIFFERS: Final = 0.05  # off the score of a candidate whose municipality or industry is another one


class _Facts(msgspec.Struct, frozen=True):
    """What a profile says of the evidence."""

    sni_code: str | None
    municipality: str | None


_FACTS: Final = msgspec.json.Decoder(_Facts)
_NO_FACTS: Final = _Facts(None, None)


@dataclass(frozen=True, slots=True)
class _Judged:
    """A candidate beside the name and the evidence. `is_confirmed`: None if the company states neither."""

    compared: ComparedCandidate
    is_confirmed: bool | None
    candidate: MatchCandidate

    @property
    def has_same_name(self) -> bool:
        return self.compared.method in _SAME_NAME


def match_name(connection: DocumentsConnection, question: NameQuestion) -> NameMatch:
    """The company that a name means, or those that it may mean."""
    core = core_name(question.name[:LONGEST], question.country)
    if core is None:
        return NameMatch(None)
    known = _companies_with_core(connection, core, question)
    if not known:
        return NameMatch(None)
    matcher = CandidateMatcher(question.country, known)
    decided = matcher.decide(question.name, CandidateSet.OPEN)
    compared = [one for one in matcher.compare(question.name) if one.score >= REVIEWED]
    judged = _judge(connection, question, compared)
    chosen = _choose(judged, decided.company_id) if len(known) <= MOST_NAMES else None
    return NameMatch(chosen, tuple(one.candidate for one in _best_first(judged, chosen))[:MOST_CANDIDATES])


def _choose(judged: Sequence[_Judged], decided: str | None) -> str | None:
    """The decision by name, unless the evidence contradicts it or chooses among equal names."""
    if decided is not None:
        contradicted = any(one.compared.company_id == decided and one.is_confirmed is False for one in judged)
        return None if contradicted else decided
    same = [one for one in judged if one.has_same_name]
    confirmed = [one for one in same if one.is_confirmed]
    others_differ = all(one.is_confirmed is False for one in same if not one.is_confirmed)
    return confirmed[0].compared.company_id if len(confirmed) == 1 and others_differ else None


def _best_first(judged: Iterable[_Judged], chosen: str | None) -> list[_Judged]:
    return sorted(
        judged, key=lambda one: (one.compared.company_id != chosen, -one.candidate.score, one.compared.company_id)
    )


def _judge(
    connection: DocumentsConnection, question: NameQuestion, compared: Sequence[ComparedCandidate]
) -> list[_Judged]:
    if question.municipality is None and question.industry is None:  # only the best are told
        return [_judge_one(question, one, _NO_FACTS) for one in compared[:MOST_CANDIDATES]]
    facts = _facts(connection, [one.company_id for one in compared])
    return [_judge_one(question, one, facts.get(one.company_id, _NO_FACTS)) for one in compared]


def _judge_one(question: NameQuestion, compared: ComparedCandidate, facts: _Facts) -> _Judged:
    told = {
        "municipality": _is_same_place(question.country, question.municipality, facts.municipality),
        "industry": _is_same_industry(question.industry, facts.sni_code),
    }
    reasons = [compared.method, *(name if fits else f"other_{name}" for name, fits in told.items() if fits is not None)]
    answers = [fits for fits in told.values() if fits is not None]
    score = round(max(compared.score - _DIFFERS * answers.count(False), 0.0), 2)
    candidate = MatchCandidate(compared.company_id, score, tuple(reasons))
    return _Judged(compared, all(answers) if answers else None, candidate)


def _is_same_place(country: str, asked: str | None, stated: str | None) -> bool | None:
    """Whether two municipalities are one, in any language; None if one of them is not stated."""
    if asked is None or stated is None:
        return None
    return fold_text(asked) in {fold_text(name) for name in names_in_every_language(country, stated)}


def _is_same_industry(asked: str | None, stated: str | None) -> bool | None:
    """Whether a code begins with what is asked; None if one is not stated, or if the two are of one division.

    Revisions of a classification number classes of one division anew.
    """
    if asked is None or stated is None:
        return None
    if stated.startswith(asked):
        return True
    return None if stated[:_DIVISION] == asked[:_DIVISION] else False


def _facts(connection: DocumentsConnection, company_ids: Sequence[str]) -> dict[str, _Facts]:
    marks = ", ".join("?" * len(company_ids))
    rows = connection.execute(f"SELECT company_id, body FROM companies WHERE company_id IN ({marks})", company_ids)
    return {company_id: _FACTS.decode(body) for company_id, body in rows}


def _companies_with_core(connection: DocumentsConnection, core: str, question: NameQuestion) -> list[Candidate]:
    """Companies whose names have this core: as it is spelled, else spelled otherwise, else with one typo.

    A core with a typo is looked for after the form before it that the question states, if any.
    """
    country, prefixes = question.country, form_prefixes(question.country)
    for spellings in (core_spellings(core, country), other_core_spellings(core, country)):
        if found := _named(connection, spellings, prefixes, country):
            return found
    folded = fold_text(question.name)
    stated = [prefix for prefix in prefixes if folded.startswith(prefix)]
    return _named(connection, _corrected_cores(connection, core), stated, country)


def _corrected_cores(connection: DocumentsConnection, core: str) -> list[str]:
    """Cores with one word replaced by a word of the index that is one typo away."""
    schemas = [index.schema for index in connection.name_indexes]
    words = fold_text(core).split()
    found: list[str] = []
    for place, word in enumerate(words[:MOST_TYPO_WORDS]):
        for near in words_one_typo_away(connection, schemas, word):
            found.append(" ".join((*words[:place], near, *words[place + 1 :])))
            if len(found) == MOST_CORRECTED:
                return found
    return found


def _named(
    connection: DocumentsConnection, cores: Sequence[str], prefixes: Sequence[str], country: str
) -> list[Candidate]:
    """Companies of the country with names of these cores, legal forms around them."""
    if not cores:
        return []
    ranks: list[int] = []
    for index in connection.name_indexes:
        found = _names_beginning(connection, index, [prefix + core for core in cores for prefix in prefixes], country)
        ranks += _names_with_forms(connection, index, cores, country) if found is None else found
    return _candidates(connection, ranks, country)


def _names_beginning(
    connection: DocumentsConnection, index: NameIndex, begun: Sequence[str], country: str
) -> list[int] | None:
    """Ranks of names that begin so and end in forms, of any country; None if many names begin so."""
    spans = ", ".join(["(?, ?)"] * len(begun))
    rows = connection.execute(
        f"""WITH spans (low, high) AS (VALUES {spans})
            SELECT rank, folded, length(low) FROM spans CROSS JOIN {index.schema}.labels INDEXED BY labels_by_name
            WHERE folded >= low AND folded < high{index.visible("rank")} LIMIT ?""",
        (*(bound for text in begun for bound in (text, text + _AFTER_BLANK)), MOST_NAMES + 1),
    ).fetchall()
    if len(rows) > MOST_NAMES:
        return None
    return [rank for rank, folded, length in rows if consists_of_forms(folded[length:], country)]


def _names_with_forms(
    connection: DocumentsConnection, index: NameIndex, cores: Sequence[str], country: str
) -> list[int]:
    """The same of this country alone, each whole name looked up."""
    before = form_prefixes(country)[1:]
    whole = [core + suffix for core in cores for suffix in form_suffixes(country)]
    whole += [prefix + core + suffix for core in cores for prefix in before for suffix in ("", " publ")]
    marks = ", ".join("?" * len(whole))
    rows = connection.execute(
        f"""SELECT rank FROM {index.schema}.labels INDEXED BY labels_by_name
            WHERE folded IN ({marks}) AND country = ?{index.visible("rank")} LIMIT ?""",
        (*whole, country, MOST_NAMES + 1),
    )
    return [rank for (rank,) in rows]


def _candidates(connection: DocumentsConnection, ranks: Sequence[int], country: str) -> list[Candidate]:
    """The companies of these ranks in a country, each once, with the names that their registers write."""
    found = profiles.ids_by_rank(connection, list(dict.fromkeys(ranks)))
    low, high = market_id_bounds(country)
    ids = [one for one in found.values() if low < one < high]
    marks = ", ".join("?" * len(ids))
    rows = connection.execute(f"SELECT company_id, name FROM companies WHERE company_id IN ({marks})", ids)
    return [Candidate(company_id, name) for company_id, name in sorted(rows)]
