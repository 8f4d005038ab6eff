"""Reads bodies of wires and storages: feeds, JSON, HTML pages, with size limits and clear errors.

Does not belong here: single items (`items`), bytes to the entries of a feed (`connectors.kit.feeds`), the fields of
one wire or the layout of one storage.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from lxml import etree, html

from connectors.contract.pieces import ArchiveMember
from connectors.kit import feeds, staging
from connectors.kit.feeds import NotFeedError, ParsedFeed
from connectors.kit.formats import BodyFormat, detect_body_format
from connectors.kit.json.chunks import MALFORMED
from connectors.kit.xml.html import parse_document
from connectors.news import text as news_text

LARGEST: Final = 64 << 20


def decode_member(member: ArchiveMember, description: str) -> Any:
    """Decodes the JSON of a piece. `description` names the expected content («a stream of items»).

    Raises UnreadableFileError.
    """
    body = staging.read_plain(member, LARGEST, f"{description} of more than {LARGEST >> 20} MiB")
    try:
        return msgspec.json.decode(body)
    except MALFORMED as error:
        due = f"expected {description} in JSON, not {detect_body_format(body).value}"
        raise member.unreadable_error(f"{due} ({error}): try again later") from None


def read_feed(member: ArchiveMember) -> ParsedFeed:
    """The feed of a piece. Raises UnreadableFileError."""
    with staging.open_plain(member) as stream, staging.unreadable_on(member, NotFeedError):
        return feeds.parse_feed(stream.read(feeds.LARGEST + 1))


LARGEST_PAGE: Final = 16 << 20


def parse_page(member: ArchiveMember, expected: str) -> html.HtmlElement:
    """The parsed page; `expected`: the expected content, as named in messages. Raises UnreadableFileError."""
    with staging.open_plain(member) as stream:
        body = stream.read(LARGEST_PAGE + 1)
    if len(body) > LARGEST_PAGE or detect_body_format(body) is not BodyFormat.HTML:
        found = f"{len(body)} bytes of {detect_body_format(body).value}"
        raise member.unreadable_error(f"expected {expected}, not {found}")
    parser = html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    with staging.unreadable_on(member, (etree.ParserError, ValueError), "a page that does not parse"):
        return parse_document(body, parser)


def text_of_element(element: html.HtmlElement) -> str | None:
    """The text of an element, without markup and with single blanks."""
    return news_text.to_plain_text(str(element.text_content()))
