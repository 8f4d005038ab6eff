"""Fast path from lines of the PSC snapshot to staged columns, block by block (sixteen million lines a day).

Belongs here: regular lines of holders and statements, column by column. A block with any other line (an exemption,
the trailer, an unknown key or kind, a number to normalise, an address of another form, a broken line) is left to
`parse_bodies`, which reads it record by record and reports anomalies. A test checks that both give the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, Final

import msgspec
import polars as pl

from connectors.kit import staging
from connectors.kit.json.chunks import MALFORMED
from connectors.uk.psc.schema import (
    HOLDERS,
    NO_IDS,
    PSC,
    STATEMENT,
    STATEMENT_FIELDS,
    STATEMENTS,
    HolderIdentification,
    NameElements,
)
from warehouse.schema.types import Table

_NOTHING: Final = msgspec.Raw()
_NUMBER: Final = "^[A-Z0-9]{8}$"
_COMPANY: Final = "/company/"
_NUMBER_LENGTH: Final = 8
_NO_NAME: Final = NameElements()
_NO_PAPERS: Final = HolderIdentification()
# a list of texts without escapes, as the registry writes it: separated by `","` only
_CODES: Final = r'^(?:|\[\]|\["[^"\\\[\]]+"(?:,"[^"\\\[\]]+")*\])$'
_NO_CODES: Final = ("", "[]")
_NAME_PARTS: Final = ("title", "forename", "surname")
_PAPERS: Final = HolderIdentification.__struct_fields__


class _KnownFieldsStruct(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """Base of records that reject undeclared members."""


class _SnapshotLinks(_KnownFieldsStruct):
    self_: str = msgspec.field(name="self")
    statement: msgspec.Raw = _NOTHING


class _SnapshotRecord(_KnownFieldsStruct):
    """Usual members of a snapshot line; members not needed are not decoded."""

    kind: str
    links: _SnapshotLinks
    etag: str | None = None
    name: str | None = None
    name_elements: NameElements | None = None
    nationality: str | None = None
    country_of_residence: str | None = None
    identification: HolderIdentification | None = None
    natures_of_control: msgspec.Raw = _NOTHING
    notified_on: str | None = None
    ceased_on: str | None = None
    ceased: bool | None = None
    description: str | None = None
    is_sanctioned: bool | None = None
    person_mark: str | None = None
    statement: str | None = None
    linked_psc_name: str | None = None
    restrictions_notice_withdrawal_reason: str | None = None
    service_address_is_same_as_registered_office_address: msgspec.Raw = _NOTHING
    address: msgspec.Raw = _NOTHING
    date_of_birth: msgspec.Raw = _NOTHING


class _SnapshotLine(_KnownFieldsStruct):
    company_number: str
    data: _SnapshotRecord


_DECODER: Final = msgspec.json.Decoder(_SnapshotLine)


def parse_plain_lines(part: bytes) -> dict[str, pl.DataFrame] | None:
    """Staged rows by table of a block of whole lines; None if the block needs `parse_bodies`."""
    try:
        lines = _DECODER.decode_lines(part)
    except MALFORMED:
        return None
    tables = [_TABLE_OF.get(line.data.kind) for line in lines]
    names = set(tables)
    if None in names:
        return None
    made: dict[str, pl.DataFrame] = {}
    for table, columns in ((PSC, _holder_columns), (STATEMENTS, _statement_columns)):
        own = (
            lines
            if names == {table.name}
            else [line for line, its in zip(lines, tables, strict=True) if its == table.name]
        )
        if own:
            frame = _table_frame(table, own, columns)
            if frame is None:
                return None
            made[table.name] = frame
    return made


_Columns = Callable[[Sequence[_SnapshotRecord]], dict[str, Any] | None]


def _table_frame(table: Table, lines: list[_SnapshotLine], columns: _Columns) -> pl.DataFrame | None:
    """Rows of one table; members missing from a line are null."""
    records = [line.data for line in lines]
    made = columns(records)
    if made is None:
        return None
    numbers = pl.Series("company_number", _attribute_values(lines, "company_number"), dtype=pl.String)
    if not numbers.str.contains(_NUMBER).all():
        return None
    addresses = [record.links.self_ for record in records]
    ids = [address.rstrip("/").rpartition("/")[2] for address in addresses]
    links = pl.Series(addresses, dtype=pl.String)
    is_own = links.str.starts_with(_COMPANY) & (links.str.slice(len(_COMPANY), _NUMBER_LENGTH) == numbers)
    if not is_own.all() or not NO_IDS.isdisjoint(ids):
        return None
    made |= {"company_number": numbers, "id": ids, "etag": _attribute_values(records, "etag")}
    count = len(lines)
    return pl.DataFrame(
        [_column_series(name, kind, made, count) for name, kind in staging.staged_schema(table).items()]
    )


def _column_series(name: str, kind: pl.DataType, made: dict[str, Any], count: int) -> pl.Series:
    """One staged column; null if no line has it; snapshot rows are never deletions."""
    values = made.get(name)
    if isinstance(values, pl.Series):
        return values
    if values is None:
        return pl.Series(name, [False if name == "deleted" else None], kind).new_from_index(0, count)
    return pl.Series(name, values, dtype=kind)


def _attribute_values(records: Sequence[Any], name: str) -> list[Any]:
    return list(map(attrgetter(name), records))


def _holder_columns(records: Sequence[_SnapshotRecord]) -> dict[str, Any] | None:
    codes = _code_lists(list(map(bytes, _attribute_values(records, "natures_of_control"))))
    if codes is None:
        return None
    plain = ("kind", "name", "nationality", "country_of_residence", "notified_on", "ceased_on", "ceased")
    rare = ("description", "is_sanctioned", "person_mark")
    made: dict[str, Any] = {name: _attribute_values(records, name) for name in (*plain, *rare)}
    names = [record.name_elements or _NO_NAME for record in records]
    made |= {name: _attribute_values(names, name) for name in _NAME_PARTS}
    made["middle_name"] = [name.middle_name or name.other_forenames for name in names]
    if any(record.identification is not None for record in records):
        papers = [record.identification or _NO_PAPERS for record in records]
        made |= {name: _attribute_values(papers, name) for name in _PAPERS}
    return made | {"natures_of_control": codes}


def _code_lists(raws: list[bytes]) -> pl.Series | None:
    """Lists of codes parsed from JSON; None if they are written in another form.

    The register has a few hundred combinations: each is parsed once.
    """
    place = {raw: index for index, raw in enumerate(dict.fromkeys(raws))}
    text = pl.Series("natures_of_control", list(place), dtype=pl.Binary).cast(pl.String)
    if not text.str.contains(_CODES).all():
        return None
    lists = [code.strip('[]"').split('","') if code not in _NO_CODES else [] for code in text]
    parted = pl.Series(text.name, lists, dtype=pl.List(pl.String))
    return parted.gather([place[raw] for raw in raws])


def _statement_columns(records: Sequence[_SnapshotRecord]) -> dict[str, Any]:
    return {name: _attribute_values(records, name) for name in STATEMENT_FIELDS}


_TABLE_OF: Final = {**dict.fromkeys(HOLDERS, PSC.name), STATEMENT: STATEMENTS.name}
