"""Model passed from reading facts to mapping them: filings, and in each the facts of every span of days.

Days are strings in the source's format, which sort like dates: a large issuer has thousands of facts and most
of them are repeats. Does not belong here: JSON (`companyfacts.parse`), chains or periods.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from connectors.us.financials.concepts import EMPLOYEES, IFRS, SHARES
from connectors.us.form_types import AMENDED, ANNUAL, FOREIGN, FOREIGN_INTERIM, INTERIM

Span = tuple[str, str]  # first day ("" for an instant) and last day
Facts = dict[str, int]  # column of `concepts` -> amount

TRANSITION: Final = frozenset({"10-KT", "10-QT", "10-KT405", "10KT405", "10-KT40"})  # their periods have any length
_INTERIM: Final = INTERIM | {FOREIGN_INTERIM}
_COUNTS: Final = frozenset((*EMPLOYEES, SHARES))
LARGEST: Final = 10**18  # no real amount is that large in any currency, and sums of a few still fit a column
DOLLAR: Final = "USD"
COUNTS: Final = ""  # pseudo-unit for head and share counts: no currency
ROUNDING_UNITS: Final = (10**6, 10**5, 10**3)  # to which filers round: millions, one decimal, thousands


@dataclass(slots=True)
class FactsFiling:
    """One accession: its form, its day, its stated fiscal year, and its facts by unit and span."""

    accession: str
    form: str
    filed: str
    focus: int | None  # DocumentFiscalYearFocus: the filing's, never a fact's (docs/formats/us.md 5)
    units: dict[str, dict[Span, Facts]] = field(default_factory=dict)
    is_rounded: bool = False  # days are rounded to ends of months (docs/formats/us.md 6)
    raw: str | None = None  # its path in RAW, and since when it is known
    observed_at: datetime = datetime.min  # noqa: DTZ901 - before everything
    base: str = field(init=False)  # the form without its amendment mark
    is_annual: bool = field(init=False)
    is_periodic: bool = field(init=False)  # other documents count only if no report covers the period
    known_until: str = field(init=False)  # the last day that it can report on
    _rounding_unit: int | None = field(init=False, default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.base = self.form.removesuffix(AMENDED)
        self.is_annual = self.base in ANNUAL
        self.is_periodic = self.is_annual or self.base in _INTERIM
        # the end of the month, as a string that sorts: the rounded end of a period may fall after the filing day
        self.known_until = f"{self.filed[:8]}31" if self.is_rounded else self.filed

    @property
    def is_amendment(self) -> bool:
        return self.form.endswith(AMENDED)

    @property
    def rounding_unit(self) -> int:
        """The coarsest unit that all its amounts are multiples of; asked for once its facts are complete, and kept.

        Amounts of one size besides zeros show none: they may be round by themselves.
        """
        if self._rounding_unit is None:
            spans = [facts for unit, found in self.units.items() if unit != COUNTS for facts in found.values()]
            amounts = [abs(amount) for facts in spans for amount in facts.values() if amount]
            fitting = (unit for unit in ROUNDING_UNITS if all(amount % unit == 0 for amount in amounts))
            shows_unit = any(amount != amounts[0] for amount in amounts)
            self._rounding_unit = next(fitting, 1) if shows_unit else 1
        return self._rounding_unit

    def facts_in(self, currency: str | None) -> dict[Span, Facts]:
        """Its facts in one currency, under the tags of the accounting standard that most of them have.

        A few of the other standard are of notes, or slips. As many of both are all kept.
        """
        spans = self.units.get(currency or COUNTS, {})
        total = sum(map(len, spans.values()))
        international = sum(tag.startswith(IFRS) for facts in spans.values() for tag in facts)
        if not international or international == total or 2 * international == total:
            return spans
        is_ifrs = 2 * international > total
        kept = (
            (span, {tag: amount for tag, amount in facts.items() if tag.startswith(IFRS) is is_ifrs})
            for span, facts in spans.items()
        )
        return {span: facts for span, facts in kept if facts}

    def currency(self, usual: str | None = None) -> str | None:
        """The unit of most of its amounts: a convenience translation has fewer (docs/formats/us.md 12.3).

        On a tie the currency of the filer's annual reports wins; without one dollars, but in a foreign issuer's report
        the other currency: its translations are into dollars.
        """
        units = [unit for unit in self.units if unit != COUNTS]
        if len(units) == 1:
            return units[0]
        counts = Counter({unit: sum(map(len, self.units[unit].values())) for unit in units})
        is_foreign = self.base in FOREIGN
        return max(
            counts,
            key=lambda unit: (counts[unit], unit == usual, (unit == DOLLAR) is not is_foreign, unit),
            default=None,
        )


def is_count_column(column: str) -> bool:
    """Whether a column holds heads or shares, not money."""
    return column in _COUNTS
