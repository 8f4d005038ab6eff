"""The kind of a filer, and one figure under its tag, as the chains of `concepts` give them (docs/formats/us.md 12.3).

Does not belong here: which figure a statement has (`figure_rules`, `revenue_rules`).
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Final, NamedTuple

from connectors.us.financials import concepts as tags
from connectors.us.financials.model import Facts

_BANK_SIGNS: Final = frozenset(tags.BANK_SIGNS)
_SEVERAL: Final = 2
SUM_TAG: Final = "sum"


class FilerType(Enum):
    """Kinds of filers that report revenue under different tags."""

    COMMERCIAL = "commercial"
    BANK = "bank"
    INSURER = "insurer"
    REAL_ESTATE = "real estate"


class TaggedFigure(NamedTuple):
    """One figure of a filing: its scope or rank in the chain, its tags, and whether it was computed."""

    amount: int
    rank: int
    tags: frozenset[str]
    is_computed: bool = False


def filer_type_of(present: Iterable[str]) -> FilerType:
    """The kind of filer, inferred from all tags used in one filing."""
    found = frozenset(present)
    is_trader = not found.isdisjoint(tags.TRADE_SIGNS) and not found.issuperset(tags.BANK_PARTS)
    if (len(found & _BANK_SIGNS) >= _SEVERAL or tags.BANK_TOTALS[0] in found) and not is_trader:
        return FilerType.BANK
    if found.intersection(tags.INSURER_SIGNS):
        return FilerType.INSURER
    if tags.PROPERTY in found and found.intersection(tags.REAL_ESTATE):
        return FilerType.REAL_ESTATE
    return FilerType.COMMERCIAL


def first_tagged(facts: Facts, chain: tuple[str, ...]) -> TaggedFigure | None:
    """The first tag of a chain that has an amount."""
    for rank, tag in enumerate(chain):
        if tag in facts:
            return TaggedFigure(facts[tag], tags.SCOPES.get(tag, rank), frozenset((tag,)))
    return None
