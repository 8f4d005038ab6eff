"""Parses HTML pages of storages, with size limits and a clear error for other content.

Does not belong here: the layout of one storage (`connectors.fi.oam`, `connectors.se.finanscentralen`).
"""

from __future__ import annotations

from typing import Final

from lxml import etree, html

from connectors.declare import Piece, Unreadable
from connectors.kit import staged
from connectors.kit.formats import Format, sniff
from connectors.kit.pages import document
from connectors.news import texts

LARGEST: Final = 16 << 20


def root(piece: Piece, due: str) -> html.HtmlElement:
    """The parsed page; `due`: the expected content, as named in messages. Raises Unreadable."""
    with staged.opened(piece) as stream:
        body = stream.read(LARGEST + 1)
    if len(body) > LARGEST or sniff(body) is not Format.HTML:
        found = f"{len(body)} bytes of {sniff(body).value}"
        raise Unreadable(piece.dataset, piece.name, f"expected {due}, not {found}")
    parser = html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    try:
        return document(body, parser)
    except (etree.ParserError, ValueError) as error:
        raise Unreadable(piece.dataset, piece.name, f"a page that does not parse: {error}") from error


def text(element: html.HtmlElement) -> str | None:
    """The text of an element, without markup and with single blanks."""
    return texts.plain(str(element.text_content()))
