"""Answers of wires in JSON, taken apart item by item: a bad item costs itself alone.

Belongs here: what MFN and Cision share. Does not belong here: what an item holds (`mfn`, `cision`), feeds in XML
(`feeds`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from connectors.declare import Batch, Piece, Unreadable
from connectors.kit import staged
from connectors.kit.chunks import MALFORMED
from connectors.kit.formats import sniff
from connectors.kit.record import RecordError
from connectors.kit.staged import Tally
from warehouse.schema.types import Table

LARGEST: Final = 64 << 20
Row = dict[str, Any]


def decoded(piece: Piece, what: str) -> Any:
    """The JSON of a piece. `what` was due, as messages call it («a stream of items»). Raises Unreadable."""
    with staged.opened(piece) as stream:
        body = stream.read(LARGEST + 1)
    if len(body) > LARGEST:
        raise Unreadable(piece.dataset, piece.name, f"{what} of more than {LARGEST >> 20} MiB")
    try:
        return msgspec.json.decode(body)
    except MALFORMED as error:
        due = f"{what} in JSON was due, not {sniff(body).value}"
        raise Unreadable(piece.dataset, piece.name, f"{due} ({error}): ask again later") from None


def batch(
    table: Table, items: Iterable[Any], row_of: Callable[[Any, Tally], Row | None], tally: Tally
) -> Batch:
    """The rows of items, the last of each id; `row_of` gives None for other markets' and raises RecordError."""
    rows: dict[str, Row] = {}
    rejects: list[tuple[object, str, object]] = []
    for place, item in enumerate(items, start=1):
        try:
            row = row_of(item, tally)
        except RecordError as error:
            rejects.append((place, str(error), item))
            continue
        if row is not None:
            rows[row["id"]] = row
    return staged.batch(table, list(rows.values()), staged.reject_rows(rejects), tally.drain())
