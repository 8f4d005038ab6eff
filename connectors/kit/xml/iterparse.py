"""Yields elements of one kind from XML of any size; each is freed when the next is requested.

Belongs here: reading gigabytes in bounded memory, without network, entities or document types. Does not
belong here: the meaning of an element, and markup that fits in memory (`parse`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from lxml import etree


class NotXmlError(Exception):
    """A body that is not XML or is truncated; the message names the position."""


def iter_elements(body: BinaryIO, tag: str | tuple[str, ...]) -> Iterator[etree._Element]:
    """Elements of a tag (`{*}name`: any namespace), as they end. Raises NotXmlError.

    Preceding siblings of an element are freed; ancestors no longer have their text.
    """
    found = etree.iterparse(body, events=("end",), tag=tag, resolve_entities=False, no_network=True, load_dtd=False)
    try:
        for _, element in found:
            yield element
            element.clear()
            parent = element.getparent()
            while parent is not None and len(parent) > 1:
                del parent[0]
    except etree.XMLSyntaxError as error:
        raise NotXmlError(f"XML that does not parse: {error}") from error


def element_text_at(element: etree._Element, path: str) -> str | None:
    """Text of the first descendant at `a/b/c`, in any namespace; None if empty or absent."""
    found = element.find("/".join(f"{{*}}{step}" for step in path.split("/")))
    text = None if found is None else (found.text or "").strip()
    return text or None
