"""Dataset us.companyfacts: every tagged fact of every filer, from the nightly archive or single responses.

Belongs here: the declaration, recognising files, splitting the archive into packs, reading. Does not belong
here: decoding one response (`companyfacts_json`), fetching (`companyfacts_fetch`), responses for filers named
by the feeds (`company_facts`, which stages into the same tables), figures (`facts_mapping`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import PurePosixPath
from typing import Final
from zlib import crc32

from connectors.declare import Batch, Cadence, Dataset, Guard, NotOurs, Piece, Recognised, Scope, Unreadable
from connectors.kit import archives, staged, zips
from connectors.kit.alike import alike
from connectors.kit.archives import ArchiveError
from connectors.kit.chunks import MALFORMED
from connectors.kit.formats import HEAD, Format, opening, sniff
from connectors.kit.staged import Tally
from connectors.us.access import LIMITER, RATE, trouble
from connectors.us.companyfacts_fetch import bulk
from connectors.us.companyfacts_json import Answer, NoFacts, decode
from connectors.us.companyfacts_rows import Collected
from connectors.us.companyfacts_schema import KEY, STAGED
from connectors.us.register import FILES_HOST, LICENCE, central_index_key

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


def recognise(name: str, head: bytes) -> Recognised | NotOurs:
    """Recognises an archive or one response. Both are deltas: an absent filer has no facts, or none any more.

    See docs/formats/us.md 5.
    """
    folder = name.split("/", 1)[0]
    if folder in _FOLDERS:
        return NotOurs(_FOLDERS[folder])
    said = trouble(head)
    if said is not None:
        return NotOurs(said)
    plain = opening(head)
    found = sniff(plain)
    if found is Format.ZIP or _FACTS.search(plain) or _MEMBER.search(name):
        return Recognised(None, Scope.PART)
    return NotOurs(f"{found.value} without facts: neither an answer of companyfacts nor the archive of them")


def split(piece: Piece) -> Iterator[Piece]:
    """Splits an archive into packs (`members 2 of 40`), each read by one process; a response stays whole."""
    with piece.open() as stream:
        found = sniff(stream.read(HEAD))
    if found is not Format.ZIP:
        yield piece
        return
    try:
        with piece.open() as stream:
            entries = zips.directory(stream, piece.name)
    except ArchiveError as error:
        raise Unreadable(piece.dataset, piece.name, str(error)) from error
    fresh = len(entries) - len(alike(entries, piece.former))
    packs = min(-(-fresh // _PACK), _PACKS)
    for pack in range(packs):
        yield replace(piece, member=f"members {pack + 1} of {packs}")


def read(piece: Piece) -> Iterator[Batch]:
    """Batches of `us_facts` and `us_facts_filer`; a member that cannot be read is a reject."""
    collected = Collected(Tally(piece.dataset))
    pack = _PACK_NAME.fullmatch(piece.member or "")
    if pack is not None:
        yield from _pack(piece, collected, int(pack[1]) - 1, int(pack[2]))
        return
    with staged.opened(piece) as stream:
        body = stream.read(LARGEST + 1)
    _take(collected, body, piece.dataset, piece.name)
    yield from collected.batches()


def _pack(piece: Piece, collected: Collected, index: int, packs: int) -> Iterator[Batch]:
    def mine(name: str) -> bool:
        return _MEMBER.search(name) is not None and crc32(name.encode()) % packs == index

    try:
        for member in archives.members(piece.open, piece.name, keep=mine, former=piece.former):
            try:
                with member.open() as stream:
                    _take(collected, stream.read(LARGEST + 1), piece.dataset, member.name)
            except (ArchiveError, Unreadable) as error:
                collected.reject(member.name, str(error))
            if collected.is_full:
                yield from collected.batches()
    except ArchiveError as error:
        raise Unreadable(piece.dataset, piece.name, str(error)) from error
    yield from collected.batches()


def _take(collected: Collected, body: bytes, dataset: str, name: str) -> None:
    if len(body) > LARGEST:
        raise Unreadable(dataset, name, f"more than {LARGEST} bytes")
    try:
        answer = decode(body.removeprefix(b"\xef\xbb\xbf"), collected.tally)
    except (*MALFORMED, NoFacts) as error:
        raise Unreadable(dataset, name, f"no answer of companyfacts: {error}") from error
    collected.take(_filer(collected.tally, answer, dataset, name), answer)


def _filer(tally: Tally, answer: Answer, dataset: str, name: str) -> str:
    """CIK of the facts: from the response, as number or text; else from the member's name."""
    told = _MEMBER.search(PurePosixPath(name).name)
    named = None if told is None else central_index_key(told[1])
    cik = central_index_key(answer.cik) or named
    if cik is None:
        raise Unreadable(dataset, name, f"{answer.cik!r} is no CIK")
    if named not in (None, cik):
        tally.add("other_filer_than_named", PurePosixPath(name).name, cik)
    return cik


dataset: Final = partial(
    Dataset,
    licence=LICENCE,
    staged=STAGED,
    recognise=recognise,
    split=split,
    read=read,
    rate=RATE,
    limiter=LIMITER,
)
DATASET: Final = dataset(
    key=KEY,
    title="EDGAR companyfacts: all filers, nightly",
    cadence=Cadence(cron="45 9 * * *", stale_after_hours=72),  # rebuilt about 03:00 Eastern
    guard=Guard(max_rejected=0.01),
    host=FILES_HOST,
    files=("companyfacts/**", "companyfacts*.zip", "frames/**", "xbrl/**"),
    fetch=bulk,
    rereads=timedelta(days=7),
)
