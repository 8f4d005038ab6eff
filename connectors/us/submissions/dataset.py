"""Dataset us.submissions: profiles and filings of all filers, from the nightly archive, single responses or pages.

Belongs here: the declaration, recognising files, and reading. Does not belong here: rows (`rows`),
fetching (`fetch`), responses for filers named by the feeds (`single`, which stages into the same
tables).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import PurePosixPath
from typing import Final

from connectors.contract.dataset import (
    ArchiveMember,
    Batch,
    Cadence,
    Dataset,
    GuardLimits,
    NotApplicable,
    RecognisedFile,
    Scope,
    UnreadableFileError,
)
from connectors.kit import staging
from connectors.kit.archive import members
from connectors.kit.archive.members import ArchiveError
from connectors.kit.formats import BodyFormat, decompressed_head, detect_body_format
from connectors.kit.staging import SignalCounter
from connectors.us.register import FILES_HOST, LICENCE, central_index_key
from connectors.us.sec_http import error_body_reason
from connectors.us.submissions.fetch import fetch_bulk
from connectors.us.submissions.redact import redact, withheld_reason
from connectors.us.submissions.rows import SubmissionCollector
from connectors.us.submissions.schema import KEY, STAGED
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
    folder = name.split("/", 1)[0]
    if folder in _FOLDERS:
        return NotApplicable(_FOLDERS[folder])
    said = error_body_reason(head)
    if said is not None:
        return NotApplicable(said)
    plain = decompressed_head(head)
    if detect_body_format(plain) is BodyFormat.TEXT:
        return NotApplicable("derived table of submissions: the original responses are read")
    return RecognisedFile(None, Scope.PART)


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Batches of `us_filer`, `us_filed` and `us_ending`; a member that cannot be read is a reject."""
    collected = SubmissionCollector(tally := SignalCounter(member.dataset), member.observed_at.date())
    with member.open() as stream:
        is_zip = detect_body_format(stream.read(1024)) is BodyFormat.ZIP
    if not is_zip:
        with staging.open_plain(member) as stream:
            _collect_member(collected, stream.read(LARGEST), member.dataset, member.name, tally)
        yield from collected.batches()
        return
    yield from _read_archive(member, collected, tally)


def _read_archive(piece: ArchiveMember, collected: SubmissionCollector, tally: SignalCounter) -> Iterator[Batch]:
    """Batches of the archive, many members each: one batch per member would make a million tables."""
    names = 0
    try:
        for member in members.archive_members(piece.open, piece.name, keep=_is_json_member, limits=_MEMBERS):
            names += 1
            try:
                with member.open() as stream:
                    body = stream.read(LARGEST)
                _collect_member(collected, body, piece.dataset, member.name, tally)
            except (ArchiveError, UnreadableFileError) as error:
                collected.reject(member.name, str(error))
            if collected.is_full:
                yield from collected.batches()
    except ArchiveError as error:
        raise UnreadableFileError(piece.dataset, piece.name, str(error)) from error
    if not names:
        raise UnreadableFileError(piece.dataset, piece.name, "an archive without a member CIK##########.json")
    yield from collected.batches()


def _is_json_member(name: str) -> bool:
    return PurePosixPath(name).name.lower().endswith(".json")


def _collect_member(collected: SubmissionCollector, body: bytes, dataset: str, name: str, tally: SignalCounter) -> None:
    if (reason := withheld_reason(body)) is not None:
        raise UnreadableFileError(dataset, name, reason)
    found = decode_submission(body.removeprefix(b"\xef\xbb\xbf"), dataset, name, tally)
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
    split_members=staging.no_split,
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
