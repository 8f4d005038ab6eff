"""Dataset `<cc>.esma`: ESMA's register of sanctions, and its suspensions and removals (docs/formats/news.md 1.8).

Belongs here: the declaration, recognising files, redaction. One dataset for both: each market keeps the rows of
its own authority and, by their LEI, those of its companies elsewhere. Does not belong here: the rows of either
(`sanctions`, `suspensions`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from connectors.contract.dataset import (
    ArchiveMember,
    Batch,
    Cadence,
    Dataset,
    GuardLimits,
    Licence,
    NotApplicable,
    RecognisedFile,
    Scope,
    UnreadableFileError,
)
from connectors.kit import staging
from connectors.kit.formats import Format, decompressed_head, sniff
from connectors.regulators import fetch as regulators_fetch
from connectors.regulators import schema as regulators_schema
from connectors.regulators.authorities import ESMA
from connectors.regulators.esma import sanctions, suspensions

_SUSPENSIONS: Final = b"instrumentIdentifier"
_LICENCE: Final = Licence(
    "ESMA legal notice",
    "https://www.esma.europa.eu/legal-notice",
    "Source: European Securities and Markets Authority",
)


def recognise(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises sanctions responses and the suspensions export; HTML is the export without a session."""
    del name
    head = decompressed_head(head)
    found = sniff(head)
    if found is Format.JSON:
        ours = b'"sn_' in head or b"esma_registers_sanctions" in head
        return (
            RecognisedFile(None, Scope.PART)
            if ours
            else NotApplicable("JSON of another register than that of sanctions")
        )
    if found in (Format.HTML, Format.EMPTY) or (found is Format.TEXT and _SUSPENSIONS in head):
        return RecognisedFile(None, Scope.PART)
    return NotApplicable(f"{found.value} that is no register of ESMA's sanctions or suspensions")


def read(market: str, piece: ArchiveMember) -> Iterator[Batch]:
    """The acts of one file of either register."""
    with staging.open_plain(piece) as stream:
        found = sniff(stream.read(1_024))
    if found is Format.JSON:
        yield sanctions.read(market, piece)
    elif found is Format.TEXT:
        yield from suspensions.read(market, piece)
    else:
        reason = f"the body is {found.value}: the export answers so without the session of a search"
        raise UnreadableFileError(piece.dataset, piece.name, reason)


def esma_dataset(market: str) -> Dataset:
    """A market's dataset of both registers."""
    table = regulators_schema.acts_table(market)
    return Dataset(
        key=f"{market.lower()}.esma",
        title="ESMA: sanctions, suspensions and removals",
        licence=_LICENCE,
        cadence=Cadence(cron="25 6 * * *", stale_after_hours=24 * 10),
        guard=GuardLimits(max_rejected=0.2),
        host=ESMA.host,
        staged={table.name: table},
        files=("esma_sanctions/**", "esma_saris/**", "esma/**"),
        recognise=recognise,
        split=staging.no_split,
        read=partial(read, market),
        redact=partial(sanctions.redact, market),  # suspensions name no persons
        fetch=regulators_fetch.fetch_registers,
    )
