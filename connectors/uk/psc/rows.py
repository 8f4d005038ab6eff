"""Converts one PSC record of any channel to one staged row (docs/formats/uk.md 4, 5.3, 7).

Belongs here: table, key and columns of a record. Does not belong here: splitting bodies (`parse_bodies`), meaning
of the codes (`natures_of_control`, `holdings`), or signals about their values (`signals`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from operator import attrgetter
from typing import Any, Final

import msgspec
import polars as pl

from connectors.kit import staging
from connectors.uk.psc.schema import (
    COUNT_FIELDS,
    EXEMPTIONS,
    HOLDERS,
    KIND_PLACES,
    NO_IDS,
    OTHERS,
    PSC,
    STATEMENT,
    STATEMENT_FIELDS,
    STATEMENTS,
    TABLES,
    TOTALS,
    HolderIdentification,
    NameElements,
    PscLine,
    PscRecord,
)
from connectors.uk.register import canonical_number
from connectors.uk.stream_events import EVENT_TYPES, parse_published
from warehouse.schema.types import Table

_TOTALS: Final = "totals#"
_TABLES_BY_NAME: Final = {table.name: table for table in TABLES}
_COMPANY: Final = re.compile(r"company/([A-Za-z0-9]+)")
_NO_NAME: Final = NameElements()
_NO_PAPERS: Final = HolderIdentification()
_statement_fields: Final = attrgetter(*STATEMENT_FIELDS)
_count_fields: Final = attrgetter(*COUNT_FIELDS)
_UNIT: Final = "\x1f"  # ASCII unit separator: occurs in no code
_YES: Final = {"1", "true", "yes"}

Row = tuple[Any, ...]


class RowsByTable:
    """Rows of one chunk by table, and rejected records."""

    def __init__(self) -> None:
        self.by_table: dict[str, list[Row]] = {table.name: [] for table in TABLES}
        self.rejects: list[tuple[object, str, object]] = []

    def add(self, data: PscRecord, line: PscLine) -> None:
        """Adds one record to its table, or to the rejects."""
        try:
            table, row = _table_and_row(data, line)
        except staging.RejectedRecordError as refused:
            self.rejects.append((line.company_number or line.resource_uri, str(refused), data.kind))
        else:
            self.by_table[table.name].append(row)

    def frames(self) -> dict[str, pl.DataFrame]:
        """Rows by table, without empty tables."""
        return {name: _to_frame(_TABLES_BY_NAME[name], rows) for name, rows in self.by_table.items() if rows}


def _table_and_row(data: PscRecord, line: PscLine) -> tuple[Table, Row]:
    kind = data.kind or ""
    if kind.startswith(_TOTALS):
        return TOTALS, (data.generated_at or "", *_count_fields(data))
    address = (data.links.self_ if data.links else None) or line.resource_uri
    number = _record_company_number(line, address)
    if address is None:
        raise staging.RejectedRecordError("no links.self: the record has no key")
    parent, _, identity = address.rstrip("/").rpartition("/")
    if identity in NO_IDS and parent.rpartition("/")[2] not in KIND_PLACES:
        raise staging.RejectedRecordError(f"no id in the address {address!r}")
    table = table_of(kind, address)
    delivery = _delivery_fields(data, line)
    if table is PSC:
        return PSC, (number, identity, *_holder_fields(data), *delivery)
    if table is STATEMENTS:
        return STATEMENTS, (number, identity, *_statement_fields(data), *delivery)
    if table is EXEMPTIONS:
        return EXEMPTIONS, (number, _exemption_periods(data), *delivery)
    return OTHERS, (number, identity, kind or None, *delivery)


def table_of(kind: str, address: str) -> Table:
    """Table of a record by kind; by address for a deletion without a kind."""
    if kind in HOLDERS:
        return PSC
    if kind == STATEMENT or (not kind and "-control-statements/" in address):
        return STATEMENTS
    if kind == "exemptions" or (not kind and address.endswith("/exemptions")):
        return EXEMPTIONS
    return PSC if not kind and "/persons-with-significant-control/" in address else OTHERS


def _record_company_number(line: PscLine, address: str | None) -> str:
    """Company number: of the line, the event's address and the record's own one, which must not name several."""
    found = (_COMPANY.search(text) for text in (line.resource_uri, address) if text is not None)
    texts = [text for text in (line.company_number, *(match[1] for match in found if match)) if text is not None]
    numbers = list(map(canonical_number, texts))
    if not numbers or numbers[0] is None:
        raise staging.RejectedRecordError(f"no company number: {texts[0] if texts else ''!r}")
    others = {number for number in numbers if number is not None} - {numbers[0]}
    if others:
        raise staging.RejectedRecordError(f"a record of {numbers[0]} with an address of {', '.join(sorted(others))}")
    return numbers[0]


def _delivery_fields(data: PscRecord, line: PscLine) -> Row:
    event = line.event
    if event is None:
        return data.etag, False, None, None
    if event.type not in EVENT_TYPES:
        raise staging.RejectedRecordError(f"an event of the unknown type {event.type!r}")
    return data.etag, event.type == "deleted", event.timepoint, parse_published(event.published_at or "")


def _holder_fields(data: PscRecord) -> Row:
    name = data.name_elements or _NO_NAME
    papers = data.identification or _NO_PAPERS
    return (
        data.kind,
        data.name,
        name.title,
        name.forename,
        name.middle_name or name.other_forenames,
        name.surname,
        data.nationality,
        data.country_of_residence,
        *msgspec.structs.astuple(papers),
        data.natures_of_control or [],
        data.notified_on,
        data.ceased_on,
        _parse_flag(data.ceased),
        data.description,
        data.is_sanctioned,
        data.person_mark,
    )


def _parse_flag(value: bool | int | str | None) -> bool | None:
    """Parses `ceased`, delivered as a boolean, as 0 and 1, and as "0" and "1"."""
    return None if value is None else str(value).lower() in _YES


def _exemption_periods(data: PscRecord) -> str:
    periods = [
        {"key": key, "exempt_from": item.exempt_from, "exempt_to": item.exempt_to}
        for key, exemption in sorted((data.exemptions or {}).items())
        for item in exemption.items or []
    ]
    return msgspec.json.encode(periods).decode()


def _to_frame(table: Table, rows: list[Row]) -> pl.DataFrame:
    schema = staging.staged_schema(table)
    columns: Any = zip(*rows, strict=True) if rows else [()] * len(schema)
    return pl.DataFrame(
        [
            _list_series(name, values) if isinstance(kind, pl.List) else pl.Series(name, values, dtype=kind)
            for (name, kind), values in zip(schema.items(), columns, strict=True)
        ]
    )


def _list_series(name: str, lists: Iterable[list[str]]) -> pl.Series:
    """Column of lists, built from joined texts: a Python list per row would cost ten times as much."""
    joined = pl.DataFrame({name: pl.Series([_UNIT.join(texts) for texts in lists], dtype=pl.String)})
    split = pl.col(name).str.split(_UNIT)
    return joined.select(pl.when(pl.col(name) != "").then(split).otherwise([])).to_series().alias(name)
