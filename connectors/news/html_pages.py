"""Parses HTML pages of storages, with size limits and a clear error for other content.

Does not belong here: the layout of one storage (`connectors.fi.oam`,
`connectors.se.finansinspektionen.finanscentralen`).
"""

from __future__ import annotations

from typing import Final

from lxml import etree, html

from connectors.contract.dataset import ArchiveMember, UnreadableFileError
from connectors.kit import staging
from connectors.kit.formats import BodyFormat, detect_body_format
from connectors.kit.xml.html import parse_document
from connectors.news import text as news_text

LARGEST: Final = 16 << 20


def parse_page(member: ArchiveMember, expected: str) -> html.HtmlElement:
    """The parsed page; `expected`: the expected content, as named in messages. Raises UnreadableFileError."""
    with staging.open_plain(member) as stream:
        body = stream.read(LARGEST + 1)
    if len(body) > LARGEST or detect_body_format(body) is not BodyFormat.HTML:
        found = f"{len(body)} bytes of {detect_body_format(body).value}"
        raise UnreadableFileError(member.dataset, member.name, f"expected {expected}, not {found}")
    parser = html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    try:
        return parse_document(body, parser)
    except (etree.ParserError, ValueError) as error:
        raise UnreadableFileError(member.dataset, member.name, f"a page that does not parse: {error}") from error


def text_of_element(element: html.HtmlElement) -> str | None:
    """The text of an element, without markup and with single blanks."""
    return news_text.to_plain_text(str(element.text_content()))
