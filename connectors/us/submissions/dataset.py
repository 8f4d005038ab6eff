"""Dataset us.submissions: profiles and filings of all filers, from the nightly archive, single responses or pages.

Belongs here: the declarations, recognising files, and reading. Does not belong here: rows (`rows`), fetching
(`fetch`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import Final

import polars as pl

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope, UnreadableFileError
from connectors.kit import staging
from connectors.kit.archive import members
from connectors.kit.archive.members import ArchiveError
from connectors.kit.formats import BodyFormat, decompressed_head, detect_body_format
from connectors.us.feeds.pending_filings import OF_PROFILES, filing_subjects
from connectors.us.register import DATA_HOST, FILES_HOST, LICENCE, central_index_key
from connectors.us.sec_http import reason_left_out
from connectors.us.submissions.fetch import fetch_bulk, fetch_responses
from connectors.us.submissions.redact import redact, withheld_reason
from connectors.us.submissions.rows import SubmissionCollector
from connectors.us.submissions.schema import ANSWERS_KEY, KEY, STAGED
from connectors.us.submissions.structs import FilerProfile, decode_submission

LARGEST: Final = 64 << 20  # bytes of one filer
_MEMBERS: Final = members.ArchiveLimits(members=4_000_000)  # every CIK, and its continuation files
_PAGE_NAME: Final = re.compile(r"CIK(\d{10})-submissions-\d+", re.IGNORECASE)
_FOLDERS: Final = {
    "code_lists": "code list: the codes that are served are in codes/*.csv",
    "sic": "code list: the codes that are served are in codes/*.csv; labels are taken from the records",
    "errors": "error page of the SEC: used to distinguish a block from a missing file",
}


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises submissions files, all of them deltas: absent filers are not deleted (docs/formats/us.md 3)."""
    left_out = reason_left_out(name, head, _FOLDERS)
    if left_out is not None:
        return left_out
    plain = decompressed_head(head)
    if detect_body_format(plain) is BodyFormat.TEXT:
        return NotApplicable("derived table of submissions: the original responses are read")
    return RecognisedFile(None, Scope.PART)


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Batches of `us_filer`, `us_filed` and `us_ending`; a member that cannot be read is a reject."""
    collected = SubmissionCollector(member.dataset, member.observed_at.date())
    with member.open() as stream:
        is_zip = detect_body_format(stream.read(1024)) is BodyFormat.ZIP
    if not is_zip:
        with staging.open_plain(member) as stream:
            _collect_member(collected, stream.read(LARGEST), member.name)
        yield from collected.batches()
        return
    yield from _read_archive(member, collected)


def _read_archive(piece: ArchiveMember, collected: SubmissionCollector) -> Iterator[Batch]:
    """Batches of the archive, many members each: one batch per member would make a million tables."""
    names = 0
    with staging.unreadable_on(piece, ArchiveError):
        for member in members.archive_members(
            piece.open, piece.name, keep=lambda name: name.lower().endswith(".json"), limits=_MEMBERS
        ):
            names += 1
            try:
                with member.open() as stream:
                    _collect_member(collected, stream.read(LARGEST), member.name)
            except (ArchiveError, UnreadableFileError) as error:
                collected.reject(member.name, error)
            if collected.is_full:
                yield from collected.batches()
    if not names:
        raise piece.unreadable_error("an archive without a member CIK##########.json")
    yield from collected.batches()


def _collect_member(collected: SubmissionCollector, body: bytes, name: str) -> None:
    dataset = collected.tally.dataset
    if (reason := withheld_reason(body)) is not None:
        raise UnreadableFileError(dataset, name, reason)
    found = decode_submission(body.removeprefix(b"\xef\xbb\xbf"), dataset, name, collected.tally)
    if isinstance(found, FilerProfile):
        collected.filer(found)
        return
    told = _PAGE_NAME.search(PurePosixPath(name).name)
    cik = central_index_key(told.group(1)) if told else None
    if cik is None:
        raise UnreadableFileError(dataset, name, "a page of filings without a CIK in its name: its filer is unknown")
    collected.page(cik, found)


dataset: Final = partial(
    Dataset,
    licence=LICENCE,
    staged_tables=STAGED,
    recognise_file=recognise_file,
    read_batches=read_batches,
    redact=redact,
)
DATASET: Final = dataset(
    key=KEY,
    title="EDGAR submissions: all filers, nightly",
    cadence=Cadence(cron="30 9 * * *", stale_after_hours=72),  # rebuilt about 03:00 Eastern
    guard_limits=GuardLimits(max_rejected=0.01),
    host=FILES_HOST,
    file_patterns=("submissions/**", "submissions*.zip", "code_lists/**", "sic/**", "errors/**"),
    fetch=fetch_bulk,
)


def subjects_to_fetch(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Filings named by the feeds after which a company's submissions are fetched again at once."""
    yield from filing_subjects(tables, OF_PROFILES)


# the newer of nightly archive and response wins; on equal timestamps the response
ANSWERS_DATASET: Final = dataset(
    key=ANSWERS_KEY,
    title="EDGAR submissions: filers named by the feeds",
    cadence=Cadence(cron="*/30 * * * *", stale_after_hours=96),
    guard_limits=GuardLimits(max_rejected=0.05),
    host=DATA_HOST,
    file_patterns=("filer/**",),
    fetch=fetch_responses,
    subjects_to_fetch=subjects_to_fetch,
)
