"""Reads wanted facts of inline XBRL 1.0 and 1.1 in one pass over the tree.

The tree is built by lxml and walked in C by element name; Python sees tagged elements only, and decodes those
with a wanted concept. Does not belong here: the choice among duplicate facts (`facts`), the meaning of a
concept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from decimal import Decimal
from typing import Final

from lxml import etree

from connectors.kit.xbrl import transforms
from connectors.kit.xbrl.contexts import HREF, LANGUAGE, NIL, SIGNS, TRUE, Contexts
from connectors.kit.xbrl.facts import Context, Fact, XbrlReport, decimals_of
from connectors.kit.xbrl.transforms import UnacceptedTextError
from connectors.kit.xml.element_text import BoundedElementText
from connectors.kit.xml.parse import ParsedMarkup

_VERSIONS: Final = ("http://www.xbrl.org/2013/inlineXBRL", "http://www.xbrl.org/2008/inlineXBRL")


def _qualified_tags(*names: str) -> tuple[str, ...]:
    """Names in both versions, in camel case and in the lower case of HTML serialisers."""
    cased = dict.fromkeys(spelling for name in names for spelling in (name, name.lower()))
    return tuple(f"{{{version}}}{name}" for version in _VERSIONS for name in cased)


_FRACTION: Final = frozenset(_qualified_tags("fraction"))
_NUMBER: Final = frozenset(_qualified_tags("nonFraction"))
_NUMERATOR: Final = _qualified_tags("numerator")
_DENOMINATOR: Final = _qualified_tags("denominator")
_EXCLUDE: Final = frozenset(_qualified_tags("exclude"))
_TUPLE: Final = frozenset(_qualified_tags("tuple"))
_RESOURCES: Final = frozenset(_qualified_tags("resources"))
_REFERENCES: Final = frozenset(_qualified_tags("references"))
_FACTS: Final = _qualified_tags("nonFraction", "nonNumeric", "fraction", "tuple")
_WALKED: Final = (
    *_FACTS,
    *_qualified_tags("continuation"),
    *_qualified_tags("resources"),
    *_qualified_tags("references"),
)
_SCHEMA: Final = "{http://www.xbrl.org/2003/linkbase}schemaRef"
_LARGEST_SCALE: Final = 30
MOST_CONTINUATIONS: Final = 200_000  # most continuations followed in one document, where each is used once


def is_inline(root: etree._Element) -> bool:
    """True if a tree contains any inline XBRL."""
    return next(root.iter(_WALKED), None) is not None


class _InlineReader:
    """Reader of one tree. Trees of the same file share continuations, contexts and units."""

    __slots__ = (
        "_followed",
        "_namespaces",
        "_parents",
        "_signals",
        "_target",
        "_texts",
        "contexts",
        "continued",
        "references",
        "root",
    )

    def __init__(self, root: etree._Element, signals: Counter[tuple[str, str]], target: str | None) -> None:
        self.root = root
        self.contexts = Contexts(())
        self.continued: dict[str | None, etree._Element] = {}
        self.references: list[etree._Element] = []
        self._parents: dict[etree._Element, str | None] = {}
        self._signals = signals
        self._target = target
        self._namespaces: dict[str, str | None] = {}
        self._followed = 0
        self._texts = BoundedElementText(root, signals, _EXCLUDE)

    def wanted(self, names: AbstractSet[str] | None) -> list[tuple[str, etree._Element]]:
        """(qualified name, element) of wanted facts; also collects continuations, tuples and resources."""
        found: list[tuple[str, etree._Element]] = []
        tuples: list[etree._Element] = []
        resources: list[etree._Element] = []
        for element in self.root.iter(_WALKED):
            name = element.get("name")
            if name is None:
                tag = element.tag
                if tag in _RESOURCES:
                    resources.append(element)
                elif tag in _REFERENCES:
                    self.references.append(element)
                else:
                    self.continued[element.get("id")] = element
            else:
                if names is None or name.rpartition(":")[2] in names:
                    found.append((name, element))
                if element.tag in _TUPLE:
                    tuples.append(element)
        for element in tuples:  # outer ones first: for facts of an inner tuple the inner one is the parent
            identity = element.get("tupleID") or element.get("name")
            self._parents |= dict.fromkeys(element.iterdescendants(_FACTS), identity)
        self.contexts = Contexts(resources or (self.root,))
        return found

    def fact(self, qualified: str, element: etree._Element) -> Fact | None:
        """The fact that an element tags; None for a tuple or another target document."""
        said = dict(element.items())
        get = said.get
        tag = element.tag
        if get("target") != self._target or tag in _TUPLE:
            return None
        prefix, _, name = qualified.rpartition(":")
        is_nil = get(NIL) in TRUE
        is_numeric = tag in _NUMBER or tag in _FRACTION
        following = get("continuedAt")
        is_continued = following and not is_numeric
        told = self._continued_text(element, following) if is_continued else self._texts.of(element)
        text = told or ""
        value: Decimal | str | None = None
        if not is_nil and told is not None:
            if not is_numeric:
                value = self._text_value(get("format"), text)
            elif tag in _NUMBER:
                value = self._numeric_value(said, text)
            else:
                value = self._fraction_value(element)
        context, unit = get("contextRef"), get("unitRef")
        number = value if is_numeric and isinstance(value, Decimal) else None
        return Fact(
            self._namespace_uri(prefix, element),
            name,
            value,
            text,
            self._find_context(context) if context else None,
            self.contexts.unit(unit) if unit else None,
            decimals_of(get("decimals"), get("precision"), number) if is_numeric else None,
            None if is_numeric else get(LANGUAGE, self.root.get(LANGUAGE)),
            get("tupleRef") or self._parents.get(element),
            is_nil,
            is_numeric,
            get("id"),
        )

    def _namespace_uri(self, prefix: str, element: etree._Element) -> str | None:
        """URI of a prefix; assumes that a document binds each prefix once, as all known ones do."""
        found = self._namespaces.get(prefix)
        if found is None and prefix not in self._namespaces:
            found = self._namespaces[prefix] = element.nsmap.get(prefix or None)
        return found

    def _find_context(self, identity: str) -> Context | None:
        found = self.contexts.context(identity)
        if found is None:
            self._signals["unknown_context", identity] += 1
        return found

    def _continued_text(self, element: etree._Element, following: str | None) -> str | None:
        """Text of an element and its continuations; None if a part of it is left out."""
        parts = [self._texts.of(element)]
        seen: set[str] = set()
        while following and following not in seen:
            seen.add(following)
            self._followed += 1
            if self._followed > MOST_CONTINUATIONS:
                self._signals["endless_continuations", "the rest is left out"] += 1
                break
            part = self.continued.get(following)
            if part is None:
                self._signals["unknown_continuation", following] += 1
                break
            parts.append(self._texts.of(part))
            following = part.get("continuedAt")
        told = [part for part in parts if part is not None]
        return "".join(told) if len(told) == len(parts) else None

    def _text_value(self, given: str | None, text: str) -> str | None:
        if not given:
            return text
        name = self._transform_name(given)
        try:
            return transforms.text_value(name, text)
        except UnacceptedTextError:
            if text.strip():
                self._signals["unaccepted_text", name] += 1
            return None

    def _printed_number(self, given: str | None, text: str) -> Decimal | None:
        """The number as printed; None for a blank or a dash, with a signal for other text that is not a number."""
        name = self._transform_name(given) if given else None
        try:
            return transforms.parse_number(name, text)
        except UnacceptedTextError:
            if not transforms.is_blank_transform_input(text):
                self._signals["unaccepted_text", name or "no transform"] += 1
            return None

    def _transform_name(self, given: str) -> str:
        """Local name of a transform; a name outside the transformation registries is counted as a signal."""
        name = given.rpartition(":")[2]
        if not transforms.is_known_transform(name):
            self._signals["unknown_transform", name] += 1
        return name

    def _numeric_value(self, said: Mapping[str, str], text: str) -> Decimal | None:
        value = self._printed_number(said.get("format"), text)
        if value is None:
            return None
        scale = said.get("scale")
        if scale and scale != "0":
            power = _parse_scale(scale)
            if power is None:
                self._signals["unreadable_scale", scale[:40]] += 1
                return None
            value = value.scaleb(power)
        sign = (said.get("sign") or "").strip()
        if sign not in SIGNS:
            self._signals["unreadable_sign", sign[:40]] += 1
            return None
        if sign:
            if value < 0:  # a printed and a stated minus: ambiguous
                self._signals["two_signs", said.get("name", "")] += 1
                return None
            return -value if value else value
        return value

    def _fraction_value(self, element: etree._Element) -> Decimal | None:
        parts: list[Decimal | None] = []
        for tags in (_NUMERATOR, _DENOMINATOR):
            part = next(element.iter(*tags), None)
            text = None if part is None else self._texts.of(part)
            parts.append(None if part is None or text is None else self._numeric_value(dict(part.items()), text))
        numerator, denominator = parts
        if numerator is None or not denominator:
            self._signals["broken_fraction", element.get("name") or ""] += 1
            return None
        return numerator / denominator


def _parse_scale(text: str) -> int | None:
    """The scale as a power of ten; None if unreadable or too large."""
    try:
        power = int(text)
    except ValueError:
        return None
    return power if abs(power) <= _LARGEST_SCALE else None


def read_inline(
    markup: ParsedMarkup,
    concepts: AbstractSet[str] | None = None,
    *,
    once: AbstractSet[str] = frozenset(),
    target: str | None = None,
) -> XbrlReport:
    """Facts of the documents of one file with a local name in `concepts` (None: all), of one target document.

    once: names of which the first non-empty fact is enough; page headers repeat some on every page.
    """
    signals: Counter[tuple[str, str]] = Counter()
    readers = [_InlineReader(root, signals, target) for root in markup.roots]
    found = [(reader, reader.wanted(concepts)) for reader in readers]
    if len(readers) > 1:
        _share_declarations(readers)
    facts: list[Fact] = []
    done: set[str] = set()
    for reader, elements in found:
        for name, element in elements:
            if name in done:
                continue
            fact = reader.fact(name, element)
            if fact is None:
                continue
            facts.append(fact)
            if fact.name in once and fact.value:
                done.add(name)
    schemas = tuple(
        reference.get(HREF) or ""
        for reader in readers
        for references in reader.references
        for reference in references.iterchildren(_SCHEMA)
    )
    return XbrlReport(facts, schemas, signals, [reader.contexts for reader in readers], markup.is_repaired)


def _share_declarations(readers: list[_InlineReader]) -> None:
    """Shares declarations among the documents of one set; a document's own declaration takes precedence."""
    every = {key: part for reader in reversed(readers) for key, part in reader.continued.items()}
    contexts = [reader.contexts for reader in readers]
    for reader in readers:
        reader.contexts.also(contexts)
        reader.continued = every | reader.continued
