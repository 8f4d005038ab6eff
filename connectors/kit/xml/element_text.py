"""Texts of XML elements, with a limit on repeated reading of nested ones.

Belongs here: which text an element has, and the limit that keeps hostile nesting from taking hours. Does not
belong here: parsing (`parse`), or which element is a fact (`xbrl.inline`, `xbrl.instance`).
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final, cast

from lxml import etree

_DEPTH: Final = 64  # real documents nest tagged texts about ten deep; their parser allows two thousand
_FREE: Final = 1_000_000  # pieces and characters of a document that are read regardless of nesting


class BoundedElementText:
    """Texts of the elements of one tree, each without the subtrees of tags to skip.

    A character inside nested texts is read once per text. Anything beyond `_DEPTH` times the document's size
    is left out, with a signal.
    """

    __slots__ = ("_between", "_most", "_read", "_root", "_signals", "_skip")

    def __init__(
        self,
        root: etree._Element,
        signals: Counter[tuple[str, str]],
        skip: AbstractSet[str] = frozenset(),
        between: str = "",
    ) -> None:
        self._root = root
        self._signals = signals
        self._skip = skip
        self._between = between  # of the texts of two elements
        self._read = 0
        self._most = _FREE

    def of(self, element: etree._Element) -> str | None:
        """Text of an element with its descendants; None if left out."""
        if not len(element):
            return element.text or ""
        if self._read > self._most:
            self._most = max(_FREE, _DEPTH * _tree_size(self._root))
            if self._read > self._most:
                self._signals["endless_nesting", "the rest is left out"] += 1
                return None
        pieces = list(_text_pieces(element, self._skip))
        text = self._between.join(pieces)
        self._read += len(pieces) + len(text)
        return text


def _tree_size(root: etree._Element) -> int:
    """Number of elements and characters of a tree."""
    return int(cast("float", root.xpath("count(descendant-or-self::*) + string-length(.)")))


def _text_pieces(element: etree._Element, skip: AbstractSet[str]) -> Iterator[str]:
    yield element.text or ""
    stack: list[Iterator[etree._Element]] = [iter(element)]
    tails: list[str] = [""]
    while stack:
        child = next(stack[-1], None)
        if child is None:
            stack.pop()
            yield tails.pop()
            continue
        tag = child.tag
        if isinstance(tag, str) and tag not in skip:
            yield child.text or ""
            stack.append(iter(child))
            tails.append(child.tail or "")
        else:
            if tag is etree.Entity:
                yield html.unescape(child.text or "")
            yield child.tail or ""
