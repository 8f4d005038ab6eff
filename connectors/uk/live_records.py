"""Converts stream events and REST responses to staged rows: profiles, filing history, insolvency.

See docs/formats/uk.md 5, 7.

Of several events of one resource in a body only the newest by timepoint counts: events may be repeated, and a
file may have them in any order. An event without data only announces a change and makes no row. Belongs here:
columns, keys and rejects. Does not belong here: what rows mean (`live_profiles`, `filings`, `insolvency`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeVar

import msgspec
import polars as pl

from connectors.declare import Batch, Piece, Scope, Unreadable
from connectors.kit import codes, staged, strict
from connectors.kit.staged import Tally
from connectors.uk import streams
from connectors.uk.codelists import count_unlisted
from connectors.uk.live_schema import (
    ADDRESS,
    CHECKED_KEY,
    FILED,
    INSOLVENCY,
    PROFILES,
    Address,
    CasesLine,
    Envelope,
    Filing,
    FilingLine,
    ProfileLine,
)
from connectors.uk.numbers import canonical_number
from connectors.uk.streams_fetch import GAP
from warehouse.schema.types import Table

_Line = TypeVar("_Line", bound=Envelope)
_Row = dict[str, Any]
PROFILE: Final = "company-profile"  # resource kinds of the streams
FILING: Final = "filing-history"
CASES: Final = "company-insolvency"
_NOWHERE: Final = Address()
_ANSWER: Final = re.compile(r"(?:^|/)([A-Za-z0-9]{8})[/-]insolvency[^/]*$")
_CODED: Final = {
    PROFILES.name: (
        ("unknown_status", "profile_statuses", "company_status"),
        ("unknown_legal_form", "company_types", "type"),
    ),
}


class Refused(Exception):  # noqa: N818 - becomes a reject
    """Reason why a record is rejected."""


def profiles(piece: Piece) -> Iterator[Batch]:
    """Yields rows of `uk_profiles`."""

    def rows(line: ProfileLine) -> Iterator[_Row | Refused]:
        data = line.data or line
        address = line.resource_uri or (data.links.self_ if data.links else None)
        number = streams.company_of(address) or canonical_number(data.company_number or "")
        if number is None:
            yield Refused("no company number")
            return
        if not _is_deleted(line) and not (data.company_name or "").strip():
            yield Refused("no company_name: no profile to keep")
            return
        office = data.registered_office_address or _NOWHERE
        yield {
            "company_number": number,
            **_texts(data, PROFILES, ("company_name", "date_of_cessation")),
            "sic_codes": data.sic_codes or [],
            **{name: getattr(office, name) for name in ADDRESS},
            "previous_names": _names(data.previous_company_names or []),
            **_accounts(data.accounts),
        }

    yield from _read(piece, ProfileLine, PROFILE, PROFILES, rows)


def filings(piece: Piece) -> Iterator[Batch]:
    """Yields rows of `uk_filing_history`."""

    def rows(line: FilingLine) -> Iterator[_Row | Refused]:
        items = line.items if line.items is not None else [line.data or line]
        of_list = {number for item in items if (number := _number(item, line)) is not None}
        for item in items:
            number = _number(item, line) or (min(of_list) if len(of_list) == 1 else None)
            try:
                yield _filing(item, line, number)
            except Refused as refused:
                yield refused  # rejects one item, not the following ones

    yield from _read(piece, FilingLine, FILING, FILED, rows)


def insolvency(piece: Piece) -> Iterator[Batch]:
    """Yields rows of `uk_insolvency`. A REST response has no company number: it is taken from the file name."""
    named = company_named(piece.name)
    tally = Tally(piece.dataset)

    def rows(line: CasesLine) -> Iterator[_Row | Refused]:
        data = line.data or line
        number = streams.company_of(line.resource_uri) or named
        if number is None:
            yield Refused("no company number: neither resource_uri nor the file name has it")
            return
        if data.cases is None and not _is_deleted(line):
            yield Refused("no cases")
            return
        for case in data.cases or ():
            if (case.type or "").lower() not in codes.load("connectors.uk", "insolvency_cases"):
                tally.add("unknown_case", case.type or "(empty)", number)
        cases = [
            {"type": case.type, "number": str(case.number), "dates": _dates(case.dates or [])}
            for case in data.cases or ()
        ]
        yield {"company_number": number, "cases": msgspec.json.encode(cases, order="sorted").decode()}

    yield from _read(piece, CasesLine, CASES, INSOLVENCY, rows)
    yield staged.batch(INSOLVENCY, [], None, tally.drain())


def count_gap(piece: Piece, tally: Tally) -> None:
    """Adds a signal if events before this body were lost."""
    if GAP in piece.name:
        tally.add("stream_gap", piece.name.partition("/")[0], piece.name)


def company_named(name: str) -> str | None:
    """Company number from the file name of an insolvency response."""
    found = _ANSWER.search(name)
    return None if found is None else canonical_number(found.group(1))


def _read(
    piece: Piece,
    kind: type[_Line],
    resource: str,
    table: Table,
    rows_of: Callable[[_Line], Iterator[_Row | Refused]],
) -> Iterator[Batch]:
    tally = Tally(piece.dataset)
    newest: dict[tuple[Any, ...], _Row] = {}
    count_gap(piece, tally)
    for chunk in strict.decode(piece, kind, tally, key="resource_uri"):
        rejects: list[tuple[object, str, object]] = []
        for line in chunk.records:
            if line.unreadable is not None:
                rejects.append((piece.name, _unreadable(piece, line.unreadable), line.unreadable))
            elif _tells(line, resource, tally):
                for row in rows_of(line):
                    if isinstance(row, Refused):
                        rejects.append((line.resource_uri or piece.name, str(row), line.resource_kind))
                    else:
                        _keep(newest, table, row | _delivery(piece, line, tally))
        yield staged.batch(table, [], pl.concat([chunk.rejects, staged.reject_rows(rejects)]))
    text = pl.col(pl.String)
    found = pl.DataFrame(list(newest.values()), schema=staged.schema(table), orient="row").with_columns(
        pl.when(text.str.strip_chars() != "").then(text)  # blank means unknown
    )
    for code, name, column in _CODED.get(table.name, ()):
        count_unlisted(tally, code, name, found.select(subject=column, example="company_number"))
    yield staged.batch(table, found, None, tally.drain())


def _keep(newest: dict[tuple[Any, ...], _Row], table: Table, row: _Row) -> None:
    key = tuple(row[name] for name in table.key)
    held = newest.get(key)
    if held is None or _place(held) <= _place(row):
        newest[key] = row


def _place(row: Mapping[str, Any]) -> int:
    return -1 if row["timepoint"] is None else int(row["timepoint"])


def _unreadable(piece: Piece, reason: str) -> str:
    """Rejects one line of a stream, since the other lines cannot be fetched again; raises for a whole file."""
    if piece.scope is not Scope.FEED:
        raise Unreadable(piece.dataset, piece.name, reason)
    return "not kept: it could not be checked for persons"


def _delivery(piece: Piece, line: Envelope, tally: Tally) -> _Row:
    event = line.event
    if event is None:
        told = piece.observed_at if piece.dataset == CHECKED_KEY else None
        return {"deleted": False, "timepoint": None, "published_at": told}
    told = streams.published(event.published_at or "")
    for code, value in (("no_timepoint", event.timepoint), ("no_published_at", told)):
        if value is None:
            tally.add(code, line.resource_kind or "", line.resource_uri)
    return {"deleted": _is_deleted(line), "timepoint": event.timepoint, "published_at": told}


def _tells(line: Envelope, resource: str, tally: Tally) -> bool:
    """True if an event carries the current state, not only a change notice; counts anomalies."""
    if line.event is None:
        return True
    if line.resource_kind != resource:
        tally.add("unknown_kind", line.resource_kind or "(empty)", line.resource_uri)
    if _is_deleted(line) or getattr(line, "data", None) is not None:
        return True
    tally.add("event_without_data", line.resource_kind or "", line.resource_uri)
    return False


def _is_deleted(line: Envelope) -> bool:
    return line.event is not None and line.event.type == "deleted"


def _texts(data: object, table: Table, span: tuple[str, str]) -> _Row:
    """Members with the names of the table's columns, from one column to another."""
    names = table.names[table.names.index(span[0]) : table.names.index(span[1]) + 1]
    return {name: getattr(data, name) for name in names}


