"""Dataset fi.xbrl: annual accounts filed digitally, and the lists with their registration dates.

Belongs here: the declaration, recognising a file, reading. Does not belong here: one statement (`document`),
fetching (`fetch`), shared tables (`mapping`).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from connectors.contract.dataset import (
    ArchiveMember,
    Batch,
    Cadence,
    Dataset,
    GuardLimits,
    NotApplicable,
    RecognisedFile,
    Scope,
)
from connectors.fi.register import HOST, LICENCE, error_body_reason
from connectors.fi.xbrl import document, fetch
from connectors.fi.xbrl.filing_lists import LIST, parse_statement_list
from connectors.fi.xbrl.schema import KEY, REGISTERED, STATEMENTS
from connectors.kit import staging
from connectors.kit.formats import BodyFormat, decompressed_head, detect_body_format
from connectors.kit.json.chunks import MALFORMED
from connectors.kit.staging import SignalCounter

_LARGEST: Final = 64 << 20  # bytes; a statement has 28 to 90 KB, a list ten
_INSTANCE: Final = re.compile(rb"<(?:\w+:)?xbrl[\s>]|inlineXBRL", re.IGNORECASE)


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises XBRL statements and lists of them. Without digital accounts the list is empty, or 400."""
    del name
    head = decompressed_head(head).removeprefix(codecs.BOM_UTF8)
    if _INSTANCE.search(head):
        return RecognisedFile(None, Scope.PART)
    if detect_body_format(head) is not BodyFormat.JSON:
        return NotApplicable(f"{detect_body_format(head)} that is neither a statement in XBRL nor a list of statements")
    reason = _not_applicable_reason(head)
    return RecognisedFile(None, Scope.PART) if reason is None else NotApplicable(reason)


def _not_applicable_reason(head: bytes) -> str | None:
    try:
        body: Any = msgspec.json.decode(head)
    except MALFORMED:
        return None if f'"{LIST}"'.encode() in head else "JSON that is not a list of statements"
    error = error_body_reason(body)
    if error is not None:
        return f"{error}: nothing was filed digitally, or the request was wrong"
    if not isinstance(body, dict) or not isinstance(body.get(LIST), list):
        return "JSON that is not a list of statements"
    return None if body[LIST] else "a list without statements: nothing was filed digitally"


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields one batch of `fi_tilinpaatos` or of `fi_tilinpaatosluettelo`."""
    with staging.open_plain(member) as stream:
        body = stream.read(_LARGEST)
    tally = SignalCounter(member.dataset)
    if detect_body_format(body) is BodyFormat.JSON:
        rows, rejects = parse_statement_list(member, body.removeprefix(codecs.BOM_UTF8), tally)
        yield staging.make_batch(REGISTERED, rows, staging.reject_rows(rejects), tally.drain())
    else:
        row = document.statement_row(member, body, tally)
        yield staging.make_batch(STATEMENTS, [row], None, tally.drain())


DATASET: Final = Dataset(
    key=KEY,
    title="PRH: annual accounts filed digitally",
    licence=LICENCE,
    cadence=Cadence(cron="45 4 * * *", stale_after_hours=72),
    guard_limits=GuardLimits(max_rejected=0.01),
    host=HOST,
    staged_tables={STATEMENTS.name: STATEMENTS, REGISTERED.name: REGISTERED},
    file_patterns=("xbrl_v3/**", "xbrl/**"),
    recognise_file=recognise_file,
    split_members=staging.no_split,
    read_batches=read_batches,
    fetch=fetch.fetch,
)
