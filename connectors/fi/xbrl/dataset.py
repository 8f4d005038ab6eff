"""Dataset fi.xbrl: annual accounts filed digitally, and the lists with their registration dates.

Belongs here: the declaration, recognising a file, reading lists (docs/formats/fi.md 3.1). Does not belong here: one
statement (`document`), fetching (`fetch`), shared tables (`mapping`).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from datetime import date
from typing import Any, Final

import msgspec

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.fi.register import HOST, LICENCE, error_body_reason, finnish_day, parse_business_id
from connectors.fi.xbrl import document, fetch
from connectors.fi.xbrl.schema import DATE, KEY, NUMBER, REGISTERED, STATEMENTS
from connectors.kit import staging
from connectors.kit.formats import BodyFormat, detect_body_format, plain_head
from connectors.kit.json.chunks import MALFORMED
from connectors.kit.json.record import JsonRecord, RecordError
from connectors.kit.staging import BatchBuilder, SignalCounter
from connectors.kit.xbrl.facts import parse_day

LIST: Final = "financials"
_LARGEST: Final = 64 << 20  # bytes; a statement has 28 to 90 KB, a list ten
_INSTANCE: Final = re.compile(rb"<(?:\w+:)?xbrl[\s>]|inlineXBRL", re.IGNORECASE)


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises XBRL statements and lists of them. Without digital accounts the list is empty, or 400."""
    del name
    head = plain_head(head)
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
    batch = BatchBuilder(member.dataset)
    if detect_body_format(body) is BodyFormat.JSON:
        yield batch.build(REGISTERED, parse_statement_list(member, body.removeprefix(codecs.BOM_UTF8), batch))
    else:
        yield batch.build(STATEMENTS, [document.statement_row(member, body, batch.tally)])


def parse_statement_list(member: ArchiveMember, body: bytes, batch: BatchBuilder) -> list[dict[str, Any]]:
    """Rows of a list; its unreadable lines are rejected."""
    with staging.unreadable_on(member, (*MALFORMED, KeyError, TypeError), "expected a list of statements"):
        items: Any = msgspec.json.decode(body)[LIST]
    rows: list[dict[str, Any]] = []
    for place, item in enumerate(items if isinstance(items, list) else [], start=1):
        try:
            row = _list_row(item, batch.tally, finnish_day(member.observed_at))
            rows += [] if row is None else [row]
        except RecordError as error:
            batch.reject(place, error, item)
    return rows


def _list_row(item: Any, tally: SignalCounter, today: date) -> dict[str, Any] | None:
    record = JsonRecord(item, tally, str(item.get(NUMBER)) if isinstance(item, dict) else "")
    number, written = parse_business_id(record.need(NUMBER)), record.need(DATE)
    registered = record.text("registrationDate")
    record.close()
    last, when = parse_day(written, is_end=False), parse_day(registered, is_end=False)
    if number is None or last is None:
        raise RecordError(NUMBER if number is None else DATE, f"is none: {written}")
    if registered and (when is None or when > today):
        tally.add("unreadable_value", "registrationDate", number)
        when = None
    if when is not None and when <= last:
        tally.add("impossible_date", "registrationDate", number)  # kept: a notice of that day is of a digital filing
    # the list by period end has no registration date: such a line adds nothing to the statement
    return None if when is None else {NUMBER: number, DATE: last, "registrationDate": when}


DATASET: Final = Dataset(
    key=KEY,
    title="PRH: annual accounts filed digitally",
    licence=LICENCE,
    cadence=Cadence(cron="45 */2 * * *", stale_after_hours=72),  # a first load goes on every two hours
    guard_limits=GuardLimits(max_rejected=0.01),
    host=HOST,
    staged_tables={STATEMENTS.name: STATEMENTS, REGISTERED.name: REGISTERED},
    file_patterns=("xbrl_v3/**", "xbrl/**"),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=fetch.fetch,
)