def _accounts(accounts: Any) -> _Row:
    """Columns of the newest accounts; 2021 events have a list of empty values if there are none."""
    last: Any = accounts.get("last_accounts") if isinstance(accounts, dict) else None
    told: dict[str, Any] = last if isinstance(last, dict) else {}
    kind = _text(told, "type")
    return {
        "accounts_type": None if kind == "null" else kind,
        "accounts_made_up_to": _text(told, "made_up_to") or _text(told, "period_end_on"),
        "accounts_period_start": _text(told, "period_start_on"),
    }


def _text(values: Mapping[str, Any], name: str) -> str | None:
    value = values.get(name)
    return value if isinstance(value, str) and value.strip() else None


def _names(former: list[Any]) -> list[str]:
    """Former names; 2021 events have a list of empty values in place of each."""
    return [name for old in former if isinstance(old, dict) and (name := _text(old, "name")) is not None]


def _number(item: Filing, line: FilingLine) -> str | None:
    return streams.company_of(line.resource_uri or (item.links.self_ if item.links else None))


def _filing(item: Filing, line: FilingLine, number: str | None) -> _Row:
    if number is None:
        raise Refused("no company number: neither resource_uri nor links.self has it")
    identity = streams.last_of(line.resource_uri) if line.event is not None else item.transaction_id
    if not identity:
        raise Refused("no transaction_id")
    values = item.description_values if isinstance(item.description_values, dict) else {}
    return {
        "company_number": number,
        "transaction_id": identity,
        **_texts(item, FILED, ("type", "action_date")),
        "made_up_date": _text(values, "made_up_date"),
    }


def _dates(dates: list[dict[str, Any]]) -> dict[str, str]:
    """Dates of a case by type."""
    return {
        kind: day
        for said in dates
        if (kind := _text(said, "type")) is not None and (day := _text(said, "date")) is not None
    }
