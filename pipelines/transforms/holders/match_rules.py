"""Entity resolution: which records of one company are the same holder. Numbers, then names; manual decisions win.

Belongs here: the rules in their order, and what contradicts a join. Two concurrent records of one register
are joined by a manual decision, or if they are repeated entries of one holder; consecutive ones may be a renewal
(`renewals`). Persons are
compared by their whole names, never by similar ones. Does not belong here: how names compare
(`name_features`), which id a holder has (`resolve`), any other company: holders are never joined across
companies.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from name_matching.folding import fold_text
from pipelines.transforms.holders import name_features
from pipelines.transforms.holders.name_features import Group, Record, closest_pairs, names_of, register_codes
from pipelines.transforms.holders.renewals import PERSON, PERSON_MARK, renewal_pairs, repeated_entries
from warehouse.schema.decisions import HolderDecision

BY_NUMBER: Final = "number"
BY_PERSON: Final = "judged"
RENEWED: Final = "renewed"
REPEATED: Final = "repeated"
CLOSE: Final = "close_name"
_VAGUE: Final = ("unknown", "nominee", "group")  # kinds that another source may state more precisely
_UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class MatchRule:
    """A match rule: names that share a key match. of_entities: legal forms and kinds must agree too."""

    name: str
    blocking_keys: Callable[[str], frozenset[str]]
    of_entities: bool = False
    of_persons: bool = False


# In this order: exact matches join before similar ones.
RULES: Final = (
    MatchRule("spelling", name_features.casefolded_names),
    MatchRule("name", name_features.ascii_folded_names),
    MatchRule("transliteration", name_features.transliterated_names),
    MatchRule("turned_name", name_features.token_sorted_names, of_persons=True),
    MatchRule("core_name", name_features.holder_core_names, of_entities=True),
)


@dataclass(frozen=True, slots=True)
class HolderJoin:
    """Two joined records of one holder, by their own ids; the rule, and the similarity of their names."""

    company_id: str
    one: str
    other: str
    rule: str
    score: float


@dataclass
class HolderGroups:
    """The records of one company in groups that only grow, and pairs that must stay apart."""

    groups: list[Group]
    apart: frozenset[frozenset[str]]
    joins: list[HolderJoin] = field(default_factory=list)

    def may_join(self, groups: Iterable[Group]) -> bool:
        """True if no manual decision keeps two of the groups apart."""
        if not self.apart:
            return True
        ids = [{record["holder_id"] for record in group} for group in groups]
        everybody = set().union(*ids)
        return not any(pair <= everybody and not any(pair <= own for own in ids) for pair in self.apart)

    def have_disjoint_registers(self) -> bool:
        """True if any two groups have no register in common: only such groups are joined by rule."""
        kinds = {tuple(record["register"] for record in group) for group in self.groups}
        return len(kinds) > 1 and any(set(one).isdisjoint(other) for one in kinds for other in kinds)

    def share_blocking_key(self) -> bool:
        """True if any two groups without a common register share a blocking key."""
        seen: dict[str, set[str]] = {}
        for group in self.groups:
            registers = {record["register"] for record in group}
            for record in group:
                for word in name_features.consonant_key(record["holder_name"] or ""):
                    if not seen.setdefault(word, registers) & registers:
                        return True
                    seen[word] = seen[word] & registers
        return False

    def join(self, groups: Sequence[Group], rule: str, score: float = 100.0) -> None:
        """Merges several groups into the first."""
        first, *others = groups
        for other in others:
            self.joins.append(
                HolderJoin(first[0]["company_id"], first[0]["holder_id"], other[0]["holder_id"], rule, score)
            )
            self.groups = [group for group in self.groups if group is not other]
            first.extend(other)


def resolve_holders(records: Sequence[Record], decisions: Sequence[HolderDecision] = ()) -> HolderGroups:
    """The records of one company by holder. `decisions`: of that company, oldest first; negatives win."""
    apart = frozenset(
        frozenset((told.one, told.other)) for told in decisions if not told.is_same and not told.has_company_side
    )
    found = HolderGroups([[record] for record in with_decided_companies(records, decisions)], apart)
    _apply_decisions(found, decisions)
    _join_renewals(found)
    _join_repeated_entries(found)
    _join_by_number(found)
    if not (found.have_disjoint_registers() and found.share_blocking_key()):
        return found
    for rule in RULES:
        _join_by_keys(found, rule)
        if not found.have_disjoint_registers():
            return found
    _join_by_similarity(found)
    return found


def with_decided_companies(records: Iterable[Record], decisions: Sequence[HolderDecision]) -> Iterator[Record]:
    """Records with the holder's company set, or removed, by manual decisions."""
    same = {told.one: told.other for told in decisions if told.has_company_side and told.is_same}
    never = {(told.one, told.other) for told in decisions if told.has_company_side and not told.is_same}
    for record in records:
        own = record["holder_id"]
        number = same.get(own, record["holder_company_id"])
        changed = None if (own, number) in never else number
        yield record if changed == record["holder_company_id"] else {**record, "holder_company_id": changed}


