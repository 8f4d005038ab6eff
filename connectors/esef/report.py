"""Determines a report's own year, the year before, and the one number for each concept.

See docs/formats/fi.md 5.2, 5.3.

Belongs here: choosing the periods of the statements, choosing among duplicate facts. Does not belong here: the
syntax (`facts`), or chains of concepts (`mapping`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any, Final

from connectors.esef import schema
from connectors.esef.facts import Facts, NoReport, Number, facts_of
from connectors.gleif.numbers import is_lei
from connectors.kit import facts as kit_facts
from connectors.kit.facts import Fact, Unit
from connectors.kit.staged import Tally
from warehouse.schema.types import LARGEST_INTEGER

_DAY: Final = timedelta(days=1)
_ENOUGH: Final = 0.5  # share of the commonest period's facts: stray dates of later meetings have few
_LONGEST: Final = 600  # days: a changed financial year is longer than a year, but below two

Row = dict[str, Any]


def row_of(text: bytes, name: str, tally: Tally) -> Row:
    """The staged row of a report. Raises NoReport."""
    found = facts_of(text, schema.CONCEPTS)
    report = schema.report_key(name)
    if not report:
        raise NoReport("the file name does not identify the report")
    for (code, subject), count in found.signals.items():
        tally.add(code, subject, report, count)
    lei = _issuer(found, report, tally)
    start, end = _own_period(found)
    currency = _currency(found.numbers, start, end)
    row: Row = {"report": report, "lei": lei, "currency": currency, "period_start": start, "period_end": end}
    row |= _figures(found.numbers, currency, (start, end), report, tally)
    before = _before(found.durations, start)
    if before is not None:
        prior = _figures(found.numbers, currency, before, report, tally)
        row |= {f"{schema.PRIOR}start": before[0], f"{schema.PRIOR}end": before[1]}
        row |= {schema.PRIOR + concept: value for concept, value in prior.items()}
    return row


def _issuer(found: Facts, report: str, tally: Tally) -> str:
    if not found.entities:
        raise NoReport("no undimensioned IFRS facts")
    lei, _ = found.entities.most_common(1)[0]
    if not is_lei(lei):
        raise NoReport(f"the facts are of {lei[:20]!r}, which is not an LEI")
    if len(found.entities) > 1:
        tally.add("several_entities", lei, report)
    return lei


def _own_period(found: Facts) -> tuple[date, date]:
    """The latest period with enough facts; of several with the same end the longest."""
    sound = {
        (start, end): count
        for (start, end), count in found.durations.items()
        if 0 < (end - start).days < _LONGEST
    }
    if not sound:
        raise NoReport("no period that statements could cover")
    commonest = max(sound.values())
    usual = [period for period, count in sound.items() if count >= commonest * _ENOUGH]
    last = max(end for _, end in usual)
    return min(period for period in usual if period[1] == last)


def _before(durations: Mapping[tuple[date, date], int], start: date) -> tuple[date, date] | None:
    """The period that ends the day before; of several the commonest, then the longest."""
    ends = start - _DAY
    found = [
        (count, (ends - first).days, first)
        for (first, last), count in durations.items()
        if last == ends and 0 < (ends - first).days < _LONGEST
    ]
    return (max(found)[2], ends) if found else None


def _currency(numbers: Iterable[Number], start: date, end: date) -> str | None:
    """The currency of most amounts of the period; convenience translations are fewer."""
    counts = Counter(
        number.currency
        for number in numbers
        if number.currency is not None and number.end == end and number.start in (None, start)
    )
    return counts.most_common(1)[0][0] if counts else None


def _figures(
    numbers: Iterable[Number], currency: str | None, period: tuple[date, date], report: str, tally: Tally
) -> Row:
    """The concepts of a period: flows of all of it, stocks of its last day; none after a contradicted one."""
    start, end = period
    by_concept: dict[str, list[Number]] = {}
    for number in numbers:
        begins = None if number.concept in schema.STOCKS else start
        unit = None if number.concept in schema.COUNTS else currency
        if (number.start, number.end, number.currency) == (begins, end, unit):
            by_concept.setdefault(number.concept, []).append(number)
    found = {concept: _one(given, report, tally) for concept, given in by_concept.items()}
    return {concept: value for concept, value in found.items() if not _is_doubted(concept, found)}


def _is_doubted(concept: str, found: Row) -> bool:
    """True if a better concept of the same figure is stated without a value: the next one means something else."""
    chain = next(chain for chain in schema.CHAINS if concept in chain)
    return any(better in found and found[better] is None for better in chain[: chain.index(concept)])


def _one(numbers: list[Number], report: str, tally: Tally) -> int | None:
    """The most precise of duplicates; null if they contradict each other."""
    concept = numbers[0].concept
    choice = kit_facts.choose([_fact(number) for number in numbers])
    if not choice.agree or choice.fact.number is None:
        tally.add("contradicting_facts", concept, report)
        return None
    if abs(choice.fact.number) > LARGEST_INTEGER:
        tally.add("unreadable_value", concept, report)
        return None
    return int(choice.fact.number.quantize(Decimal(1), rounding=ROUND_HALF_EVEN))


def _fact(number: Number) -> Fact:
    unit = None if number.currency is None else Unit((number.currency,), (), is_currency=True)
    return Fact(
        namespace=None,
        name=number.concept,
        value=number.value,
        text="",
        context=None,
        unit=unit,
        decimals=number.decimals,
        language=None,
        parent=None,
        is_nil=False,
        is_numeric=True,
        id=None,
    )
