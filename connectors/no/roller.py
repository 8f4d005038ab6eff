"""Dataset no.roller: roles that mean ownership, for entities that the role feed names, and in bulk.

See docs/formats/no.md 4.

Belongs here: the declaration, recognising a file, reading, fetching. Reads responses of `/enheter/{n}/roller` (404,
an empty body: no roles) and the complete file, an array of entities with their groups. That file's structure is
undocumented: anything but an array of entities with groups is rejected as a whole. Does not belong here: redaction
(`roller_redact`), or shares (`roller_holdings`).
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
from connectors.kit.staged import Tally
from connectors.no.answers import GONE, NONE, OK, Question, answers
from connectors.no.bodies import error_status, opened, plain_head, top_keys
from connectors.no.named import Entry, named
from connectors.no.oppdateringer_fields import ROLES as STREAM
from connectors.no.register import API_URL, ENTITY_URL, HOST, LICENCE
from connectors.no.roller_fields import GROUPS, KEY, NUMBER, ROLES, STAGED
from connectors.no.roller_redact import UNREADABLE, redact
from connectors.no.roller_rows import Refused, row_of

if TYPE_CHECKING:
    from connectors.kit.http import Fetched, Http

BULK_URL: Final = f"{API_URL}roller/totalbestand"
BULK_NAME: Final = "roller_alle.json"
ACCEPT: Final = "application/vnd.brreg.enhetsregisteret.rolle.v1+json;charset=UTF-8"
_HOUR: Final = 3600
_WEEK: Final = 7 * 24  # hours
_LIMIT: Final = 64 << 20
_HEAD: Final = 65_536
_NAME: Final = re.compile(r"(?<![0-9])([0-9]{9})(?![0-9])")
_PATH: Final = re.compile(r"/enheter/([0-9]{9})\b")


def recognise(name: str, head: bytes) -> Recognised | NotOurs:
    """Recognises roles of one or all entities, always a part: the complete file lacks entities without roles."""
    head = plain_head(head)
    if sniff(head) is Format.EMPTY:
        known = _NAME.search(name) is not None
        return (
            Recognised(None, Scope.PART) if known else NotOurs("empty body: it does not identify the entity")
        )
    status = error_status(head)
    if status is not None:
        return NotOurs(f"error answer of the registry (status {status})")
    keys = top_keys(head)
    if keys is not None and GROUPS not in keys:
        return NotOurs("object without rollegrupper")
    return Recognised(None, Scope.PART)


def read(piece: Piece) -> Iterator[Batch]:
    """Yields batches of `no_roller`."""
    with opened(piece) as body:
        head = body.read(_HEAD)
    if sniff(head) is Format.EMPTY:
        yield _nobody(piece)
        return
    try:
        with opened(piece) as body:
            if head.lstrip().startswith(b"["):
                for entities in chunks.arrays(body, chunks.values):
                    yield _batch(piece, entities, None)
            else:
                yield _single(piece, msgspec.json.decode(body.read(_LIMIT)))
    except (chunks.NotJson, *chunks.MALFORMED) as error:
        raise Unreadable(piece.dataset, piece.name, f"expected the roles as JSON: {error}") from error


def _nobody(piece: Piece) -> Batch:
    """Batch of a 404: the entity has no roles, or none any more."""
    found = _NAME.search(piece.name)
    if found is None:
        raise Unreadable(
            piece.dataset, piece.name, "an empty body, and the file name has no organisation number"
        )
    return staged.batch(ROLES, [{NUMBER: found.group(1), GROUPS: "[]"}])


def _single(piece: Piece, body: Any) -> Batch:
    """Batch of one entity's response, which names the entity in its links only."""
    links = body.get("_links") if isinstance(body, dict) else None
    told = _PATH.search(msgspec.json.encode(links or {}).decode())
    found = told or _NAME.search(piece.name)
    return _batch(piece, [body], found.group(1) if found else None)


def _require_readable(piece: Piece, entity: object) -> None:
    """Raises Unreadable for the whole file if redaction failed on a part of it."""
    if isinstance(entity, dict) and UNREADABLE in entity:
        raise Unreadable(piece.dataset, piece.name, str(entity[UNREADABLE]))


def _batch(piece: Piece, entities: Iterable[Any], number: str | None) -> Batch:
    tally = Tally(piece.dataset)
    rows: list[dict[str, str]] = []
    refused: list[tuple[object, str, object]] = []
    for entity in entities:
        _require_readable(piece, entity)
        try:
            rows.append(row_of(entity, number, tally))
        except Refused as error:
            refused.append((number, str(error), entity))
    return staged.batch(ROLES, rows, staged.reject_rows(refused), tally.drain())


def wanted(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Yields entries of the role feed."""
    yield from named(tables, STREAM)


def _keeps(status: int, _is_removed: bool) -> str | None:
    """Archives 404 and 410: the entity has no roles any more."""
    return ".json" if status in (OK, NONE, GONE) else None


QUESTION: Final = Question(lambda number: f"{ENTITY_URL}{number}/roller", ACCEPT, _keeps)


class _Place(msgspec.Struct, omit_defaults=True):
    """The cursor: the hour of the last complete file, its HTTP validators, and the look-ups made."""

    hours: int | None = None
    validators: str = ""
    memory: str = ""

    @staticmethod
    def of(cursor: Cursor | None) -> _Place:
        try:
            return _Place() if cursor is None else msgspec.json.decode(cursor.value, type=_Place)
        except msgspec.MsgspecError:
            return _Place()

    def cursor(self) -> Cursor:
        return Cursor(msgspec.json.encode(self).decode())


def fetch(http: Http, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
    """Fetches the complete file, at first and once a week, then the roles of entities that the feed names.

    An unavailable complete file does not block the look-ups: its error is raised at the end.
    """
    place = _Place.of(cursor)
    entries = list(subjects)
    newest = max((Entry.of(subject).hours for subject in entries), default=0)
    broken: FetchError | None = None
    if place.hours is None or newest - place.hours > _WEEK:
        try:
            bulk = _bulk(http, place)
        except FetchError as error:
            bulk, broken = None, error
        if bulk is not None:
            found = bulk.validators.cursor()
            place.hours = max(newest, int(bulk.server_time.timestamp()) // _HOUR)
            place.validators = found.value if found else ""
            yield bulk.arrival(BULK_NAME, Scope.PART, place.cursor())
    memory = Cursor(place.memory) if place.memory else None
    for arrival in answers(http, QUESTION, memory, entries):
        place.memory = arrival.cursor.value if arrival.cursor else place.memory
        yield replace(arrival, cursor=place.cursor() if arrival.cursor else None)
    if broken is not None:
        raise broken


def _bulk(http: Http, place: _Place) -> Fetched | None:
    since = Validators.of(Cursor(place.validators)) if place.validators else None
    answer = http.download(
        BULK_URL, expect={Format.GZIP, Format.JSON}, since=since, headers={"Accept": "*/*"}
    )
    return None if isinstance(answer, NotModified) else answer


DATASET: Final = Dataset(
    key=KEY,
    title="Enhetsregisteret: roles that are ownership",
    licence=LICENCE,
    cadence=Cadence(cron="30 4 * * *", stale_after_hours=72),
    guard=Guard(max_rejected=0.01),
    host=HOST,
    staged=STAGED,
    files=("roller/**", "roller_*/**", "**/roller_alle*"),
    recognise=recognise,
    split=staged.single,
    read=read,
    fetch=fetch,
    wants=wanted,
    redact=redact,
)
