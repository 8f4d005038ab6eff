"""Of groups of records whose names are nearly one: the pairs that nobody else comes close to.

See docs/formats/news.md 5.

Does not belong here: how close two names are (`holder_names`), or what else speaks against a pair (`holder_rules`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from pipelines.steps import holder_names

_APART: Final = 3.0  # points by which the best must lead the next: else nobody is meant
_CROWD: Final = 200  # groups with a word in common beyond which the word says nothing

Group = list[Mapping[str, Any]]


def closest(
    groups: Sequence[Group], may: Callable[[Group, Group], bool]
) -> Iterator[tuple[Group, Group, float]]:
    """Pairs of groups, each the other's only close one, and how close; `may`: whether a pair may be one."""
    scores: dict[int, dict[int, float]] = defaultdict(dict)
    for one, other in sorted(_candidates(groups)):
        score = _closeness(groups[one], groups[other])
        if score >= holder_names.CLOSE - _APART:
            scores[one][other] = scores[other][one] = score
    for one in sorted(scores):
        other = _best(scores[one])
        if (
            other is not None
            and one < other
            and _best(scores[other]) == one
            and may(groups[one], groups[other])
        ):
            yield groups[one], groups[other], scores[one][other]


def _candidates(groups: Sequence[Group]) -> set[tuple[int, int]]:
    blocks: dict[str, list[int]] = defaultdict(list)
    for place, group in enumerate(groups):
        for block in {block for name in _names(group) for block in holder_names.blocks(name)}:
            blocks[block].append(place)
    crowded = (places for places in blocks.values() if len(places) <= _CROWD)
    return {
        (one, other)
        for places in crowded
        for at, one in enumerate(places)
        for other in places[at + 1 :]
        if _registers(groups[one]) != _registers(groups[other])
    }


def _best(scores: Mapping[int, float]) -> int | None:
    """Who comes closest, if close enough and well before the next."""
    ordered = sorted(scores.items(), key=lambda told: (-told[1], told[0]))
    place, score = ordered[0]
    next_score = ordered[1][1] if len(ordered) > 1 else 0.0
    return place if score >= holder_names.CLOSE and score - next_score >= _APART else None


def _closeness(group: Group, other: Group) -> float:
    return max(
        (holder_names.closeness(one, two) for one in _names(group) for two in _names(other)), default=0.0
    )


def _names(group: Group) -> set[str]:
    return {record["holder_name"] for record in group} - {None}


def _registers(group: Group) -> set[str]:
    return {record["register"] for record in group}
