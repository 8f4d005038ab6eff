"""Dataset no.underenheter: sub-units of Enhetsregisteret, in bulk and one by one (docs/formats/no.md 2).

Belongs here: the declaration, recognising a file, reading and fetching. A deleted sub-unit returns a short body, a
removed one 410. Does not belong here: rows (`rows`), or the companies they belong to.
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
from connectors.kit.formats import BodyFormat, detect_body_format, plain_head
from connectors.kit.http.conditional import ConditionalFile
from connectors.kit.http.errors import FetchError
from connectors.kit.json import chunks
from connectors.no.enheter.fetch_single import GONE, LookupApi, fetch_responses, record_suffix
from connectors.no.oppdateringer.pending import pending_entries
from connectors.no.oppdateringer.schema import SUB_UNITS as STREAM
from connectors.no.register import API_URL, HOST, LICENCE
from connectors.no.responses import error_reason, error_status, is_search_page, missing_number_reason, open_without_bom
from connectors.no.underenheter.rows import read_csv, records_to_batch, removed_batch
from connectors.no.underenheter.schema import KEY, STAGED

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

BULK: Final = ConditionalFile(
    f"{API_URL}underenheter/lastned/csv",
    "underenheter.csv",
    {BodyFormat.GZIP, BodyFormat.TEXT},
    Scope.FULL,
    {"Accept": "application/vnd.brreg.enhetsregisteret.underenhet.v2+gzip;charset=UTF-8"},
)
ACCEPT: Final = "application/vnd.brreg.enhetsregisteret.underenhet.v2+json;charset=UTF-8"
_HEAD: Final = 65_536
_LIMIT: Final = 256 * 1024 * 1024
_GONE_NAME: Final = re.compile(r"([0-9]{9})[^/]{0,200}-410\b")


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises files of sub-units as parts: only a fetch or the folder's `day.json` knows one is complete."""
    head = plain_head(head)
    if _removed_number(name, head) is not None:
        return RecognisedFile(None, Scope.PART)
    found = detect_body_format(head)
    reasons = {
        BodyFormat.EMPTY: "empty body: the registry has no such sub-unit",
        BodyFormat.ZIP: "workbook (regneark): the same rows as the bulk CSV, which is read instead",
    }
    reason = error_reason(head) or reasons.get(found)
    if reason is None and is_search_page(head) and b'"underenheter"' not in head:
        reason = "search page without sub-units"
    reason = reason or missing_number_reason(head)
    return RecognisedFile(None, Scope.PART) if reason is None else NotApplicable(reason)


def _removed_number(name: str, head: bytes) -> str | None:
    """Number of a sub-unit that returned 410, from the file name."""
    found = _GONE_NAME.search(name)
    gone = error_status(head) == GONE or detect_body_format(head) is BodyFormat.EMPTY
    return found.group(1) if found and gone else None


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields batches of `no_underenheter`."""
    with open_without_bom(member) as body:
        head = body.read(_HEAD)
    gone = _removed_number(member.name, head)
    if gone is not None:
        yield removed_batch(gone)
        return
    found = detect_body_format(head)
    if found is BodyFormat.TEXT:
        yield from read_csv(member)
    elif found is BodyFormat.JSON:
        yield from _read_json(member, head)
    else:
        raise member.unreadable_error(f"expected CSV or JSON of sub-units, found {found}")


def _read_json(piece: ArchiveMember, head: bytes) -> Iterator[Batch]:
    tally = staging.SignalCounter(piece.dataset)
    kinds = (chunks.NotJsonError, *chunks.MALFORMED)
    with staging.unreadable_on(piece, kinds, "JSON that does not parse"), open_without_bom(piece) as body:
        if not head.lstrip().startswith(b"["):
            yield records_to_batch(_page_elements(msgspec.json.decode(body.read(_LIMIT))), tally)
            return
        for found in chunks.read_array(body, chunks.decode_values):
            yield records_to_batch(found, tally)


def _page_elements(body: Any) -> list[Any]:
    """Elements of a search page; any other body is one element."""
    if isinstance(body, dict) and "_embedded" in body:
        found = body["_embedded"].get("underenheter") if isinstance(body["_embedded"], dict) else None
        return found if isinstance(found, list) else []
    return [body]


QUESTION: Final = LookupApi(API_URL + "underenheter/{}", ACCEPT, record_suffix)
_BULK_MARK: Final = "\n"  # between the two cursors


def fetch(http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches the nightly bulk if its ETag changed, then the sub-units that the feed names.

    An unavailable bulk does not block the look-ups: its error is raised at the end.
    """
    validators, _, memory = (cursor.value if cursor else "").partition(_BULK_MARK)
    broken: FetchError | None = None
    try:
        bulk = BULK.download(http, Cursor(validators))
    except FetchError as error:
        bulk, broken = None, error
    if bulk is not None:
        found = bulk.validators.cursor()
        validators = found.value if found else ""
        yield bulk.to_fetched_file(BULK.name, Scope.FULL, Cursor(f"{validators}{_BULK_MARK}{memory}"))
    for arrival in fetch_responses(QUESTION, http, Cursor(memory) if memory else None, subjects):
        yield _with_both_cursors(arrival, validators)
    if broken is not None:
        raise broken


def _with_both_cursors(arrival: FetchedFile, validators: str) -> FetchedFile:
    """Adds the bulk's cursor to an arrival that carries a look-up cursor."""
    if arrival.cursor is None:
        return arrival
    return replace(arrival, cursor=Cursor(f"{validators}{_BULK_MARK}{arrival.cursor.value}"))


DATASET: Final = Dataset(
    key=KEY,
    title="Enhetsregisteret: sub-units",
    licence=LICENCE,
    cadence=Cadence(cron="30 4 * * *", stale_after_hours=72),
    guard_limits=GuardLimits(max_shrink=0.02, max_changed=0.20, max_rejected=0.01),
    host=HOST,
    staged_tables=STAGED,
    file_patterns=("underenheter/**", "underenheter_bulk_*/**", "documented_examples/BrregSubEntity*"),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=fetch,
    subjects_to_fetch=partial(pending_entries, stream=STREAM),
)
