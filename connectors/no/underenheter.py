"""Dataset no.underenheter: sub-units of Enhetsregisteret, in bulk and one by one (docs/formats/no.md 2).

Belongs here: the declaration, recognising a file, reading and fetching. A deleted sub-unit returns a short body, a
removed one 410. Does not belong here: rows (`underenheter_rows`), or the companies they belong to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import msgspec
import polars as pl

from connectors.declare import (
    Arrival,
    Batch,
    Cadence,
    Cursor,
    Dataset,
    Guard,
    NotOurs,
    Piece,
    Recognised,
    Scope,
    Unreadable,
)
from connectors.kit import chunks, staged
from connectors.kit.bodies import NotModified, Validators
from connectors.kit.errors import FetchError
from connectors.kit.formats import Format, sniff
from connectors.no.answers import GONE, OK, Question, answers
from connectors.no.bodies import error_status, is_page, opened, plain_head, top_keys
from connectors.no.named import named
from connectors.no.oppdateringer_fields import SUB_UNITS as STREAM
from connectors.no.register import API_URL, HOST, LICENCE
from connectors.no.underenheter_fields import KEY, NUMBER, STAGED
from connectors.no.underenheter_rows import of_csv, of_records, removed

if TYPE_CHECKING:
    from connectors.kit.http import Fetched, Http

BULK_URL: Final = f"{API_URL}underenheter/lastned/csv"
BULK_ACCEPT: Final = "application/vnd.brreg.enhetsregisteret.underenhet.v2+gzip;charset=UTF-8"
BULK_NAME: Final = "underenheter.csv"
ACCEPT: Final = "application/vnd.brreg.enhetsregisteret.underenhet.v2+json;charset=UTF-8"
_HEAD: Final = 65_536
_LIMIT: Final = 256 * 1024 * 1024
_GONE_NAME: Final = re.compile(r"([0-9]{9})[^/]{0,200}-410\b")


def recognise(name: str, head: bytes) -> Recognised | NotOurs:
    """Recognises files of sub-units as parts: only a fetch or the folder's `day.json` knows one is complete."""
    head = plain_head(head)
    if _gone(name, head) is not None:
        return Recognised(None, Scope.PART)
    found = sniff(head)
    status = error_status(head)
    if status is not None:
        return NotOurs(f"error answer of the registry (status {status})")
    reasons = {
        Format.EMPTY: "empty body: the registry has no such sub-unit",
        Format.ZIP: "workbook (regneark): the same rows as the bulk CSV, which is read instead",
    }
    if found in reasons:
        return NotOurs(reasons[found])
    if is_page(head) and b'"underenheter"' not in head:
        return NotOurs("search page without sub-units")
    keys = top_keys(head)
    if keys is not None and NUMBER not in keys and "_embedded" not in keys:
        return NotOurs("object without an organisation number")
    return Recognised(None, Scope.PART)


def _gone(name: str, head: bytes) -> str | None:
    """Number of a sub-unit that returned 410, from the file name."""
    found = _GONE_NAME.search(name)
    gone = error_status(head) == GONE or sniff(head) is Format.EMPTY
    return found.group(1) if found and gone else None


def read(piece: Piece) -> Iterator[Batch]:
    """Yields batches of `no_underenheter`."""
    with opened(piece) as body:
        head = body.read(_HEAD)
    gone = _gone(piece.name, head)
    if gone is not None:
        yield removed(gone)
        return
    found = sniff(head)
    if found is Format.TEXT:
        yield from of_csv(piece)
    elif found is Format.JSON:
        yield from _of_json(piece, head)
    else:
        raise Unreadable(piece.dataset, piece.name, f"expected CSV or JSON of sub-units, found {found}")


def _of_json(piece: Piece, head: bytes) -> Iterator[Batch]:
    tally = staged.Tally(piece.dataset)
    try:
        with opened(piece) as body:
            if not head.lstrip().startswith(b"["):
                yield of_records(_elements(msgspec.json.decode(body.read(_LIMIT))), tally)
                return
            for found in chunks.arrays(body, chunks.values):
                yield of_records(found, tally)
    except (chunks.NotJson, *chunks.MALFORMED) as error:
        raise Unreadable(piece.dataset, piece.name, f"JSON that does not parse: {error}") from error


def _elements(body: Any) -> list[Any]:
    """Elements of a search page; any other body is one element."""
    if isinstance(body, dict) and "_embedded" in body:
        found = body["_embedded"].get("underenheter") if isinstance(body["_embedded"], dict) else None
        return found if isinstance(found, list) else []
    return [body]


def wanted(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Yields entries of the sub-unit feed."""
    yield from named(tables, STREAM)


def _keeps(status: int, is_removed: bool) -> str | None:
    if status == OK:
        return ".json"
    return "-410.json" if status == GONE or is_removed else None


QUESTION: Final = Question(lambda number: f"{API_URL}underenheter/{number}", ACCEPT, _keeps)
_BULK_MARK: Final = "\n"  # between the two cursors


def fetch(http: Http, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
    """Fetches the nightly bulk if its ETag changed, then the sub-units that the feed names.

    An unavailable bulk does not block the look-ups: its error is raised at the end.
    """
    validators, _, memory = (cursor.value if cursor else "").partition(_BULK_MARK)
    broken: FetchError | None = None
    try:
        bulk = _bulk(http, validators)
    except FetchError as error:
        bulk, broken = None, error
    if bulk is not None:
        found = bulk.validators.cursor()
        validators = found.value if found else ""
        yield bulk.arrival(BULK_NAME, Scope.FULL, Cursor(f"{validators}{_BULK_MARK}{memory}"))
    for arrival in answers(http, QUESTION, Cursor(memory) if memory else None, subjects):
        yield _with_bulk(arrival, validators)
    if broken is not None:
        raise broken


def _bulk(http: Http, validators: str) -> Fetched | None:
    since = Validators.of(Cursor(validators)) if validators else None
    answer = http.download(
        BULK_URL, expect={Format.GZIP, Format.TEXT}, since=since, headers={"Accept": BULK_ACCEPT}
    )
    return None if isinstance(answer, NotModified) else answer


def _with_bulk(arrival: Arrival, validators: str) -> Arrival:
    """Adds the bulk's cursor to an arrival that carries a look-up cursor."""
    if arrival.cursor is None:
        return arrival
    return replace(arrival, cursor=Cursor(f"{validators}{_BULK_MARK}{arrival.cursor.value}"))


DATASET: Final = Dataset(
    key=KEY,
    title="Enhetsregisteret: sub-units",
    licence=LICENCE,
    cadence=Cadence(cron="30 4 * * *", stale_after_hours=72),
    guard=Guard(max_shrink=0.02, max_changed=0.20, max_rejected=0.01),
    host=HOST,
    staged=STAGED,
    files=("underenheter/**", "underenheter_bulk_*/**", "documented_examples/BrregSubEntity*"),
    recognise=recognise,
    split=staged.single,
    read=read,
    fetch=fetch,
    wants=wanted,
)
