"""Dataset no.oppdateringer: the three change feeds of Enhetsregisteret (docs/formats/no.md 3).

Belongs here: the declaration, and recognising a file: pages of `/oppdateringer/enheter`, `/underenheter` (HAL; an
empty one has no `_embedded`) and `/roller` (an array of CloudEvents). Does not belong here: entries
(`rows`), cursors (`fetch`), or fetching the entities they name (`enheter.dataset`, `roller.dataset`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.formats import BodyFormat, detect_body_format, plain_head
from connectors.kit.json.body import decode_body, read_body
from connectors.no.oppdateringer.fetch import fetch
from connectors.no.oppdateringer.rows import PageRows
from connectors.no.oppdateringer.schema import COLLECTIONS, KEY, STAGED
from connectors.no.register import HOST, LICENCE
from connectors.no.responses import error_reason, top_keys

_LIMIT: Final = 256 * 1024 * 1024  # ten thousand entries with their patches are some ten megabytes


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises pages of a feed, always parts: entities they do not name are not absent."""
    del name
    head = plain_head(head)
    if detect_body_format(head) is BodyFormat.EMPTY:
        return NotApplicable("empty body: no page of a change feed")
    if reason := error_reason(head):
        return NotApplicable(reason)
    keys = top_keys(head)
    if keys is not None and not {"_embedded", "page", "_links"} & keys:
        return NotApplicable("an object that is no page of a change feed")
    return RecognisedFile(None, Scope.FEED)


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields batches of `no_oppdateringer` and `no_aarsregnskap_meldt`."""
    found = decode_body(member, read_body(member, _LIMIT), "expected a page of a change feed")
    page = PageRows(staging.SignalCounter(member.dataset))
    if isinstance(found, list):
        page.events(found)
    else:
        _read_hal_page(member, found, page)
    yield from page.batches()


def _read_hal_page(piece: ArchiveMember, found: object, page: PageRows) -> None:
    """Reads a page of entities or sub-units. Without news it has no `_embedded`, and `page` says 0."""
    if not isinstance(found, dict):
        raise piece.unreadable_error("expected a page or an array of events")
    embedded: Any = found.get("_embedded")
    numbering: Any = found.get("page")
    for name, member in (("_embedded", embedded), ("page", numbering)):
        if member is not None and not isinstance(member, dict):
            raise piece.unreadable_error(f"expected an object in {name}")
    if embedded is None:
        if numbering and numbering.get("totalElements"):
            page.tally.add("missing_entries", "_embedded", piece.name)
        return
    for name, entries in embedded.items():
        if name not in COLLECTIONS or not isinstance(entries, list):
            raise piece.unreadable_error(f"a page of {name}, which is no change feed's list")
        page.entries(COLLECTIONS[name], entries)


DATASET: Final = Dataset(
    key=KEY,
    title="Enhetsregisteret: change feeds",
    licence=LICENCE,
    cadence=Cadence(cron="30 4 * * *", stale_after_hours=48),
    guard_limits=GuardLimits(max_rejected=0.01),
    host=HOST,
    staged_tables=STAGED,
    file_patterns=("oppdateringer/**", "oppdateringer_*/**"),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=fetch,
)
