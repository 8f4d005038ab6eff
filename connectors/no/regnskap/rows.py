"""Converts records of the open accounts API to a staged batch: types, rejects, signals.

Belongs here: one record and its fields, audited against the documented model. Does not belong here: recognising a
body (`dataset`), or what the figures mean (`mapping`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final

import polars as pl

from connectors.contract.pieces import ArchiveMember, Batch
from connectors.kit import staging
from connectors.kit.currencies import CURRENCIES
from connectors.kit.staging import SignalCounter
from connectors.no import code_lists
from connectors.no.register import count_wrong_check_digits
from connectors.no.regnskap.amounts import InvalidAmountError, check_totals, to_whole_units
from connectors.no.regnskap.schema import (
    ACCOUNTS,
    CURRENCY,
    END,
    IDENTITIES,
    JOURNAL,
    NUMBER,
    RULES,
    SCOPES,
    START,
    TYPE,
)
from warehouse.schema.types import Column, ColumnKind

_KEYS: Final = frozenset({NUMBER, JOURNAL, TYPE, START, END})
_DEEPEST: Final = 12  # levels; the model has five
_EARLIEST: Final = date(1900, 1, 1)  # digital accounts are much younger: 0001-01-01 is a day not stated

Value = str | int | bool | date | None


class RejectedAccountsError(Exception):
    """A record that cannot be kept; the message says why."""


def build_batch(member: ArchiveMember, records: Sequence[object]) -> Batch:
    """The batch of one response.

    Two rows of one submission and scope are one filing: the higher id is newer. Where no id is higher, rows that differ
    contradict each other, and none is taken.
    """
    batch = staging.BatchBuilder(member.dataset)
    rows: list[Mapping[str, Value]] = []
    for place, record in enumerate(records, start=1):
        try:
            rows.append(_parse_record(record, batch.tally, member.observed_at.date()))
        except RejectedAccountsError as error:
            batch.reject(_journal_number(record) or place, error, record)
    frame = pl.DataFrame(rows, schema=dict(staging.staged_schema(ACCOUNTS)), orient="row")
    frame = _newest_rows(frame, batch)
    _audit_rows(frame, batch.tally)
    return batch.build(ACCOUNTS, frame)


def _newest_rows(rows: pl.DataFrame, batch: staging.BatchBuilder) -> pl.DataFrame:
    """One row per submission and scope."""
    newest = rows.filter(pl.col("id").eq_missing(pl.col("id").max().over(ACCOUNTS.key))).unique(maintain_order=True)
    is_alone = pl.len().over(ACCOUNTS.key) == 1
    for journal, scope in newest.filter(~is_alone).select(JOURNAL, TYPE).unique(maintain_order=True).iter_rows():
        batch.reject(journal, f"rows of one id that contradict each other: {scope}")
    return newest.filter(is_alone)


def _journal_number(record: object) -> str | None:
    return str(record[JOURNAL]) if isinstance(record, dict) and JOURNAL in record else None


def _parse_record(record: object, tally: SignalCounter, seen: date) -> Mapping[str, Value]:
    if not isinstance(record, dict):
        raise RejectedAccountsError("accounts that are not an object")
    found = dict(_flatten_members(record))
    number = str(found.get(NUMBER))
    row = {
        column.name: _parse_member(column, found.pop(column.name, None), tally, number) for column in ACCOUNTS.columns
    }
    for name in found:
        tally.add("unknown_key", name, number)
    _check_required(row, seen)
    return row


def _flatten_members(record: Mapping[str, Any], prefix: str = "", depth: int = 0) -> Iterator[tuple[str, object]]:
    """Flattens members, names joined with dots; an empty object, like a missing one, is a post not stated."""
    if depth > _DEEPEST:
        raise RejectedAccountsError("objects nested deeper than the documented model")
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _flatten_members(value, f"{prefix}{name}.", depth + 1)
        else:
            yield prefix + name, value


def _parse_member(column: Column, value: object, tally: SignalCounter, example: str) -> Value:
    if value is None or value == "":
        return None
    try:
        return _parse_value(column.kind, value)
    except (InvalidAmountError, ValueError) as error:
        if column.name in _KEYS:
            raise RejectedAccountsError(f"{column.name}: {value!r} does not read as {column.kind}") from error
        tally.add("unreadable_value", column.name, example)
        return None


def _parse_value(kind: ColumnKind, value: object) -> Value:
    match kind:
        case ColumnKind.MONEY | ColumnKind.INTEGER:
            return to_whole_units(value)
        case ColumnKind.BOOLEAN:
            return _parse_boolean(value)
        case ColumnKind.DATE:
            return date.fromisoformat(str(value))
        case _:
            if isinstance(value, bool) or not isinstance(value, str | int):
                raise InvalidAmountError(f"{value!r} is not text")
            return str(value)


def _parse_boolean(value: object) -> bool:
    """Parses a JSON boolean or the text of the XML form."""
    found = {"true": True, "false": False}.get(str(value).lower())
    if found is None:
        raise ValueError(f"{value!r} is neither true nor false")
    return found


def _check_required(row: Mapping[str, Value], seen: date) -> None:
    if not re.fullmatch(r"[0-9]{9}", str(row[NUMBER])):
        raise RejectedAccountsError("organisation number is not nine digits")
    if not row[JOURNAL]:
        raise RejectedAccountsError("no journalnr: the submission cannot be distinguished from others")
    if row[TYPE] not in SCOPES:
        raise RejectedAccountsError(f"regnskapstype {row[TYPE]!r} is neither SELSKAP nor KONSERN")
    start, end = row[START], row[END]
    if not is_ended_period(start, end, seen):
        raise RejectedAccountsError(f"the period is not a valid range of days: fraDato {start}, tilDato {end}")


def is_ended_period(start: object, end: object, seen: date) -> bool:
    """True for a first day, and a last day not before it, that had come when the accounts were observed."""
    return isinstance(start, date) and isinstance(end, date) and _EARLIEST <= start <= end <= seen


def _audit_rows(rows: pl.DataFrame, tally: SignalCounter) -> None:
    check_totals(rows, IDENTITIES, NUMBER, tally)
    CURRENCIES.audit(rows, CURRENCY, NUMBER, tally, "unknown_currency")
    for subject in rows.filter(~pl.col(RULES).is_in(list(code_lists.STANDARDS))).iter_rows(named=True):
        tally.add("unknown_code", f"{RULES} {subject[RULES]}", subject[NUMBER])
    count_wrong_check_digits(rows, NUMBER, tally)
