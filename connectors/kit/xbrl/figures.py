"""What the figures of every market's annual accounts share: whole amounts, headcounts, currency, stated days.

Does not belong here: which fact counts for which figure (a market's `figures`), duplicates (`facts.choose_fact`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Final

from connectors.kit.xbrl.facts import Fact, parse_day
from connectors.kit.xbrl.transforms import UnacceptedTextError, parse_loose_date
from warehouse.schema.types import LARGEST_INTEGER

_WHOLE: Final = Decimal(1)
_SEVERAL: Final = 2  # amounts that show a habit: one alone may be a slip
_MOST_PEOPLE: Final = Decimal(10**10)


class StatedFigures:
    """Amounts of one document. signals: (code, subject) -> count.

    currency: the one most amounts use, as convenience translations are fewer; None where two have as many.
    """

    def __init__(self, facts: Iterable[Fact], signals: Counter[tuple[str, str]]) -> None:
        self.signals = signals
        self.currency = self._main_currency(facts)

    def _main_currency(self, facts: Iterable[Fact]) -> str | None:
        found = Counter(fact.unit.currency for fact in facts if fact.unit is not None and fact.value is not None)
        del found[None]
        ordered = found.most_common()
        is_tied = len({count for _, count in ordered[:2]}) < len(ordered[:2])
        for currency, count in ordered if is_tied else ordered[1:]:
            self.signals["mixed_currencies", str(currency)] += count
        return None if is_tied or not ordered else ordered[0][0]

    def is_in_currency(self, fact: Fact) -> bool:
        """True if a fact is an amount in `currency`; one without a currency is counted."""
        currency = fact.unit.currency if fact.unit is not None else None
        if currency is None:
            self.signals["no_currency", fact.name] += 1
        return currency is not None and currency == self.currency

    def money(self, value: Decimal | None, name: str) -> int | None:
        """Whole units, halves to even; None and a signal for implausible values (more than 63 bits)."""
        if value is None:
            return None
        if abs(value) > LARGEST_INTEGER:
            self.signals["amount_out_of_range", name] += 1
            return None
        return int(value.to_integral_value(ROUND_HALF_EVEN))

    def heads(self, value: Decimal | None) -> int | None:
        """Whole persons, halves up; None and a signal for less than none, or more than there are on earth."""
        if value is None:
            return None
        if not 0 <= value <= _MOST_PEOPLE:
            self.signals["amount_out_of_range", "employees"] += 1
            return None
        return int(value.quantize(_WHOLE, ROUND_HALF_UP))


def count_finer_amounts(facts: Iterable[Fact], signals: Counter[tuple[str, str]]) -> None:
    """Counts amounts with digits below their stated precision, where most of a document's rounded amounts have some.

    So reads an amount in thousands without its scale, and alike one written out with a precision stated too coarse.
    """
    rounded = [fact for fact in facts if fact.number and fact.decimals is not None and fact.decimals < 0]
    finer = sum(has_finer_digits(fact.number, -fact.decimals) for fact in rounded if fact.number and fact.decimals)
    if finer >= _SEVERAL and finer * 2 > len(rounded):
        signals["finer_than_decimals", "amounts"] += finer


def has_finer_digits(amount: Decimal, power: int) -> bool:
    """True for an amount that is no whole multiple of a power of ten."""
    bare = amount.normalize()
    return bare.adjusted() - len(bare.as_tuple().digits) + 1 < power


def first_day(facts: Iterable[Fact]) -> date | None:
    """The first day that one of the facts states, in any spelling."""
    for fact in facts:
        try:
            found = parse_day(parse_loose_date(str(fact.value or "")), is_end=False)
        except UnacceptedTextError:
            continue
        if found is not None:
            return found
    return None
