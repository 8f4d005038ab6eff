"""XBRL facts, contexts and units, whatever the syntax, and the choice among duplicate facts.

Belongs here: the one `Fact` type that inline XBRL, plain instances and every market's mapping share. Does not
belong here: reading bytes (`inline`, `instance`), or what a concept means (a market's tags).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple, Protocol

EXACT: Final = 1_000  # `decimals` of a value stated to be exact (INF)
_MIDNIGHT: Final = re.compile(r"T00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d\d:\d\d)?")  # of whatever zone
_DATE_LENGTH: Final = 10
_LONGEST_YEAR: Final = timedelta(days=18 * 31)  # a first or changed year lasts at most 18 months
_YEARS: Final = (1700, 2300)  # plausible years; others are typing errors, and break date arithmetic


class Dimension(NamedTuple):
    """One dimension of a fact. `member` is a local name when explicit, the text (None: nil) when typed."""

    axis: str
    member: str | None
    is_typed: bool = False


class Context(NamedTuple):
    """Period, entity and dimensions of a fact. An instant has `start` None; both dates None is `forever`.

    segments: local names of elements that distinguish without dimensions, as some taxonomies separate group
    from company.
    """

    id: str
    scheme: str
    entity: str
    start: date | None
    end: date | None
    dimensions: tuple[Dimension, ...]
    segments: tuple[str, ...] = ()


class Unit(NamedTuple):
    """Measures of a unit by local name; `divisor` is empty except for ratios."""

    measures: tuple[str, ...]
    divisor: tuple[str, ...] = ()
    is_currency: bool = False

    @property
    def currency(self) -> str | None:
        """ISO 4217 code if the unit is plain money."""
        return self.measures[0] if self.is_currency else None


class DeclaredDurations(Protocol):
    """Interface to the durations that a document declares (`contexts.Contexts`)."""

    def starts(self, end: date) -> Mapping[date, int]:
        """Start dates of the periods that end on a day, and how many contexts have each."""
        ...


class Fact(NamedTuple):
    """One tagged statement.

    value: a Decimal for numeric facts, text for others, None when nil, empty, or not accepted.
    text: the text in the document, before its transform.
    decimals: significant digits after the point (negative: before it), EXACT, None if not stated.
    parent: the enclosing tuple: local name (instance) or id (inline).
    """

    namespace: str | None
    name: str
    value: Decimal | str | None
    text: str
    context: Context | None
    unit: Unit | None
    decimals: int | None
    language: str | None
    parent: str | None
    is_nil: bool
    is_numeric: bool
    id: str | None

    @property
    def number(self) -> Decimal | None:
        """The value if it is a number."""
        return self.value if isinstance(self.value, Decimal) else None


@dataclass(slots=True)
class XbrlReport:
    """All wanted facts of one file, in document order. signals: (code, subject) -> count."""

    facts: list[Fact]
    schemas: tuple[str, ...]
    signals: Counter[tuple[str, str]]
    contexts: Sequence[DeclaredDurations] = ()
    is_repaired: bool = False

    def starts(self, end: date) -> Counter[date]:
        """Start dates of the periods that end on a day, over all contexts declared, used or not."""
        found: Counter[date] = Counter()
        for contexts in self.contexts:
            found.update(contexts.starts(end))
        return found


@lru_cache(maxsize=4096)
def parse_day(text: str | None, *, is_end: bool) -> date | None:
    """Parses a date of a period. Midnight ends the day before: an end of 2017-01-01T00:00:00 is 2016-12-31."""
    text = (text or "").strip()
    try:
        found = date.fromisoformat(text[:_DATE_LENGTH])
    except ValueError:
        return None
    if not _YEARS[0] <= found.year <= _YEARS[1]:
        return None
    clock = text[_DATE_LENGTH:]
    if is_end and _MIDNIGHT.fullmatch(clock):
        return found - timedelta(days=1)
    return found


def is_financial_year(start: date, end: date) -> bool:
    """True if a period may be a financial year: it ends after it begins, and is not of several years."""
    return start <= end <= start + _LONGEST_YEAR


@lru_cache(maxsize=256)
def _stated_digits(stated: str) -> int | None:
    stated = stated.strip()
    if stated == "INF":
        return EXACT
    try:
        return max(-EXACT, min(EXACT, int(stated)))
    except ValueError:
        return None


def decimals_of(decimals: str | None, precision: str | None, value: Decimal | None) -> int | None:
    """`decimals` as a number; computed from `precision` (significant digits) if only that is given."""
    if decimals is not None:
        return _stated_digits(decimals)
    digits = None if precision is None else _stated_digits(precision)
    if digits is None or digits == EXACT:
        return digits
    if digits <= 0 or value is None:  # precision 0: unknown
        return None
    return EXACT if value == 0 else digits - value.adjusted() - 1


def rounding_tolerance(fact: Fact) -> Decimal:
    """Half of the last significant digit: the largest distance of the true value from the stated one."""
    if fact.decimals is None or fact.decimals >= EXACT:
        return Decimal(0)
    return Decimal(5).scaleb(-fact.decimals - 1)


class FactChoice(NamedTuple):
    """One fact for several of the same concept, context and unit; `agree` is False when they contradict."""

    fact: Fact
    agree: bool


def choose_fact(facts: Sequence[Fact]) -> FactChoice:
    """The most precise of duplicates; the first one if they contradict each other (XBRL duplicates).

    Two roundings of one value agree: their intervals overlap. All facts must carry numbers.
    """
    first = facts[0]
    if len(facts) == 1 or all(fact.value == first.value for fact in facts):
        return FactChoice(max(facts, key=_fact_precision), True)
    numbers = [(fact.number, rounding_tolerance(fact)) for fact in facts if fact.number is not None]
    low = max(number - half for number, half in numbers)
    high = min(number + half for number, half in numbers)
    if low > high:
        return FactChoice(first, False)
    return FactChoice(max(facts, key=_fact_precision), True)


def choose_count(facts: Sequence[Fact]) -> FactChoice:
    """As `choose_fact`, of numbers of people: of two as precise as each other neither is a rounding, as of 0 and 1."""
    choice = choose_fact(facts)
    return choice._replace(agree=choice.agree and len({fact.value for fact in most_precise(facts)}) == 1)


def most_precise(facts: Sequence[Fact]) -> list[Fact]:
    """Those of the duplicates that state the most digits."""
    finest = max(map(_fact_precision, facts))
    return [fact for fact in facts if _fact_precision(fact) == finest]


def _fact_precision(fact: Fact) -> int:
    return -EXACT if fact.decimals is None else fact.decimals


def first_text(facts: Iterable[Fact]) -> str | None:
    """The first non-empty text, trimmed and with runs of whitespace collapsed."""
    for fact in facts:
        text = " ".join(str(fact.value).split()) if fact.value is not None else ""
        if text:
            return text
    return None
