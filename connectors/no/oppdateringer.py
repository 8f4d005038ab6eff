"""Dataset no.oppdateringer: the three change feeds of Enhetsregisteret (docs/formats/no.md 3).

Belongs here: the declaration, and recognising a file: pages of `/oppdateringer/enheter`, `/underenheter` (HAL; an
empty one has no `_embedded`) and `/roller` (an array of CloudEvents). Does not belong here: entries
(`oppdateringer_rows`), cursors (`oppdateringer_fetch`), or fetching the entities they name (`enhet`, `roller`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from connectors.declare import Batch, Cadence, Dataset, Guard, NotOurs, Piece, Recognised, Scope, Unreadable
from connectors.kit import staged
from connectors.kit.formats import Format, sniff
from connectors.no.bodies import error_status, opened, plain_head, top_keys
from connectors.no.oppdateringer_fetch import fetch
from connectors.no.oppdateringer_fields import COLLECTIONS, KEY, STAGED
from connectors.no.oppdateringer_rows import Page
from connectors.no.register import HOST, LICENCE

_LIMIT: Final = 256 * 1024 * 1024  # ten thousand entries with their patches are some ten megabytes


def recognise(name: str, head: bytes) -> Recognised | NotOurs:
    """Recognises pages of a feed, always parts: entities they do not name are not absent."""
    del name
    head = plain_head(head)
    if sniff(head) is Format.EMPTY:
        return NotOurs("empty body: no page of a change feed")
    status = error_status(head)
    if status is not None:
        return NotOurs(f"error answer of the registry (status {status})")
    keys = top_keys(head)
    if keys is not None and not {"_embedded", "page", "_links"} & keys:
        return NotOurs("an object that is no page of a change feed")
    return Recognised(None, Scope.FEED)


def read(piece: Piece) -> Iterator[Batch]:
    """Yields batches of `no_oppdateringer` and `no_aarsregnskap_meldt`."""
    with opened(piece) as body:
        text = body.read(_LIMIT)
    try:
        found: Any = msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable(piece.dataset, piece.name, f"expected a page of a change feed: {error}") from error
    page = Page(staged.Tally(piece.dataset))
    if isinstance(found, list):
        page.events(found)
    else:
        _hal(piece, found, page)
    yield from page.batches()


def _hal(piece: Piece, found: object, page: Page) -> None:
    """Reads a page of entities or sub-units. Without news it has no `_embedded`, and `page` says 0."""
    if not isinstance(found, dict):
        raise Unreadable(piece.dataset, piece.name, "expected a page or an array of events")
    embedded: Any = found.get("_embedded")
    numbering: Any = found.get("page")
    for name, member in (("_embedded", embedded), ("page", numbering)):
        if member is not None and not isinstance(member, dict):
            raise Unreadable(piece.dataset, piece.name, f"expected an object in {name}")
    if embedded is None:
        if numbering and numbering.get("totalElements"):
            page.tally.add("missing_entries", "_embedded", piece.name)
        return
    for name, entries in embedded.items():
        if name not in COLLECTIONS or not isinstance(entries, list):
            raise Unreadable(piece.dataset, piece.name, f"a page of {name}, which is no change feed's list")
        page.entries(COLLECTIONS[name], entries)


DATASET: Final = Dataset(
    key=KEY,
    title="Enhetsregisteret: change feeds",
    licence=LICENCE,
    cadence=Cadence(cron="30 4 * * *", stale_after_hours=48),
    guard=Guard(max_rejected=0.01),
    host=HOST,
    staged=STAGED,
    files=("oppdateringer/**", "oppdateringer_*/**"),
    recognise=recognise,
    split=staged.single,
    read=read,
    fetch=fetch,
)
