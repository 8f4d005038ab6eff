"""Dataset us.submissions: profiles and filings of all filers, from the nightly archive, single responses or pages.

Belongs here: the declaration, recognising files, and reading. Does not belong here: rows (`submissions_rows`),
fetching (`submissions_fetch`), responses for filers named by the feeds (`filer`, which stages into the same
tables).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import PurePosixPath
from typing import Final

from connectors.declare import Batch, Cadence, Dataset, Guard, NotOurs, Piece, Recognised, Scope, Unreadable
from connectors.kit import archives, staged
from connectors.kit.archives import ArchiveError
from connectors.kit.formats import Format, opening, sniff
from connectors.kit.staged import Tally
from connectors.us.access import LIMITER, RATE, trouble
from connectors.us.register import FILES_HOST, LICENCE, central_index_key
from connectors.us.submissions_fetch import bulk
from connectors.us.submissions_fields import KEY, STAGED
from connectors.us.submissions_model import Filer, decoded
from connectors.us.submissions_redact import redact, withheld
from connectors.us.submissions_rows import Collected

LARGEST: Final = 64 << 20  # bytes of one filer
_MEMBERS: Final = archives.Limits(members=4_000_000)  # every CIK, and its continuation files
_PAGE_NAME: Final = re.compile(r"CIK(\d{10})-submissions-\d+", re.IGNORECASE)
_FOLDERS: Final = {
    "code_lists": "code list: the codes that are served are in codes/*.csv",
    "sic": "code list: the codes that are served are in codes/*.csv; labels are taken from the records",
    "errors": "error page of the SEC: used to distinguish a block from a missing file",
}


def recognise(name: str, head: bytes) -> Recognised | NotOurs:
    """Recognises submissions files, all of them deltas: absent filers are not deleted (docs/formats/us.md 3)."""
    folder = name.split("/", 1)[0]
    if folder in _FOLDERS:
        return NotOurs(_FOLDERS[folder])
    said = trouble(head)
    if said is not None:
        return NotOurs(said)
    plain = opening(head)
    if sniff(plain) is Format.TEXT:
        return NotOurs("derived table of submissions: the original responses are read")
    return Recognised(None, Scope.PART)


def read(piece: Piece) -> Iterator[Batch]:
    """Batches of `us_filer`, `us_filed` and `us_ending`; a member that cannot be read is a reject."""
    collected = Collected(tally := Tally(piece.dataset), piece.observed_at.date())
    with piece.open() as stream:
        is_zip = sniff(stream.read(1024)) is Format.ZIP
    if not is_zip:
        with staged.opened(piece) as stream:
            _take(collected, stream.read(LARGEST), piece.dataset, piece.name, tally)
        yield from collected.batches()
        return
    yield from _archive(piece, collected, tally)


def _archive(piece: Piece, collected: Collected, tally: Tally) -> Iterator[Batch]:
    """Batches of the archive, many members each: one batch per member would make a million tables."""
    names = 0
    try:
        for member in archives.members(piece.open, piece.name, keep=_is_filer, limits=_MEMBERS):
            names += 1
            try:
                with member.open() as stream:
                    body = stream.read(LARGEST)
                _take(collected, body, piece.dataset, member.name, tally)
            except (ArchiveError, Unreadable) as error:
                collected.reject(member.name, str(error))
            if collected.is_full:
                yield from collected.batches()
    except ArchiveError as error:
        raise Unreadable(piece.dataset, piece.name, str(error)) from error
    if not names:
        raise Unreadable(piece.dataset, piece.name, "an archive without a member CIK##########.json")
    yield from collected.batches()


def _is_filer(name: str) -> bool:
    return PurePosixPath(name).name.lower().endswith(".json")


def _take(collected: Collected, body: bytes, dataset: str, name: str, tally: Tally) -> None:
    if (reason := withheld(body)) is not None:
        raise Unreadable(dataset, name, reason)
    found = decoded(body.removeprefix(b"\xef\xbb\xbf"), dataset, name, tally)
    if isinstance(found, Filer):
        collected.filer(found)
        return
    told = _PAGE_NAME.search(PurePosixPath(name).name)
    cik = central_index_key(told.group(1)) if told else None
    if cik is None:
        raise Unreadable(dataset, name, "a page of filings without a CIK in its name: its filer is unknown")
    collected.page(cik, found)


dataset: Final = partial(
    Dataset,
    licence=LICENCE,
    staged=STAGED,
    recognise=recognise,
    split=staged.single,
    read=read,
    redact=redact,
)
DATASET: Final = dataset(
    key=KEY,
    title="EDGAR submissions: all filers, nightly",
    cadence=Cadence(cron="30 9 * * *", stale_after_hours=72),  # rebuilt about 03:00 Eastern
    guard=Guard(max_rejected=0.01),
    host=FILES_HOST,
    files=("submissions/**", "submissions*.zip", "code_lists/**", "sic/**", "errors/**"),
    fetch=bulk,
    rate=RATE,
    limiter=LIMITER,
)
