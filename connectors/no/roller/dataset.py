"""Dataset no.roller: roles that mean ownership, for entities that the role feed names, and in bulk.

See docs/formats/no.md 4.

Belongs here: the declaration, recognising a file, reading, fetching. Reads responses of `/enheter/{n}/roller` (404,
an empty body: no roles) and the complete file, an array of entities with their groups. That file's structure is
undocumented: anything but an array of entities with groups is rejected as a whole. Does not belong here: redaction
(`redact`), or shares (`holdings`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, Cursor, FetchedFile, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.cursors import from_json_cursor, to_json_cursor
from connectors.kit.formats import BodyFormat, detect_body_format, plain_head
from connectors.kit.http.conditional import ConditionalFile
from connectors.kit.http.errors import FetchError
from connectors.kit.json import chunks
from connectors.no.enheter.fetch_single import GONE, NONE, OK, LookupApi, fetch_responses
from connectors.no.oppdateringer.pending import FeedEntry, pending_entries
from connectors.no.oppdateringer.schema import ROLES as STREAM
from connectors.no.register import API_URL, ENTITY_URL, HOST, LICENCE
from connectors.no.responses import error_reason, open_without_bom, top_keys
from connectors.no.roller.redact import UNREADABLE, redact
from connectors.no.roller.rows import RejectedRolesError, role_row
from connectors.no.roller.schema import GROUPS, KEY, NUMBER, ROLES, STAGED

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

BULK: Final = ConditionalFile(
    f"{API_URL}roller/totalbestand",
    "roller_alle.json",
    {BodyFormat.GZIP, BodyFormat.JSON},
    Scope.PART,
    {"Accept": "*/*"},
)
ACCEPT: Final = "application/vnd.brreg.enhetsregisteret.rolle.v1+json;charset=UTF-8"
_HOUR: Final = 3600
_WEEK: Final = 7 * 24  # hours
_LIMIT: Final = 64 << 20
_HEAD: Final = 65_536
_NAME: Final = re.compile(r"(?<![0-9])([0-9]{9})(?![0-9])")
_PATH: Final = re.compile(r"/enheter/([0-9]{9})\b")


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises roles of one or all entities, always a part: the complete file lacks entities without roles."""
    head = plain_head(head)
    if detect_body_format(head) is BodyFormat.EMPTY:
        known = _NAME.search(name) is not None
        return (
            RecognisedFile(None, Scope.PART) if known else NotApplicable("empty body: it does not identify the entity")
        )
    if reason := error_reason(head):
        return NotApplicable(reason)
    keys = top_keys(head)
    if keys is not None and GROUPS not in keys:
        return NotApplicable("object without rollegrupper")
    return RecognisedFile(None, Scope.PART)


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields batches of `no_roller`."""
    with open_without_bom(member) as body:
        head = body.read(_HEAD)
    if detect_body_format(head) is BodyFormat.EMPTY:
        yield _no_roles_batch(member)
        return
    kinds = (chunks.NotJsonError, *chunks.MALFORMED)
    with staging.unreadable_on(member, kinds, "expected the roles as JSON"), open_without_bom(member) as body:
        if head.lstrip().startswith(b"["):
            for entities in chunks.read_array(body, chunks.decode_values):
                yield _entities_batch(member, entities, None)
        else:
            yield _single_entity_batch(member, msgspec.json.decode(body.read(_LIMIT)))


def _no_roles_batch(piece: ArchiveMember) -> Batch:
    """Batch of a 404: the entity has no roles, or none any more."""
    found = _NAME.search(piece.name)
    if found is None:
        raise piece.unreadable_error("an empty body, and the file name has no organisation number")
    return staging.make_batch(ROLES, [{NUMBER: found.group(1), GROUPS: "[]"}])


def _single_entity_batch(piece: ArchiveMember, body: Any) -> Batch:
    """Batch of one entity's response, which names the entity in its links only."""
    links = body.get("_links") if isinstance(body, dict) else None
    told = _PATH.search(msgspec.json.encode(links or {}).decode())
    found = told or _NAME.search(piece.name)
    return _entities_batch(piece, [body], found.group(1) if found else None)


def _require_readable(piece: ArchiveMember, entity: object) -> None:
    """Raises UnreadableFileError for the whole file if redaction failed on a part of it."""
    if isinstance(entity, dict) and UNREADABLE in entity:
        raise piece.unreadable_error(str(entity[UNREADABLE]))


def _entities_batch(piece: ArchiveMember, entities: Iterable[Any], number: str | None) -> Batch:
    batch = staging.BatchBuilder(piece.dataset)
    rows: list[dict[str, str]] = []
    for entity in entities:
        _require_readable(piece, entity)
        try:
            rows.append(role_row(entity, number, batch.tally))
        except RejectedRolesError as error:
            batch.reject(number, error, entity)
    return batch.build(ROLES, rows)


def _archive_suffix(status: int, _is_removed: bool) -> str | None:
    """Archives 404 and 410: the entity has no roles any more."""
    return ".json" if status in (OK, NONE, GONE) else None


QUESTION: Final = LookupApi(ENTITY_URL + "{}/roller", ACCEPT, _archive_suffix)


class _RolesCursor(msgspec.Struct, omit_defaults=True):
    """The hour of the last complete file, its HTTP validators, and the look-ups made."""

    hours: int | None = None
    validators: str = ""
    memory: str = ""


def fetch(http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches the complete file, at first and once a week, then the roles of entities that the feed names.

    An unavailable complete file does not block the look-ups: its error is raised at the end.
    """
    place = from_json_cursor(cursor, _RolesCursor) or _RolesCursor()
    entries = list(subjects)
    newest = max((FeedEntry.of(subject).hours for subject in entries), default=0)
    broken: FetchError | None = None
    if place.hours is None or newest - place.hours > _WEEK:
        try:
            bulk = BULK.download(http, Cursor(place.validators))
        except FetchError as error:
            bulk, broken = None, error
        if bulk is not None:
            found = bulk.validators.cursor()
            place.hours = max(newest, int(bulk.server_time.timestamp()) // _HOUR)
            place.validators = found.value if found else ""
            yield bulk.to_fetched_file(BULK.name, Scope.PART, to_json_cursor(place))
    memory = Cursor(place.memory) if place.memory else None
    for arrival in fetch_responses(QUESTION, http, memory, entries):
        place.memory = arrival.cursor.value if arrival.cursor else place.memory
        yield replace(arrival, cursor=to_json_cursor(place) if arrival.cursor else None)
    if broken is not None:
        raise broken


DATASET: Final = Dataset(
    key=KEY,
    title="Enhetsregisteret: roles that are ownership",
    licence=LICENCE,
    cadence=Cadence(cron="30 4 * * *", stale_after_hours=72),
    guard_limits=GuardLimits(max_rejected=0.01),
    host=HOST,
    staged_tables=STAGED,
    file_patterns=("roller/**", "roller_*/**", "**/roller_alle*"),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=fetch,
    subjects_to_fetch=partial(pending_entries, stream=STREAM),
    is_per_company=True,
    redact=redact,
)
