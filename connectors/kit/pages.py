"""Bytes of a page (HTML) to a tree, held to what one may cost before it is made.

Belongs here: what lxml's HTML parser takes the square of; nobody else makes trees of pages. Does not belong here:
XML (`markup`), how large a page may be, how it is encoded or what stands in it (its reader).
"""

from __future__ import annotations

from typing import Final

from lxml import etree, html

MOST: Final = 1_000  # attributes of one element: pages that people write have some twenty


class Overloaded(ValueError):  # noqa: N818 - says what a page is
    """A page with an element of more attributes than MOST."""


class _Counted:
    """Hears elements as they begin; no tree is made."""

    def __init__(self) -> None:
        self.most = 0

    def start(self, _tag: str, attributes: dict[str, str]) -> None:
        self.most = max(self.most, len(attributes))

    def close(self) -> None:
        """Nothing is left to do."""


def document(body: bytes, parser: html.HTMLParser) -> html.HtmlElement:
    """The whole page. Raises Overloaded, and as `lxml.html.document_fromstring` does."""
    return html.document_fromstring(_bounded(body), parser=parser)


def fragment(body: bytes, parser: html.HTMLParser) -> html.HtmlElement:
    """The page, or the part of one. Raises Overloaded, and as `lxml.html.fromstring` does."""
    return html.fromstring(_bounded(body), parser=parser)


def _bounded(body: bytes) -> bytes:
    """The body as it is; Overloaded where one element has more than MOST attributes.

    Each attribute is put behind those before it, which are walked one by one: 80,000 take ten seconds.
    """
    counted = _Counted()
    try:
        # of a target's methods lxml asks for those alone that it has
        parser = etree.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True, target=counted)  # pyright: ignore[reportArgumentType]
        etree.fromstring(body, parser)
    except etree.XMLSyntaxError:  # whoever makes a tree of it is told again
        return body
    if counted.most > MOST:
        raise Overloaded(f"an element of {counted.most:,} attributes")
    return body
