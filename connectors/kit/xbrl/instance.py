"""Reads plain XBRL instances, and files of either syntax (`read_report`).

Belongs here: XBRL 2.1 as an XML document of its own. Does not belong here: inline XBRL (`inline`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Set as AbstractSet
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Final

from lxml import etree

from connectors.kit.xbrl import inline
from connectors.kit.xbrl.contexts import HREF, LANGUAGE, NIL, SIGNS, TRUE, XBRLI, Contexts
from connectors.kit.xbrl.facts import Fact, XbrlReport, decimals_of
from connectors.kit.xml.element_text import BoundedElementText
from connectors.kit.xml.parse import MalformedMarkupError, ParsedMarkup, local_name, parse_markup

_ROOT: Final = f"{{{XBRLI}}}xbrl"
_CONTEXT_REF: Final = re.compile(rb"contextRef\s*=")
_LONGEST: Final = 60  # characters of a number
_LARGEST: Final = 40  # powers of ten


def _parse_number(text: str) -> Decimal | None:
    text = text.strip()
    if len(text) > _LONGEST or not text.isascii() or "_" in text:
        return None
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() and abs(value.adjusted()) <= _LARGEST else None


class _InstanceReader:
    """One instance document."""

    __slots__ = ("_texts", "contexts", "root", "signals")

    def __init__(self, root: etree._Element) -> None:
        self.root = root
        self.signals: Counter[tuple[str, str]] = Counter()
        self.contexts = Contexts((root,))
        self._texts = BoundedElementText(root, self.signals)

    def fact(self, element: etree._Element) -> Fact | None:
        """The fact that an element states; None for tuples and other elements without a context."""
        get = element.get
        identity = get("contextRef")
        if identity is None:
            return None
        namespace, _, name = str(element.tag).rpartition("}")
        unit = get("unitRef")
        is_nil = get(NIL) in TRUE
        told = self._texts.of(element)
        text = told or ""
        value: Decimal | str | None = None if is_nil else told
        if unit is not None and value is not None:
            value = self._apply_sign(name, _parse_number(text), get("sign"))
            if value is None and text.strip():
                self.signals["unaccepted_text", name] += 1
        context = self.contexts.context(identity.strip())
        if context is None:
            self.signals["unknown_context", identity] += 1
        parent = element.getparent()
        number = value if isinstance(value, Decimal) else None
        return Fact(
            namespace[1:] or None,
            name,
            value,
            text,
            context,
            self.contexts.unit(unit.strip()) if unit else None,
            decimals_of(get("decimals"), get("precision"), number) if unit is not None else None,
            get(LANGUAGE),
            None if parent is None or parent is self.root else local_name(parent),
            is_nil,
            unit is not None,
            get("id"),
        )

    def _apply_sign(self, name: str, value: Decimal | None, sign: str | None) -> Decimal | None:
        """Applies a `sign` attribute: not part of instances, but left there by filers who convert inline XBRL."""
        sign = (sign or "").strip()
        if not sign or value is None:
            return value
        if sign not in SIGNS:
            self.signals["unreadable_sign", sign[:40]] += 1
            return None
        self.signals["sign_in_instance", name] += 1
        return None if value < 0 else -value


def read_instance(markup: ParsedMarkup, concepts: AbstractSet[str] | None = None) -> XbrlReport:
    """Facts of an instance with a local name in `concepts` (None: all), including those inside tuples."""
    instance = _InstanceReader(_instance_root(markup))
    found = instance.root.iter("*" if concepts is None else _any_namespace_tags(frozenset(concepts)))
    facts = [fact for fact in map(instance.fact, found) if fact is not None]
    schemas = tuple(reference.get(HREF) or "" for reference in instance.root.iterchildren("{*}schemaRef"))
    return XbrlReport(facts, schemas, instance.signals, [instance.contexts], markup.is_repaired)


@lru_cache(maxsize=64)
def _any_namespace_tags(names: frozenset[str]) -> tuple[str, ...]:
    return tuple(f"{{*}}{name}" for name in names)


def _instance_root(markup: ParsedMarkup) -> etree._Element:
    """The `xbrl` element: the root, or one below a wrapper."""
    for root in markup.roots:
        found = root if root.tag == _ROOT else next(root.iter(_ROOT), None)
        if found is not None:
            return found
    raise MalformedMarkupError("no XBRL in it")


def read_report(
    body: bytes,
    concepts: AbstractSet[str] | None = None,
    *,
    once: AbstractSet[str] = frozenset(),
    target: str | None = None,
) -> XbrlReport:
    """Facts of a file of either syntax. Raises MalformedMarkupError for a file of neither, or a truncated one.

    wanted, once, target: as in `inline.read_inline`; an instance has one target and repeats nothing.
    """
    markup = parse_markup(body)
    if markup.is_repaired:
        _check_complete(body, markup)
    if markup.roots[0].tag != _ROOT and any(inline.is_inline(root) for root in markup.roots):
        report = inline.read_inline(markup, concepts, once=once, target=target)
    else:
        report = read_instance(markup, concepts)
    if markup.is_repaired:
        report.signals["repaired_document", "not well-formed"] += 1
    return report


def _check_complete(body: bytes, markup: ParsedMarkup) -> None:
    """Raises MalformedMarkupError if an ill-formed document lost tagged facts when it was repaired."""
    due = sum(1 for _ in _CONTEXT_REF.finditer(body.replace(b"\0", b"")))  # NUL: UTF-16
    found = sum(1 for root in markup.roots for element in root.iter("*") if element.get("contextRef"))
    if found < due:
        raise MalformedMarkupError(f"not well-formed: of {due} tagged statements {found} can be read")
