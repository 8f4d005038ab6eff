"""Classifies facts by their dimensions: company total, group total, or a part (docs/formats/uk.md 9.4).

Belongs here: axes and members. Does not belong here: which of several facts counts (`figures`).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from connectors.kit.xbrl.facts import Context, Dimension, Fact
from connectors.uk.accounts import concepts

WITHIN: Final = concepts.MATURITIES["WithinOneYear"]  # creditors by maturity
AFTER: Final = concepts.MATURITIES["AfterOneYear"]
PLAIN, BY_MEMBER, ORIGINAL = 0, 1, 2  # ranks
_PART, _COMPANY, _GROUP, _SEGMENTS, _ALL, _FIRST = "part", "company", "group", "segments", "all", "first"


class FactPart(NamedTuple):
    """Scope of a fact. rank: undimensioned, total by members, or value as originally filed."""

    is_group: bool
    rank: int
    maturity: str | None
    is_segment_total: bool


_WHOLE_COMPANY: Final = FactPart(False, PLAIN, None, False)


def fact_part_of(context: Context) -> FactPart | None:
    """Scope of a context; None if it is only a part of the total."""
    if not context.dimensions and not context.segments:
        return _WHOLE_COMPANY
    return _combined_part(context.dimensions, context.segments)


@lru_cache(maxsize=4096)
def _combined_part(dimensions: tuple[Dimension, ...], segments: tuple[str, ...]) -> FactPart | None:
    found = {_dimension_meaning(dimension) for dimension in dimensions}
    found |= {_member_scope(name) for name in segments}  # segment elements used instead of dimensions
    maturities = [word for word in found if word in (WITHIN, AFTER)]
    if _PART in found or len(maturities) > 1:
        return None
    is_total = _SEGMENTS in found
    rank = ORIGINAL if _FIRST in found else BY_MEMBER if is_total or _ALL in found else PLAIN
    return FactPart(_GROUP in found, rank, next(iter(maturities), None), is_total)


def _member_scope(name: str) -> str:
    return _GROUP if name in concepts.GROUP_MEMBERS else _COMPANY if name in concepts.COMPANY_MEMBERS else _PART


def _dimension_meaning(dimension: Dimension) -> str:
    """Meaning of one dimension: group, company, a total, creditors of a maturity, or a part."""
    axis, member, is_typed = dimension
    if is_typed or member is None:
        return _PART
    if axis in concepts.GROUP_AXES:
        return _member_scope(member)
    if axis == concepts.REVISION_AXIS:
        return {concepts.ORIGINAL: _FIRST, concepts.REVISED: _ALL}.get(member, _PART)
    if axis in concepts.MATURITY_AXES and member in concepts.MATURITIES:
        return concepts.MATURITIES[member]
    if member.startswith("Total") and member.endswith("IncludingAnyUnallocatedAmount"):
        return _SEGMENTS
    return _ALL if member in concepts.WHOLE_MEMBERS or member.endswith(concepts.DEFAULT) else _PART


def has_revised_figures(facts: Iterable[Fact]) -> bool:
    """True if a document marks figures as revised; its original ones are then superseded."""
    return any(
        cut.axis == concepts.REVISION_AXIS and cut.member in (concepts.REVISED, concepts.SUPERSEDED)
        for fact in facts
        if fact.context is not None
        for cut in fact.context.dimensions
    )
