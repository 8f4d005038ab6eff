"""Access to ownership XML by local names: namespaces and prefixes vary and mean nothing.

See docs/formats/us.md 7.1, 7.4.

Belongs here: finding elements, and counting unknown ones. Does not belong here: their meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from lxml import etree

from connectors.contract.pieces import ArchiveMember
from connectors.kit.staging import SignalCounter, unreadable_on
from connectors.kit.xml import parse


def parse_tree(member: ArchiveMember, body: bytes, root: str, tally: SignalCounter) -> etree._Element:
    """The root of a document; raises UnreadableFileError if it is another one or missing."""
    with unreadable_on(member, parse.MalformedMarkupError, "expected XML"):
        found = parse.parse_markup(body)
    if parse.local_name(found.roots[0]) != root:
        raise member.unreadable_error(f"expected <{root}>, found <{parse.local_name(found.roots[0])}>")
    if found.is_repaired:
        tally.add("ill_formed", "XML that was read past its errors", member.name)
    return found.roots[0]


def children_named(element: etree._Element, name: str) -> Iterator[etree._Element]:
    """Children with a local name."""
    return (child for child in element if parse.local_name(child) == name)


def find_path(element: etree._Element | None, *path: str) -> etree._Element | None:
    """The first element down a path of local names."""
    for name in path:
        element = next(children_named(element, name), None) if element is not None else None
    return element


def text_at(element: etree._Element | None, *path: str) -> str | None:
    """The text at the end of a path in one line; None where there is none."""
    found = find_path(element, *path)
    return (" ".join((found.text or "").split()) or None) if found is not None else None


def count_unknown_children(
    element: etree._Element | None, known: AbstractSet[str], tally: SignalCounter, example: str
) -> None:
    """Emits a signal per child missing from our schemas: the form has changed."""
    for child in element if element is not None else ():
        name = parse.local_name(child)
        if name and name not in known:
            tally.add("unknown_element", name, example)
