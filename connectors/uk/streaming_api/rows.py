"""Converts stream events and REST responses to staged rows: profiles, filing history, insolvency.

See docs/formats/uk.md 5, 7.

Of several events of one resource in a body only the newest by timepoint counts: events may be repeated, and a
file may have them in any order. An event without data only announces a change and makes no row. Belongs here:
columns, keys and rejects. Does not belong here: what rows mean (`profile.live`, `read_filings`, `read_insolvency`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any, Final, TypeVar

import msgspec
import polars as pl

from connectors.contract.pieces import ArchiveMember, Batch, Scope
from connectors.kit import staging
from connectors.kit.columns.text import failed_to_parse, iso_date
from connectors.kit.json import structs
from connectors.kit.staging import RejectedRecordError, SignalCounter, count_signals
from connectors.uk import stream_events
from connectors.uk.code_lists import count_unlisted, load_list
from connectors.uk.live_schema import (
    ADDRESS,
    CHECKED_KEY,
    FILED,
    INSOLVENCY,
    PROFILES,
    EventEnvelope,
    FilingItem,
    FilingLine,
    InsolvencyCase,
    InsolvencyLine,
    ProfileLine,
    RegisteredOffice,
)
from connectors.uk.profile.live import account_category
from connectors.uk.register import canonical_number
from connectors.uk.streaming_api.connection import GAP
from warehouse.schema.types import Table

_Line = TypeVar("_Line", bound=EventEnvelope)
_Row = dict[str, Any]
PROFILE: Final = "company-profile"  # resource kinds of the streams
FILING: Final = "filing-history"
CASES: Final = "company-insolvency"
_NOWHERE: Final = RegisteredOffice()
_ANSWER: Final = re.compile(r"(?:^|/)([A-Za-z0-9]{8})[/-]insolvency[^/]*$")
_CODED: Final = {
    PROFILES.name: (
        ("unknown_status", "profile_statuses", pl.col("company_status")),
        ("unknown_legal_form", "company_types", pl.col("type")),
        ("unknown_account_category", "account_categories", account_category()),
        ("unknown_industry_code", "sic", pl.col("sic_codes").list.first()),
    )
}
_DATES: Final = {
    PROFILES.name: ("date_of_creation", "date_of_cessation", "renamed_on", "accounts_made_up_to"),
    FILED.name: ("date", "made_up_date"),
}


def read_profiles(member: ArchiveMember) -> Iterator[Batch]:
    """Yields rows of `uk_profiles`."""

    def rows(line: ProfileLine) -> Iterator[_Row | RejectedRecordError]:
        data = line.data or line
        address = line.resource_uri or (data.links.self_ if data.links else None)
        number = stream_events.company_number_of(address) or canonical_number(data.company_number or "")
        if number is None:
            yield RejectedRecordError("no company number")
            return
        if canonical_number(data.company_number or number) != number:
            yield RejectedRecordError(f"company_number {data.company_number!r}, and the address names {number}")
            return
        if not _is_deleted(line) and not (data.company_name or "").strip():
            yield RejectedRecordError("no company_name: no profile to keep")
            return
        office = data.registered_office_address or _NOWHERE
        yield {
            "company_number": number,
            **_text_columns(data, PROFILES, ("company_name", "date_of_cessation")),
            "sic_codes": data.sic_codes or [],
            **{name: getattr(office, name) for name in ADDRESS},
            **_former_name_columns(data.previous_company_names or []),
            **_accounts_columns(data.accounts),
        }

    yield from _read_lines(member, ProfileLine, PROFILE, PROFILES, rows)


def read_filings(member: ArchiveMember) -> Iterator[Batch]:
    """Yields rows of `uk_filing_history`."""

    def rows(line: FilingLine) -> Iterator[_Row | RejectedRecordError]:
        items = line.items if line.items is not None else [line.data or line]
        of_list = {number for item in items if (number := _item_company_number(item, line)) is not None}
        for item in items:
            number = _item_company_number(item, line) or (min(of_list) if len(of_list) == 1 else None)
            try:
                yield _filing_row(item, line, number)
            except RejectedRecordError as refused:
                yield refused  # rejects one item, not the following ones

    yield from _read_lines(member, FilingLine, FILING, FILED, rows)


def read_insolvency(member: ArchiveMember) -> Iterator[Batch]:
    """Yields rows of `uk_insolvency`. A REST response has no company number: it is taken from the file name."""
    named = company_number_in_name(member.name)
    tally = SignalCounter(member.dataset)

    def rows(line: InsolvencyLine) -> Iterator[_Row | RejectedRecordError]:
        data = line.data or line
        number = stream_events.company_number_of(line.resource_uri) or named
        if number is None:
            yield RejectedRecordError("no company number: neither resource_uri nor the file name has it")
            return
        if data.cases is None and not _is_deleted(line):
            yield RejectedRecordError("no cases")
            return
        for case in data.cases or ():
            _count_case(case, number, tally)
        cases = [
            {"type": case.type, "number": str(case.number), "dates": _case_dates(case.dates or [])}
            for case in data.cases or ()
        ]
        yield {"company_number": number, "cases": msgspec.json.encode(cases, order="sorted").decode()}

    yield from _read_lines(member, InsolvencyLine, CASES, INSOLVENCY, rows)
    yield staging.make_batch(INSOLVENCY, [], None, tally.drain())


def count_timepoint_gap(member: ArchiveMember, tally: SignalCounter) -> None:
    """Adds a signal if events before this body were lost."""
    if GAP in member.name:
        tally.add("stream_gap", member.name.partition("/")[0], member.name)


def company_number_in_name(name: str) -> str | None:
    """Company number from the file name of an insolvency response."""
    found = _ANSWER.search(name)
    return None if found is None else canonical_number(found.group(1))


def _read_lines(
    piece: ArchiveMember,
    kind: type[_Line],
    resource: str,
    table: Table,
    rows_of: Callable[[_Line], Iterator[_Row | RejectedRecordError]],
) -> Iterator[Batch]:
    tally = SignalCounter(piece.dataset)
    newest: dict[tuple[Any, ...], _Row] = {}
    count_timepoint_gap(piece, tally)
    for chunk in structs.decode_chunks(piece, kind, tally, key="resource_uri"):
        rejects: list[tuple[object, str, object]] = []
        for line in chunk.records:
            if line.unreadable is not None:
                rejects.append((piece.name, _unreadable_reason(piece, line.unreadable), line.unreadable))
            elif _is_state_event(line, resource, tally):
                for row in rows_of(line):
                    if isinstance(row, RejectedRecordError):
                        rejects.append((line.resource_uri or piece.name, str(row), line.resource_kind))
                    else:
                        _store_newest(newest, table, row | _delivery_columns(piece, line, tally))
        yield staging.make_batch(table, [], pl.concat([chunk.rejects, staging.reject_rows(rejects)]))
    text = pl.col(pl.String)
    found = pl.DataFrame(list(newest.values()), schema=staging.staged_schema(table), orient="row").with_columns(
        pl.when(text.str.strip_chars() != "").then(text)  # blank means unknown
    )
    _count_anomalies(table, found, tally)
    yield staging.make_batch(table, found, None, tally.drain())


def _count_anomalies(table: Table, found: pl.DataFrame, tally: SignalCounter) -> None:
    """Counts unknown terms, and dates that do not parse."""
    for code, name, subject in _CODED.get(table.name, ()):
        count_unlisted(tally, code, name, found.select(example="company_number", subject=subject))
    for column in _DATES.get(table.name, ()):
        bad = found.filter(failed_to_parse(pl.col(column), iso_date(pl.col(column))))
        count_signals(tally, "bad_date", column, bad["company_number"])


def _store_newest(newest: dict[tuple[Any, ...], _Row], table: Table, row: _Row) -> None:
    key = tuple(row[name] for name in table.key)
    held = newest.get(key)
    if held is None or _timepoint_order(held) <= _timepoint_order(row):
        newest[key] = row


def _timepoint_order(row: Mapping[str, Any]) -> int:
    return -1 if row["timepoint"] is None else int(row["timepoint"])


def _unreadable_reason(piece: ArchiveMember, reason: str) -> str:
    """Rejects one line of a stream, since the other lines cannot be fetched again; raises for a whole file."""
    if piece.scope is not Scope.FEED:
        raise piece.unreadable_error(reason)
    return "not kept: it could not be checked for persons"


def _delivery_columns(piece: ArchiveMember, line: EventEnvelope, tally: SignalCounter) -> _Row:
    event = line.event
    if event is None:
        told = piece.observed_at if piece.dataset == CHECKED_KEY else None
        return {"deleted": False, "timepoint": None, "published_at": told}
    told = stream_events.parse_published(event.published_at or "")
    for code, value in (("no_timepoint", event.timepoint), ("no_published_at", told)):
        if value is None:
            tally.add(code, line.resource_kind or "", line.resource_uri)
    return {"deleted": _is_deleted(line), "timepoint": event.timepoint, "published_at": told}


def _is_state_event(line: EventEnvelope, resource: str, tally: SignalCounter) -> bool:
    """True if an event carries the current state, not only a change notice; counts anomalies."""
    if line.event is None:
        return True
    if line.resource_kind != resource:
        tally.add("unknown_kind", line.resource_kind or "(empty)", line.resource_uri)
    if line.event.type not in stream_events.EVENT_TYPES:
        tally.add("unknown_event_type", line.event.type or "", line.resource_uri)
        return False
    if _is_deleted(line) or getattr(line, "data", None) is not None:
        return True
    tally.add("event_without_data", line.resource_kind or "", line.resource_uri)
    return False


def _is_deleted(line: EventEnvelope) -> bool:
    return line.event is not None and line.event.type == "deleted"


def _text_columns(data: object, table: Table, span: tuple[str, str]) -> _Row:
    """Members with the names of the table's columns, from one column to another."""
    names = table.names[table.names.index(span[0]) : table.names.index(span[1]) + 1]
    return {name: getattr(data, name) for name in names}


