"""Data files and position delete files of an Iceberg table (https://iceberg.apache.org/spec/#position-delete-files).

A data file holds rows of one market in the order of companies. A position delete file names rows of data files that no
longer count, so a changed company costs its own rows and not the files around it. Does not belong here: snapshots
(`snapshots`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Final
from uuid import uuid4

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.io.pyarrow import parquet_file_to_data_file, schema_to_pyarrow
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.table import Table as IcebergTable
from pyiceberg.typedef import Record

from warehouse.exports.merged.release_rows import GROUP

_FILE_GROUPS: Final = 16  # row groups of a file at most
FILE_ROWS: Final = _FILE_GROUPS * GROUP
_ZSTD_LEVEL: Final = 3
_COMPANY: Final = "company_id"
_DELETES: Final = pa.schema(  # reserved field ids of the specification
    [
        pa.field("file_path", pa.string(), nullable=False, metadata={"PARQUET:field_id": "2147483546"}),
        pa.field("pos", pa.int64(), nullable=False, metadata={"PARQUET:field_id": "2147483545"}),
    ]
)


@dataclass(frozen=True, slots=True)
class RowPositions:
    """Rows of the data files of one market: path and number in the file, both ascending."""

    partition: Record
    rows: pl.DataFrame


def write_data_files(table: IcebergTable, batches: Iterable[pa.RecordBatch], release: int) -> list[DataFile]:
    """Writes rows of one market, a row group for each batch; no file for no rows."""
    schema = schema_to_pyarrow(table.schema(), include_field_ids=True)
    groups = (_in_schema(batch, schema) for batch in batches if batch.num_rows)
    files: list[DataFile] = []
    while (first := next(groups, None)) is not None:
        path = _new_path(table, f"{release:010}-{uuid4()}")
        with (
            table.io.new_output(path).create() as stream,
            pq.ParquetWriter(stream, schema, compression="zstd", compression_level=_ZSTD_LEVEL) as writer,
        ):
            for group in (first, *islice(groups, _FILE_GROUPS - 1)):
                writer.write_table(group)
        files.append(parquet_file_to_data_file(table.io, table.metadata, path))
    return files


def _in_schema(batch: pa.RecordBatch, schema: pa.Schema) -> pa.Table:
    """Rows with the columns of the table; one that is no longer declared is null."""
    columns = [
        batch.column(field.name) if field.name in batch.schema.names else pa.nulls(batch.num_rows, field.type)
        for field in schema
    ]
    return pa.table([column.cast(field.type) for column, field in zip(columns, schema, strict=True)], schema=schema)


def company_positions(table: IcebergTable, companies: pl.Series, markets: Iterable[str]) -> list[RowPositions]:
    """Rows of the given companies in the current snapshot, by market; deleted rows may be among them."""
    prefixes = {f"firm:{market}" for market in markets}
    found: dict[Record, list[pl.DataFrame]] = {}
    for task in table.scan().plan_files():
        if task.file.partition[0] in prefixes:
            rows = _positions_in_file(table, task.file, companies)
            if rows.height:
                found.setdefault(task.file.partition, []).append(rows)
    return [RowPositions(partition, pl.concat(rows).sort("file_path", "pos")) for partition, rows in found.items()]


def _positions_in_file(table: IcebergTable, file: DataFile, companies: pl.Series) -> pl.DataFrame:
    wanted = companies.to_frame(_COMPANY)
    numbers: list[pl.Series] = []
    start = 0
    with table.io.new_input(file.file_path).open() as stream, pq.ParquetFile(stream) as opened:
        for batch in opened.iter_batches(columns=[_COMPANY]):
            rows = pl.DataFrame(batch).with_row_index("pos", start).join(wanted, on=_COMPANY, how="semi")
            numbers.append(rows["pos"].cast(pl.Int64))
            start += batch.num_rows
    positions = pl.concat(numbers) if numbers else pl.Series("pos", [], pl.Int64)
    return pl.DataFrame({"file_path": pl.repeat(file.file_path, positions.len(), eager=True), "pos": positions})


def write_delete_file(table: IcebergTable, positions: RowPositions, release: int) -> DataFile:
    """Writes the position delete file of one market."""
    path = _new_path(table, f"{release:010}-{uuid4()}-deletes")
    with table.io.new_output(path).create() as stream:
        pq.write_table(positions.rows.to_arrow().cast(_DELETES), stream, compression="zstd")
    return DataFile.from_args(
        content=DataFileContent.POSITION_DELETES,
        file_path=path,
        file_format=FileFormat.PARQUET,
        partition=positions.partition,
        record_count=positions.rows.height,
        file_size_in_bytes=len(table.io.new_input(path)),
        spec_id=table.metadata.default_spec_id,
    )


def _new_path(table: IcebergTable, name: str) -> str:
    return table.location_provider().new_data_location(f"{name}.parquet")
