"""Companies that queries mean: look-ups of items made of them (docs/contract/contract.md 4.8d, 4.8e).

The text of a query is an identifier if a company has it as one, else a name. A name is asked for in the stated
country, else in every market of the query's types, and means one company only if no other market has one like it.
Properties that look-ups take are members of the item; the others are compared with the candidates, and one that
differs makes a match none. Does not belong here: which company an item means (`api.lookups.resolve`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from api.http.body_validation import ValidationErrors, parse_body
from api.lookups.item_identifiers import FoundCompanies, found_by_identifiers
from api.lookups.models import IDENTIFIERS, LookupItem
from api.lookups.resolve import ItemMatch, resolve_items
from api.problems.problem import ProblemDetail
from api.reconcile.company_values import CompanyValues, value_texts
from api.reconcile.requests import ReconciliationQuery
from api.reconcile.vocabulary import PROPERTIES, CompanyProperty
from name_matching.folding import fold_text
from warehouse.reader.reader import PinnedRelease
from warehouse.reader.types import MatchCandidate

_LONGEST_IDENTIFIER: Final = 60
_READ_AS: Final = ("id", "lei", "isin", "vat", "number")
"""What the text of a query may be, beside a name; a number only of a stated country."""


@dataclass(frozen=True, slots=True)
class ReconciledQuery:
    """Candidates, best first, of which the first is the company that is meant if `is_match`; or why there is none."""

    candidates: Sequence[MatchCandidate] = ()
    is_match: bool = False
    errors: Sequence[ProblemDetail] = ()


@dataclass(frozen=True, slots=True)
class _Reading:
    """A query as the items that it may be: by identifiers, the first that leads to a company, else by name."""

    query: ReconciliationQuery
    by_identifier: Sequence[LookupItem] = ()
    by_name: Sequence[LookupItem] = ()
    errors: Sequence[ProblemDetail] = ()


def reconcile_queries(snapshot: PinnedRelease, queries: Iterable[ReconciliationQuery]) -> list[ReconciledQuery]:
    """The answers, in the order of the queries. Raises QueryTimeoutError if they take too long together."""
    readings = [_read_query(query) for query in queries]
    identified = _resolve_each(snapshot, [one.by_identifier for one in readings])
    answered = [_first_found(answers) for answers in identified]
    named = _resolve_each(
        snapshot, [one.by_name if place is None else () for one, place in zip(readings, answered, strict=True)]
    )
    found: list[ReconciledQuery] = []
    for reading, place, by_identifier, by_name in zip(readings, answered, identified, named, strict=True):
        if place is not None:
            items, answers = [reading.by_identifier[place]], [by_identifier[place]]
        else:
            items, answers = [*reading.by_name], by_name or by_identifier
        found.append(_compare_stated(snapshot, reading.query, _combine(snapshot, reading, items, answers)))
    return found


def _first_found(answers: Iterable[ItemMatch]) -> int | None:
    return next((place for place, one in enumerate(answers) if one.match != "none"), None)


def _resolve_each(snapshot: PinnedRelease, groups: Sequence[Sequence[LookupItem]]) -> list[list[ItemMatch]]:
    items = [item for group in groups for item in group]
    answers = iter(resolve_items(snapshot, items) if items else ())
    return [[next(answers) for _ in group] for group in groups]


def _read_query(query: ReconciliationQuery) -> _Reading:
    members, errors = _item_members(query)
    if errors:
        return _Reading(query, errors=errors)
    country = members.get("country")
    by_identifier = [
        members | {scheme: query.text}
        for scheme in _READ_AS
        if _may_be_identifier(query.text) and scheme not in members and (scheme != "number" or country is not None)
    ]
    if any(name in members for name in IDENTIFIERS):
        by_identifier.append(members | ({"name": query.text} if query.text else {}))
    by_name = []
    if query.text:
        countries = query.markets if country is None else (country,)
        by_name = [members | {"name": query.text, "country": one} for one in countries]
    return _read_items(query, by_identifier, by_name)


def _may_be_identifier(text: str) -> bool:
    return len(text) <= _LONGEST_IDENTIFIER and any(sign.isdigit() for sign in text)


def _item_members(query: ReconciliationQuery) -> tuple[dict[str, str], list[ProblemDetail]]:
    members: dict[str, str] = {}
    errors: list[ProblemDetail] = []
    for name, (values, pointer) in query.stated.items():
        if not PROPERTIES[name].is_of_item:
            continue
        members[name], *others = values
        if others:
            errors.append(ProblemDetail("too_many", "must have one value", pointer=pointer))
    return members, errors


def _read_items(
    query: ReconciliationQuery, by_identifier: Sequence[Mapping[str, str]], by_name: Sequence[Mapping[str, str]]
) -> _Reading:
    if not by_identifier and not by_name:
        detail = f"a query, or one of the properties {', '.join(_IDENTIFYING)} is required"
        return _Reading(query, errors=[ProblemDetail("missing", detail, pointer=query.pointer)])
    errors = ValidationErrors()
    read = [parse_body(LookupItem, item, errors) for item in (*by_identifier, *by_name)]
    if errors.count:
        return _Reading(query, errors=list(_with_pointers(query, errors.errors[:1])))
    items = [item for item in read if item is not None]
    return _Reading(query, items[: len(by_identifier)], items[len(by_identifier) :])


_IDENTIFYING: Final = tuple(name for name in IDENTIFIERS if name in PROPERTIES and PROPERTIES[name].is_of_item)


def _with_pointers(query: ReconciliationQuery, errors: Iterable[ProblemDetail]) -> Iterator[ProblemDetail]:
    """Errors of an item, with pointers to where the query states the member."""
    for error in errors:
        member = (error.pointer or "").rpartition("/")[2]
        of_text = query.pointer + ("/query" if member in ("name", "id") else "")
        yield ProblemDetail(error.code, error.detail, pointer=query.stated.get(member, ((), of_text))[1])


def _combine(
    snapshot: PinnedRelease, reading: _Reading, items: Sequence[LookupItem], answers: Sequence[ItemMatch]
) -> ReconciledQuery:
    """One answer of those of several markets: a match only if one of them has companies at all."""
    query = reading.query
    if reading.errors:
        return ReconciledQuery(errors=reading.errors)
    told = [one for one in answers if one.match != "none"]
    if not told:
        refused = [one for one in answers if one.errors]
        is_refused = len(refused) == len(answers)
        return ReconciledQuery(errors=list(_with_pointers(query, refused[0].errors)) if refused and is_refused else ())
    candidates = [
        candidate
        for item, answer in zip(items, answers, strict=True)
        for candidate in answer.candidates or _exact_candidates(snapshot, item, answer)
        if candidate.company_id.split(":")[1] in query.markets
    ]
    meant = told[0].company_id if len(told) == 1 else None
    candidates.sort(key=lambda one: (one.company_id != meant, -one.score, one.company_id))
    is_match = bool(candidates) and candidates[0].company_id == meant
    return ReconciledQuery(candidates[: query.limit], is_match)


def _exact_candidates(snapshot: PinnedRelease, item: LookupItem, answer: ItemMatch) -> list[MatchCandidate]:
    """The company of an exact answer, with the identifiers that mean it as reasons."""
    if answer.company_id is None:
        return []
    has_identifier = any(getattr(item, name) is not None for name in IDENTIFIERS if name != "name")
    found: Iterable[FoundCompanies] = found_by_identifiers(snapshot, item) if has_identifier else ()
    reasons = tuple(one.scheme for one in found if answer.company_id in one.company_ids)
    return [MatchCandidate(answer.company_id, 1.0, reasons)]


def _compare_stated(snapshot: PinnedRelease, query: ReconciliationQuery, found: ReconciledQuery) -> ReconciledQuery:
    """The candidates beside the properties that look-ups do not take: equal ones speak for them, others against."""
    compared = {name: values for name, (values, _) in query.stated.items() if not PROPERTIES[name].is_of_item}
    if not compared or not found.candidates:
        return found
    judged = [_compare_candidate(snapshot, one, compared) for one in found.candidates]
    differs = any(reason.startswith("other_") for reason in judged[0].reasons[len(found.candidates[0].reasons) :])
    return ReconciledQuery(judged, found.is_match and not differs)


def _compare_candidate(
    snapshot: PinnedRelease, candidate: MatchCandidate, compared: Mapping[str, Sequence[str]]
) -> MatchCandidate:
    values, reasons = CompanyValues(snapshot, candidate.company_id), [*candidate.reasons]
    for name, wanted in compared.items():
        asked = PROPERTIES[name]
        stated: Any = values.of(asked)
        texts = {_comparable_text(asked, one) for one in value_texts(stated)}
        if texts:
            fits = texts & {_comparable_text(asked, one) for one in wanted}
            reasons.append(name if fits else f"other_{name}")
    return MatchCandidate(candidate.company_id, candidate.score, tuple(reasons))


def _comparable_text(asked: CompanyProperty, text: str) -> str:
    """A value without case, accents and punctuation; of a date, which the protocol gives a time, the day alone."""
    folded = fold_text(text.partition("T")[0] if asked.is_date else text)
    return f"-{folded}" if text.startswith("-") and folded.isdigit() else folded  # a minus is no punctuation
