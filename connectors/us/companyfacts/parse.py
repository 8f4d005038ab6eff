"""Decodes one companyfacts response to filings, only the wanted tags, with types (docs/formats/us.md 5).

Unwanted tags are skipped and never become objects: a response of 4 MB holds some 2,000 facts used for figures.
Does not belong here: files and batches (`dataset`), or what the facts mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Any, Final

import msgspec

from connectors.kit.currencies import is_currency
from connectors.kit.staging import SignalCounter
from connectors.us.financials.closing_totals import replaced_by
from connectors.us.financials.concepts import SHARES, WANTED, taxonomy_of
from connectors.us.financials.model import COUNTS, LARGEST, Facts, FactsFiling, Span, is_count_column
from connectors.us.financials.periods import is_day

_ACCESSION: Final = re.compile(r"\d{10}-\d{2}-\d{6}", re.ASCII)
_EXCERPT: Final = 40  # characters of a file's own names quoted in signals
_ROUNDING: Final = (10**9, 10**6, 10**5, 10**3)  # units to which filers round


class NotCompanyFactsError(Exception):
    """Raised for a response that is not companyfacts; the message says what was found."""


class ReportedFact(msgspec.Struct, gc=False):
    """One value of one span in one filing. `fy` is the filing's, never the fact's. Missing fields are reported."""

    end: str | None = None
    val: int | float | str | bool | None = None  # one fact that is no number costs no other
    accn: str | None = None
    form: str | None = None
    filed: str | None = None
    start: str | None = None
    fy: int | float | str | None = None


class _TagUnits(msgspec.Struct, gc=False):
    units: dict[str, list[ReportedFact]] | None = None


def _taxonomy_struct(name: str) -> type[msgspec.Struct]:
    tags = [tag for taxonomy, tag in map(taxonomy_of, WANTED) if taxonomy == name]
    return msgspec.defstruct(name.replace("-", "_"), [(tag, _TagUnits | None, None) for tag in tags])


_TAXONOMIES: Final = ("us-gaap", "ifrs-full", "dei")
_FACTS: Final = msgspec.defstruct(
    "Taxonomies",
    [
        (name.replace("-", "_"), _taxonomy_struct(name) | None, msgspec.field(name=name, default=None))
        for name in _TAXONOMIES
    ],
)
_COLUMNS: Final = tuple(
    (column, taxonomy.replace("-", "_"), tag)
    for column, (taxonomy, tag) in ((column, taxonomy_of(column)) for column in WANTED)
)


class _RawResponse(msgspec.Struct):
    cik: int | str | None = None
    facts: _FACTS | None = None  # type: ignore[valid-type]
    entityName: str | None = None  # noqa: N815 - the source's name


class _TagNames(msgspec.Struct):
    facts: dict[str, dict[str, msgspec.Raw]] | None = None


_DECODER: Final = msgspec.json.Decoder(_RawResponse)


class CompanyFacts(msgspec.Struct):
    """One decoded response: the filer as spelled there, its name, and its filings in no particular order."""

    cik: int | str | None
    name: str | None
    filings: dict[str, FactsFiling]


def parse_companyfacts(body: bytes, tally: SignalCounter | None = None, newest_filing: date = date.max) -> CompanyFacts:
    """Filings of one response. Raises NotCompanyFactsError, or the msgspec error of a malformed body.

    Many filers have none (docs/formats/us.md 5): a response without facts is valid and gives no figures. Facts
    that cannot be placed (no day, an invalid year, filed after `newest_filing`) are counted and left out.
    """
    tally = tally or SignalCounter("")
    answer = _DECODER.decode(body)
    if answer.cik is None and answer.facts is None and body.strip() != b"{}":
        raise NotCompanyFactsError("neither a cik nor facts")
    placing = _FilingBuilder(tally, newest_filing.isoformat())
    seen: set[str] = set()
    for column, taxonomy, tag in _COLUMNS:
        holder = getattr(answer.facts, taxonomy, None)
        found: _TagUnits | None = None if holder is None else getattr(holder, tag)
        if found is None:
            continue
        seen.add(column)
        for unit, facts in _usable_units(column, found, tally):
            placing.place_all(column, unit, facts)
    if not seen - {SHARES}:
        _signal_unknown_taxonomies(body, answer.cik, tally)
    return CompanyFacts(answer.cik, answer.entityName, placing.finished())


def _usable_units(column: str, tag: _TagUnits, tally: SignalCounter) -> Iterator[tuple[str, list[ReportedFact]]]:
    """Yields money in every currency and share counts in shares; head counts in whatever unit the filer used."""
    for unit, facts in (tag.units or {}).items():
        if column == SHARES and unit != "shares":
            tally.add("unknown_unit", f"{column} {unit[:_EXCERPT]}", facts[0].accn if facts else None)
        elif is_count_column(column):
            yield COUNTS, facts
        elif is_currency(unit):
            yield unit, facts
        else:
            tally.add("amount_without_currency", f"{column} {unit[:_EXCERPT]}", facts[0].accn if facts else None)


class _FilingBuilder:
    """Assigns facts to their filings, tag by tag."""

    def __init__(self, tally: SignalCounter, newest_filing: str) -> None:
        self._newest_filing = newest_filing
        self._filings: dict[str, FactsFiling] = {}
        self._tally = tally
        self._several: set[str | None] = set()
        self._contradicted: list[tuple[Facts, str]] = []

    def place_all(self, column: str, unit: str, facts: list[ReportedFact]) -> None:
        """Places facts of one tag. Only the first fact of a filing's span takes the slow path."""
        filings = self._filings
        least = _least_amount(column)
        for fact in facts:
            filing, value = filings.get(fact.accn), fact.val  # type: ignore[arg-type]
            if filing is not None and type(value) is int and least <= value < LARGEST:
                spans = filing.units.get(unit)
                values = None if spans is None else spans.get((fact.start or "", fact.end))  # type: ignore[arg-type]
                if values is not None and column not in values:
                    values[column] = value
                    continue
            self._add_fact(column, unit, fact)

    def finished(self) -> dict[str, FactsFiling]:
        """All filings, without facts that contradict each other, nor those that would take their place.

        A cover with several share counts yields none, since they are counts of share classes.
        """
        for values, column in self._contradicted:
            replaced = replaced_by(values, column)
            for tag in (column, *replaced):
                values.pop(tag, None)
        for filing in self._filings.values():
            spans = filing.units.get(COUNTS, {}).values()
            if filing.accession in self._several or len({facts.get(SHARES) for facts in spans} - {None}) > 1:
                for facts in spans:
                    facts.pop(SHARES, None)
        return self._filings

    def _add_fact(self, column: str, unit: str, fact: ReportedFact) -> None:
        value = to_whole_units(fact.val, ROUND_HALF_UP if is_count_column(column) else ROUND_HALF_EVEN)
        if value is None:
            self._add_signal("no_amount", column, fact)
            return
        if value < _least_amount(column):
            self._add_signal("impossible_fact", column, fact)
            return
        filing = self._filings.get(fact.accn or "") or self._new_filing(fact)
        span = _fact_span(fact)
        if filing is None or span is None or (column == SHARES and span[1] > filing.filed):
            self._add_signal("impossible_fact", column, fact)
            return
        values = filing.units.setdefault(unit, {}).setdefault(span, {})
        before = values.setdefault(column, value)
        if before != value:
            self._resolve_conflict(column, values, value, fact)

    def _resolve_conflict(self, column: str, values: Facts, value: int, fact: ReportedFact) -> None:
        """Resolves two values of the same fact in one filing: the more precise wins, else there is none."""
        finer = None if is_count_column(column) else more_precise_amount(values[column], value)
        if finer is not None:
            values[column] = finer
            return
        if column == SHARES:
            self._several.add(fact.accn)
        self._contradicted.append((values, column))
        self._add_signal("conflicting_fact", column, fact)

    def _new_filing(self, fact: ReportedFact) -> FactsFiling | None:
        """Creates the filing of a fact; None if its day, accession number or form is invalid."""
        number, form, filed = fact.accn, fact.form, fact.filed
        if not filed or not is_day(filed) or filed > self._newest_filing:  # the latest filing would win for good
            return None
        if not number or not _ACCESSION.fullmatch(number) or not form:
            return None
        filing = self._filings[number] = FactsFiling(number, form, filed, _fiscal_year(fact.fy))
        return filing

    def _add_signal(self, code: str, column: str, fact: ReportedFact) -> None:
        self._tally.add(code, column, (fact.accn or "")[:_EXCERPT])


