"""Dataset `<cc>.esma`: ESMA's register of sanctions, and its suspensions and removals (docs/formats/news.md 1.8).

Belongs here: the declaration, recognising files, redaction. One dataset for both: each market keeps the rows of
its own authority and, by their LEI, those of its companies elsewhere. Does not belong here: the rows of either
(`sanctions`, `suspensions`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from connectors.contract.dataset import Cadence, Dataset, GuardLimits, Licence
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.formats import BodyFormat, decompressed_head, detect_body_format
from connectors.regulators import fetch as regulators_fetch
from connectors.regulators import schema as regulators_schema
from connectors.regulators.authorities import ESMA
from connectors.regulators.esma import sanctions, suspensions

_LICENCE: Final = Licence(
    "ESMA legal notice", "https://www.esma.europa.eu/legal-notice", "Source: European Securities and Markets Authority"
)


def recognise_file(_name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises sanctions responses and the suspensions export; HTML is the export without a session."""
    head = decompressed_head(head)
    found = detect_body_format(head)
    if found is BodyFormat.JSON:
        ours = b'"sn_' in head or b"esma_registers_sanctions" in head
        return (
            RecognisedFile(None, Scope.PART)
            if ours
            else NotApplicable("JSON of another register than that of sanctions")
        )
    if found in (BodyFormat.HTML, BodyFormat.EMPTY) or (found is BodyFormat.TEXT and b"instrumentIdentifier" in head):
        return RecognisedFile(None, Scope.PART)
    return NotApplicable(f"{found.value} that is no register of ESMA's sanctions or suspensions")


def read_batches(market: str, member: ArchiveMember) -> Iterator[Batch]:
    """The acts of one file of either register."""
    with staging.open_plain(member) as stream:
        found = detect_body_format(stream.read(1_024))
    if found is BodyFormat.JSON:
        yield sanctions.read_batches(market, member)
    elif found is BodyFormat.TEXT:
        yield from suspensions.read_batches(market, member)
    else:
        reason = f"the body is {found.value}: the export answers so without the session of a search"
        raise member.unreadable_error(reason)


def esma_dataset(market: str) -> Dataset:
    """A market's dataset of both registers."""
    table = regulators_schema.acts_table(market)
    return Dataset(
        key=f"{market.lower()}.esma",
        title="ESMA: sanctions, suspensions and removals",
        licence=_LICENCE,
        cadence=Cadence(cron="25 6 * * *", stale_after_hours=24 * 10),
        guard_limits=GuardLimits(max_rejected=0.2),
        host=ESMA.host,
        staged_tables={table.name: table},
        file_patterns=("esma_sanctions/**", "esma_saris/**", "esma/**"),
        recognise_file=recognise_file,
        read_batches=partial(read_batches, market),
        redact=partial(sanctions.redact, market),  # suspensions name no persons
        fetch=regulators_fetch.fetch_registers,
    )
