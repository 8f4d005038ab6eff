"""Dataset no.enheter: the main entities of Enhetsregisteret, from every channel.

Belongs here: the declaration, recognising a file, reading and fetching. Channels: bulk CSV and bulk JSON (FULL when
fetched), search pages, single responses, short bodies of deleted entities, and 410. Does not belong here: sub-units
and roles (files of other datasets), the profile (`profiles`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from connectors.declare import Batch, Cadence, Dataset, Guard, NotOurs, Piece, Recognised, Scope, Unreadable
from connectors.kit import staged
from connectors.kit.formats import Format, sniff
from connectors.no import enheter_csv, enheter_json
from connectors.no.bodies import error_status, is_page, opened, plain_head, top_keys
from connectors.no.enheter_fields import NUMBER, STAGED
from connectors.no.fetching import bulk
from connectors.no.oppdateringer_fields import KEY as FEED
from connectors.no.register import HOST, LICENCE

KEY: Final = "no.enheter"
_HEAD: Final = 65_536
_GONE: Final = 410
_GONE_NAME: Final = re.compile(r"([0-9]{9})(?:[^0-9]*|-[^/]*-)410\b")
_BULK_NAME: Final = re.compile(r"bulk|\.csv", re.IGNORECASE)
_GONE_PATH: Final = re.compile(r"/enheter/([0-9]{9})\b")


def recognise(name: str, head: bytes) -> Recognised | NotOurs:
    """Recognises entity files as parts: only a fetch or the folder's `day.json` knows that one is complete."""
    head = plain_head(head)
    if name.startswith("codelists/"):
        return NotOurs(
            "code list: the codes that are served are in codes/*.csv; labels are taken from the records"
        )
    if b'"openapi"' in head or b'"swagger"' in head:
        return NotOurs("description of the interface (OpenAPI): no records")
    if _gone(name, head) is not None or (_BULK_NAME.search(name) and sniff(head) is Format.EMPTY):
        return Recognised(None, Scope.PART)  # an empty bulk is not skipped silently: `read` rejects it
    reason = _not_ours(head)
    return Recognised(None, Scope.PART) if reason is None else NotOurs(reason)


def _not_ours(head: bytes) -> str | None:
    found = sniff(head)
    if found is Format.EMPTY:
        return "empty body: the registry has no such entity"
    if found is Format.ZIP:
        return "workbook (regneark): the same rows as the bulk CSV, which is read instead"
    if found is Format.TEXT and b"beliggenhetsadresse." in head.split(b"\n", 1)[0].lower():
        return "bulk file of sub-units: they are not companies"
    return _not_ours_json(head) if found is Format.JSON else None


def _not_ours_json(head: bytes) -> str | None:
    status = error_status(head)
    if status is not None:
        return f"error answer of the registry (status {status})"
    if is_page(head) and b'"enheter"' not in head:
        return "search page of sub-units" if b'"underenheter"' in head else "search page without results"
    keys = top_keys(head)
    if keys is not None and NUMBER not in keys and "_embedded" not in keys:
        return "object without an organisation number"
    return None


def _gone(name: str, head: bytes) -> str | None:
    """Number of an entity that returned 410: from the error body, else from the file name."""
    is_error = error_status(head) == _GONE
    told = _GONE_PATH.search(head.decode(errors="replace")) if is_error else None
    found = told or (_GONE_NAME.search(name) if is_error or sniff(head) is Format.EMPTY else None)
    return found.group(1) if found else None


def read(piece: Piece) -> Iterator[Batch]:
    """Yields batches of `no_enheter`, `no_slettet` and `no_navn`."""
    with opened(piece) as body:
        head = body.read(_HEAD)
    gone = _gone(piece.name, head)
    if gone is not None:
        yield enheter_json.removed(gone)
        return
    found = sniff(head)
    if found is Format.JSON:
        yield from enheter_json.read(piece)
    elif found is Format.TEXT:
        yield from enheter_csv.read(piece)
    else:
        raise Unreadable(piece.dataset, piece.name, f"expected CSV or JSON of entities, found {found}")


DATASET: Final = Dataset(
    key=KEY,
    title="Enhetsregisteret: main entities",
    licence=LICENCE,
    cadence=Cadence(cron="30 4 * * *", stale_after_hours=48),  # regenerated nightly
    # No minimum of rows: the sandbox serves small worlds through this declaration. Holders and estates are
    # listed rejects too (1.4 and 3.1 % of the rows of two samples of 2024) but do not count as failures.
    guard=Guard(max_shrink=0.02, max_changed=0.20, max_rejected=0.001),
    host=HOST,
    staged=STAGED,
    files=(
        "enheter/**",
        "enheter_bulk_csv/**",
        "enheter_bulk_json/**",
        "**/enheter_alle*",
        "documented_examples/BrregEntit*",
        "documented_examples/BrregDeletedEntity*",
        "documented_examples/*openapi*",
        "codelists/**",
    ),
    recognise=recognise,
    split=staged.single,
    read=read,
    fetch=bulk,
    named_by=FEED,
)
