"""Which company an item means: exactly one by its identifiers, probably one by its name, several, or none.

Identifiers must agree: those of one item that mean different companies, one that several companies have, and a found
company that states another number, LEI, VAT number or name than the item make it ambiguous, never a guess
(docs/contract/contract.md 4.8d). An identifier that no company has says nothing against one that is found, unless the
found company states another of its kind. A name alone is never exact. Does not belong here: reading identifiers
(`api.lookups.item_identifiers`), or comparing names (`name_matching.decide`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec

from api.lookups.item_identifiers import FoundCompanies, ItemError, found_by_identifiers, item_market
from api.lookups.models import MOST_CANDIDATES, LookupItem
from api.problems.problem import ProblemDetail
from name_matching.decide import REVIEWED, Candidate, CandidateMatcher
from warehouse.reader.reader import PinnedRelease
from warehouse.reader.types import MatchCandidate, NameQuestion

_ITEMS_PER_QUERY: Final = 100  # items that may take as long as one list query
_EXACT: Final = 1.0
_CONTRADICTED: Final = 0.5
_NUMBERS: Final = ("id", "number")


@dataclass(frozen=True, slots=True)
class ItemMatch:
    """The answer to one item: `match` of `api.lookups.models.MATCHES`, the company, candidates, and errors."""

    match: str
    company_id: str | None = None
    candidates: Sequence[MatchCandidate] = ()
    errors: Sequence[ProblemDetail] = ()


class _Stated(msgspec.Struct, frozen=True):
    lei: str | None
    vat: str | None


class _Names(msgspec.Struct, frozen=True):
    previous_names: list[str] = field(default_factory=list)


_STATED: Final = msgspec.json.Decoder(_Stated)
_NAMES: Final = msgspec.json.Decoder(_Names)


def resolve_items(snapshot: PinnedRelease, items: Sequence[LookupItem]) -> list[ItemMatch]:
    """The answers, in the order of the items. Raises QueryTimeoutError if they take too long together."""
    answers: list[ItemMatch] = []
    with snapshot.limited_time(-(-len(items) // _ITEMS_PER_QUERY)) as budget:
        for place, item in enumerate(items):
            budget.left()
            answers.append(_resolve(snapshot, item, place))
    return answers


def _resolve(snapshot: PinnedRelease, item: LookupItem, place: int) -> ItemMatch:
    try:
        found = list(found_by_identifiers(snapshot, item))
        market = None if item.country is None else item_market(item)
        by_company = _schemes_by_company(found)
        if by_company:
            return _resolve_found(snapshot, item, market, found, by_company)
        question = _name_question(item)
    except ItemError as error:
        return ItemMatch("none", errors=(error.told(place),))
    return ItemMatch("none") if question is None else _resolve_name(snapshot, found, question)


def _name_question(item: LookupItem) -> NameQuestion | None:
    if item.name is None:
        return None
    industry = item.industry.strip().replace(".", "") if item.industry else None
    return NameQuestion(item.name, item_market(item), (item.municipality or "").strip() or None, industry or None)


def _schemes_by_company(found: Iterable[FoundCompanies]) -> dict[str, list[str]]:
    named: dict[str, list[str]] = {}
    for one in found:
        for company_id in one.company_ids:
            named.setdefault(company_id, []).append(one.scheme)
    return named


def _resolve_found(
    snapshot: PinnedRelease,
    item: LookupItem,
    market: str | None,
    found: Sequence[FoundCompanies],
    by_company: Mapping[str, Sequence[str]],
) -> ItemMatch:
    """Exact if one company has every identifier that is known, and states nothing else than the item."""
    answered = sum(1 for one in found if one.company_ids)
    contradictions = {one: _contradictions(snapshot, item, market, found, one) for one in by_company}
    with_all = [company_id for company_id, schemes in by_company.items() if len(schemes) == answered]
    if len(with_all) == 1 and not contradictions[with_all[0]]:
        return ItemMatch("exact", with_all[0])
    candidates = [
        MatchCandidate(
            company_id,
            _CONTRADICTED if contradictions[company_id] else round(_EXACT * len(schemes) / len(found), 2),
            (*schemes, *contradictions[company_id]),
        )
        for company_id, schemes in by_company.items()
    ]
    return ItemMatch("ambiguous", None, _best(candidates))


def _contradictions(
    snapshot: PinnedRelease, item: LookupItem, market: str | None, found: Iterable[FoundCompanies], company_id: str
) -> list[str]:
    """What the company states otherwise than the item, as reasons."""
    absent = {one.scheme: one.value for one in found if company_id not in one.company_ids}
    told = ["other_country"] if market not in (None, company_id.split(":")[1]) else []
    if any(scheme in absent for scheme in _NUMBERS):
        told.append("other_number")
    if "lei" in absent or "vat" in absent:
        stated = _STATED.decode(snapshot.profile_parts(company_id)["identifiers"])
        told += [f"other_{scheme}" for scheme in ("lei", "vat") if scheme in absent and getattr(stated, scheme)]
    if item.name is not None and not _may_have_name(snapshot, company_id, item.name):
        told.append("other_name")
    return told


def _may_have_name(snapshot: PinnedRelease, company_id: str, name: str) -> bool:
    """Whether a name may be one of the company's, now or formerly."""
    header, country = snapshot.company_header(company_id), company_id.split(":")[1]
    if header is None:
        return False
    former = _NAMES.decode(snapshot.profile_parts(company_id)["detail"]).previous_names
    names = CandidateMatcher(country, [Candidate(company_id, one) for one in (header.name, *former)])
    return names.compare(name)[0].score >= REVIEWED


def _resolve_name(snapshot: PinnedRelease, found: Sequence[FoundCompanies], question: NameQuestion) -> ItemMatch:
    """Probable if the name means one company that states no other of the identifiers that no company has."""
    named = snapshot.match_name(question)
    candidates = [_with_contradictions(snapshot, one, found) for one in named.candidates]
    is_contradicted = any(
        len(one.reasons) > len(before.reasons)
        for one, before in zip(candidates, named.candidates, strict=True)
        if one.company_id == named.company_id
    )
    if named.company_id is not None and not is_contradicted:
        return ItemMatch("probable", named.company_id, candidates[:MOST_CANDIDATES])
    return ItemMatch("ambiguous", None, _best(candidates)) if candidates else ItemMatch("none")


def _with_contradictions(
    snapshot: PinnedRelease, candidate: MatchCandidate, found: Sequence[FoundCompanies]
) -> MatchCandidate:
    if not found:
        return candidate
    told = _contradictions(snapshot, LookupItem(), None, found, candidate.company_id)
    if not told:
        return candidate
    return MatchCandidate(candidate.company_id, min(candidate.score, _CONTRADICTED), (*candidate.reasons, *told))


def _best(candidates: Iterable[MatchCandidate]) -> list[MatchCandidate]:
    return sorted(candidates, key=lambda one: (-one.score, one.company_id))[:MOST_CANDIDATES]