def _apply_decisions(found: HolderGroups, verdicts: Iterable[HolderDecision]) -> None:
    for told in verdicts:
        if told.is_same and not told.has_company_side:
            first, second = (_group_with(found, name) for name in (told.one, told.other))
            if first is None or second is None or first is second:
                continue  # the record is gone, or the groups are joined already
            if found.may_join((first, second)):
                found.join((first, second), BY_PERSON)


def _join_renewals(found: HolderGroups) -> None:
    """Joins records that begin where another of the same register and name ends (docs/formats/uk.md 4)."""
    rule = MatchRule(RENEWED, name_features.casefolded_names)
    for ended, begun in renewal_pairs(record for group in found.groups for record in group):
        pair = [group for group in found.groups if any(one is ended or one is begun for one in group)]
        if len(pair) > 1 and _is_compatible(pair, rule) and found.may_join(pair):
            found.join(pair, RENEWED)


def _join_repeated_entries(found: HolderGroups) -> None:
    """Joins records by which one register has one holder twice at one time (docs/formats/uk.md 4)."""
    for one, other in repeated_entries(record for group in found.groups for record in group):
        pair = [group for group in found.groups if any(record is one or record is other for record in group)]
        records = [record for group in pair for record in group]
        is_one = len(_company_numbers(records)) < 2 and not _has_differing_marks(records)  # noqa: PLR2004 - one or none
        if len(pair) > 1 and is_one and found.may_join(pair):
            found.join(pair, REPEATED)


def _group_with(found: HolderGroups, own: str) -> Group | None:
    return next((group for group in found.groups if any(one["holder_id"] == own for one in group)), None)


def _join_by_number(found: HolderGroups) -> None:
    """Joins equal company numbers of different registers; class by class if a register has several classes."""
    by_number: dict[str, list[Group]] = defaultdict(list)
    for group in found.groups:
        for number in _company_numbers(group):
            by_number[number].append(group)
    for same in by_number.values():
        told = Counter(register for group in same for register in register_codes(group))
        classes = any(count > 1 for count in told.values())
        grown: list[Group] = []
        for group in same:
            fits = [one for one in grown if register_codes(one).isdisjoint(register_codes(group))]
            fits = [one for one in fits if len(_company_numbers([*one, *group])) == 1 and found.may_join((one, group))]
            if classes:
                fits = sorted((one for one in fits if _class_gap(one, group) is not None), key=_gap_sort_key(group))
            if fits:
                found.join((fits[0], group), BY_NUMBER)
            else:
                grown.append(group)


def _gap_sort_key(group: Group) -> Callable[[Group], int]:
    return lambda other: _class_gap(other, group) or 0


def _class_gap(one: Group, other: Group) -> int | None:
    """0: the same class of shares; 1: one states none, or a less specific one; None: two classes."""
    first, second = (
        {fold_text(record["share_class"]) for record in group if record["share_class"]} for group in (one, other)
    )
    if not first or not second:
        return 1
    if first & second:
        return 0
    words = [set(" ".join(titles).split()) for titles in (first, second)]
    return 1 if words[0] <= words[1] or words[1] <= words[0] else None


def _join_by_keys(found: HolderGroups, rule: MatchRule) -> None:
    """Joins groups that share a key, if no register has two of them and nothing contradicts it."""
    for same in _groups_sharing_keys(found.groups, rule):
        if _has_distinct_registers(same) and _is_compatible(same, rule) and found.may_join(same):
            found.join(same, rule.name)


