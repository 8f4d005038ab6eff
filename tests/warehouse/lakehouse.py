"""Reading merged tables back: of a release itself, of Iceberg by several readers, of PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import psycopg
from pyiceberg.catalog import Catalog
from pyiceberg.table import Table as IcebergTable

from tests.warehouse.helpers import day, event, rows
from tests.warehouse.world import learn, member, publish
from warehouse.exports.iceberg.catalogs import NAME, IcebergTarget, open_catalog
from warehouse.exports.iceberg.writer import IcebergWriter
from warehouse.exports.merged.results import MergeResult
from warehouse.exports.merged.tables import DIGESTS, EVENTS, MERGED
from warehouse.ledger.ledger import Ledger
from warehouse.publish.release_tables import open_release_tables
from warehouse.release.manifest import served_position
from warehouse.schema.tables import EVENTS as SHARED_EVENTS
from warehouse.schema.types import Table
from warehouse.storage.atomic_files import Step, ignore_step
from warehouse.storage.duckdb import query_frame
from warehouse.storage.layout import Layout

Frames = dict[str, pl.DataFrame]


def release_frames(layout: Layout) -> Frames:
    """The rows of the current release, read without the code under test."""
    number = served_position(layout)[0]
    found: Frames = {EVENTS.name: pl.concat([pl.DataFrame(schema={}), *Ledger(layout).rows()], how="diagonal")}
    with open_release_tables(layout, number) as connection:
        for table in MERGED:
            if table is not EVENTS:
                found[table.name] = query_frame(connection, f"SELECT * FROM {table.name}")
    digest = pl.col("with_provenance").cast(pl.Int128) - 2**63
    found[DIGESTS.name] = found[DIGESTS.name].with_columns(digest=digest.cast(pl.Int64))
    return {table.name: in_order(table, found[table.name]) for table in MERGED}


def in_order(table: Table, frame: pl.DataFrame) -> pl.DataFrame:
    """The declared columns, sorted by key."""
    if not frame.width:
        return pl.DataFrame(schema=dict.fromkeys(table.names, pl.Null))
    return frame.select(table.names).sort(table.key)


def iceberg_target(layout: Layout, folder: Path) -> IcebergTarget:
    return IcebergTarget.parse(str(folder), layout, {})


def write_iceberg(
    layout: Layout, folder: Path, keep: int = 30, on_step: Step = ignore_step, **given: Any
) -> MergeResult:
    return IcebergWriter(layout, iceberg_target(layout, folder), keep, on_step).write(**given)


@contextmanager
def opened(layout: Layout, folder: Path) -> Iterator[Catalog]:
    with open_catalog(iceberg_target(layout, folder)) as catalog:
        yield catalog


def iceberg_frames(catalog: Catalog, tag: str | None = None) -> Frames:
    """Every table by pyiceberg, at the current snapshot or a tagged one."""
    found: Frames = {}
    for table in MERGED:
        stored = catalog.load_table((NAME, table.name))
        snapshot = stored.snapshot_by_name(tag or "main")
        assert snapshot is not None
        read = pl.DataFrame(stored.scan(snapshot_id=snapshot.snapshot_id).to_arrow())
        found[table.name] = in_order(table, read)
    return found


def by_duckdb(stored: IcebergTable, snapshot_id: int | None = None) -> pl.DataFrame:
    """A table by DuckDB over the files of a snapshot, as the specification says: data files less deleted positions."""
    plan = list(stored.scan(snapshot_id=snapshot_id).plan_files())
    if not plan:
        return pl.DataFrame()
    data = [task.file.file_path.removeprefix("file://") for task in plan]
    deletes = sorted({one.file_path.removeprefix("file://") for task in plan for one in task.delete_files})
    gone = "SELECT NULL::VARCHAR AS file_path, NULL::BIGINT AS pos WHERE false"
    if deletes:
        gone = f"SELECT replace(file_path, 'file://', '') AS file_path, pos FROM read_parquet({deletes})"
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        return connection.sql(
            f"""SELECT * EXCLUDE (filename, file_row_number)
                FROM read_parquet({data}, filename = true, file_row_number = true) AS rows
                WHERE NOT EXISTS (FROM ({gone}) AS gone
                    WHERE gone.file_path = rows.filename AND gone.pos = rows.file_row_number)"""
        ).pl()


def assert_same(found: Frames, expected: Frames) -> None:
    """Every table has the same rows; types may be those of the reader."""
    for name, rows_ in expected.items():
        assert found[name].rows() == rows_.rows(), name


def postgres_frames(url: str, schema: str = "firmdata") -> dict[str, list[tuple[Any, ...]]]:
    """Every table of a PostgreSQL schema, by key; JSON as text."""
    with psycopg.connect(url) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        return {
            table.name: connection.execute(
                f"""SELECT {
                    ", ".join(
                        f"{column.name}::text" if column.kind == "json" else column.name for column in table.columns
                    )
                } FROM {schema}.{table.name}"""
            ).fetchall()
            for table in MERGED
        }


def next_day(layout: Layout, at: int, **tables: list[dict[str, Any]]) -> None:
    """A day of the market NO with an event."""
    learn(layout, "NO", at, **tables)
    publish(layout, "NO", "SE", at=at, events=rows(SHARED_EVENTS, event(f"day{at}", at=day(at))))


def members(*numbers: int, **given: Any) -> list[dict[str, Any]]:
    return [member("NO", number, **given) for number in numbers]
