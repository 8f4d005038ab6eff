"""Determines a report's own year, the year before, and the one number for each concept.

See docs/formats/fi.md 5.2, 5.3.

Belongs here: choosing the periods of the statements, choosing among duplicate facts. Does not belong here: the
syntax (`xbrl_json`), or chains of concepts (`mapping`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Any, Final

from connectors.esef import schema
from connectors.esef.xbrl_json import FactNumber, NotXbrlReportError, ReportFacts, parse_facts
from connectors.gleif.level1.registration_numbers import is_lei
from connectors.kit.staging import SignalCounter
from connectors.kit.xbrl import facts as kit_facts
from connectors.kit.xbrl.facts import Fact, Unit
from connectors.kit.xbrl.figures import count_finer_amounts
from warehouse.schema.codes import ANNUAL_DAYS
from warehouse.schema.types import LARGEST_INTEGER

_DAY: Final = timedelta(days=1)
_ENOUGH: Final = 0.5  # share of the commonest period's facts: stray dates of later meetings have few
_YEAR_DAYS: Final = 365
_WEEK_DAYS: Final = 7  # by which a year of 52 or 53 weeks is shorter or longer
_LONGEST: Final = 600  # days: a changed financial year is longer than a year, but below two

Row = dict[str, Any]


def parse_report_row(text: bytes, name: str, latest: date, tally: SignalCounter) -> Row:
    """The staged row of a report, of a year that ends on `latest` or before. Raises NotXbrlReportError."""
    found = parse_facts(text, (*schema.CONCEPTS, *schema.INTEREST))
    report = schema.report_key(name)
    if not report:
        raise NotXbrlReportError("the file name does not identify the report")
    for (code, subject), count in found.signals.items():
        tally.add(code, subject, report, count)
    lei = _issuer_lei(found, report, tally)
    # facts of another issuer, such as a guarantor, are none of this one's
    numbers, durations = found.numbers.get(lei, []), found.durations.get(lei, Counter())
    start, end = _own_period(durations, latest)
    currency = _main_currency(numbers, (start, end), report, tally)
    row: Row = {"report": report, "lei": lei, "currency": currency, "period_start": start, "period_end": end}
    row["is_interim"] = _is_interim(durations, start, end)
    row |= _period_figures(numbers, currency, (start, end), report, tally)
    before = _previous_period(durations, start)
    if before is not None:
        prior = _period_figures(numbers, currency, before, report, tally)
        row |= {f"{schema.PRIOR_YEAR_PREFIX}start": before[0], f"{schema.PRIOR_YEAR_PREFIX}end": before[1]}
        row |= {schema.PRIOR_YEAR_PREFIX + concept: value for concept, value in prior.items()}
    return row


def _issuer_lei(found: ReportFacts, report: str, tally: SignalCounter) -> str:
    if not found.entities:
        raise NotXbrlReportError("no undimensioned IFRS facts")
    lei, _ = found.entities.most_common(1)[0]
    if not is_lei(lei):
        raise NotXbrlReportError(f"the facts are of {lei[:20]!r}, which is not an LEI")
    if len(found.entities) > 1:
        tally.add("several_entities", lei, report)
    return lei


def _own_period(durations: Mapping[tuple[date, date], int], latest: date) -> tuple[date, date]:
    """The latest period with enough facts; of several with the same end the longest."""
    sound = {
        (start, end): count
        for (start, end), count in durations.items()
        if 0 <= (end - start).days < _LONGEST and end <= latest
    }
    if not sound:
        raise NotXbrlReportError("no period that statements could cover")
    commonest = max(sound.values())
    usual = [period for period, count in sound.items() if count >= commonest * _ENOUGH]
    last = max(end for _, end in usual)
    return min(period for period in usual if period[1] == last)


def _is_interim(durations: Mapping[tuple[date, date], int], start: date, end: date) -> bool:
    """True if a period is a part of a year: shorter, and compared with the same part of the year before.

    An interim report states that (IAS 34.20), and the annual report of a short year states the year before it.
    """
    if (end - start).days + 1 >= ANNUAL_DAYS[0]:
        return False
    enough = durations[start, end] * _ENOUGH
    return any(
        count >= enough and _is_a_year_earlier(first, start) and _is_a_year_earlier(last, end)
        for (first, last), count in durations.items()
    )


def _is_a_year_earlier(day: date, than: date) -> bool:
    return abs((than - day).days - _YEAR_DAYS) <= _WEEK_DAYS


def _previous_period(durations: Mapping[tuple[date, date], int], start: date) -> tuple[date, date] | None:
    """The period that ends the day before; of several the commonest, then the longest."""
    ends = start - _DAY
    found = [
        (count, (ends - first).days, first)
        for (first, last), count in durations.items()
        if last == ends and 0 < (ends - first).days < _LONGEST
    ]
    return (max(found)[2], ends) if found else None


def _main_currency(
    numbers: Iterable[FactNumber], period: tuple[date, date], report: str, tally: SignalCounter
) -> str | None:
    """The currency of most amounts of the period; convenience translations are fewer. None where two have as many."""
    start, end = period
    amounts = [number for number in numbers if number.end == end and number.start in (None, start)]
    counts = Counter(number.currency for number in amounts if number.concept not in schema.COUNTS)
    if without := counts.pop(None, 0):
        tally.add("no_currency", "amount", report, without)
    most = counts.most_common(2)
    if len({count for _, count in most}) < len(most):
        tally.add("mixed_currencies", " ".join(sorted(map(str, counts))), report)
        return None
    return most[0][0] if most else None


def _period_figures(
    numbers: Iterable[FactNumber], currency: str | None, period: tuple[date, date], report: str, tally: SignalCounter
) -> Row:
    """The concepts of a period: flows of all of it, stocks of its last day; none after a contradicted one."""
    start, end = period
    by_concept: dict[str, list[FactNumber]] = {}
    for number in numbers:
        begins = None if number.concept in schema.STOCKS else start
        is_count = number.concept in schema.COUNTS
        unit = None if is_count else currency
        is_told = is_count or currency is not None  # an amount of no currency is no amount
        if is_told and (number.start, number.end, number.currency) == (begins, end, unit):
            by_concept.setdefault(number.concept, []).append(number)
    _audit_amounts(by_concept, report, tally)
    interest = [_chosen_amount(by_concept.pop(name), report, tally) for name in schema.INTEREST if name in by_concept]
    found = {concept: _chosen_amount(given, report, tally) for concept, given in by_concept.items()}
    _drop_partial_revenue(found, max(filter(None, interest), default=0), report, tally)
    return {concept: value for concept, value in found.items() if not _has_contradicted_concept(concept, found)}


def _drop_partial_revenue(found: Row, interest: int, report: str, tally: SignalCounter) -> None:
    """Without a total, the largest part of the revenue stands in for it, unless interest is larger: as of a bank.

    What a bank has under contracts are its fees, and what a group has of insurance may be one subsidiary's.
    """
    total, *parts = schema.REVENUE
    stated = {name: found[name] for name in parts if found.get(name) is not None}
    if not stated or total in found:
        return
    largest = max(*stated.values(), interest)
    for name, amount in stated.items():
        if amount < largest:
            del found[name]
    if not found.keys() & stated.keys():
        tally.add("partial_revenue", total, report)


def _audit_amounts(by_concept: Mapping[str, list[FactNumber]], report: str, tally: SignalCounter) -> None:
    """Tells amounts with digits below their precision, and two totals of a balance that differ."""
    facts = {concept: list(map(_to_fact, given)) for concept, given in by_concept.items()}
    found: Counter[tuple[str, str]] = Counter()
    count_finer_amounts((one for name in facts.keys() - schema.COUNTS for one in facts[name]), found)
    for (code, subject), count in found.items():
        tally.add(code, subject, report, count)
    choices = [kit_facts.choose_fact(facts[name]) for name in schema.ASSETS if name in facts]
    totals = [choice.fact for choice in choices if choice.agree]
    if totals and not kit_facts.choose_fact(totals).agree:
        tally.add("unbalanced", "total_assets", report)


def _has_contradicted_concept(concept: str, found: Row) -> bool:
    """True if a better concept of the same figure is stated without a value: the next one means something else."""
    chain = next(chain for chain in schema.CONCEPTS_BY_FIGURE if concept in chain)
    return any(better in found and found[better] is None for better in chain[: chain.index(concept)])


def _chosen_amount(numbers: list[FactNumber], report: str, tally: SignalCounter) -> int | None:
    """The most precise of duplicates; null if they contradict each other."""
    concept = numbers[0].concept
    is_count = concept in schema.COUNTS
    choose = kit_facts.choose_count if is_count else kit_facts.choose_fact
    choice = choose([_to_fact(number) for number in numbers])
    if not choice.agree or choice.fact.number is None:
        tally.add("contradicting_facts", concept, report)
        return None
    if abs(choice.fact.number) > LARGEST_INTEGER or (is_count and choice.fact.number < 0):
        tally.add("unreadable_value", concept, report)
        return None
    return int(choice.fact.number.quantize(Decimal(1), rounding=ROUND_HALF_UP if is_count else ROUND_HALF_EVEN))


def _to_fact(number: FactNumber) -> Fact:
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
