"""Dataset fi.ytj: companies of the Business Information System (YTJ v3), from the bulk zip and search pages.

Belongs here: the declaration, recognising a file, objects to staged rows, the daily bulk. Does not belong here:
which of several names or entries counts (`rows`), the shared profile (`profile.companies`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final

import msgspec

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.fi.register import COMPANIES_URL, HOST, LICENCE, error_body_reason
from connectors.fi.ytj import stream
from connectors.fi.ytj.rows import CompanyRowBuilder, business_id_of
from connectors.fi.ytj.schema import COMPANIES, KEY
from connectors.fi.ytj.structs import YtjCompany
from connectors.kit import staging
from connectors.kit.formats import BodyFormat, detect_body_format, plain_head
from connectors.kit.http.conditional import ConditionalFile
from connectors.kit.json import structs
from connectors.kit.json.chunks import MALFORMED

BULK_URL: Final = f"{COMPANIES_URL}/all_companies"
BULK_NAME: Final = "all_companies.zip"
_BULK: Final = re.compile(r"all_companies[^/]*$")
_RETIRED_API: Final = re.compile(rb'"type"\s*:\s*"fi\.prh\.opendata\.(?:bis|tr)"')
_POSTAL: Final = re.compile(rb'"municipal_code"')
_EMPTY: Final = re.compile(rb'"companies"\s*:\s*\[\s*\]')
_NUMBER_KEY: Final = b'"businessId"'


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises the bulk (a zip or its JSON), search pages and objects; only a fetch knows a file is complete."""
    head = plain_head(head)
    found = detect_body_format(head)
    # an HTML page or an empty file under the bulk's name is not skipped silently: `read_batches` rejects it
    if found is BodyFormat.ZIP or (found is not BodyFormat.JSON and _BULK.search(name)):
        return RecognisedFile(None, Scope.PART)
    if found is not BodyFormat.JSON:
        return NotApplicable(f"expected the JSON of companies, found {found}")
    reason = _not_applicable_reason(head)
    return RecognisedFile(None, Scope.PART) if reason is None else NotApplicable(reason)


def _not_applicable_reason(head: bytes) -> str | None:
    if _RETIRED_API.search(head[:4096]):
        return "answer of the retired APIs bis/v1 and tr/v1: switched off, their companies come from v3"
    if _POSTAL.search(head[:4096]):
        return "Posti's post codes: the list is kept in codes/postcodes.csv and codes/municipalities.csv"
    if _EMPTY.search(head) and stream.is_object(head):
        return "search page without companies"
    try:
        reason = error_body_reason(msgspec.json.decode(head))
    except MALFORMED:
        reason = None  # longer than its head, or damaged: `read_batches` finds out
    if reason is None and _NUMBER_KEY not in head:
        return "JSON without a business id"
    return reason


def split_members(piece: ArchiveMember) -> Iterator[ArchiveMember]:
    """Yields the JSON member of the zip, whatever its base name (docs/formats/fi.md 2.1)."""
    found = False
    for member in staging.split_archive(piece, keep=lambda name: name.lower().endswith(".json")):
        found = True
        yield member
    if not found:
        raise piece.unreadable_error("a zip without a .json member")


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields batches of `fi_ytj`."""
    tally = staging.SignalCounter(member.dataset)
    rows = CompanyRowBuilder(tally, member.observed_at)
    seen: set[str] = set()
    array = replace(member, open=partial(stream.open_as_array, member))
    for chunk in structs.decode_chunks(array, YtjCompany, tally, key="businessId"):
        taken: list[dict[str, Any]] = []
        rejects = list(chunk.rejects.iter_rows())
        for company in chunk.records:
            number = business_id_of(company)
            reason = "no business id" if number is None else "repeated in this file" if number in seen else None
            if number is None or reason is not None:
                rejects.append((number or str(company.businessId), str(reason), ""))
                continue
            seen.add(number)
            taken.append(rows.of(company, number))
        yield staging.make_batch(COMPANIES, taken, staging.reject_rows(rejects), tally.drain())


DATASET: Final = Dataset(
    key=KEY,
    title="Business Information System (YTJ): companies",
    licence=LICENCE,
    cadence=Cadence(cron="15 4 * * *", stale_after_hours=48),  # regenerated daily
    guard_limits=GuardLimits(max_shrink=0.02, max_changed=0.20, max_rejected=0.001),
    host=HOST,
    staged_tables={COMPANIES.name: COMPANIES},
    file_patterns=("ytj_v3/**", "ytj/**", "bis_v1_legacy/**", "reference/**", "**/all_companies*"),
    recognise_file=recognise_file,
    split_members=split_members,
    read_batches=read_batches,
    fetch=ConditionalFile(BULK_URL, BULK_NAME, {BodyFormat.ZIP}, Scope.FULL).fetch,
)