def _accounts_columns(accounts: Any) -> _Row:
    """Columns of the newest accounts; 2021 events have a list of empty values if there are none."""
    last: Any = accounts.get("last_accounts") if isinstance(accounts, dict) else None
    told: dict[str, Any] = last if isinstance(last, dict) else {}
    kind = _non_blank_text(told, "type")
    return {
        "accounts_type": None if kind == "null" else kind,
        "accounts_made_up_to": _non_blank_text(told, "made_up_to") or _non_blank_text(told, "period_end_on"),
        "accounts_period_start": _non_blank_text(told, "period_start_on"),
    }


def _non_blank_text(values: Mapping[str, Any], name: str) -> str | None:
    value = values.get(name)
    return value if isinstance(value, str) and value.strip() else None


def _former_name_columns(former: list[Any]) -> _Row:
    """Former names, newest first, and the day on which the first of them ended.

    Their days decide where each name has one, else the order delivered. 2021 events have a list of empty values in
    place of each.
    """
    named = [
        (name, _non_blank_text(old, "ceased_on"))
        for old in former
        if isinstance(old, dict) and (name := _non_blank_text(old, "name")) is not None
    ]
    if all(stream_events.parse_iso_day(day) is not None for _, day in named):
        named.sort(key=lambda former: stream_events.parse_iso_day(former[1]) or date.min, reverse=True)
    return {"previous_names": [name for name, _ in named], "renamed_on": named[0][1] if named else None}


