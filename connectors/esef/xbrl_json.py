"""Facts of an xBRL-JSON report that a shared figure may need: undimensioned IFRS numbers with their period.

Belongs here: the syntax of xBRL-JSON (OIM): prefixes, periods with exclusive ends, units. Does not belong
here: which period is the report's own, or the choice among duplicate facts (`report`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import msgspec

from connectors.kit.currencies import is_currency
from connectors.kit.xbrl.facts import EXACT, decimals_of, parse_day

_CORE: Final = frozenset({"concept", "entity", "period", "unit", "language", "noteId"})
_IFRS: Final = "ifrs-full"
_MONEY: Final = "iso4217"
_DOCUMENT: Final = "xbrl-json"
_CLOCK: Final = "T"
_ZONE: Final = re.compile(r"(?:Z|[+-]\d{2}:\d{2})$")
_LARGEST: Final = 40  # powers of ten


class NotXbrlReportError(Exception):
    """A body that is not xBRL-JSON; the message names what was found."""


class _RawFact(msgspec.Struct):
    """One fact as written in the report."""

    dimensions: dict[str, Any]
    value: Any = None
    decimals: Any = None  # an integer; absent for exact values


class _ReportStruct(msgspec.Struct):
    facts: dict[str, _RawFact]
    documentInfo: dict[str, Any]  # noqa: N815 - the format's own name


@dataclass(frozen=True, slots=True)
class FactNumber:
    """One number of a concept. `start` None: at the end of a day. `currency` None: not money.

    decimals: as in `kit.xbrl.facts.Fact`; None if the stated value is not a number.
    """

    concept: str
    start: date | None
    end: date
    currency: str | None
    value: Decimal
    decimals: int | None


@dataclass(frozen=True, slots=True)
class ReportFacts:
    """Relevant content of a report.

    entities: facts per issuer. numbers, durations: by issuer, its numbers, and how many IFRS numbers a period has.
    """

    numbers: dict[str, list[FactNumber]]
    entities: Counter[str]
    durations: dict[str, Counter[tuple[date, date]]]
    signals: Counter[tuple[str, str]]


_decoder: Final = msgspec.json.Decoder(_ReportStruct)


def parse_facts(text: bytes, concepts: Collection[str]) -> ReportFacts:
    """The facts of a report. Raises NotXbrlReportError."""
    try:
        document = _decoder.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NotXbrlReportError(f"expected xBRL-JSON: {error}") from error
    kind = document.documentInfo.get("documentType")
    if not isinstance(kind, str) or _DOCUMENT not in kind:
        raise NotXbrlReportError(f"expected xBRL-JSON, not a document of type {kind!r}")
    reader = _FactReader(document.documentInfo.get("namespaces"), concepts)
    for given in document.facts.values():
        reader.take(given)
    return ReportFacts(reader.numbers, reader.entities, reader.durations, reader.signals)


class _FactReader:
    """Collects facts; prefixes are resolved by the report's own declarations, if any."""

    def __init__(self, namespaces: object, wanted: Collection[str]) -> None:
        given: Mapping[str, Any] = namespaces if isinstance(namespaces, dict) else {}
        self._ifrs = _namespace_prefixes(given, _IFRS)
        self._money = _namespace_prefixes(given, _MONEY)
        self._wanted = wanted
        self.numbers: dict[str, list[FactNumber]] = defaultdict(list)
        self.entities: Counter[str] = Counter()
        self.durations: dict[str, Counter[tuple[date, date]]] = defaultdict(Counter)
        self.signals: Counter[tuple[str, str]] = Counter()

    def take(self, given: _RawFact) -> None:
        """Adds a fact; one with a taxonomy dimension is not a total and is skipped."""
        found = {name: value for name, value in given.dimensions.items() if isinstance(value, str)}
        prefix, _, concept = found.get("concept", "").rpartition(":")
        if given.dimensions.keys() - _CORE or prefix not in self._ifrs or given.value is None:
            return
        unit = found.get("unit")
        if unit is None and concept not in self._wanted:
            return  # text; text blocks take megabytes
        entity = found.get("entity", "").rpartition(":")[2]
        self.entities[entity] += 1
        start, end = _parse_period(found.get("period", ""))
        if end is None:
            self.signals["unreadable_value", "period"] += 1
            return
        if start is not None and unit is not None:
            self.durations[entity][start, end] += 1
        value = _parse_decimal(given.value) if concept in self._wanted else None
        if value is not None:
            currency, decimals = self._unit_currency(unit), _parse_decimals(given.decimals)
            self.numbers[entity].append(FactNumber(concept, start, end, currency, value, decimals))
        elif concept in self._wanted:
            self.signals["unreadable_value", concept] += 1

    def _unit_currency(self, unit: str | None) -> str | None:
        """The currency of plain money; ratios such as money per share contain a slash, and are no code."""
        prefix, _, code = (unit or "").rpartition(":")
        return code if prefix in self._money and is_currency(code) else None


def _namespace_prefixes(namespaces: Mapping[str, Any], name: str) -> frozenset[str]:
    found = {prefix for prefix, uri in namespaces.items() if isinstance(uri, str) and name in uri}
    return frozenset(found or {name})


def _parse_period(text: str) -> tuple[date | None, date | None]:
    """First and last day. Ends are exclusive and instants the midnight after (docs/formats/fi.md 5.2).

    A date without a time is not an xBRL-JSON period (OIM Common 3.5): its end is ambiguous. Midnight is that of the
    report's own zone.
    """
    start, slash, end = text.rpartition("/")
    end = _ZONE.sub("", end)
    if _CLOCK not in end or (slash and _CLOCK not in start):
        return None, None
    if not slash:
        return None, parse_day(end, is_end=True)
    first = parse_day(start, is_end=False)
    return first, parse_day(end, is_end=True) if first is not None else None


def _parse_decimals(given: object) -> int | None:
    """Significant digits, clamped to a range safe for arithmetic; some software writes text. Absent: exact."""
    if isinstance(given, int) and not isinstance(given, bool):
        return max(-EXACT, min(EXACT, given))
    return EXACT if given is None else decimals_of(str(given), None, None)


def _parse_decimal(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        found = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    return found if found.is_finite() and abs(found.adjusted()) <= _LARGEST else None
