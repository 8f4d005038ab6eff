"""Dataset fi.xbrl: annual accounts filed digitally, and the lists with their registration dates.

Belongs here: the declaration, recognising a file, reading. Does not belong here: one statement (`xbrl_document`),
fetching (`xbrl_fetch`), shared tables (`xbrl_mapping`).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from connectors.declare import Batch, Cadence, Dataset, Guard, NotOurs, Piece, Recognised, Scope
from connectors.fi import xbrl_document, xbrl_fetch
from connectors.fi.register import HOST, LICENCE, RATE, error_of
from connectors.fi.xbrl_fields import KEY, REGISTERED, STATEMENTS
from connectors.fi.xbrl_lists import LIST, listed
from connectors.kit import staged
from connectors.kit.chunks import MALFORMED
from connectors.kit.formats import Format, opening, sniff
from connectors.kit.staged import Tally

_LARGEST: Final = 64 << 20  # bytes; a statement has 28 to 90 KB, a list ten
_INSTANCE: Final = re.compile(rb"<(?:\w+:)?xbrl[\s>]|inlineXBRL", re.IGNORECASE)


def recognise(name: str, head: bytes) -> Recognised | NotOurs:
    """Recognises XBRL statements and lists of them. Without digital accounts the list is empty, or 400."""
    del name
    head = opening(head).removeprefix(codecs.BOM_UTF8)
    if _INSTANCE.search(head):
        return Recognised(None, Scope.PART)
    if sniff(head) is not Format.JSON:
        return NotOurs(f"{sniff(head)} that is neither a statement in XBRL nor a list of statements")
    reason = _not_ours(head)
    return Recognised(None, Scope.PART) if reason is None else NotOurs(reason)


def _not_ours(head: bytes) -> str | None:
    try:
        body: Any = msgspec.json.decode(head)
    except MALFORMED:
        return None if f'"{LIST}"'.encode() in head else "JSON that is not a list of statements"
    error = error_of(body)
    if error is not None:
        return f"{error}: nothing was filed digitally, or the request was wrong"
    if not isinstance(body, dict) or not isinstance(body.get(LIST), list):
        return "JSON that is not a list of statements"
    return None if body[LIST] else "a list without statements: nothing was filed digitally"


def read(piece: Piece) -> Iterator[Batch]:
    """Yields one batch of `fi_tilinpaatos` or of `fi_tilinpaatosluettelo`."""
    with staged.opened(piece) as stream:
        body = stream.read(_LARGEST)
    tally = Tally(piece.dataset)
    if sniff(body) is Format.JSON:
        rows, rejects = listed(piece, body.removeprefix(codecs.BOM_UTF8), tally)
        yield staged.batch(REGISTERED, rows, staged.reject_rows(rejects), tally.drain())
    else:
        row = xbrl_document.row(piece, body, tally)
        yield staged.batch(STATEMENTS, [row], None, tally.drain())


DATASET: Final = Dataset(
    key=KEY,
    title="PRH: annual accounts filed digitally",
    licence=LICENCE,
    cadence=Cadence(cron="45 4 * * *", stale_after_hours=72),
    guard=Guard(max_rejected=0.01),
    host=HOST,
    rate=RATE,
    staged={STATEMENTS.name: STATEMENTS, REGISTERED.name: REGISTERED},
    files=("xbrl_v3/**", "xbrl/**"),
    recognise=recognise,
    split=staged.single,
    read=read,
    fetch=xbrl_fetch.fetch,
)
