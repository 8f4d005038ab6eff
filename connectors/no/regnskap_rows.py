"""Converts records of the open accounts API to a staged batch: types, rejects, signals.

Belongs here: one record and its fields, audited against the documented model. Does not belong here: recognising a
body (`regnskap`), or what the figures mean (`financials`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final

import polars as pl

from connectors.declare import Batch, Piece
from connectors.kit import staged
from connectors.kit.staged import Tally
from connectors.no import codes
from connectors.no.amounts import Misread, audit, whole
from connectors.no.counting import count
from connectors.no.register import has_check_digit
from connectors.no.regnskap_fields import (
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
from warehouse.schema.types import Column, Kind

CURRENCY_CODE: Final = r"^[A-Z]{3}$"
_KEYS: Final = frozenset({NUMBER, JOURNAL, TYPE, START, END})
_DEEPEST: Final = 12  # levels; the model has five

Value = str | int | bool | date | None


class Refused(Exception):  # noqa: N818 - says what becomes of the record
    """A record that cannot be kept; the message says why."""


def batch_of(piece: Piece, records: Sequence[object]) -> Batch:
    """The batch of one response.

    Two rows of one submission and scope are one filing: the higher id is newer.
    """
    tally = Tally(piece.dataset)
    rows: list[Mapping[str, Value]] = []
    refused: list[tuple[object, str, object]] = []
    for place, record in enumerate(records, start=1):
        try:
            rows.append(_row(record, tally))
        except Refused as error:
            refused.append((_key(record) or place, str(error), record))
    frame = pl.DataFrame(rows, schema=dict(staged.schema(ACCOUNTS)), orient="row")
    frame = frame.sort("id", nulls_last=False, maintain_order=True).unique(
        ACCOUNTS.key, keep="last", maintain_order=True
    )
    _audit(frame, tally)
    return staged.batch(ACCOUNTS, frame, staged.reject_rows(refused), tally.drain())


def _key(record: object) -> str | None:
    return str(record[JOURNAL]) if isinstance(record, dict) and JOURNAL in record else None


def _row(record: object, tally: Tally) -> Mapping[str, Value]:
    if not isinstance(record, dict):
        raise Refused("accounts that are not an object")
    found = dict(_flat(record))
    number = str(found.get(NUMBER))
    row = {
        column.name: _value(column, found.pop(column.name, None), tally, number)
        for column in ACCOUNTS.columns
    }
    for name in found:
        tally.add("unknown_key", name, number)
    _require(row)
    return row


def _flat(record: Mapping[str, Any], prefix: str = "", depth: int = 0) -> Iterator[tuple[str, object]]:
    """Flattens members, names joined with dots; an empty object, like a missing one, is a post not stated."""
    if depth > _DEEPEST:
        raise Refused("objects nested deeper than the documented model")
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.", depth + 1)
        else:
            yield prefix + name, value


def _value(column: Column, value: object, tally: Tally, example: str) -> Value:
    if value is None or value == "":
        return None
    try:
        return _read(column.kind, value)
    except (Misread, ValueError) as error:
        if column.name in _KEYS:
            raise Refused(f"{column.name}: {value!r} does not read as {column.kind}") from error
        tally.add("unreadable_value", column.name, example)
        return None


def _read(kind: Kind, value: object) -> Value:
    match kind:
        case Kind.MONEY | Kind.INTEGER:
            return whole(value)
        case Kind.BOOLEAN:
            return _boolean(value)
        case Kind.DATE:
            return date.fromisoformat(str(value))
        case _:
            if isinstance(value, bool) or not isinstance(value, str | int):
                raise Misread(f"{value!r} is not text")
            return str(value)


def _boolean(value: object) -> bool:
    """Parses a JSON boolean or the text of the XML form."""
    found = {"true": True, "false": False}.get(str(value).lower())
    if found is None:
        raise ValueError(f"{value!r} is neither true nor false")
    return found


def _require(row: Mapping[str, Value]) -> None:
    if not re.fullmatch(r"[0-9]{9}", str(row[NUMBER])):
        raise Refused("organisation number is not nine digits")
    if not row[JOURNAL]:
        raise Refused("no journalnr: the submission cannot be distinguished from others")
    if row[TYPE] not in SCOPES:
        raise Refused(f"regnskapstype {row[TYPE]!r} is neither SELSKAP nor KONSERN")
    start, end = row[START], row[END]
    if not isinstance(start, date) or not isinstance(end, date) or start > end:
        raise Refused(f"the period is not a valid range of days: fraDato {start}, tilDato {end}")


def _audit(rows: pl.DataFrame, tally: Tally) -> None:
    audit(rows, IDENTITIES, NUMBER, tally)
    for subject in rows.filter(~pl.col(CURRENCY).str.contains(CURRENCY_CODE)).iter_rows(named=True):
        tally.add("unknown_currency", subject[CURRENCY], subject[NUMBER])
    for subject in rows.filter(~pl.col(RULES).is_in(list(codes.STANDARDS))).iter_rows(named=True):
        tally.add("unknown_code", f"{RULES} {subject[RULES]}", subject[NUMBER])
    count(tally, "wrong_check_digit", NUMBER, rows.filter(~has_check_digit(pl.col(NUMBER)))[NUMBER])
