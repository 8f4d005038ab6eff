"""Datasets no.enheter and no.enhet: the main entities of Enhetsregisteret, from every channel.

Belongs here: the declarations, recognising a file, reading, fetching. Channels: bulk CSV and bulk JSON (FULL when
fetched), search pages, single responses, short bodies of deleted entities, and 410. Single responses, for entities
that the change feed names (docs/formats/no.md 2, 3.1), are staged in the tables of the bulk: the newer wins, on
equal timestamps the response. Does not belong here: sub-units and roles (files of other datasets), the requests of
single entities (`fetch_single`), patches, which are not applied, the profile (`profile.companies`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

import polars as pl

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit.formats import BodyFormat, detect_body_format, plain_head
from connectors.kit.http.conditional import ConditionalFile
from connectors.no.enheter import parse_csv, parse_json
from connectors.no.enheter.fetch_single import LookupApi, fetch_responses, record_suffix
from connectors.no.enheter.schema import ENTITIES, STAGED
from connectors.no.oppdateringer.pending import BULK as BULK_SUBJECT
from connectors.no.oppdateringer.pending import pending_entries
from connectors.no.oppdateringer.schema import ENTITIES as STREAM
from connectors.no.oppdateringer.schema import KEY as FEED
from connectors.no.register import ENTITY_URL, HOST, LICENCE
from connectors.no.responses import error_reason, error_status, is_search_page, missing_number_reason, open_without_bom

KEY: Final = "no.enheter"
# The version is pinned: after a format change the server returns 406 instead of different columns.
BULK_ACCEPT: Final = "application/vnd.brreg.enhetsregisteret.enhet.v2+gzip;charset=UTF-8"
# a gzip file, or a plain one if gzip was the content encoding
BULK: Final = ConditionalFile(
    f"{ENTITY_URL}lastned/csv", "enheter.csv", {BodyFormat.GZIP, BodyFormat.TEXT}, Scope.FULL, {"Accept": BULK_ACCEPT}
)
ACCEPT: Final = "application/vnd.brreg.enhetsregisteret.enhet.v2+json;charset=UTF-8"
_HEAD: Final = 65_536
_GONE: Final = 410
_GONE_NAME: Final = re.compile(r"([0-9]{9})(?:[^0-9]*|-[^/]*-)410\b")
_BULK_NAME: Final = re.compile(r"bulk|\.csv", re.IGNORECASE)
_GONE_PATH: Final = re.compile(r"/enheter/([0-9]{9})\b")


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises entity files as parts: only a fetch or the folder's `day.json` knows that one is complete."""
    head = plain_head(head)
    if name.startswith("codelists/"):
        return NotApplicable(
            "code list: the codes that are served are in codes/*.csv; labels are taken from the records"
        )
    if b'"openapi"' in head or b'"swagger"' in head:
        return NotApplicable("description of the interface (OpenAPI): no records")
    if _removed_number(name, head) is not None or (
        _BULK_NAME.search(name) and detect_body_format(head) is BodyFormat.EMPTY
    ):
        return RecognisedFile(None, Scope.PART)  # an empty bulk is not skipped silently: `read_batches` rejects it
    reason = _not_applicable_reason(head)
    return RecognisedFile(None, Scope.PART) if reason is None else NotApplicable(reason)


def _not_applicable_reason(head: bytes) -> str | None:
    found = detect_body_format(head)
    if found is BodyFormat.EMPTY:
        return "empty body: the registry has no such entity"
    if found is BodyFormat.ZIP:
        return "workbook (regneark): the same rows as the bulk CSV, which is read instead"
    if found is BodyFormat.TEXT and b"beliggenhetsadresse." in head.split(b"\n", 1)[0].lower():
        return "bulk file of sub-units: they are not companies"
    return _not_applicable_json_reason(head) if found is BodyFormat.JSON else None


def _not_applicable_json_reason(head: bytes) -> str | None:
    if reason := error_reason(head):
        return reason
    if is_search_page(head) and b'"enheter"' not in head:
        return "search page of sub-units" if b'"underenheter"' in head else "search page without results"
    return missing_number_reason(head)


def _removed_number(name: str, head: bytes) -> str | None:
    """Number of an entity that returned 410: from the error body, else from the file name."""
    is_error = error_status(head) == _GONE
    told = _GONE_PATH.search(head.decode(errors="replace")) if is_error else None
    found = told or (_GONE_NAME.search(name) if is_error or detect_body_format(head) is BodyFormat.EMPTY else None)
    return found.group(1) if found else None


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields batches of `no_enheter`, `no_slettet` and `no_navn`."""
    with open_without_bom(member) as body:
        head = body.read(_HEAD)
    gone = _removed_number(member.name, head)
    if gone is not None:
        yield parse_json.removed_batch(gone)
        return
    found = detect_body_format(head)
    if found is BodyFormat.JSON:
        yield from parse_json.read_batches(member)
    elif found is BodyFormat.TEXT:
        yield from parse_csv.read_batches(member)
    else:
        raise member.unreadable_error(f"expected CSV or JSON of entities, found {found}")


def subjects_to_fetch(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Yields entries of the entity feed, and `BULK_SUBJECT` if entities were delivered in bulk."""
    if ENTITIES.name in tables:  # only its presence: a bulk is every column of a million rows
        yield BULK_SUBJECT
    yield from pending_entries(tables, STREAM)


DATASET: Final = Dataset(
    key=KEY,
    title="Enhetsregisteret: main entities",
    licence=LICENCE,
    cadence=Cadence(cron="30 4 * * *", stale_after_hours=48),  # regenerated nightly
    # No minimum of rows: the sandbox serves small worlds through this declaration. Holders and estates are
    # listed rejects too (1.4 and 3.1 % of the rows of two samples of 2024) but do not count as failures.
    guard_limits=GuardLimits(max_shrink=0.02, max_changed=0.20, max_rejected=0.001),
    host=HOST,
    staged_tables=STAGED,
    file_patterns=(
        "enheter/**",
        "enheter_bulk_csv/**",
        "enheter_bulk_json/**",
        "**/enheter_alle*",
        "documented_examples/BrregEntit*",
        "documented_examples/BrregDeletedEntity*",
        "documented_examples/*openapi*",
        "codelists/**",
    ),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=BULK.fetch,
    change_feed_key=FEED,
)
SINGLE: Final = Dataset(
    key="no.enhet",
    title="Enhetsregisteret: entities named by the change feed",
    licence=LICENCE,
    cadence=Cadence(cron="30 4 * * *", stale_after_hours=72),
    guard_limits=GuardLimits(max_rejected=0.05),
    host=HOST,
    staged_tables=STAGED,
    file_patterns=("enhet/**",),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=partial(fetch_responses, LookupApi(ENTITY_URL + "{}", ACCEPT, record_suffix, repeats_removals=True)),
    subjects_to_fetch=subjects_to_fetch,
)
