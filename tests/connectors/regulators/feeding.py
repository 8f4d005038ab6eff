"""Feeds of authorities, written by hand after FORMAT news 1."""

import io
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from html import escape

from connectors.declare import Batch, Dataset, Piece, Scope

Reading = Callable[[Dataset, bytes], Batch]
Members = dict[str, str]


def piece_of(dataset: Dataset, body: bytes) -> Piece:
    """A body as a piece of a dataset."""
    at = datetime(2026, 3, 1, tzinfo=UTC)
    return Piece(dataset.key, "feed.xml", "0" * 64, at, Scope.FEED, "b", lambda: io.BytesIO(body))


def rss(items: Sequence[Members], title: str = "News") -> bytes:
    """A feed; members by element name, `category` several parted by `|`."""
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n<rss xmlns:dc="http://purl.org/dc/elements/1.1/" version="2.0">'
        f"<channel><title>{escape(title)}</title>{''.join(map(_item, items))}</channel></rss>"
    ).encode()


def _item(members: Members) -> str:
    parts = [
        f"<{name}>{escape(text, quote=False)}</{name}>"
        for name, whole in members.items()
        for text in (whole.split("|") if name == "category" else [whole])
    ]
    return f"<item>{''.join(parts)}</item>"
