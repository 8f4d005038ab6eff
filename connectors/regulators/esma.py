"""Dataset `<cc>.esma`: ESMA's register of sanctions, and its suspensions and removals (docs/formats/news.md 1.8).

Belongs here: the declaration, recognising files, redaction. One dataset for both: each market keeps the rows of
its own authority and, by their LEI, those of its companies elsewhere. Does not belong here: the rows of either
(`esma_sanctions`, `esma_suspensions`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

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
from connectors.kit import staged
from connectors.kit.formats import Format, opening, sniff
from connectors.regulators import acts, esma_sanctions, esma_suspensions, fetching
from connectors.regulators.authorities import ESMA

_SUSPENSIONS: Final = b"instrumentIdentifier"
_LICENCE: Final = Licence(
    "ESMA legal notice",
    "https://www.esma.europa.eu/legal-notice",
    "Source: European Securities and Markets Authority",
)


def recognise(name: str, head: bytes) -> Recognised | NotOurs:
    """Recognises sanctions responses and the suspensions export; HTML is the export without a session."""
    del name
    head = opening(head)
    found = sniff(head)
    if found is Format.JSON:
        ours = b'"sn_' in head or b"esma_registers_sanctions" in head
        return (
            Recognised(None, Scope.PART)
            if ours
            else NotOurs("JSON of another register than that of sanctions")
        )
    if found in (Format.HTML, Format.EMPTY) or (found is Format.TEXT and _SUSPENSIONS in head):
        return Recognised(None, Scope.PART)
    return NotOurs(f"{found.value} that is no register of ESMA's sanctions or suspensions")


def read(market: str, piece: Piece) -> Iterator[Batch]:
    """The acts of one file of either register."""
    with staged.opened(piece) as stream:
        found = sniff(stream.read(1_024))
    if found is Format.JSON:
        yield esma_sanctions.read(market, piece)
    elif found is Format.TEXT:
        yield from esma_suspensions.read(market, piece)
    else:
        reason = f"the body is {found.value}: the export answers so without the session of a search"
        raise Unreadable(piece.dataset, piece.name, reason)


def dataset(market: str) -> Dataset:
    """A market's dataset of both registers."""
    table = acts.table(market)
    return Dataset(
        key=f"{market.lower()}.esma",
        title="ESMA: sanctions, suspensions and removals",
        licence=_LICENCE,
        cadence=Cadence(cron="25 6 * * *", stale_after_hours=24 * 10),
        guard=Guard(max_rejected=0.2),
        host=ESMA.host,
        rate=1.0,
        staged={table.name: table},
        files=("esma_sanctions/**", "esma_saris/**", "esma/**"),
        recognise=recognise,
        split=staged.single,
        read=partial(read, market),
        redact=partial(esma_sanctions.redact, market),  # suspensions name no persons
        fetch=fetching.registers,
    )
