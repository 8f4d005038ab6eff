"""One companyfacts answer to filings: typed decoding of the wanted tags alone (FORMAT us 5).

What is not wanted is stepped over and never becomes an object: an answer of 4 MB holds some 2,000 facts that
figures are made of. Does not belong here: files and batches (`companyfacts`), or what the facts mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

import msgspec

from connectors.kit.staged import Tally
from connectors.us.facts_model import COUNTS, Filing, is_count
from connectors.us.facts_tags import WANTED, taxonomy_of
from connectors.us.periods import ordinal

_CURRENCY: Final = re.compile(r"[A-Z]{3}", re.ASCII)
_ACCESSION: Final = re.compile(r"\d{10}-\d{2}-\d{6}", re.ASCII)
_DAY: Final = 10  # characters
_LARGEST: Final = 1 << 63


class NoFacts(Exception):  # noqa: N818 - named for what it says of an answer
    """An answer that is none of companyfacts; the message says what was found."""


class Fact(msgspec.Struct, gc=False):
    """One value of one span in one filing. `fy` is the filing's, never the fact's."""

    end: str
    val: int | float | None
    accn: str
    form: str
    filed: str
    start: str | None = None
    fy: int | None = None


class _Tag(msgspec.Struct, gc=False):
    units: dict[str, list[Fact]]


def _taxonomy(name: str) -> type[msgspec.Struct]:
    tags = [tag for taxonomy, tag in map(taxonomy_of, WANTED) if taxonomy == name]
    return msgspec.defstruct(name.replace("-", "_"), [(tag, _Tag | None, None) for tag in tags])


_TAXONOMIES: Final = ("us-gaap", "ifrs-full", "dei")
_FACTS: Final = msgspec.defstruct(
    "Taxonomies",
    [
        (name.replace("-", "_"), _taxonomy(name) | None, msgspec.field(name=name, default=None))
        for name in _TAXONOMIES
    ],
)
_COLUMNS: Final = tuple(
    (column, taxonomy.replace("-", "_"), tag)
    for column, (taxonomy, tag) in ((column, taxonomy_of(column)) for column in WANTED)
)


class _Answer(msgspec.Struct):
    cik: int | str
    facts: _FACTS  # type: ignore[valid-type]
    entityName: str | None = None  # noqa: N815 - the source's name


class _Names(msgspec.Struct):
    facts: dict[str, dict[str, msgspec.Raw]]


_DECODER: Final = msgspec.json.Decoder(_Answer)


class Answer(msgspec.Struct):
    """What one answer says: the filer as it is spelled there, its name, and its filings, unordered."""

    cik: int | str
    name: str | None
    filings: dict[str, Filing]


def decode(body: bytes, tally: Tally | None = None) -> Answer:
    """The filings of one answer. Raises NoFacts, or what msgspec raises for a body that is none.

    Facts that cannot be placed (no day, a year that is none) are counted and left out.
    """
    answer = _DECODER.decode(body)
    filings: dict[str, Filing] = {}
    seen = False
    for column, taxonomy, tag in _COLUMNS:
        holder = getattr(answer.facts, taxonomy)
        found: _Tag | None = None if holder is None else getattr(holder, tag)
        if found is None:
            continue
        seen = True
        for unit, facts in _units(column, found, tally):
            _place_all(filings, column, unit, facts, tally)
    if not seen and tally is not None:
        _tell_unknown(body, answer.cik, tally)
    return Answer(answer.cik, answer.entityName, filings)


def _units(column: str, tag: _Tag, tally: Tally | None) -> Iterator[tuple[str, list[Fact]]]:
    """Money in every currency; heads in whatever unit the filer thought of."""
    if is_count(column):
        for facts in tag.units.values():
            yield COUNTS, facts
        return
    for unit, facts in tag.units.items():
        if _CURRENCY.fullmatch(unit):
            yield unit, facts
        elif tally is not None:
            tally.add("amount_without_currency", f"{column} {unit}", facts[0].accn if facts else None)


def _place_all(
    filings: dict[str, Filing], column: str, unit: str, facts: list[Fact], tally: Tally | None
) -> None:
    """Facts to their filings. What is new of a filing's span goes the long way, most does not."""
    for fact in facts:
        filing, value = filings.get(fact.accn), fact.val
        if filing is not None and type(value) is int and -_LARGEST <= value < _LARGEST:
            spans = filing.units.get(unit)
            values = None if spans is None else spans.get((fact.start or "", fact.end))
            if values is not None and column not in values:
                values[column] = value
                continue
        _place(filings, column, unit, fact, tally)


def _place(filings: dict[str, Filing], column: str, unit: str, fact: Fact, tally: Tally | None) -> None:
    value = fact.val
    if type(value) is not int or not -_LARGEST <= value < _LARGEST:
        value = whole(value)
    filing = filings.get(fact.accn) or _filing(filings, fact)
    if value is None or filing is None:
        _tell(fact, column, value, tally)
        return
    spans = filing.units.get(unit)
    if spans is None:
        spans = filing.units[unit] = {}
    span = (fact.start or "", fact.end)
    values = spans.get(span)
    if values is None:
        if _is_day(fact.end) and (fact.start is None or _is_day(fact.start)):
            spans[span] = {column: value}
        else:
            _tell(fact, column, value, tally)
    elif values.setdefault(column, value) != value and tally is not None:
        tally.add("conflicting_fact", column, fact.accn)


def _filing(filings: dict[str, Filing], fact: Fact) -> Filing | None:
    """A filing that was not met before; none where its day is none or its number is none."""
    if not _is_day(fact.filed) or not _ACCESSION.fullmatch(fact.accn):
        return None
    filing = filings[fact.accn] = Filing(fact.accn, fact.form, fact.filed, fact.fy)
    return filing


def whole(value: float | None) -> int | None:
    """An amount in whole units, halves away from zero; null where there is none that a column holds."""
    if value is None or not -_LARGEST <= value < _LARGEST:
        return None
    if type(value) is int:
        return value
    rounded = int(Decimal(repr(value)).quantize(Decimal(1), ROUND_HALF_UP))
    return rounded if rounded < _LARGEST else None


def _is_day(text: str) -> bool:
    """Whether a text is a day, spelled so that it compares as days do."""
    try:
        return len(text) == _DAY and ordinal(text) > 0
    except ValueError:
        return False


def _tell(fact: Fact, column: str, value: int | None, tally: Tally | None) -> None:
    """A fact that is left out: without a value (nil), or in no filing and of no day that there is."""
    if tally is None:
        return
    if value is None:
        tally.add("no_amount", column, fact.accn)
    else:
        tally.add(
            "impossible_fact", f"{fact.accn[:30]} {(fact.start or '')[:10]} {fact.end[:10]}", fact.filed
        )


def _tell_unknown(body: bytes, cik: int | str, tally: Tally) -> None:
    """A filer that tags nothing that figures are made of: which taxonomies it uses instead."""
    names: dict[str, Any] = msgspec.json.decode(body, type=_Names).facts
    for name in names or ("(none)",):
        tally.add("no_figures_tagged", name, cik)
