"""Parses bytes of an HTML page to a tree, after checking its cost.

Belongs here: the check for input that takes lxml's HTML parser quadratic time; all trees of pages are made
here. Does not belong here: XML (`parse`), a page's size limit, encoding or content (its reader).
"""

from __future__ import annotations

from typing import Final

from lxml import etree, html

MOST: Final = 1_000  # attributes of one element: real pages have about twenty


class TooManyAttributesError(ValueError):
    """A page with an element of more attributes than MOST."""


class _AttributeCounter:
    """Parser target that counts attributes without building a tree."""

    def __init__(self) -> None:
        self.most = 0

    def start(self, _tag: str, attributes: dict[str, str]) -> None:
        self.most = max(self.most, len(attributes))

    def close(self) -> None:
        """Required by lxml; returns nothing."""


def parse_document(body: bytes, parser: html.HTMLParser) -> html.HtmlElement:
    """The whole page. Raises TooManyAttributesError, and whatever `lxml.html.document_fromstring` raises."""
    return html.document_fromstring(_check_attributes(body), parser=parser)


def parse_fragment(body: bytes, parser: html.HTMLParser) -> html.HtmlElement:
    """The page, or a fragment. Raises TooManyAttributesError, and whatever `lxml.html.fromstring` raises."""
    return html.fromstring(_check_attributes(body), parser=parser)


def _check_attributes(body: bytes) -> bytes:
    """The body unchanged; raises TooManyAttributesError if one element has more than MOST attributes.

    lxml appends each attribute to a linked list by walking it: 80,000 take ten seconds.
    """
    counted = _AttributeCounter()
    try:
        # lxml calls only the methods that a target has
        parser = etree.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True, target=counted)  # pyright: ignore[reportArgumentType]
        etree.fromstring(body, parser)
    except etree.XMLSyntaxError:  # reported when the tree is built
        return body
    if counted.most > MOST:
        raise TooManyAttributesError(f"an element of {counted.most:,} attributes")
    return body
