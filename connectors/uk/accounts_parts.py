"""Classifies facts by their dimensions: company total, group total, or a part (docs/formats/uk.md 9.4).

Belongs here: axes and members. Does not belong here: which of several facts counts (`accounts_figures`).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from connectors.kit.facts import Context, Dimension, Fact
from connectors.uk import tags

WITHIN: Final = tags.MATURITIES["WithinOneYear"]  # creditors by maturity
AFTER: Final = tags.MATURITIES["AfterOneYear"]
PLAIN, BY_MEMBER, ORIGINAL = 0, 1, 2  # ranks
_PART, _COMPANY, _GROUP, _SEGMENTS, _ALL, _FIRST = "part", "company", "group", "segments", "all", "first"


class Part(NamedTuple):
    """Scope of a fact. rank: undimensioned, total by members, or value as originally filed."""

    is_group: bool
    rank: int
    maturity: str | None
    is_segment_total: bool


_WHOLE_COMPANY: Final = Part(False, PLAIN, None, False)


def part_of(context: Context) -> Part | None:
    """Scope of a context; None if it is only a part of the total."""
    if not context.dimensions and not context.segments:
        return _WHOLE_COMPANY
    return _part(context.dimensions, context.segments)


@lru_cache(maxsize=4096)
def _part(dimensions: tuple[Dimension, ...], segments: tuple[str, ...]) -> Part | None:
    found = {_meaning(dimension) for dimension in dimensions}
    found |= {_scope(name) for name in segments}  # segment elements used instead of dimensions
    maturities = [word for word in found if word in (WITHIN, AFTER)]
    if _PART in found or len(maturities) > 1:
        return None
    is_total = _SEGMENTS in found
    rank = ORIGINAL if _FIRST in found else BY_MEMBER if is_total or _ALL in found else PLAIN
    return Part(_GROUP in found, rank, next(iter(maturities), None), is_total)


def _scope(name: str) -> str:
    return _GROUP if name in tags.GROUP_MEMBERS else _COMPANY if name in tags.COMPANY_MEMBERS else _PART


def _meaning(dimension: Dimension) -> str:
    """Meaning of one dimension: group, company, a total, creditors of a maturity, or a part."""
    axis, member, is_typed = dimension
    if is_typed or member is None:
        return _PART
    if axis in tags.GROUP_AXES:
        return _scope(member)
    if axis == tags.REVISION_AXIS:
        return {tags.ORIGINAL: _FIRST, tags.REVISED: _ALL}.get(member, _PART)
    if axis in tags.MATURITY_AXES and member in tags.MATURITIES:
        return tags.MATURITIES[member]
    if member.startswith("Total") and member.endswith("IncludingAnyUnallocatedAmount"):
        return _SEGMENTS
    return _ALL if member in tags.WHOLE_MEMBERS or member.endswith(tags.DEFAULT) else _PART


def says_revised(facts: Iterable[Fact]) -> bool:
    """True if a document marks figures as revised; its original ones are then superseded."""
    return any(
        cut.axis == tags.REVISION_AXIS and cut.member in (tags.REVISED, tags.SUPERSEDED)
        for fact in facts
        if fact.context is not None
        for cut in fact.context.dimensions
    )
