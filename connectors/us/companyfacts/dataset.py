"""Dataset us.companyfacts: every tagged fact of every filer, from the nightly archive or single responses.

Belongs here: the declarations, recognising files, splitting the archive into packs, reading. Does not belong
here: decoding one response (`parse`), fetching (`fetch`), figures (`us.financials_mapping`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import PurePosixPath
from typing import Final
from zlib import crc32

import polars as pl

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope, UnreadableFileError
from connectors.kit import staging
from connectors.kit.archive import members
from connectors.kit.archive import zip as archive_zip
from connectors.kit.archive.members import ArchiveError
from connectors.kit.archive.unchanged_members import unchanged_members
from connectors.kit.formats import HEAD, BodyFormat, decompressed_head, detect_body_format
from connectors.kit.json.chunks import MALFORMED
from connectors.kit.staging import SignalCounter
from connectors.us.companyfacts.fetch import fetch_bulk, fetch_responses
from connectors.us.companyfacts.parse import CompanyFacts, NotCompanyFactsError, parse_companyfacts
from connectors.us.companyfacts.rows import FactRowCollector
from connectors.us.companyfacts.schema import ANSWERS_KEY, CIK, FACTS, KEY, STAGED
from connectors.us.feeds.pending_filings import PERIODIC, filing_subjects
from connectors.us.filing_days import newest_filing_day
from connectors.us.register import DATA_HOST, FILES_HOST, LICENCE, central_index_key
from connectors.us.sec_http import reason_left_out

LARGEST: Final = 64 << 20  # bytes of one filer's facts; the largest known have some 8 MB
_PACK: Final = 512  # archive members that one process reads
_PACKS: Final = 64  # at most, because each pack lists the archive
_PACK_NAME: Final = re.compile(r"members (\d+) of (\d+)")
_MEMBER: Final = re.compile(r"(?:^|/)CIK(\d{10})\.json(?:~\d+)?$", re.IGNORECASE)
_FOLDERS: Final = {
    "frames": "one tag of all filers: companyfacts holds the same facts with the filing of each",
    "xbrl": "XBRL documents of one filing: companyfacts holds their facts",
}
_FACTS: Final = re.compile(rb'"facts"\s*:')


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises an archive or one response. Both are deltas: an absent filer has no facts, or none any more.

    See docs/formats/us.md 5.
    """
    left_out = reason_left_out(name, head, _FOLDERS)
    if left_out is not None:
        return left_out
    plain = decompressed_head(head)
    found = detect_body_format(plain)
    if found is BodyFormat.ZIP or _FACTS.search(plain) or _MEMBER.search(name):
        return RecognisedFile(None, Scope.PART)
    return NotApplicable(f"{found.value} without facts: neither an answer of companyfacts nor the archive of them")


def split_members(member: ArchiveMember) -> Iterator[ArchiveMember]:
    """Splits an archive into packs (`members 2 of 40`), each read by one process; a response stays whole."""
    with member.open() as stream:
        found = detect_body_format(stream.read(HEAD))
    if found is not BodyFormat.ZIP:
        yield member
        return
    with staging.unreadable_on(member, ArchiveError), member.open() as stream:
        entries = archive_zip.zip_entries(stream, member.name)
    fresh = len(entries) - len(unchanged_members(entries, member.previous_archive))
    packs = min(-(-fresh // _PACK), _PACKS)
    for pack in range(packs):
        yield replace(member, member_name=f"members {pack + 1} of {packs}")


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Batches of `us_facts` and `us_facts_filer`; a member that cannot be read is a reject."""
    collected = FactRowCollector(member.dataset)
    pack = _PACK_NAME.fullmatch(member.member_name or "")
    if pack is not None:
        yield from _read_pack(member, collected, int(pack[1]) - 1, int(pack[2]))
        return
    with staging.open_plain(member) as stream:
        body = stream.read(LARGEST + 1)
    _collect_response(collected, body, member, member.name)
    yield from collected.batches()


def _read_pack(piece: ArchiveMember, collected: FactRowCollector, index: int, packs: int) -> Iterator[Batch]:
    def mine(name: str) -> bool:
        return _MEMBER.search(name) is not None and crc32(name.encode()) % packs == index

    with staging.unreadable_on(piece, ArchiveError):
        for member in members.archive_members(
            piece.open, piece.name, keep=mine, previous_archive=piece.previous_archive
        ):
            try:
                with member.open() as stream:
                    _collect_response(collected, stream.read(LARGEST + 1), piece, member.name)
            except (ArchiveError, UnreadableFileError) as error:
                collected.reject(member.name, error)
            if collected.is_full:
                yield from collected.batches()
    yield from collected.batches()


def _collect_response(collected: FactRowCollector, body: bytes, piece: ArchiveMember, name: str) -> None:
    dataset = piece.dataset
    if len(body) > LARGEST:
        raise UnreadableFileError(dataset, name, f"more than {LARGEST} bytes")
    newest = newest_filing_day(piece.observed_at.date())
    try:
        answer = parse_companyfacts(body.removeprefix(b"\xef\xbb\xbf"), collected.tally, newest)
    except (*MALFORMED, NotCompanyFactsError) as error:
        raise UnreadableFileError(dataset, name, f"no answer of companyfacts: {error}") from error
    collected.take(_response_cik(collected.tally, answer, dataset, name), answer)


def _response_cik(tally: SignalCounter, answer: CompanyFacts, dataset: str, name: str) -> str:
    """CIK of the facts: from the response, as number or text; else from the member's name."""
    told = _MEMBER.search(PurePosixPath(name).name)
    named = None if told is None else central_index_key(told[1])
    cik = central_index_key(answer.cik) or named
    if cik is None:
        raise UnreadableFileError(dataset, name, f"{answer.cik!r} is no CIK")
    if named not in (None, cik):
        tally.add("other_filer_than_named", PurePosixPath(name).name, cik)
    return cik


dataset: Final = partial(
    Dataset,
    licence=LICENCE,
    staged_tables=STAGED,
    recognise_file=recognise_file,
    split_members=split_members,
    read_batches=read_batches,
    # a response has every fact of its filer: what EDGAR no longer has is not a fact any more
    complete_subjects={FACTS.name: (CIK,)},
)
DATASET: Final = dataset(
    key=KEY,
    title="EDGAR companyfacts: all filers, nightly",
    cadence=Cadence(cron="45 9 * * *", stale_after_hours=72),  # rebuilt about 03:00 Eastern
    guard_limits=GuardLimits(max_rejected=0.01),
    host=FILES_HOST,
    file_patterns=("companyfacts/**", "companyfacts*.zip", "frames/**", "xbrl/**"),
    fetch=fetch_bulk,
    reread_interval=timedelta(days=7),
)


def subjects_to_fetch(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Periodic reports named by the feeds."""
    yield from filing_subjects(tables, PERIODIC)


# the newer of nightly archive and response wins; on equal timestamps the response
ANSWERS_DATASET: Final = dataset(
    key=ANSWERS_KEY,
    title="EDGAR companyfacts: filers with reports in the feeds",
    cadence=Cadence(cron="*/30 * * * *", stale_after_hours=96),
    guard_limits=GuardLimits(max_rejected=0.05),
    host=DATA_HOST,
    file_patterns=("facts/**",),
    fetch=fetch_responses,
    subjects_to_fetch=subjects_to_fetch,
)
