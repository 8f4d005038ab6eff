"""Writes RSS 2.0: a channel and its items, with elements chosen by each source.

Does not belong here: any source's elements or dates (the other modules).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr


@dataclass(frozen=True, slots=True)
class ItemElement:
    """One element of an item: its name, text and attributes."""

    name: str
    text: str
    attributes: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        attributes = "".join(f" {name}={quoteattr(value)}" for name, value in self.attributes.items())
        return f"<{self.name}{attributes}>{escape(self.text)}</{self.name}>"


def feed_item(
    title: str, link: str, description: str, published: str, *more: ItemElement, guid: str | None = None
) -> list[ItemElement]:
    """The usual elements of an item; `more` before its guid, which is its link unless there is another."""
    return [
        ItemElement("title", title),
        ItemElement("link", link),
        ItemElement("description", description),
        ItemElement("pubDate", published),
        *more,
        ItemElement("guid", guid or link, {"isPermaLink": "true"}),
    ]


@dataclass(frozen=True, slots=True)
class RssChannel:
    """A feed with its title. `spaces`: namespace declarations of the root."""

    title: str
    link: str
    description: str
    language: str
    spaces: Mapping[str, str] = field(default_factory=dict)

    def feed(self, items: Iterable[Iterable[ItemElement]]) -> bytes:
        """The whole body."""
        spaces = "".join(f" {name}={quoteattr(value)}" for name, value in self.spaces.items())
        head = (("title", self.title), ("link", self.link), ("description", self.description))
        lines = [
            '<?xml version="1.0" encoding="utf-8"?>',
            f'<rss{spaces} version="2.0">',
            "  <channel>",
            *(f"    {ItemElement(name, text)}" for name, text in (*head, ("language", self.language))),
            *(f"    <item>\n{_element_lines(members)}\n    </item>" for members in items),
            "  </channel>",
            "</rss>",
        ]
        return ("\n".join(lines) + "\n").encode()


def _element_lines(members: Iterable[ItemElement]) -> str:
    return "\n".join(f"      {member}" for member in members)