def _groups_sharing_keys(groups: Sequence[Group], rule: MatchRule) -> Iterator[list[Group]]:
    """Groups connected by shared keys, directly or through others."""
    by_key: dict[str, list[int]] = defaultdict(list)
    count = 0
    for place, group in enumerate(groups):
        for key in _rule_keys(group, rule):
            by_key[key].append(place)
            count += 1
    if count == len(by_key):
        return  # no key is shared
    shared = [places for places in by_key.values() if len(places) > 1]
    for places in connected_components(shared):
        yield [groups[place] for place in places]


def connected_components(shared: Iterable[Sequence[int]]) -> Iterator[list[int]]:
    """Groups of places connected by common lists, directly or through others; in ascending order."""
    above: dict[int, int] = {}

    def root(place: int) -> int:
        while above.setdefault(place, place) != place:
            place = above[place]
        return place

    for places in shared:
        for place in places[1:]:
            first, second = sorted((root(places[0]), root(place)))
            above[second] = first
    members: dict[int, list[int]] = defaultdict(list)
    for place in sorted(above):
        members[root(place)].append(place)
    yield from (places for places in members.values() if len(places) > 1)


def _rule_keys(group: Group, rule: MatchRule) -> frozenset[str]:
    if (rule.of_entities and not _is_entity(group)) or (rule.of_persons and not _known_types([group]) <= {PERSON}):
        return frozenset()
    names = names_of(group)
    if len(names) == 1:
        return rule.blocking_keys(next(iter(names)))
    return frozenset[str]().union(*(rule.blocking_keys(name) for name in names))


def _join_by_similarity(found: HolderGroups) -> None:
    """Joins names of companies and funds that differ by a typo."""
    entities = [group for group in found.groups if _is_entity(group)]
    rule = MatchRule(CLOSE, name_features.holder_core_names, of_entities=True)

    def may(one: Group, other: Group) -> bool:
        pair = [one, other]
        return (
            bool(_known_types(pair))
            and _has_distinct_registers(pair)
            and _is_compatible(pair, rule)
            and found.may_join(pair)
        )

    for one, other, score in closest_pairs(entities, may):
        if may(one, other):
            found.join((one, other), CLOSE, score)


def _is_compatible(groups: Sequence[Group], rule: MatchRule) -> bool:
    """True if country, number, kind, marks, and for cores the legal form, do not contradict a single holder."""
    records = [record for group in groups for record in group]
    countries = {record["holder_country"] for record in records} - {None}
    kinds = _known_types(groups)
    if len(countries) > 1 or len(_company_numbers(records)) > 1 or (PERSON in kinds and len(kinds) > 1):
        return False
    if _has_differing_marks(records):
        return False
    if not rule.of_entities:
        return True
    forms = [name_features.legal_forms_of(record["holder_name"]) for record in records if record["holder_name"]]
    return len(kinds) < 2 and all(  # noqa: PLR2004 - one kind, or none stated
        name_features.has_compatible_forms(one, two) for one in forms for two in forms
    )


def _has_differing_marks(records: Iterable[Record]) -> bool:
    """True if two marks of one key differ: two persons. No mark, and marks of two keys, say nothing."""
    marks = {mark for record in records if (mark := record.get(PERSON_MARK)) is not None}
    return len(marks) > len({mark.partition("-")[0] for mark in marks})


def _known_types(groups: Sequence[Group]) -> set[str]:
    return {record["holder_type"] for group in groups for record in group} - set(_VAGUE)


def _is_entity(group: Group) -> bool:
    """True if it is no person: by its kind, or by its name if that is unknown. Ola Berg is not Ola Berg AS."""
    if {record["holder_type"] for record in group} != {_UNKNOWN}:
        return PERSON not in _known_types([group])
    return not any(name_features.is_possible_person(record["holder_name"]) for record in group if record["holder_name"])


def _has_distinct_registers(groups: Sequence[Group]) -> bool:
    told = [register for group in groups for register in register_codes(group)]
    return len(told) == len(set(told))


def _company_numbers(records: Iterable[Record]) -> set[str]:
    return {record["holder_company_id"] for record in records} - {None}
