"""Contexts and units of an XBRL document, resolved one by one when a wanted fact refers to them.

A large group declares hundreds of contexts of which a mapping needs six: only their ids are indexed
beforehand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import Final

from lxml import etree

from connectors.kit.currencies import is_currency
from connectors.kit.xbrl.facts import Context, Dimension, Unit, parse_day
from connectors.kit.xml.parse import local_name, local_name_of

XBRLI: Final = "http://www.xbrl.org/2003/instance"
_XBRLDI: Final = "http://xbrl.org/2006/xbrldi"
ISO4217: Final = "http://www.xbrl.org/2003/iso4217"
# attributes and elements of both syntaxes
NIL: Final = "{http://www.w3.org/2001/XMLSchema-instance}nil"
TRUE: Final = frozenset({"true", "1"})
SIGNS: Final = ("", "-")  # of the attribute `sign`: another minus is none that it may have
LANGUAGE: Final = "{http://www.w3.org/XML/1998/namespace}lang"
HREF: Final = "{http://www.w3.org/1999/xlink}href"

CONTEXT: Final = f"{{{XBRLI}}}context"
UNIT: Final = f"{{{XBRLI}}}unit"
_IDENTIFIER: Final = f"{{{XBRLI}}}identifier"
_START: Final = f"{{{XBRLI}}}startDate"
_END: Final = f"{{{XBRLI}}}endDate"
_INSTANT: Final = f"{{{XBRLI}}}instant"
_EXPLICIT: Final = f"{{{_XBRLDI}}}explicitMember"
_TYPED: Final = f"{{{_XBRLDI}}}typedMember"
_SEGMENT: Final = f"{{{XBRLI}}}segment"
_SCENARIO: Final = f"{{{XBRLI}}}scenario"
_PARTS: Final = (_IDENTIFIER, _START, _END, _INSTANT, _EXPLICIT, _TYPED, _SEGMENT, _SCENARIO)
_MEASURE: Final = f"{{{XBRLI}}}measure"
_DENOMINATOR: Final = f"{{{XBRLI}}}unitDenominator"


def _typed_dimension(element: etree._Element) -> Dimension:
    axis = local_name_of(element.get("dimension"))
    for child in element.iterchildren("*"):
        is_nil = (child.get(NIL) or "").strip() in TRUE
        return Dimension(axis, None if is_nil else "".join(child.itertext()).strip(), True)
    return Dimension(axis, (element.text or "").strip() or None, True)


def _segment_names(element: etree._Element) -> list[str]:
    """Local names of elements other than dimensions in a segment or scenario."""
    children = element.iterchildren("*")
    return [local_name(child) for child in children if not str(child.tag).startswith(f"{{{_XBRLDI}}}")]


def _parse_context(element: etree._Element) -> Context:
    scheme = entity = ""
    start = end = None
    dimensions: list[Dimension] = []
    segments: list[str] = []
    for part in element.iter(*_PARTS):
        tag = part.tag
        if tag == _EXPLICIT:
            dimensions.append(Dimension(local_name_of(part.get("dimension")), local_name_of(part.text)))
        elif tag == _IDENTIFIER:
            scheme, entity = (part.get("scheme") or "").strip(), (part.text or "").strip()
        elif tag == _START:
            start = parse_day(part.text, is_end=False)
        elif tag == _TYPED:
            dimensions.append(_typed_dimension(part))
        elif tag in (_SEGMENT, _SCENARIO):
            segments += _segment_names(part)
        else:
            end = parse_day(part.text, is_end=True)
    cuts = tuple(sorted(dimensions))
    return Context(element.get("id") or "", scheme, entity, start, end, cuts, tuple(sorted(segments)))


def _is_currency(element: etree._Element, measure: str) -> bool:
    prefix, _, code = measure.rpartition(":")
    if not is_currency(code):
        return False
    return prefix == "iso4217" or element.nsmap.get(prefix or None) in {ISO4217, None, XBRLI}


def _parse_unit(element: etree._Element) -> Unit:
    above: list[str] = []
    below: list[str] = []
    is_currency = False
    for measure in element.iter(_MEASURE):
        text = (measure.text or "").strip()
        parent = measure.getparent()
        if parent is not None and parent.tag == _DENOMINATOR:
            below.append(local_name_of(text))
        else:
            above.append(local_name_of(text))
            is_currency = _is_currency(measure, text)
    return Unit(tuple(above), tuple(below), is_currency and len(above) == 1 and not below)


def _elements_by_id(declared: Iterable[etree._Element]) -> dict[tuple[str, str], etree._Element]:
    found: dict[tuple[str, str], etree._Element] = {}
    ambiguous: set[tuple[str, str]] = set()
    for element in declared:
        key = (str(element.tag), element.get("id") or "")
        held = found.setdefault(key, element)
        if held is not element and not _declare_the_same(held, element):
            ambiguous.add(key)
    return {key: element for key, element in found.items() if key not in ambiguous}


def _declare_the_same(one: etree._Element, other: etree._Element) -> bool:
    return (
        _parse_context(one) == _parse_context(other) if one.tag == CONTEXT else _parse_unit(one) == _parse_unit(other)
    )


class Contexts:
    """The contexts and units below some elements (`ix:resources`, or the root of an instance).

    elsewhere: other places to look up an id, as documents of one file share their declarations.
    """

    __slots__ = ("__dict__", "_contexts", "_elsewhere", "_scopes", "_units")

    def __init__(self, scopes: Sequence[etree._Element]) -> None:
        self._scopes = scopes
        self._contexts: dict[str, Context | None] = {}
        self._units: dict[str, Unit | None] = {}
        self._elsewhere: tuple[Contexts, ...] = ()

    def also(self, others: Iterable[Contexts]) -> None:
        """Adds other documents in which undeclared ids are looked up."""
        self._elsewhere = tuple(other for other in others if other is not self)

    @cached_property
    def elements(self) -> dict[tuple[str, str], etree._Element]:
        """Contexts and units that are declared here, by tag and id; without those declared twice, differently."""
        found = _elements_by_id(element for scope in self._scopes for element in scope.iterchildren(CONTEXT, UNIT))
        if found:
            return found
        return _elements_by_id(element for scope in self._scopes for element in scope.iter(CONTEXT, UNIT))

    def context(self, identity: str) -> Context | None:
        """One context; None if no such id is declared."""
        if identity not in self._contexts:
            declared = self._declared_element(identity, CONTEXT)
            self._contexts[identity] = None if declared is None else _parse_context(declared)
        return self._contexts[identity]

    def unit(self, identity: str) -> Unit | None:
        """One unit; None if no such id is declared."""
        if identity not in self._units:
            declared = self._declared_element(identity, UNIT)
            self._units[identity] = None if declared is None else _parse_unit(declared)
        return self._units[identity]

    def _declared_element(self, identity: str, tag: str) -> etree._Element | None:
        """The element of an id here or, if absent or of another kind here, in the other documents."""
        for one in (self, *self._elsewhere):  # not recursive: the others refer back to this one
            element = one.elements.get((tag, identity))
            if element is not None:
                return element
        return None

    def starts(self, end: date) -> Mapping[date, int]:
        """Start dates of the periods that end on a day, over all declared contexts, used or not."""
        return self._duration_counts.get(end, {})

    @cached_property
    def _duration_counts(self) -> dict[date, Counter[date]]:
        texts: Counter[tuple[str, str]] = Counter()
        for scope in self._scopes:
            start = ""
            for part in scope.iter(_START, _END):
                if part.tag == _START:
                    start = part.text or ""
                else:
                    texts[start, part.text or ""] += 1
        found: dict[date, Counter[date]] = {}
        for (first, last), count in texts.items():
            start, end = parse_day(first, is_end=False), parse_day(last, is_end=True)
            if start is not None and end is not None:
                found.setdefault(end, Counter())[start] += count
        return found