def _item_company_number(item: FilingItem, line: FilingLine) -> str | None:
    return stream_events.company_number_of(line.resource_uri or (item.links.self_ if item.links else None))


def _filing_row(item: FilingItem, line: FilingLine, number: str | None) -> _Row:
    if number is None:
        raise RejectedRecordError("no company number: neither resource_uri nor links.self has it")
    identity = stream_events.last_segment(line.resource_uri) if line.event is not None else item.transaction_id
    if not identity:
        raise RejectedRecordError("no transaction_id")
    values = item.description_values if isinstance(item.description_values, dict) else {}
    return {
        "company_number": number,
        "transaction_id": identity,
        **_text_columns(item, FILED, ("type", "action_date")),
        "made_up_date": _non_blank_text(values, "made_up_date"),
    }


def _count_case(case: InsolvencyCase, number: str, tally: SignalCounter) -> None:
    """Counts unknown types of a case and its dates, and deciding dates without a readable day."""
    if (case.type or "").lower() not in load_list("insolvency_cases"):
        tally.add("unknown_case", case.type or "(empty)", number)
    listed = load_list("insolvency_dates")
    for kind, day in _case_dates(case.dates or []).items():
        if kind not in listed:
            tally.add("unknown_case_date", kind, number)
        elif listed.get(kind, "effect") is not None and stream_events.parse_iso_day(day) is None:
            tally.add("bad_date", kind, number)


def _case_dates(dates: list[dict[str, Any]]) -> dict[str, str | None]:
    """Dates of a case by type; null for one without its day."""
    return {
        kind: _non_blank_text(said, "date") for said in dates if (kind := _non_blank_text(said, "type")) is not None
    }
