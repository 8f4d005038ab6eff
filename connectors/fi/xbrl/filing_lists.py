"""Parses lists of statements: company, period end and date of registration (docs/formats/fi.md 3.1).

Does not belong here: fetching them (`fetch`), or the statements (`document`).
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from connectors.contract.dataset import ArchiveMember, UnreadableFileError
from connectors.fi.register import parse_business_id
from connectors.fi.xbrl.schema import DATE, NUMBER
from connectors.kit.json.chunks import MALFORMED
from connectors.kit.json.record import JsonRecord, RecordError
from connectors.kit.staging import SignalCounter
from connectors.kit.xbrl.facts import parse_day

LIST: Final = "financials"


def parse_statement_list(
    member: ArchiveMember, body: bytes, tally: SignalCounter
) -> tuple[list[dict[str, Any]], list[tuple[object, str, object]]]:
    """Rows of a list, and its unreadable lines as rejects."""
    try:
        items: Any = msgspec.json.decode(body)[LIST]
    except (*MALFORMED, KeyError, TypeError) as error:
        raise UnreadableFileError(member.dataset, member.name, f"expected a list of statements: {error}") from None
    rows: list[dict[str, Any]] = []
    rejects: list[tuple[object, str, object]] = []
    for place, item in enumerate(items if isinstance(items, list) else [], start=1):
        try:
            row = _list_row(item, tally)
            rows += [] if row is None else [row]
        except RecordError as error:
            rejects.append((place, str(error), item))
    return rows, rejects


def _list_row(item: Any, tally: SignalCounter) -> dict[str, Any] | None:
    record = JsonRecord(item, tally, str(item.get(NUMBER)) if isinstance(item, dict) else "")
    number, written = parse_business_id(record.need(NUMBER)), record.need(DATE)
    registered = record.text("registrationDate")
    record.close()
    last, when = parse_day(written, is_end=False), parse_day(registered, is_end=False)
    if number is None or last is None:
        raise RecordError(NUMBER if number is None else DATE, f"is none: {written}")
    if registered and when is None:
        tally.add("unreadable_value", "registrationDate", number)
    # the list by period end has no registration date: such a line adds nothing to the statement
    return None if when is None else {NUMBER: number, DATE: last, "registrationDate": when}
