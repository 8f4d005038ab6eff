"""Closest unique pairs: groups with nearly equal names that have no other close match.

See docs/formats/news.md 5.
Does not belong here: how close two names are (`name_features`), or what else contradicts a pair
(`match_rules`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from pipelines.transforms.holders import name_features

_APART: Final = 3.0  # points by which the best must lead the next, or the match is ambiguous
_CROWD: Final = 200  # groups sharing a word, above which the word is not distinctive

Group = list[Mapping[str, Any]]


def closest_pairs(
    groups: Sequence[Group], may_pair: Callable[[Group, Group], bool]
) -> Iterator[tuple[Group, Group, float]]:
    """Pairs of groups that are each other's only close match, with scores; `may_pair`: whether they may be joined."""
    scores: dict[int, dict[int, float]] = defaultdict(dict)
    for one, other in sorted(_candidate_pairs(groups)):
        score = _group_similarity(groups[one], groups[other])
        if score >= name_features.CLOSE - _APART:
            scores[one][other] = scores[other][one] = score
    for one in sorted(scores):
        other = _best_match(scores[one])
        if (
            other is not None
            and one < other
            and _best_match(scores[other]) == one
            and may_pair(groups[one], groups[other])
        ):
            yield groups[one], groups[other], scores[one][other]


def _candidate_pairs(groups: Sequence[Group]) -> set[tuple[int, int]]:
    blocks: dict[str, list[int]] = defaultdict(list)
    for place, group in enumerate(groups):
        for block in {block for name in _names_of(group) for block in name_features.blocking_keys(name)}:
            blocks[block].append(place)
    crowded = (places for places in blocks.values() if len(places) <= _CROWD)
    return {
        (one, other)
        for places in crowded
        for at, one in enumerate(places)
        for other in places[at + 1 :]
        if _register_codes(groups[one]) != _register_codes(groups[other])
    }


def _best_match(scores: Mapping[int, float]) -> int | None:
    """The closest group, if it is close enough and well ahead of the next."""
    ordered = sorted(scores.items(), key=lambda told: (-told[1], told[0]))
    place, score = ordered[0]
    next_score = ordered[1][1] if len(ordered) > 1 else 0.0
    return place if score >= name_features.CLOSE and score - next_score >= _APART else None


def _group_similarity(group: Group, other: Group) -> float:
    return max(
        (name_features.name_similarity(one, two) for one in _names_of(group) for two in _names_of(other)), default=0.0
    )


def _names_of(group: Group) -> set[str]:
    return {record["holder_name"] for record in group} - {None}


def _register_codes(group: Group) -> set[str]:
    return {record["register"] for record in group}
