"""Writes the objects of one table as NDJSON, CSV and Parquet files, one row group at a time.

NDJSON and CSV are compressed with gzip, because all consumers that cannot read Parquet can read gzip (zcat, COPY FROM
PROGRAM, every cloud loader); Parquet uses zstd. Output is deterministic: groups have a fixed size, and no time
or file name enters a header. Does not belong here: names and folders (`exports`).
"""

from __future__ import annotations

import csv
import gzip
import io
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

import msgspec
import pyarrow as pa
import pyarrow.json as arrow_json
import pyarrow.parquet as pq

from warehouse.exports.schemas import ExportTable

GROUP: Final = 60_000  # rows of a row group: kept in memory at once, and skippable by readers
_LINES: Final = 1_000  # written at once
_GZIP_LEVEL: Final = 5
_ZSTD_LEVEL: Final = 3


class ExportSink(ABC):
    """One file being written."""

    _file: Any  # the writer of the format, over the open file

    def __init__(self, path: Path) -> None:
        self._raw = path.open("wb")

    @abstractmethod
    def add(self, lines: Sequence[bytes]) -> None:
        """Adds objects; all groups but the last must have the same size."""

    def close(self) -> None:
        try:
            self._file.close()
        finally:
            self._raw.close()


class NdjsonSink(ExportSink):
    """An NDJSON file: one object per line."""

    def __init__(self, path: Path, _: ExportTable) -> None:
        super().__init__(path)
        self._file = gzip.GzipFile("", "wb", _GZIP_LEVEL, self._raw, mtime=0)

    def add(self, lines: Sequence[bytes]) -> None:
        for start in range(0, len(lines), _LINES):
            self._file.write(b"\n".join((*lines[start : start + _LINES], b"")))


class ParquetSink(ExportSink):
    """A Parquet file: one row group per call, with column statistics, so that readers can skip groups."""

    def __init__(self, path: Path, table: ExportTable) -> None:
        super().__init__(path)
        self._table = table
        order = pq.SortingColumn.from_ordering(table.schema, [(name, "ascending") for name in table.sorted_by])
        self._file = pq.ParquetWriter(
            self._raw, table.schema, compression="zstd", compression_level=_ZSTD_LEVEL, sorting_columns=order
        )

    def add(self, lines: Sequence[bytes]) -> None:
        self._file.write_table(to_arrow_table(self._table, lines), row_group_size=GROUP)


class CsvSink(ExportSink):
    """A CSV file (RFC 4180, UTF-8) with a header: values as JSON spells them, null as nothing, lists as JSON text."""

    def __init__(self, path: Path, table: ExportTable) -> None:
        super().__init__(path)
        packed = gzip.GzipFile("", "wb", _GZIP_LEVEL, self._raw, mtime=0)
        self._file = io.TextIOWrapper(packed, encoding="utf-8", newline="", write_through=False)
        self._columns = table.schema.names
        self._rows = csv.writer(self._file)
        self._rows.writerow(self._columns)

    def add(self, lines: Sequence[bytes]) -> None:
        columns = self._columns
        for line in lines:
            row = _DECODER.decode(line)
            if row.keys() - columns:
                raise pa.ArrowInvalid(f"members that are not declared: {', '.join(row.keys() - columns)}")
            self._rows.writerow([_csv_value(row.get(name)) for name in columns])


_DECODER: Final = msgspec.json.Decoder(dict[str, Any])


def _csv_value(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return msgspec.json.encode(value).decode() if isinstance(value, (list, dict, float)) else value


SINKS: Final[Mapping[str, type[NdjsonSink | ParquetSink | CsvSink]]] = {
    "parquet": ParquetSink,
    "ndjson": NdjsonSink,
    "csv": CsvSink,
}


def to_arrow_table(table: ExportTable, lines: Sequence[bytes]) -> pa.Table:
    """Parses the objects into columns; ValueError (of Arrow) if an object has an undeclared member."""
    kept: list[bytes] = []
    if table.text is not None:
        lines, kept = _split_last_member(table.text, lines)
    schema = pa.schema([field for field in table.schema if field.name != table.text])
    whole = b"\n".join(lines)
    read = arrow_json.read_json(
        io.BytesIO(whole),
        read_options=arrow_json.ReadOptions(use_threads=False, block_size=len(whole) + 1),
        parse_options=arrow_json.ParseOptions(
            explicit_schema=pa.schema([(field.name, _json_type(field.type)) for field in schema]),
            unexpected_field_behavior="error",
        ),
    ).select(schema.names)
    if table.text is not None:
        read = read.append_column(table.text, pa.array(kept, pa.binary()))
    return read.cast(table.schema)


def _split_last_member(member: str, lines: Sequence[bytes]) -> tuple[list[bytes], list[bytes]]:
    """Splits off the last member of each object: the objects without it, and its values as text."""
    mark = b',"%b":' % member.encode()
    places = [line.index(mark) for line in lines]
    kept = [line[place + len(mark) : -1] for line, place in zip(lines, places, strict=True)]
    return [line[:place] + b"}" for line, place in zip(lines, places, strict=True)], kept


def _json_type(kind: pa.DataType) -> pa.DataType:
    """The type that JSON parsing produces: dates are text there."""
    if isinstance(kind, pa.StructType):
        return pa.struct([(field.name, _json_type(field.type)) for field in kind])
    if isinstance(kind, pa.ListType):
        return pa.list_(_json_type(kind.value_type))
    return pa.string() if pa.types.is_date(kind) else kind


class TableFiles:
    """The files of one table, one per format, written in parallel."""

    def __init__(self, table: ExportTable, paths: Mapping[str, Path]) -> None:
        self.table = table
        self.rows = 0
        self._sinks: list[ExportSink] = []
        self._paths = paths

    def __enter__(self) -> Self:
        try:
            for form, path in self._paths.items():
                self._sinks.append(SINKS[form](path, self.table))
        except OSError:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, lines: Sequence[bytes]) -> None:
        """Adds a group of objects to every file."""
        for sink in self._sinks:
            sink.add(lines)
        self.rows += len(lines)

    def close(self) -> None:
        """Closes the files; if closing one fails, the others are closed too."""
        while self._sinks:
            sink = self._sinks.pop()
            try:
                sink.close()
            except OSError:
                self.close()
                raise
