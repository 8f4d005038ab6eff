"""The datasets `<cc>.firds` (full files of equities, weekly) and `<cc>.firds_changes` (daily).

Belongs here: the declarations, recognition of files, a file's members to staged rows. Does not belong here:
the records (`reading`), fetching (`fetching`), the meaning of a line (`lines`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import partial
from itertools import islice
from typing import Any, BinaryIO, Final

from connectors.declare import (
    Batch,
    Cadence,
    Dataset,
    Guard,
    Licence,
    NotOurs,
    Piece,
    Recognised,
    Scope,
    Unreadable,
)
from connectors.firds import fetching, reading
from connectors.firds import fields as f
from connectors.firds.fetching import Listing
from connectors.firds.reading import Found
from connectors.kit import staged
from connectors.kit.elements import NotXml
from connectors.kit.formats import Format, sniff
from connectors.kit.staged import Tally
from warehouse.schema.types import Table

_ROWS: Final = 20_000
_NAME: Final = re.compile(r"(FULINS_[A-Z]|DLTINS|FULCAN)_([0-9]{8})_([0-9]{1,3})of([0-9]{1,3})(?![0-9])")
_WHOLE: Final = "FULINS_E"
_CHANGES: Final = "DLTINS"
Records = Callable[[BinaryIO, date, Found], Iterator[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Authority:
    """A publisher: host and query of its list of files, and their licence."""

    title: str
    host: str
    listing: Listing
    licence: Licence


ESMA: Final = Authority(
    "ESMA",
    fetching.ESMA_HOST,
    fetching.esma,
    Licence("ESMA reuse", "https://www.esma.europa.eu/legal-notice", "Source: ESMA, FIRDS"),
)
FCA: Final = Authority(
    "FCA",
    fetching.FCA_HOST,
    fetching.fca,
    Licence(
        "FCA website terms", "https://www.fca.org.uk/legal", "Source: Financial Conduct Authority, FIRDS"
    ),
)


def firds_datasets(market: str, authority: Authority) -> tuple[Dataset, Dataset]:
    """A market's datasets of full files and of changes."""
    changes = f.changes_table(market)
    tables = f.full_tables(market)
    whole = Dataset(
        key=f"{market.lower()}.firds",
        title=f"{authority.title} FIRDS: equities on venues",
        licence=authority.licence,
        cadence=Cadence(cron="0 10 * * 0", stale_after_hours=24 * 15),
        guard=Guard(max_shrink=0.1, max_rejected=0.02),
        host=authority.host,
        staged={table.name: table for table in tables},
        files=("firds/FULINS*", "firds/**", "**/FULINS_*", "esma_firds/**"),
        recognise=partial(_recognise, _WHOLE),
        is_whole=is_whole,
        split=_split,
        read=partial(_read_whole, market),
        fetch=partial(fetching.fetch_whole, authority.listing),
    )
    daily = Dataset(
        key=f"{market.lower()}.firds_changes",
        title=f"{authority.title} FIRDS: changes of equities",
        licence=authority.licence,
        cadence=Cadence(cron="30 10 * * *", stale_after_hours=24 * 5),
        guard=Guard(max_rejected=0.02),
        host=authority.host,
        staged={changes.name: changes},
        files=("firds/DLTINS*", "**/DLTINS_*"),
        recognise=partial(_recognise, _CHANGES),
        split=_split,
        read=partial(_read_changes, market),
        fetch=partial(fetching.fetch_changes, authority.listing),
    )
    return whole, daily


def _recognise(kind: str, name: str, head: bytes) -> Recognised | NotOurs:
    found = _NAME.search(name)
    if found is None:
        return NotOurs("not a FIRDS file name: lists of files are used only by the fetch")
    if found[1] != kind:
        return NotOurs(f"{found[1]}: of the FIRDS files only equities (FULINS_E) and changes are read")
    if sniff(head) not in (Format.ZIP, Format.XML):
        return NotOurs(f"expected a file of FIRDS (XML in a zip), found {sniff(head).value}")
    day = edition_of(name)
    at = None if day is None else datetime.combine(day, time(), UTC)
    return Recognised(at, Scope.FULL if kind == _WHOLE else Scope.FEED)


def is_whole(names: Collection[str]) -> bool:
    """True if the files are all parts of their sets: 01 to the last, for each day and kind."""
    found = [_NAME.search(name) for name in names]
    parts: dict[tuple[str, ...], set[int]] = {}
    for named in found:
        if named is None:
            return False
        parts.setdefault(named.group(1, 2, 4), set()).add(int(named[3]))
    return bool(parts) and all(there == set(range(1, int(of) + 1)) for (_, _, of), there in parts.items())


def edition_of(name: str) -> date | None:
    """The day in a file's name."""
    found = _NAME.search(name)
    try:
        return None if found is None else datetime.strptime(found[2], "%Y%m%d").replace(tzinfo=UTC).date()
    except ValueError:
        return None


def _split(piece: Piece) -> Iterator[Piece]:
    yield from staged.members(piece, keep=lambda name: name.lower().endswith(".xml"))


def _read_whole(market: str, piece: Piece) -> Iterator[Batch]:
    edition = _edition(piece)
    yield from _read(piece, f.full_table(market, edition), edition, reading.full)


def _read_changes(market: str, piece: Piece) -> Iterator[Batch]:
    yield from _read(piece, f.changes_table(market), _edition(piece), reading.changes)


def _edition(piece: Piece) -> date:
    named = edition_of(piece.name) or edition_of(piece.member or "")
    return named or piece.observed_at.date()


def _read(piece: Piece, table: Table, edition: date, records: Records) -> Iterator[Batch]:
    tally = Tally(piece.dataset)
    found = Found()
    try:
        with staged.opened(piece) as body:
            rows = records(body, edition, found)
            full = True
            while full:
                part = list(islice(rows, _ROWS))
                full = len(part) == _ROWS
                kept = reading.frame(part, tally)
                yield staged.batch(table, kept, reading.rejects(found), tally.drain())
    except NotXml as error:
        raise Unreadable(piece.dataset, piece.name, str(error)) from error
    if not found.records:
        raise Unreadable(piece.dataset, piece.name, "no record of FIRDS in it: expected RefData or changes")