def _fact_span(fact: ReportedFact) -> Span | None:
    """A fact's days; None if one is invalid, or the last is before the first."""
    start, end = fact.start or "", fact.end or ""
    return (start, end) if is_day(end) and (not start or (is_day(start) and start <= end)) else None


def more_precise_amount(one: int, other: int) -> int | None:
    """Of two amounts, the one that the other is a rounding of; null where neither is.

    An amount below one unit is not rounded to it: 0 and 450,000,000 contradict each other.
    """
    for finer, coarser in ((one, other), (other, one)):
        for unit in _ROUNDING:
            if coarser % unit == 0 and finer % unit and abs(finer - coarser) * 2 <= unit <= abs(finer):
                return finer
    return None


def _fiscal_year(year: float | str | None) -> int | None:
    """The fiscal year a filing states for itself, as a number or text; null where it is not a year."""
    try:
        found = int(year or 0)
    except (ValueError, OverflowError):
        return None
    return found if is_day(f"{found}-01-01") else None


def _least_amount(column: str) -> int:
    """The least possible amount of a column: numbers of heads and shares are never negative."""
    return 0 if is_count_column(column) else -LARGEST


def to_whole_units(value: float | str | None, rounding: str) -> int | None:
    """An amount in whole units (docs/contract/contract.md 4.0 and 4.3); null if no number, or too large for a column.

    rounding: of halves, as `decimal` names it.
    """
    if not isinstance(value, int | float) or isinstance(value, bool) or not -LARGEST <= value < LARGEST:
        return None
    if type(value) is int:
        return value
    rounded = int(Decimal(repr(value)).quantize(Decimal(1), rounding))
    return rounded if rounded < LARGEST else None


def _signal_unknown_taxonomies(body: bytes, cik: int | str | None, tally: SignalCounter) -> None:
    """Reports the taxonomies of a filer that uses none of the wanted tags."""
    names: dict[str, Any] | None = msgspec.json.decode(body, type=_TagNames).facts
    for name in names or ("(none)",):
        tally.add("no_figures_tagged", name[:_EXCERPT], cik)
